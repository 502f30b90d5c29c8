"""Stopping by held-out rows: which rows judge, what is kept, and that no other row has a say."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.data.dataset import Dataset
from mlcore.data.table import Table, numeric
from mlcore.ensembles.gradient_boosting import GradientBoosting
from mlcore.ensembles.gradient_boosting_regression import GradientBoostingRegression
from mlcore.optimisation.stopping import AllIterations, HeldOutRows, Watch
from mlcore.runs.fitting import fitted
from mlcore.runs.run import Run
from mlcore.spine.errors import DataError
from mlcore.spine.fit import plain_columns
from mlcore.spine.iterate import record
from mlcore.spine.method import Given

RNG = np.random.default_rng(8)
X = RNG.normal(size=(400, 3))
Y = ((X[:, 0] + RNG.normal(size=400)) > 0).astype(int)
Z = X[:, 0] + RNG.normal(size=400)
EARLY = HeldOutRows(share=0.25, patience=5)


def rows(n=100, y=None, **more):
    classes = None if y is None else np.unique(y)
    return Given(np.zeros((n, 1)), (), y=y, classes=classes, seed=1, **more)


def test_the_share_is_held_out_and_every_class_keeps_its_own():
    y = np.repeat([0, 1, 2], [70, 20, 10])
    learn, judge = HeldOutRows(share=0.2).parted(rows(100, y), "it")
    np.testing.assert_array_equal(np.bincount(y[judge]), [14, 4, 2])
    np.testing.assert_array_equal(np.sort(np.concatenate([learn, judge])), np.arange(100))


def test_the_only_row_of_a_class_teaches():
    y = np.append(np.zeros(9, dtype=int), 1)
    for seed in range(20):
        given = Given(np.zeros((10, 1)), (), y=y, classes=np.arange(2), seed=seed)
        assert 9 in HeldOutRows(share=0.5).parted(given, "it").learn


def test_groups_stay_whole():
    groups = np.arange(100) % 7
    learn, judge = HeldOutRows(share=0.3).parted(rows(groups=groups), "it")
    assert not set(groups[learn]) & set(groups[judge])
    assert 15 <= len(judge) <= 45


def test_of_rows_in_time_the_latest_judge():
    order = RNG.permutation(100).astype(float)
    _, judge = HeldOutRows(share=0.2).parted(rows(order=order), "it")
    assert set(order[judge]) == set(range(80, 100))
    days = np.floor(order / 15)
    learn, judge = HeldOutRows(share=0.2).parted(rows(order=days), "it")
    assert days[learn].max() < days[judge].min()
    groups = np.arange(100) % 7  # what belongs together comes before time
    learn, judge = HeldOutRows(share=0.3).parted(rows(order=order, groups=groups), "it")
    assert not set(groups[learn]) & set(groups[judge])


def test_rows_of_no_weight_are_in_neither_part():
    w = (np.arange(100) % 3 > 0).astype(float)
    for stopping in (HeldOutRows(), AllIterations()):
        learn, judge = stopping.parted(rows(weights=w), "it")
        assert (w[np.concatenate([learn, judge])] > 0).all()
        assert len(learn) + len(judge) == w.sum()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (rows(1), "at least 2 rows"),
        (rows(20, groups=np.zeros(20)), "at least 2 groups"),
        (rows(20, order=np.zeros(20)), "have the same time"),
        (rows(3, order=np.array([1.0, np.nan, 2.0])), "needs a time for each"),
        (rows(4, np.array([0, 0, 1, 1]), groups=np.array([0, 0, 1, 1])), "all rows of class"),
    ],
)
def test_too_few_rows_are_said_in_a_sentence(given, says):
    with pytest.raises(DataError, match=says):
        HeldOutRows(share=0.3).parted(given, "Boosting")


def test_patience_counts_from_the_best_and_tolerance_from_what_is_better():
    falls = [3.0, 2.0, 1.0, 1.5, 1.4, 1.3]
    assert HeldOutRows(patience=3).verdict(falls[:5]) is None
    stop = HeldOutRows(patience=3).verdict(falls)
    assert stop.kind == "converged"
    assert "Iteration 3 was the best" in stop.why
    slow = [1.0, 0.99, 0.98, 0.97]
    assert HeldOutRows(patience=3).verdict(slow) is None
    assert HeldOutRows(patience=3, tolerance=0.1).verdict(slow) is not None


def test_the_end_without_held_out_rows_is_no_warning():
    watch = Watch(AllIterations(), np.empty(0, dtype=int), 2, "rounds")
    assert watch.seen(1.0, None) is None
    stop = watch.seen(0.5, None)
    assert (stop.kind, stop.why) == ("converged", "Ran all 2 rounds.")
    assert (watch.best, watch.losses()) == (2, None)
    still = Watch(HeldOutRows(), np.arange(3), 1, "rounds")
    assert still.seen(1.0, 1.0).kind == "limit"
    assert still.seen(np.nan, 1.0).kind == "diverged"


@pytest.mark.parametrize(("cls", "y"), [(GradientBoosting, Y), (GradientBoostingRegression, Z)])
def test_the_minimum_of_the_held_out_curve_is_kept(cls, y):
    method = cls(stopping=EARLY, n_estimators=200)
    fit = method.fit(X, y, seed=1)
    found = fit.held_out_losses
    assert fit.rounds == found.best == np.argmin(found.held_out) + 1 < fit.n_iter
    assert len(found.held_out) == fit.n_iter == found.best + EARLY.patience
    assert fit.stop.why.startswith("Stopped early")
    # The curve is that of the fits of so many rounds, on rows that none of them has seen.
    taught = np.setdiff1d(np.arange(400), found.rows)
    for k in (1, found.best):
        plain = cls(n_estimators=k).fit(X[taught], y[taught])
        assert loss(plain, X[found.rows], y[found.rows]) == pytest.approx(found.held_out[k - 1])
    np.testing.assert_allclose(plain.predict(X), fit.predict(X), atol=1e-12)


def loss(fit, rows, y):
    if hasattr(fit, "probabilities"):
        return -np.log(fit.probabilities(rows)[np.arange(len(y)), y]).mean()
    return ((fit.predict(rows) - y) ** 2).mean() / 2


def test_what_judges_does_not_teach():
    method = GradientBoostingRegression(stopping=HeldOutRows(share=0.25, patience=300))
    fit = method.fit(X, Z, seed=1)
    held = fit.held_out_losses.rows
    far, wrong = X.copy(), Z.copy()
    far[held], wrong[held] = 1e6, -1e6
    other = method.fit(far, wrong, seed=1)
    np.testing.assert_array_equal(other.held_out_losses.rows, held)
    np.testing.assert_array_equal(other.trees.cut, fit.trees.cut)
    np.testing.assert_array_equal(other.trees.value, fit.trees.value)


def test_weights_count_in_the_held_out_loss():
    w = RNG.integers(1, 5, 400).astype(float)
    fit = GradientBoostingRegression(stopping=EARLY, n_estimators=1).fit(X, Z, weights=w)
    held = fit.held_out_losses.rows
    expected = np.average((fit.predict(X[held]) - Z[held]) ** 2 / 2, weights=w[held])
    assert fit.held_out_losses.held_out[0] == pytest.approx(expected)


def test_the_steps_say_both_losses():
    method = GradientBoosting(stopping=EARLY)
    steps = record(method.steps(X, Y, seed=1))
    found = method.fit(X, Y, seed=1).held_out_losses
    np.testing.assert_array_equal([s.objective for s in steps], found.training)
    np.testing.assert_array_equal([s.held_out for s in steps], found.held_out)
    assert steps[-1].state.rounds == found.best
    plain = record(GradientBoosting().steps(X, Y))
    assert all(step.held_out is None for step in plain)
    assert GradientBoosting().fit(X, Y).held_out_losses is None


def table(X=X, y=Z, **more):
    return Dataset(
        "rows", Table.of(numeric("x", X[:, 0])), np.arange(len(X)), X,
        plain_columns(X.shape[1]), (), target="y", task="regression", y=y, **more,
    )  # fmt: skip


METHOD = GradientBoostingRegression(stopping=EARLY, n_estimators=40)


def test_a_row_left_out_of_a_fold_has_no_say():
    train, test = np.arange(300), np.arange(300, 400)
    fit = fitted(Run(method=METHOD), table(), train)[1]
    far, wrong = X.copy(), Z.copy()
    far[test], wrong[test] = 1e6, -1e6
    other = fitted(Run(method=METHOD), table(far, wrong), train)[1]
    for name in ("cut", "value", "feature"):
        np.testing.assert_array_equal(getattr(other.trees, name), getattr(fit.trees, name))
    np.testing.assert_array_equal(other.held_out_losses.held_out, fit.held_out_losses.held_out)


def test_a_run_tells_the_method_groups_time_and_copies():
    groups, order = np.arange(400) // 8, RNG.permutation(400).astype(float)
    held = fitted(Run(method=METHOD), table(groups=groups), np.arange(400))[1].held_out_losses.rows
    assert not set(groups[held]) & set(np.delete(groups, held))
    held = fitted(Run(method=METHOD), table(order=order), np.arange(400))[1].held_out_losses.rows
    assert set(order[held]) == set(range(300, 400))
    drawn = RNG.integers(0, 400, 400)  # a bootstrap sample
    held = fitted(Run(method=METHOD), table(), drawn)[1].held_out_losses.rows
    assert not set(drawn[held]) & set(np.delete(drawn, held))
    both = fitted(Run(method=METHOD), table(order=order), drawn)[1].held_out_losses.rows
    assert not set(drawn[both]) & set(np.delete(drawn, both))


def test_groups_and_times_are_checked_at_the_door():
    for name, bad in (("groups", np.zeros(3)), ("order", np.zeros(3)), ("order", ["a"] * 400)):
        with pytest.raises(DataError, match=r"groups|order|time"):
            METHOD.fit(X, Z, **{name: bad})
    with pytest.raises(DataError, match="dimensions"):
        METHOD.fit(X, Z, groups=np.zeros((400, 1)))
