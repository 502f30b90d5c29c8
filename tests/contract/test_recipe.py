"""The worked examples of docs/adding-a-method.md keep every promise that it speaks of."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from figures import view
from mlcore.preparation.order import STAGES
from tests.contract import test_components, test_methods, test_verbs
from tests.contract.subjects import Subject
from tests.figures import made
from tests.preparation import test_contract_finite as steps

PAGE = Path(__file__).resolve().parents[2] / "docs" / "adding-a-method.md"
EXAMPLE = re.compile(r"^`[\w/]+/(\w+)\.py`\n\n```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
CODE = dict(EXAMPLE.findall(PAGE.read_text(encoding="utf-8")))
# These ask the index, in which the examples are not entered.
BY_INDEX = ("card_matches_the_index", "defaults_survive", "tries_build", "unknown_settings")


@contextmanager
def module(name: str, folder: Path) -> Iterator[ModuleType]:
    """The module that the page gives by this name."""
    path = folder / f"{name}.py"
    path.write_text(CODE[name], encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    sys.modules[name] = found  # fits are found there when they come back from a worker
    spec.loader.exec_module(found)
    yield found
    del sys.modules[name]


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory):
    """The method that the page makes."""
    with module("shrunken_means", tmp_path_factory.mktemp("recipe")) as found:
        yield Subject("classification", "shrunken_means", found.ShrunkenMeans)


@pytest.fixture(scope="module")
def step(tmp_path_factory: pytest.TempPathFactory):
    """The step that the page makes."""
    with module("median_centring", tmp_path_factory.mktemp("recipe")) as found:
        yield found.MedianCentring()


CHECKS = [
    *(c for c in test_components.CHECKS if not c.__name__.startswith(BY_INDEX)),
    *test_methods.CHECKS,
    *test_verbs.CHECKS,
]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_method(check, subject):
    rule = getattr(check, "wanted", None)
    if rule is None or rule(subject):
        check(subject)


@pytest.mark.parametrize(
    "check",
    [
        steps.test_a_row_is_transformed_as_if_it_were_alone,
        steps.test_what_is_given_stays_and_the_fit_is_read_only_also_after_a_worker,
        steps.test_rows_of_another_width_are_refused_and_the_way_back_exists_where_offered,
        steps.test_the_summary_is_short_and_plain,
    ],
    ids=lambda check: check.__name__,
)
def test_the_step(check, step):
    check(step)


def test_the_step_centres_and_its_stage_is_known(step):
    fit = step.fit(np.array([[1.0], [2.0], [9.0]]))
    np.testing.assert_array_equal(fit.transform([[4.0]]), [[2.0]])
    assert step.card.stage in STAGES


def test_the_view_stands_where_it_says(subject, tmp_path):
    data = made.dataset([[0.0, 1.0], [2.0, 1.0], [9.0, 3.0]], [0, 0, 1], classes=("a", "b"))
    try:
        with module("class_means", tmp_path) as found:
            assert "class_means" in view.views_on("classification", also="report")
            entry, fit = view.views()["class_means"], made.whole(data, subject.cls()).fit
            assert entry.allowed_by(fit)
            np.testing.assert_array_equal(found.numbers(fit, data).means, [[1.0, 1.0], [9.0, 3.0]])
            drawn = entry.drawn({"fit": fit, "dataset": data})
            widest = entry.drawn({"fit": fit, "dataset": data}, found.MeansOptions(widest=True))
    finally:
        view._VIEWS.pop("class_means", None)
    assert drawn.reading == "The means of the classes lie farthest apart in x1."
    assert [column.name for column in drawn.table] == ["column", "a", "b"]
    assert drawn.table[0].values == widest.table[0].values == ("x1", "x2")
    assert len(drawn.figure.data) == 2
