"""The contract of one package: every promise of each entry, data set and view that it adds.

It is collected by `plugin`, for the package that is named there.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from mlcore.data import bundled
from mlcore.data.examples import examples
from mlcore.runs.carry import carried_out
from mlcore.runs.run import Run
from mlcore.spine import outside, registry
from mlscope.contract import components, methods, verbs
from mlscope.contract.plugin import OPTION, REASONS
from mlscope.contract.subjects import Case, Subject, cases, every, is_sentence

DATA = {"classification": "iris", "regression": "diabetes", "": "iris"}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test for each promise of each entry."""
    if "case" in metafunc.fixturenames:
        found = _cases(str(metafunc.config.getoption(OPTION)), _reasons(metafunc.config))
        metafunc.parametrize("case", found)


def _reasons(config: pytest.Config) -> dict[str, str]:
    pairs = (line.partition("=") for line in config.getini(REASONS))
    return {check.strip(): why.strip() for check, _, why in pairs}


def _cases(name: str, reasons: dict[str, str]) -> list[Any]:
    subjects = _subjects(name)
    fitted = [subject for subject in subjects if subject.slot in registry.slots_of("method")]
    found = []
    for module, whose in ((components, subjects), (methods, fitted), (verbs, fitted)):
        of_these = {check.__name__ for check in module.CHECKS}
        mine = {k: why for k, why in reasons.items() if k.partition(":")[0] in of_these}
        found += cases(module.CHECKS, whose, mine)
    return found


def _package(name: str) -> outside.Package | None:
    return next((p for p in registry.packages() if p.name.lower() == name.lower()), None)


def _subjects(name: str) -> list[Subject]:
    package = _package(name)
    return [s for s in every() if package is not None and package.holds(s.cls.__module__)]


@pytest.fixture
def package(request: pytest.FixtureRequest) -> outside.Package:
    """The package that is named."""
    name = str(request.config.getoption(OPTION))
    found = _package(name)
    assert found is not None, "\n".join(outside.left_out()) or f"No package {name} adds anything."
    return found


def test_all_of_the_package_is_let_in(package: outside.Package) -> None:
    from figures.view import views

    views()
    examples()
    assert [why for why in outside.left_out() if package.title in why] == []


@pytest.mark.filterwarnings("error")
def test_promise(case: Case) -> None:
    case.check(case.subject)


def test_every_data_set_can_be_read(package: outside.Package) -> None:
    for example in (it for it in examples().values() if it.by == package.name):
        assert bundled.load(example.name).n_rows > 0
        assert example.shows.endswith(".")


def test_every_view_is_drawn(package: outside.Package) -> None:
    """Of some method on some table; of the package's own before ours."""
    from figures.view import views

    ours = {name: it for name, it in views().items() if package.holds(it.make.__module__)}
    for entry in ours.values():
        drawn = next(_drawn(package, entry), None)
        assert drawn is not None, f"no method that was tried has what {entry.record.name} asks for"
        assert is_sentence(drawn.reading)
        assert drawn.figure.data
        assert drawn.table


def _drawn(package: outside.Package, entry: Any) -> Iterator[Any]:
    from figures.options import Axes

    for subject in _subjects(package.name):
        if subject.slot not in registry.slots_of("method"):
            continue
        data = DATA[subject.cls.card.task]
        run: Any = Run(data=data, method=subject.cls(), evaluation="hold_out")
        outcome, dataset = carried_out(run), run.data.dataset()
        if entry.asks and entry.allowed_by(outcome.whole.fit):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                whole = outcome.whole
                offered = {"dataset": dataset, "outcome": outcome, "whole": whole}
                yield entry.drawn({**offered, "fit": whole.fit, "axes": Axes()})
