"""What a round of gradient boosting aims at, checked against the rounds themselves."""

from __future__ import annotations

import numpy as np
import pytest

from figures.drawing.traces import CURVE, ROWS
from figures.recording import traces_by_name
from figures.views.trees import descent_direction
from mlcore.ensembles.gradient_boosting import GradientBoosting
from mlcore.ensembles.gradient_boosting_regression import GradientBoostingRegression
from mlcore.ensembles.random_forest import RandomForestRegression
from mlcore.trees.regression_tree import RegressionTree
from tests.figures import made

RNG = np.random.default_rng(5)
X = np.sort(RNG.uniform(0, 6, 60))[:, None]
Y = np.sin(X[:, 0]) + RNG.normal(scale=0.1, size=60)


def boosted(rounds: int, **settings):
    return GradientBoostingRegression(
        n_estimators=rounds, learning_rate=0.3, max_depth=2, **settings
    )


def test_the_squared_loss_aims_at_what_is_left_and_a_tree_is_fitted_to_it():
    data = made.dataset(X, Y)
    whole = made.whole(data, boosted(6))
    d = descent_direction.numbers(data, whole, 4)
    before = made.whole(data, boosted(3)).fit.predict(X)
    np.testing.assert_allclose(d.downhill, Y - before, atol=1e-9)
    tree = made.whole(made.dataset(X, Y - before), RegressionTree(max_depth=2)).fit.predict(X)
    np.testing.assert_allclose(d.tree, tree, atol=1e-9)
    np.testing.assert_allclose(d.alike, np.corrcoef(Y - before, tree)[0, 1], atol=0.02)
    assert d.alike == pytest.approx(np.sqrt((tree**2).sum() / ((Y - before) ** 2).sum()))
    np.testing.assert_allclose(whole.fit.after(X, 0), Y.mean())
    np.testing.assert_allclose(whole.fit.after(X, 6), whole.fit.predict(X))


def test_of_other_losses_no_row_pulls_harder_than_the_loss_allows():
    data = made.dataset(X, Y)
    slopes = descent_direction.numbers(data, made.whole(data, boosted(3, loss="absolute")), 2)
    assert set(slopes.downhill) <= {-1.0, 0.0, 1.0}
    huber = descent_direction.numbers(data, made.whole(data, boosted(3, loss="huber")), 1)
    left = Y - made.whole(data, boosted(3, loss="huber")).fit.after(X, 0)
    assert np.abs(huber.downhill).max() < np.abs(left).max()
    inner = np.abs(huber.downhill) < np.abs(huber.downhill).max()
    np.testing.assert_allclose(huber.downhill[inner], left[inner])


def test_the_player_shows_the_slopes_and_the_tree_of_each_round():
    data = made.dataset(X, Y)
    drawn = descent_direction.descent_direction(data, made.whole(data, boosted(6)))
    at = traces_by_name(drawn.figure)
    changes = drawn.step(drawn.numbers, at, made.whole(data, boosted(2)), data)
    wanted = descent_direction.numbers(data, made.whole(data, boosted(6)), 2)
    np.testing.assert_allclose(changes[at[ROWS]]["y"], wanted.downhill)
    np.testing.assert_allclose(changes[at[CURVE]]["y"], wanted.stairs)
    wide = made.dataset(np.column_stack([X, X**2]), Y)
    scatter = descent_direction.descent_direction(wide, made.whole(wide, boosted(2)))
    assert "What the tree says" in scatter.figure.layout.xaxis.title.text


def test_the_mean_of_what_trees_of_a_forest_say_is_its_prediction():
    fit = made.whole(made.dataset(X, Y), RandomForestRegression(n_estimators=7)).fit
    values = fit.member_values(X)
    assert values.shape == (60, 7)
    np.testing.assert_allclose(values.mean(axis=1), fit.predict(X))
    one = fit.member_tree(3)
    np.testing.assert_allclose(values[:, 2], one.values[one.leaf_of(X), 0])


def test_of_classes_the_slope_is_what_the_probability_falls_short_of():
    y = np.digitize(Y, [-0.4, 0.4])
    data = made.dataset(X, y, ("low", "middle", "high"))
    method = {"n_estimators": 3, "max_depth": 2}
    whole, before = (
        made.whole(data, GradientBoosting(**method | {"n_estimators": t})) for t in (3, 2)
    )
    d = descent_direction.numbers(data, whole, 3, 2)
    assert d.of == "middle" and "score of middle" in descent_direction.reading(d)
    short = (y == 1) - before.fit.probabilities(X)[:, 1]
    np.testing.assert_allclose(d.downhill, short, atol=1e-12)
    np.testing.assert_allclose(whole.fit.after(X, 3), whole.fit.decision(X))
    step = whole.fit.after(X, 3) - whole.fit.after(X, 2)
    np.testing.assert_allclose(d.tree, step[:, 1] / whole.fit.made_by.learning_rate)
    assert 0.5 < d.alike <= 1


@pytest.mark.parametrize("loss", ["log_likelihood", "exponential"])
def test_of_two_classes_it_is_the_slope_of_the_log_odds(loss):
    y = (Y > 0).astype(int)
    data = made.dataset(X, y, ("low", "high"))
    whole = made.whole(data, GradientBoosting(n_estimators=2, loss=loss))
    d = descent_direction.numbers(data, whole, 2)
    odds = whole.fit.after(X, 1)
    side = 2 * y - 1
    wanted = (
        y - 1 / (1 + np.exp(-odds))
        if loss == "log_likelihood"
        else side * np.exp(-side * odds / 2) / 2
    )
    np.testing.assert_allclose(d.downhill, wanted, atol=1e-12)
    assert d.of == "high"


def test_every_row_lies_within_the_axes_though_newton_steps_go_beyond_the_slopes():
    y = np.digitize(Y, [-0.4, 0.4])
    data = made.dataset(np.column_stack([X, X**2]), y, ("low", "middle", "high"))
    whole = made.whole(data, GradientBoosting(n_estimators=4, max_depth=2))
    for t in (1, 4):
        d = descent_direction.numbers(data, whole, t)
        assert np.abs(d.tree).max() > d.reach
        low, high = descent_direction.draw(d).layout.xaxis.range
        assert low < d.tree.min() and d.tree.max() < high
