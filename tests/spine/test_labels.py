"""What methods are called side by side: by the settings in which they differ, in words."""

from __future__ import annotations

import pytest

from mlcore.decisions.td_control import TDControl
from mlcore.optimisation.schedules import ConstantSchedule
from mlcore.regression.constant import ConstantRegressor
from mlcore.runs.labels import noun_at, told_apart
from mlcore.runs.run import Run
from mlcore.spine.params import integer, real
from ui.labels import limits_of


@pytest.mark.parametrize(
    ("other", "name"),
    [
        (TDControl(learning_rate=ConstantSchedule(value=0.1)), "learning rate 0.1"),
        (TDControl(), "learning rate Power of the visit count"),
    ],
)
def test_the_value_of_a_constant_is_called_by_what_is_constant(other, name):
    """ "Q-learning, value 0.5" says nothing of what has that value."""
    items = (TDControl(learning_rate=ConstantSchedule(value=0.5)), other)
    assert told_apart(("Q", "Q"), items) == ("Q, learning rate 0.5", f"Q, {name}")


def test_the_value_of_a_method_keeps_its_name():
    assert noun_at(Run(method=ConstantRegressor(strategy="given")), "method.value") == "value"


LIMITS = [
    (integer(5, low=1, high=1_000_000, soft=(1, 9), doc="-"), "at least 1 and at most 1,000,000"),
    (real(0.5, above=-1.0, high=1.0, soft=(0.1, 0.9), doc="-"), "above −1 and at most 1"),
    (real(0.5, above=1e-9, soft=(0.1, 0.9), doc="-"), "above 10⁻⁹"),
]


@pytest.mark.parametrize(("declared", "said"), LIMITS)
def test_limits_are_written_as_people_write_numbers(declared, said):
    assert limits_of(declared.metadata["param"]) == f"Valid: {said}."
