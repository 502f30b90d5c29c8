"""The picture of a tree: where nodes stand, what is written, and in which units."""

from __future__ import annotations

import numpy as np
import pytest

from figures.numbers.recordings import recording_of
from figures.numbers.trees import MOST_LEAVES, tree_picture
from figures.view import views
from figures.views.trees.importances import numbers as importances
from figures.views.trees.tree_diagram import reading
from mlcore.preparation.chain import prepare
from mlcore.preparation.standardise import Standardise
from mlcore.runs.carry import Whole, recording
from mlcore.runs.fitting import fitted
from mlcore.runs.run import Run
from mlcore.trees.decision_tree import DecisionTree
from mlcore.trees.regression_tree import RegressionTree
from tests.figures import made


def carried(link: dict[str, str]):
    """The fit of a run to all rows, its data, and both together."""
    run = Run.from_link(link)[0]
    dataset = run.data.dataset({})
    prepared, fit = fitted(run, dataset, np.arange(dataset.n))
    return fit, dataset, Whole(fit, prepared, 0.0, 0)


IRIS = {"data": "iris", "method": "decision_tree", "method.max_leaf_nodes": "4"}


def test_nodes_stand_above_the_middle_of_their_two():
    picture = tree_picture(*carried(IRIS))
    assert picture.leaves == picture.n_leaves == 4
    assert sorted(picture.x[picture.is_leaf]) == [0, 1, 2, 3]
    for s in np.flatnonzero(~picture.is_leaf):
        below = picture.x[picture.parent == s]
        assert picture.x[s] == below.mean()
        assert below[0] < below[1]  # yes goes left
    np.testing.assert_allclose(picture.shares.sum(axis=1), 1)
    assert picture.rows[0] == 150


@pytest.mark.parametrize("preparation", ["", "standardise", "impute~one_hot~standardise"])
def test_questions_are_in_the_units_of_the_data(preparation):
    picture = tree_picture(*carried(IRIS | {"preparation": preparation}))
    assert picture.questions[0] == "petal_length_cm ≤ 2.45"
    assert reading(picture).startswith("First it asks whether petal_length_cm ≤ 2.45; yes goes")


def test_a_column_of_zeros_and_ones_is_asked_by_its_name():
    link = {"data": "penguins", "method": "decision_tree"}
    questions = tree_picture(*carried(link)).questions
    assert "not island=Biscoe" in questions
    by_name = tree_picture(*carried(link | {"preparation": ""})).questions
    assert any(asked.startswith("island ") and "≤" not in asked for asked in by_name)


def test_a_large_tree_is_drawn_as_far_as_its_first_splits():
    rng = np.random.default_rng(0)
    data = made.dataset(rng.normal(size=(200, 2)), rng.integers(0, 2, 200), ("a", "b"))
    whole = made.whole(data, DecisionTree(max_leaf_nodes=0))
    picture = tree_picture(whole.fit, data)
    assert picture.leaves == MOST_LEAVES < picture.n_leaves
    assert picture.is_cut.any()
    assert reading(picture).endswith(
        f"Drawn are the {MOST_LEAVES - 1} splits that were made first."
    )


def test_a_single_leaf_says_so():
    data = made.dataset([[0.0], [1.0]], [1.0, 1.0])
    whole = made.whole(data, RegressionTree())
    drawn = views()["tree_diagram"].make(whole.fit, data)
    assert drawn.reading.startswith("A single leaf")
    assert list(drawn.table[2].values) == ["leaf"]
    assert not _has_color_bar(drawn)
    parted = made.dataset([[0.0], [1.0]], [1.0, 2.0])
    again = views()["tree_diagram"].make(made.whole(parted, RegressionTree()).fit, parted)
    assert _has_color_bar(again)


def _has_color_bar(drawn):
    return any(trace.marker.showscale for trace in drawn.figure.data if trace.mode == "markers")


def test_the_columns_of_one_variable_are_added_up():
    fit, dataset, _ = carried({"data": "penguins", "method": "decision_tree"})
    found = importances(fit)
    assert "island" in found.names
    assert len(found.names) == len(dataset.columns)
    assert found.shares.sum() == pytest.approx(1.0)
    assert (np.diff(found.shares) <= 0).all()


@pytest.mark.parametrize(
    ("link", "view"),
    [
        (
            IRIS | {"method.pruning": "cost_complexity", "method.pruning.alpha": "0.3"},
            "decision_regions",
        ),
        ({"data": "curve", "method": "regression_tree"}, "fit_plot"),
    ],
)
def test_growing_and_pruning_are_played(link, view):
    run = Run.from_link(link)[0]
    dataset = run.data.dataset({})
    whole, steps = recording(run)
    drawn = views()[view].make(dataset, whole)
    played = recording_of(drawn, whole, steps, dataset)
    first, second, last = (
        next(iter(f.values())) for f in (played.frames[0], played.frames[1], played.frames[-1])
    )
    (name,) = first
    assert not np.array_equal(first[name], second[name])
    is_pruned = "method.pruning" in link
    # The last collapse leads back to the tree after the first split.
    assert np.array_equal(second[name], last[name]) == is_pruned
    assert ("Collapsed" in played.sentences[-1]) == is_pruned


def test_a_question_about_dates_names_a_day_whatever_scaled_it():
    days = [["2020-01-01"], ["2020-01-05"], ["2020-02-01"], ["2020-02-09"]]
    X = np.array(days, "datetime64[D]").astype(np.float64)
    data = made.dataset(X, [0, 0, 1, 1], classes=("a", "b"), kinds=(("datetime", ()),))
    for steps in ((), (Standardise(),)):
        prepared = prepare(steps, data.X, data.y, columns=data.columns, seed=0)
        fit = DecisionTree().fit(prepared.X, data.y, columns=prepared.columns, seed=0)
        shown = tree_picture(fit, data, Whole(fit, prepared, 0.0, 0))
        assert shown.questions[0] == "x1 ≤ 2020-01-18"
