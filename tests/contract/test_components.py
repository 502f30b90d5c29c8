"""What every entry of the catalogue promises: card, declarations, written forms."""

from __future__ import annotations

import pytest

from mlcore.spine import component, registry
from mlcore.spine.errors import MlcoreError
from mlcore.spine.params import params_of
from mlscope.contract.components import CHECKS, SOURCE
from mlscope.contract.subjects import checks_of
from tests.contract.subjects import Subject, every

__all__ = ["SOURCE"]


@pytest.mark.parametrize("subject", every(), ids=str)
def test_component(subject: Subject) -> None:
    """Its promises one after another: most take less than pytest takes for a test."""
    for check in checks_of(CHECKS, subject):
        check(subject)


def test_every_line_of_the_index_leads_to_a_component() -> None:
    for slot in registry.index():
        for name, cls in registry.entries(slot).items():
            assert issubclass(cls, component.Component), f"{slot}.{name}"


def test_every_setting_is_called_by_a_word_not_by_a_letter() -> None:
    """A control "P" tells nobody what it moves; the letter of a formula is its `symbol`."""
    called = {
        f"{cls.__name__}.{name}": param.noun(name)
        for cls in dict.fromkeys(subject.cls for subject in every())
        for name, param in params_of(cls).items()
    }
    assert not {name for name, noun in called.items() if len(noun) < len("By")}


def test_an_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(MlcoreError, match="Did you mean 'kmeans'"):
        registry.lookup("clustering", "kmean")
