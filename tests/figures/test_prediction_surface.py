"""The surface of a regression over two columns, checked on values."""

from __future__ import annotations

import numpy as np
import pytest

from figures.drawing.traces import CELLS
from figures.recording import traces_by_name
from figures.views.regression import prediction_surface
from mlcore.clustering.kmeans import KMeans
from mlcore.ensembles.isolation_forest import IsolationForest
from mlcore.regression.ridge import Ridge
from mlcore.trees.regression_tree import RegressionTree
from tests.figures import made

RNG = np.random.default_rng(3)
X = np.column_stack([RNG.uniform(0, 1, 40), RNG.uniform(0, 4, 40), RNG.normal(size=40)])


def test_a_linear_rule_is_a_plane_with_the_other_column_at_its_median():
    data = made.dataset(X, 2 * X[:, 0] - 3 * X[:, 1] + X[:, 2])
    s = prediction_surface.numbers(data, made.whole(data, Ridge(alpha=1e-9)), x="x1", y="x2")
    wanted = 2 * s.across.cells - 3 * s.deep.cells[:, None] + np.median(X[:, 2])
    np.testing.assert_allclose(s.z, wanted, atol=1e-7)
    assert "1 other column held" in prediction_surface.reading(s)


def test_a_tree_is_stairs_and_a_later_step_sends_their_heights():
    data = made.dataset(X[:, :2], np.where(X[:, 0] > 0.5, 7.0, 1.0) + (X[:, 1] > 2))
    whole = made.whole(data, RegressionTree())
    made_view = prediction_surface.prediction_surface(data, whole)
    assert set(np.round(np.unique(made_view.numbers.z), 9)) == {1.0, 2.0, 7.0, 8.0}
    assert "made of 4 levels" in made_view.reading
    at = traces_by_name(made_view.figure)
    flat = made.whole(data, RegressionTree(max_leaf_nodes=2))
    changes = made_view.step(made_view.numbers, at, flat, data)
    assert sorted({float(z) for z in changes[at[CELLS]]["z"].ravel()}) == pytest.approx(
        sorted({flat.fit.predict(row[None])[0] for row in data.X}), rel=1e-6
    )


@pytest.mark.parametrize(("columns", "classes"), [((0,), ()), ((0, 1), ("a", "b"))])
def test_it_is_of_quantities_over_two_numbers_alone(columns, classes):
    y = (X[:, 0] > 0.5).astype(int)
    data = made.dataset(X[:, columns], y, classes=classes)
    whole = made.whole(made.dataset(X, y), Ridge())
    assert not prediction_surface.has_two_numbers(data, whole)
    assert prediction_surface.has_two_numbers(made.dataset(X, y), whole)
    assert not prediction_surface.has_two_numbers(made.dataset(X, y), None)


@pytest.mark.parametrize("method", [KMeans(n_clusters=2), IsolationForest(n_trees=5)])
def test_groups_and_usual_rows_are_no_values_of_the_target(method):
    data = made.dataset(X, X[:, 0])
    assert not prediction_surface.has_two_numbers(data, made.whole(data, method))


def test_a_plane_along_one_axis_has_no_steps():
    """It has no more heights than the axis has places, and rises at each of them."""
    data = made.dataset(X[:, :2], X[:, 0] - X[:, 1])
    s = prediction_surface.numbers(data, made.whole(data, Ridge()))
    rises, falls = np.tile(np.arange(41.0), (41, 1)), np.tile(np.arange(41.0)[:, None], 41)
    for z in (rises, -falls):
        assert "levels" not in prediction_surface.reading(s._replace(z=z))
    for z in (np.floor(rises / 5), np.floor(rises / 5) - np.floor(falls / 7)):
        assert "levels with steps" in prediction_surface.reading(s._replace(z=z))
