"""Lessons beside the page that they open, true to the number; and what comes next with data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from figures.drawing.traces import axis_name
from mlcore.data.dataset import TableData
from mlcore.runs.carry import carried_out
from mlcore.runs.run import Run
from mlcore.spine.wording import number
from tests.pages.conftest import address, shown
from ui.data.next import ways
from ui.lessons import LESSONS, link


def outcome(name: str, **changed: Any) -> Any:
    """What comes of a lesson with some settings changed."""
    run, problems = Run.from_link({**LESSONS[name].link, "v": "1", **changed})
    assert problems == ()
    return carried_out(run)


def test_the_groups_are_as_many_as_blobs():
    every = {k: outcome("groups", **{"method.n_clusters": str(k)}) for k in range(2, 9)}
    seen = LESSONS["groups"].seen
    falls = ", ".join(number(every[k].mean("distortion")) for k in (2, 3, 4, 8))
    assert falls in seen
    for measure in ("silhouette", "stability"):
        means = {k: every[k].mean(measure) for k in every}
        assert max(means, key=means.__getitem__) == 3
        assert f"({number(means[3])})" in seen


def test_folds_differ_more_than_means():
    every = [outcome("folds", seed=str(seed)) for seed in range(4)]
    folds = np.array([[fold.scores["accuracy"] for fold in one.done] for one in every])
    means = [one.mean("accuracy") for one in every]
    seen = LESSONS["folds"].seen
    assert f"between {number(folds.min())} and {number(folds.max())}" in seen
    assert f"{number(min(means))} to {number(max(means))}" in seen


def test_the_lasso_leaves_columns_out():
    every = [outcome("columns", **{"method.alpha": alpha}) for alpha in ("0.01", "1", "10", "40")]
    left = [np.count_nonzero(one.whole.fit.coefficients) for one in every]
    assert left == [10, 7, 4, 2]
    names = [column.name for column in every[-1].whole.prepared.columns]
    kept = [name for name, b in zip(names, every[-1].whole.fit.coefficients, strict=True) if b]
    assert kept == ["bmi", "s5"]
    ten, *others = [number(one.mean("rmse")) for one in every]
    assert every[1].mean("rmse") == pytest.approx(every[0].mean("rmse"), rel=1e-3)
    assert all(error in LESSONS["columns"].seen for error in (ten, *others))


def test_axes_keep_what_is_said():
    for count in ("2", "5", "10", "20"):
        kept = outcome("pixels", **{"method.n_components": count}).mean("variance_kept")
        assert f"{float(f'{100 * kept:.3g}'):g} %" in LESSONS["pixels"].seen


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_stands_beside_its_page_until_it_is_closed(opened, name):
    lesson = LESSONS[name]
    pairs = {path.replace(".", "__"): value for path, value in link(name).items()}
    at = opened(lesson.page, **pairs)
    assert not at.warning, [warning.value for warning in at.warning]
    said = shown(at)
    assert all(text in said for text in (lesson.text, lesson.task, lesson.seen))
    assert address(at)["view.lesson"] == name
    at.button(key="lesson.close").click().run()
    assert "view.lesson" not in address(at)
    assert lesson.task not in shown(at)


@pytest.mark.parametrize(
    ("data", "labels"),
    [
        (TableData(source="penguins"), "Predict species, Find groups, See it in two dimensions, "
         "Compare methods"),
        (TableData(source="penguins", target=None), "Find groups, See it in two dimensions"),
        (TableData(source="moons"), "Predict class, Find groups, Compare methods"),
        (TableData(source="diabetes"), "Predict progression, Find groups, See it in two "
         "dimensions, Compare methods"),
    ],
)  # fmt: skip
def test_what_comes_next_suits_the_table(data, labels):
    found = ways(data.dataset({}))
    assert ", ".join(way.label for way in found) == labels
    assert all(way.why.endswith(".") for way in found)


def test_the_data_page_says_what_comes_next(opened):
    at = opened("data", data="diabetes")
    assert "What comes next" in shown(at)
    assert "The target is a quantity, 25.0 to 346." in shown(at)


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("bill_length_mm", "Bill length (mm)"),
        ("body_mass_g", "Body mass (g)"),
        ("x1", "x1"),
        ("Flipper_mm", "Flipper_mm"),
        ("_mm", "_mm"),
        ("flag_g7", "flag_g7"),
    ],
)
def test_an_axis_is_named_in_words_where_the_name_tells_a_unit(name, title):
    assert axis_name(name) == title
