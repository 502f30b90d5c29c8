"""The floor of an average of members, by every subset of them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from figures.views.trees import variance_floor as view
from mlcore.ensembles.bagging import Bagging
from mlcore.ensembles.extra_trees import ExtraTrees
from mlcore.ensembles.random_forest import RandomForest, RandomForestRegression
from mlcore.spine.errors import DataError
from tests.figures import made

RNG = np.random.default_rng(2)


def test_golden_floor_of_the_notes():
    """100 members of variance 1, of which any two are correlated by 0.3."""
    B = 100
    shared = np.linalg.cholesky(0.3 + 0.7 * np.eye(B))
    f = view.of_errors(np.sqrt(B) * shared.T[:, :, None])  # whose mean products are these
    assert (f.alone, f.correlation) == (pytest.approx(1.0), pytest.approx(0.3))
    np.testing.assert_allclose(f.expected[[0, 4, 24, 99]], [1, 0.44, 0.328, 0.307], atol=1e-12)


def test_the_curve_is_the_mean_over_all_subsets_of_members():
    errors = RNG.normal(size=(9, 5, 2)) + RNG.normal(size=(9, 1, 2))
    f = view.of_errors(errors)
    for b in range(1, 6):
        each = [(errors[:, list(c)].mean(axis=1) ** 2).sum() / 9 for c in combinations(range(5), b)]
        assert f.expected[b - 1] == pytest.approx(np.mean(each))
    products = [(errors[:, i] * errors[:, j]).sum() / 9 for i, j in combinations(range(5), 2)]
    assert f.floor == pytest.approx(np.mean(products))
    assert f.measured[-1] == pytest.approx(f.expected[-1])


def test_errors_of_known_correlation_are_told_and_one_member_has_no_floor():
    shared, own = RNG.normal(size=(4000, 1)), RNG.normal(size=(4000, 20))
    f = view.of_errors((np.sqrt(0.3) * shared + np.sqrt(0.7) * own)[:, :, None])
    assert f.correlation == pytest.approx(0.3, abs=0.03)
    assert "go together by 0.3" in view.reading(f)
    assert "nothing to average" in view.reading(view.of_errors(own[:, :1, None]))
    assert "none is wrong" in view.reading(view.of_errors(np.zeros((3, 2, 1))))


def test_the_axis_begins_near_the_floor():
    shared, own = RNG.normal(size=(400, 1, 1)), RNG.normal(size=(400, 20, 1))
    f = view.of_errors(shared + 0.2 * own)
    low, high = view.draw(f).layout.yaxis.range
    assert 0 < low < f.floor < f.alone < high
    assert (high - low) < 2 * (f.alone - f.floor)
    assert view.draw(view.of_errors(np.ones((3, 1, 1)))).layout.yaxis.range is None


def test_the_members_are_judged_on_rows_that_none_of_them_has_seen():
    X = RNG.normal(size=(40, 2))
    data = made.dataset(X, X[:, 0] + RNG.normal(size=40))
    method = RandomForestRegression(n_estimators=6)
    outcome = made.outcome([made.fold(0, np.arange(10), n=40)], method)
    f = view.numbers(data, outcome)
    fit = method.fit(X[10:], data.y[10:], columns=data.columns, seed=outcome.run.seed)
    assert f.measured[-1] == pytest.approx(((fit.predict(X[:10]) - data.y[:10]) ** 2).mean())
    with pytest.raises(DataError, match="No fold is done"):
        view.numbers(data, made.outcome([], method))


@pytest.mark.parametrize(
    "method",
    [
        RandomForest(n_estimators=6),
        RandomForest(n_estimators=6, vote="majority"),
        ExtraTrees(n_estimators=6),
        Bagging(n_estimators=6, max_features=0.5),
        Bagging(n_estimators=6, vote="majority"),
    ],
    ids=["shares", "votes", "extra", "columns", "bagged votes"],
)
def test_of_classes_all_members_together_err_by_the_brier_score(method):
    X = RNG.normal(size=(60, 2))
    y = (X[:, 0] + RNG.normal(size=60) > 0).astype(int) + (X[:, 1] > 1.0)
    data = made.dataset(X, y, classes=("a", "b", "c"))
    f = view.numbers(data, made.outcome([made.fold(0, np.arange(20), n=60)], method))
    fit = method.fit(X[20:], y[20:], columns=data.columns, seed=0)
    off = fit.probabilities(X[:20]) - np.eye(3)[y[:20]]
    assert f.measured[-1] == pytest.approx((off**2).sum(axis=1).mean())
    assert f.expected[-1] == pytest.approx(f.measured[-1])
