"""What predictions rest on: against scikit-learn, by hand, and by brute force."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from PyALE import ale
from sklearn.ensemble import RandomForestRegressor
from sklearn.inspection import partial_dependence as sk_dependence
from sklearn.inspection import permutation_importance as sk_importance
from sklearn.linear_model import LinearRegression

from mlcore.evaluation.explaining.changes import Space, smallest_changes
from mlcore.evaluation.explaining.effects import (
    accumulated,
    edges_of,
    grid_of,
    individual_curves,
    local_effects,
    near_a_row,
    pair_dependence,
    partial_dependence,
)
from mlcore.evaluation.explaining.nearness import distances, nearness, scale_of
from mlcore.evaluation.explaining.permutation import orders_within, permutation_importance
from mlcore.evaluation.explaining.shapley import shapley_exact, shapley_sampled
from mlcore.spine.errors import DataError

RNG = np.random.default_rng(3)
X = RNG.normal(size=(90, 4))
Y = 2 * X[:, 0] + X[:, 1] * X[:, 2] + 0.1 * RNG.normal(size=90)
FOREST = RandomForestRegressor(n_estimators=12, random_state=0).fit(X, Y)


def predict(rows: np.ndarray) -> np.ndarray:
    return FOREST.predict(rows)[:, None]


def curved(rows: np.ndarray) -> np.ndarray:
    """Two outputs, in which variables act alone and together."""
    return np.stack([rows[:, 0] * rows[:, 1] + rows[:, 2], np.sin(rows[:, 0]) - rows[:, 1]], axis=1)


def test_importance_is_that_of_scikit_learn_on_the_same_shuffles():
    theirs = sk_importance(FOREST, X, Y, n_repeats=6, random_state=5)["importances"]
    # Theirs draws one seed from the given one, and shuffles again what was shuffled before.
    seed = np.random.RandomState(5).randint(np.iinfo(np.int32).max + 1)
    state, order, orders = np.random.RandomState(seed), np.arange(len(X)), [np.arange(len(X))]
    for _ in range(6):
        state.shuffle(order)
        orders.append(orders[-1][order])
    ours = permutation_importance(lambda rows: FOREST.score(rows, Y), X, np.array(orders[1:]))
    assert ours == pytest.approx(theirs, abs=1e-12)


def test_columns_of_one_variable_are_shuffled_together():
    """Two columns that hold the same: each alone is worth half, together they are worth all."""
    rows = np.repeat(X[:, :1], 2, axis=1)

    def score(Z: np.ndarray) -> float:
        return -float((((Z[:, 0] + Z[:, 1]) / 2 - X[:, 0]) ** 2).mean())

    orders = np.array([RNG.permutation(len(X)) for _ in range(5)])
    alone = permutation_importance(score, rows, orders).mean()
    together = permutation_importance(score, rows, orders, [[0, 1]]).mean()
    assert together == pytest.approx(4 * alone)


def test_dependence_is_that_of_scikit_learn():
    theirs = sk_dependence(FOREST, X, [1], kind="both", method="brute", grid_resolution=9)
    grid = theirs["grid_values"][0]
    curves = individual_curves(predict, X, 1, grid)
    assert curves[:, :, 0] == pytest.approx(theirs["individual"][0], abs=1e-12)
    ours = partial_dependence(predict, X, 1, grid)
    assert ours[:, 0] == pytest.approx(theirs["average"][0], abs=1e-12)
    pair = sk_dependence(FOREST, X, [(0, 1)], method="brute", grid_resolution=5)
    both = pair_dependence(predict, X, (0, 1), tuple(pair["grid_values"]))
    assert both[:, :, 0] == pytest.approx(pair["average"][0], abs=1e-12)


def test_accumulated_effects_of_a_line_are_the_line_where_dependence_asks_for_absent_rows():
    """f = x1 + x1 x2 with x2 = x1: the accumulated effect of x1 is x1 + x1^2 / 2 up to a shift."""
    x = np.linspace(0, 2, 401)
    rows = np.stack([x, x], axis=1)

    def f(Z: np.ndarray) -> np.ndarray:
        return (Z[:, 0] + Z[:, 0] * Z[:, 1])[:, None]

    edges = edges_of(x, 40)
    effects = local_effects(f, rows, 0, edges)
    heights = accumulated(effects)[:, 0]
    assert np.ptp(heights - (edges + edges**2 / 2)) < 0.01
    middles = (heights[1:] + heights[:-1]) / 2
    assert effects.counts @ middles == pytest.approx(0)
    # The mean over all rows instead is a line: x1 (1 + mean of x2).
    line = partial_dependence(f, rows, 0, edges)[:, 0]
    assert np.diff(line) / np.diff(edges) == pytest.approx(np.full(len(edges) - 1, 2.0))


def test_accumulated_effects_are_those_of_the_peer():
    """PyALE on a table whose columns hang together, at the ends of its own intervals."""
    rows = X + 0.9 * X[:, :1]

    class Model:
        def predict(self, frame: pd.DataFrame) -> np.ndarray:
            return curved(frame.to_numpy())[:, 0]

    frame = pd.DataFrame(rows, columns=list("abcd"))
    for j, name in enumerate(frame.columns[:3]):
        peer = ale(frame, Model(), [name], "continuous", 12, include_CI=False, plot=False)
        effects = local_effects(curved, rows, j, peer.index.to_numpy())
        assert accumulated(effects)[:, 0] == pytest.approx(peer["eff"].to_numpy(), abs=1e-12)
        assert effects.counts.tolist() == peer["size"].tolist()[1:]


def test_values_of_a_grid_where_no_row_was_are_told():
    values = np.array([0.0, 1.0, 9.6, np.nan, 10.0])
    assert near_a_row(np.linspace(0, 10, 11), values).tolist() == [True] * 2 + [False] * 8 + [True]
    assert near_a_row(np.array([0.0, 1.0, 9.6, 10.0]), values).all()  # that occur
    assert near_a_row(np.array([2.0]), values).tolist() == [False]


def test_a_grid_keeps_the_values_of_a_variable_with_few():
    assert grid_of(np.array([2.0, np.nan, 0.0, 2.0]), 5).tolist() == [0.0, 2.0]
    assert grid_of(np.arange(100.0), 3).tolist() == [0.0, 49.5, 99.0]
    with pytest.raises(DataError, match="two different values"):
        local_effects(curved, X, 0, np.array([1.0]))


def by_all_orders(row: np.ndarray, background: np.ndarray) -> np.ndarray:
    """The definition: the mean over all orders of what each variable adds."""

    def worth(taken: set[int]) -> np.ndarray:
        rows = background.copy()
        rows[:, list(taken)] = row[list(taken)]
        return curved(rows).mean(axis=0)

    orders = list(permutations(range(len(row))))
    values = np.zeros((len(row), 2))
    for order in orders:
        taken: set[int] = set()
        for j in order:
            values[j] += worth(taken | {j}) - worth(taken)
            taken.add(j)
    return values / len(orders)


def test_shapley_values_are_those_of_the_definition_and_add_up():
    found = shapley_exact(curved, X[0], X[1:30])
    assert found.values == pytest.approx(by_all_orders(X[0], X[1:30]), abs=1e-12)
    assert found.base + found.values.sum(axis=0) == pytest.approx(curved(X[:1])[0], abs=1e-12)
    assert found.values[3] == pytest.approx([0, 0], abs=1e-12)  # a variable that is not used
    assert found.is_exact


def test_shapley_values_of_a_linear_model_are_its_terms():
    line = LinearRegression().fit(X, Y)
    found = shapley_exact(lambda rows: line.predict(rows)[:, None], X[4], X)
    assert found.values[:, 0] == pytest.approx(line.coef_ * (X[4] - X.mean(axis=0)), abs=1e-12)


def test_drawn_shapley_values_add_up_and_are_within_their_errors():
    exact = shapley_exact(curved, X[0], X[1:21])
    rounds, hits = 8, []
    for seed in range(40):
        found = shapley_sampled(curved, X[0], X[1:21], np.random.default_rng(seed), rounds)
        assert found.base + found.values.sum(axis=0) == pytest.approx(found.prediction, abs=1e-12)
        used = found.errors > 1e-9
        gap = np.abs(found.values - exact.values)
        hits.append((gap[used] <= 2 * found.errors[used]).mean())
        assert gap[~used] == pytest.approx(np.zeros((~used).sum()), abs=1e-9)
    # Background rows are met equally often rather than drawn, so the stated error is on the safe
    # side: at least the 95 % of a normal error.
    assert np.mean(hits) > 0.93
    assert not found.is_exact


def test_more_variables_than_can_be_enumerated_are_refused():
    with pytest.raises(DataError, match="at most 10 variables; there are 11"):
        shapley_exact(curved, np.zeros(11), np.zeros((3, 11)))


def test_distances_count_standard_deviations_names_and_missing_values():
    rows = np.array([[0.0, 1.0], [2.0, 1.0], [4.0, 0.0], [np.nan, 0.0]])
    scale = scale_of(rows, np.array([False, True]))
    unit = np.array([0.0, 2.0, 4.0, 2.0]).std()
    far = distances(np.array([0.0, 1.0]), rows, scale)
    assert far == pytest.approx([0, 2 / unit, np.hypot(4 / unit, 1), np.sqrt(2)])


def test_a_row_where_nothing_was_near_is_far():
    scale = scale_of(X, np.zeros(4, dtype=bool))
    rng = np.random.default_rng(0)
    assert nearness(X[0] + 8, X, scale, rng).is_far
    middle = nearness(np.zeros(4), X, scale, rng)
    assert not middle.is_far
    assert len(middle.nearest) == 5
    own = nearness(X[7], X, scale, rng, itself=7)
    assert 7 not in own.nearest
    assert (own.typical > middle.limit).mean() == pytest.approx(0.05, abs=0.02)


def test_a_row_in_a_gap_is_far_and_beyond_nothing():
    """Two columns: a number with a gap and a missing value, and a name."""
    numbers = [0.0, 0.5, 1.0, np.nan, 9.0, 9.5, 10.0]
    X = np.column_stack([numbers, [0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0]])
    scale = scale_of(X, np.array([False, True]))

    def beyond(row, **itself):
        rng = np.random.default_rng(0)
        return nearness(np.array(row), X, scale, rng, **itself).beyond.tolist()

    assert beyond([5.0, 1.0]) == [False, False]
    assert beyond([10.5, 2.0]) == [True, True]
    assert beyond([-0.1, np.nan]) == [True, False]
    assert beyond([10.0, 0.0]) == [False, False]
    assert beyond([10.0, 0.0], itself=6) == [True, False]


def test_the_smallest_change_is_that_of_brute_force():
    """The decision is the sign of x1 + x2 - 1: from (0, 0) the nearest other side is at (1/2, 1/2)
    by two variables, and at distance 1 by one."""
    grid = np.array(list(product(np.linspace(-3, 3, 61), repeat=2)))
    space = Space(grid, scale_of(grid, np.zeros(2, dtype=bool)), np.zeros(2, dtype=bool))
    unit = float(space.scale.units[0])

    def differs(rows: np.ndarray) -> np.ndarray:
        return rows.sum(axis=1) > 1

    found = smallest_changes(np.zeros(2), space, differs, lambda rows: np.abs(rows.sum(axis=1)))
    assert [change.columns for change in found] == [(0, 1), (0,), (1,)]
    assert [c.size * unit for c in found] == pytest.approx([np.sqrt(0.5), 1, 1], abs=0.02)
    for change in found:
        row = np.zeros(2)
        row[list(change.columns)] = change.values
        assert differs(row[None])[0]


def test_no_second_value_is_changed_by_next_to_nothing():
    grid = np.array(list(product(np.linspace(-3, 3, 61), repeat=2)))
    space = Space(grid, scale_of(grid, np.zeros(2, dtype=bool)), np.zeros(2, dtype=bool))

    def pulled(rows: np.ndarray) -> np.ndarray:
        return rows @ [1.0, 0.3]

    changes = smallest_changes(np.zeros(2), space, lambda rows: pulled(rows) > 1, pulled)
    assert [change.columns for change in changes] == [(0,)]


def test_no_change_leaves_the_range_of_the_training_rows():
    space = Space(X, scale_of(X, np.zeros(4, dtype=bool)), np.zeros(4, dtype=bool))
    beyond = X[:, 0].max() + 0.1
    found = smallest_changes(
        X[0], space, lambda rows: rows[:, 0] > beyond, lambda rows: np.abs(rows[:, 0])
    )
    assert found == ()


def test_rows_are_shuffled_within_their_groups():
    groups = np.array([2, 0, 0, 1, 2, 0, 1, 2, 2, 3])
    orders = orders_within(groups, 50, np.random.default_rng(0))
    assert (np.sort(orders, axis=1) == np.arange(10)).all()
    assert (groups[orders] == groups).all()
    assert len({tuple(order) for order in orders}) > 40  # of 4! 3! 2! there are


def test_a_variable_may_have_orders_of_its_own():
    def score(Z: np.ndarray) -> float:
        return float((Z[:, 0] * X[:, 0] + Z[:, 1] * X[:, 1]).mean())

    own = np.stack([[RNG.permutation(len(X))], [np.arange(len(X))]])
    lost = permutation_importance(score, X[:, :2], own)
    assert lost.shape == (2, 1)
    assert lost[0, 0] == pytest.approx((X[:, 0] ** 2 - X[own[0, 0], 0] * X[:, 0]).mean())
    assert lost[1, 0] == 0.0
