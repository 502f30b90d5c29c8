"""Gradient boosting: small examples by hand, what each loss promises, missing values, weights."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.ensembles import boosted_losses as kinds
from mlcore.ensembles.bins import learned_bins
from mlcore.ensembles.gradient_boosting import GradientBoosting
from mlcore.ensembles.gradient_boosting_regression import GradientBoostingRegression
from mlcore.optimisation import losses
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.iterate import record
from mlcore.trees.regression_tree import RegressionTree

RNG = np.random.default_rng(5)
X = RNG.normal(size=(300, 4))
SIGNAL = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * RNG.normal(size=300)
W = RNG.integers(1, 4, 300).astype(float)
FEW = RNG.integers(0, 12, (200, 3)).astype(float)  # a bin for each value
STEP_Y = FEW[:, 0] + (FEW[:, 1] > 5) * 4 + RNG.normal(size=200)
NAN = np.nan

LOSSES = [
    (losses.Squared(), lambda n: RNG.normal(size=n), 1),
    (losses.Absolute(), lambda n: RNG.normal(size=n), 1),
    (losses.Huber(0.7), lambda n: RNG.normal(size=n), 1),
    (losses.Pinball(0.8), lambda n: RNG.normal(size=n), 1),
    (losses.Logistic(), lambda n: RNG.integers(0, 2, n).astype(float), 1),
    (losses.Exponential(), lambda n: RNG.integers(0, 2, n).astype(float), 1),
    (losses.Softmax(), lambda n: RNG.integers(0, 3, n), 3),
]


@pytest.mark.parametrize(("loss", "drawn", "m"), LOSSES, ids=lambda it: type(it).__name__)
def test_slope_and_curvature_are_derivatives(loss, drawn, m):
    y, Z, h = drawn(40), RNG.normal(size=(m, 40)), 1e-6
    local = loss.at(y, Z)
    for j in range(m):
        step = np.zeros((m, 40))
        step[j] = h
        up, down = loss.at(y, Z + step), loss.at(y, Z - step)
        np.testing.assert_allclose(local.slope[j], (up.value - down.value) / (2 * h), atol=1e-6)
        bent = loss.curvature(y, local, j, j)
        if bent is not None:
            measured = (up.slope[j] - down.slope[j]) / (2 * h)
            np.testing.assert_allclose(bent, measured, atol=1e-6)


@pytest.mark.parametrize("leaves", [2, 3, 6])
@pytest.mark.parametrize("weighted", [False, True])
def test_one_full_step_with_squared_loss_is_a_regression_tree(leaves, weighted):
    w = W[:200] if weighted else None
    mine = GradientBoostingRegression(
        n_estimators=1, learning_rate=1.0, max_depth=0, max_leaf_nodes=leaves
    ).fit(FEW, STEP_Y, weights=w)
    tree = RegressionTree(max_leaf_nodes=leaves).fit(FEW, STEP_Y, weights=w)
    np.testing.assert_allclose(mine.predict(FEW), tree.predict(FEW), rtol=1e-12)
    np.testing.assert_allclose(mine.importances, tree.importances, rtol=1e-9)


def test_a_stump_by_hand():
    x, y = np.arange(1.0, 7.0)[:, None], np.array([1.0, 1, 1, 5, 5, 8])
    fit = GradientBoostingRegression(n_estimators=1, learning_rate=1.0, max_depth=1).fit(x, y)
    np.testing.assert_allclose(fit.predict(x), [1, 1, 1, 6, 6, 6])
    assert fit.trees.cut[0] == 3.5
    half = GradientBoostingRegression(n_estimators=2, learning_rate=0.5, max_depth=1).fit(x, y)
    # From the mean 3.5 half way to 1 and 6: 2.25 and 4.75. What is left of the last row, 3.25, is
    # most, so it stands alone in the second round, and the others have a mean of -0.65.
    np.testing.assert_allclose(half.predict(x), [1.925] * 3 + [4.425] * 2 + [6.375])


def test_a_round_of_the_exponential_loss_by_hand():
    x, y = np.arange(4.0)[:, None], np.array([0, 0, 0, 1])
    fit = GradientBoosting(loss="exponential", n_estimators=1, learning_rate=1.0, max_depth=1)
    # A leaf of one class: slopes -s v / 2 over curvatures v / 4 step by 2 s, whatever v is.
    start = np.log(1 / 3)
    np.testing.assert_allclose(fit.fit(x, y).decision(x), start + np.array([-2.0] * 3 + [2.0]))
    three = np.array([0, 1, 2, 2])
    with pytest.raises(DataError, match="parts two classes; there are 3"):
        GradientBoosting(loss="exponential").fit(x, three)


def test_a_wrong_label_pulls_the_exponential_loss_harder():
    z, y = np.array([[8.0]]), np.array([0.0])  # log-odds of 8 against the own class
    pull = [abs(loss.at(y, z).slope[0, 0]) for loss in (losses.Exponential(), losses.Logistic())]
    assert pull[0] == pytest.approx(np.exp(4) / 2) and pull[1] < 1
    # Alone, both have their minimum at the log-odds of the classes.
    w, at = np.array([0.3, 0.7]), np.log(0.7 / 0.3)
    for loss in (losses.Exponential(), losses.Logistic()):
        assert loss.at(np.array([0.0, 1]), np.full((1, 2), at)).slope[0] @ w == pytest.approx(0)


def test_a_round_of_two_classes_by_hand():
    x, y = np.arange(4.0)[:, None], np.array([0, 0, 0, 1])
    fit = GradientBoosting(n_estimators=1, learning_rate=1.0, max_depth=1).fit(x, y)
    start = np.log(1 / 3)  # p = 1/4: slopes 1/4 and -3/4, curvatures 3/16
    np.testing.assert_allclose(fit.decision(x), start + np.array([-4 / 3] * 3 + [4.0]))
    ridge = GradientBoosting(n_estimators=1, learning_rate=1.0, max_depth=1, l2=1.0).fit(x, y)
    np.testing.assert_allclose(ridge.decision(x)[3], start + 0.75 / (3 / 16 + 1))


def test_a_round_of_three_classes_adds_a_tree_for_each():
    x, y = np.arange(6.0)[:, None], np.array([0, 0, 1, 1, 2, 2])
    fit = GradientBoosting(n_estimators=1, learning_rate=0.1, max_depth=1).fit(x, y)
    assert fit.trees.roots.shape == (1, 3)
    # p = 1/3: of a class with two rows the slope of both is -2/3 and the curvature 2/9.
    # Of the middle class the cuts on either side gain the same, and the first is made.
    np.testing.assert_allclose(fit.decision(x)[0], [0.3, -0.15, -0.15])
    np.testing.assert_allclose(fit.decision(x)[2:, 1], 0.075)


@pytest.mark.parametrize(
    "loss", [kinds.SquaredLoss(), kinds.AbsoluteLoss(), kinds.HuberLoss(), kinds.QuantileLoss()]
)
def test_the_loss_on_fitted_rows_falls_in_every_round(loss):
    method = GradientBoostingRegression(loss=loss, n_estimators=60, learning_rate=0.05)
    steps = record(method.steps(X, SIGNAL, weights=W))
    values = [step.objective for step in steps]
    assert (np.diff(values) <= 1e-12).all()
    assert values[-1] < 0.7 * values[0]


@pytest.mark.parametrize("edges", [(0.0,), (-0.5, 0.7)])
def test_the_log_likelihood_rises_in_every_round(edges):
    method = GradientBoosting(n_estimators=60, learning_rate=0.05)
    values = [s.objective for s in method.steps(X, np.digitize(SIGNAL, edges))]
    assert (np.diff(values) < 0).all()


def test_the_objective_is_the_mean_loss_in_units_of_the_target():
    method = GradientBoostingRegression(n_estimators=5)
    *_, end = method.steps(X, 1000 + 50 * SIGNAL, weights=W)
    fit = method.fit(X, 1000 + 50 * SIGNAL, weights=W)
    errors = 1000 + 50 * SIGNAL - fit.predict(X)
    assert end.objective == pytest.approx(np.average(errors**2 / 2, weights=W))
    median = GradientBoostingRegression(n_estimators=5, loss="absolute")
    *_, end = median.steps(X, 50 * SIGNAL)
    errors = 50 * SIGNAL - median.fit(X, 50 * SIGNAL).predict(X)
    assert end.objective == pytest.approx(np.abs(errors).mean())


def test_a_huber_loss_of_all_errors_is_the_squared_one():
    wide = GradientBoostingRegression(loss=kinds.HuberLoss(level=1.0)).fit(X, SIGNAL, weights=W)
    squared = GradientBoostingRegression().fit(X, SIGNAL, weights=W)
    np.testing.assert_allclose(wide.predict(X), squared.predict(X), atol=1e-9)


def test_outliers_pull_the_huber_and_the_absolute_loss_less():
    y = SIGNAL.copy()
    y[::20] += 100.0
    clean = np.ones(300, dtype=bool)
    clean[::20] = False
    errors = {}
    for loss in ("squared", "huber", "absolute"):
        fit = GradientBoostingRegression(loss=loss, min_samples_leaf=10).fit(X, y)
        errors[loss] = np.abs(fit.predict(X) - SIGNAL)[clean].mean()
    assert max(errors["huber"], errors["absolute"]) < 0.5 * errors["squared"]


@pytest.mark.parametrize("level", [0.1, 0.5, 0.9])
def test_the_share_of_a_quantile_lies_below_it(level):
    rng = np.random.default_rng(1)
    rows = rng.uniform(size=(6000, 2))
    y = rows[:, 0] + rng.normal(size=6000) * (0.2 + rows[:, 1])
    fit = GradientBoostingRegression(
        loss=kinds.QuantileLoss(level=level), n_estimators=60, min_samples_leaf=50
    ).fit(rows[:4000], y[:4000])
    below = y[4000:] < fit.predict(rows[4000:])
    assert below.mean() == pytest.approx(level, abs=0.03)  # three standard errors of 2,000 rows
    for upper in (False, True):  # where the spread is small, and where it is large
        there = (rows[4000:, 1] > 0.5) == upper
        # Three standard errors of 1,000 rows.
        assert below[there].mean() == pytest.approx(level, abs=0.05)


def test_missing_values_go_to_the_side_that_gains_more():
    x = np.array([1.0, 2, 3, 4, NAN, NAN])[:, None]
    stump = GradientBoostingRegression(n_estimators=1, learning_rate=1.0, max_depth=1)
    like_left = stump.fit(x, np.array([0.0, 0, 6, 6, 0, 0]))
    np.testing.assert_allclose(like_left.predict(x), [0, 0, 6, 6, 0, 0])
    assert (like_left.trees.cut[0], bool(like_left.trees.missing_left[0])) == (2.5, True)
    like_right = stump.fit(x, np.array([0.0, 0, 6, 6, 6, 6]))
    np.testing.assert_allclose(like_right.predict(x), [0, 0, 6, 6, 6, 6])
    alone = stump.fit(x, np.array([0.0, 0, 0, 0, 9, 9]))  # whether the value is there
    np.testing.assert_allclose(alone.predict(x), [0, 0, 0, 0, 9, 9])
    assert np.isinf(alone.trees.cut[0])


def test_a_value_that_was_never_missing_goes_with_most_rows():
    x = np.arange(1.0, 7.0)[:, None]
    stump = GradientBoostingRegression(n_estimators=1, learning_rate=1.0, max_depth=1)
    fit = stump.fit(x, np.array([0.0, 0, 1, 1, 1, 1]))
    assert fit.predict([[NAN]])[0] == pytest.approx(1.0)


@pytest.mark.parametrize("cls", [GradientBoosting, GradientBoostingRegression])
def test_whole_weights_are_repeated_rows(cls):
    rows = np.round(X, 1)
    y = SIGNAL if cls is GradientBoostingRegression else (SIGNAL > 0).astype(int)
    times = W.astype(int)
    method = cls(n_estimators=20, min_samples_leaf=1)
    a = method.fit(rows, y, weights=W)
    b = method.fit(np.repeat(rows, times, axis=0), np.repeat(y, times))
    verb = "predict" if cls is GradientBoostingRegression else "decision"
    np.testing.assert_allclose(getattr(a, verb)(rows), getattr(b, verb)(rows), atol=1e-9)


def test_weights_count_by_their_ratio():
    a = GradientBoosting(l2=1.0).fit(X, SIGNAL > 0, weights=W)
    b = GradientBoosting(l2=1.0).fit(X, SIGNAL > 0, weights=1e-6 * W)
    np.testing.assert_allclose(a.decision(X), b.decision(X), atol=1e-8)


def test_limits_of_a_tree_are_kept():
    def sizes(fit):
        ends = np.append(fit.trees.roots[1:, 0], len(fit.trees.left))
        return [
            int((fit.trees.left[a:b] < 0).sum())
            for a, b in zip(fit.trees.roots[:, 0], ends, strict=True)
        ]

    deep = {"max_depth": 0, "n_estimators": 5}
    assert max(sizes(GradientBoostingRegression(max_leaf_nodes=7, **deep).fit(X, SIGNAL))) == 7
    assert max(sizes(GradientBoostingRegression(max_depth=2).fit(X, SIGNAL))) == 4
    large = GradientBoostingRegression(min_samples_leaf=40, **deep).fit(X, SIGNAL)
    assert max(sizes(large)) <= 300 // 40
    whole = GradientBoostingRegression(max_depth=0, n_estimators=1, learning_rate=1.0)
    np.testing.assert_allclose(whole.fit(X, SIGNAL).predict(X[:200]), SIGNAL[:200], atol=0.2)
    with pytest.raises(ParamError, match="at least 2, or 0"):
        GradientBoosting(max_leaf_nodes=1)


def test_best_first_without_a_limit_that_binds_is_depth_first():
    depth = GradientBoosting(max_depth=3, max_leaf_nodes=0).fit(X, SIGNAL > 0)
    best = GradientBoosting(max_depth=3, max_leaf_nodes=64).fit(X, SIGNAL > 0)
    np.testing.assert_allclose(best.decision(X), depth.decision(X), atol=1e-12)


@pytest.mark.parametrize("more", [{"subsample": 0.5}, {"max_features": 0.5}])
def test_lots_come_from_the_seed(more):
    method = GradientBoosting(n_estimators=20, **more)
    same = [method.fit(X, SIGNAL > 0, seed=3).decision(X) for _ in range(2)]
    np.testing.assert_array_equal(*same)
    assert (method.fit(X, SIGNAL > 0, seed=4).decision(X) != same[0]).any()


def test_rows_that_a_round_does_not_draw_are_scored_like_others():
    method = GradientBoostingRegression(n_estimators=10, subsample=0.4)
    *_, end = method.steps(X, SIGNAL, seed=2)
    errors = SIGNAL - method.fit(X, SIGNAL, seed=2).predict(X)
    assert end.objective == pytest.approx((errors**2).mean() / 2)


def test_bins_hold_about_as_many_rows_and_part_no_value():
    x = np.column_stack([RNG.normal(size=1000), np.repeat(np.arange(4.0), 250)])
    x[:10, 0] = NAN
    bins = learned_bins(x, 10)
    np.testing.assert_array_equal(bins.n_edges, [9, 3])
    codes = bins.of(x)
    counts = np.bincount(codes[0], minlength=bins.missing + 1)
    assert counts[bins.missing] == 10
    assert set(counts[:10]) == {99}
    np.testing.assert_array_equal(bins.edges[1, :3], [0.5, 1.5, 2.5])
    heap = np.concatenate([np.zeros(900), RNG.normal(size=100)])[:, None]
    assert learned_bins(heap, 5).n_edges[0] <= 4
    codes = learned_bins(heap, 5).of(heap)[0]
    assert len(set(codes[:900])) == 1


def test_trees_that_threads_grow_together_are_those_of_one(monkeypatch):
    method = GradientBoostingRegression(n_estimators=5, max_leaf_nodes=8)
    alone = method.fit(X, SIGNAL).predict(X)
    monkeypatch.setenv("MLSCOPE_THREADS", "2")
    monkeypatch.setattr("mlcore.ensembles.boosting.SHARED", 50)
    np.testing.assert_array_equal(method.fit(X, SIGNAL).predict(X), alone)


def test_rows_that_threads_send_down_the_trees_come_back_in_their_order(monkeypatch):
    fit = GradientBoosting(n_estimators=3, max_leaf_nodes=4).fit(X, np.arange(300) % 3)
    alone = fit.decision(X)
    monkeypatch.setenv("MLSCOPE_THREADS", "3")
    monkeypatch.setattr("mlcore.ensembles.walks.FEW_WALKS", 1)
    for m in (1, 2, 300):
        np.testing.assert_array_equal(fit.decision(X[:m]), alone[:m])


def test_of_columns_that_gain_the_same_the_first_is_asked_about():
    rng = np.random.default_rng(1)  # few rows: many columns part the rows of a node alike
    rows, y = rng.normal(size=(45, 10)), rng.integers(0, 3, 45)
    times = rng.integers(0, 5, 45)
    method = GradientBoosting(n_estimators=5)
    a = method.fit(rows, y, weights=times.astype(float))
    b = method.fit(np.repeat(rows, times, axis=0), np.repeat(y, times))
    np.testing.assert_array_equal(a.trees.feature, b.trees.feature)
    np.testing.assert_allclose(a.decision(rows), b.decision(rows), atol=1e-9)


def test_rounds_go_on_level_beyond_the_rows_and_may_predict_more_than_any_of_them():
    X, y = two_steps()
    fit = GradientBoostingRegression(n_estimators=100, max_depth=2).fit(X, y)
    far = fit.predict(np.abs(X).max() * np.array([[1.0] * 3, [2.0] * 3, [9.0] * 3]))
    assert far[0] == far[1] == far[2]
    assert fit.predict(np.random.default_rng(1).normal(size=(2000, 3))).max() > y.max()


def two_steps() -> tuple[np.ndarray, np.ndarray]:
    """A target of two steps, each in a column of its own, with noise; a third column is noise."""
    rng = np.random.default_rng(11)
    X = rng.normal(size=(80, 3))
    return X, np.sign(X[:, 0]) + np.sign(X[:, 1]) + 0.3 * rng.normal(size=80)
