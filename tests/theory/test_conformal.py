"""Conformal sets and intervals: their definitions row by row, and the coverage they promise."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.runs.predicting.conformal import cross_intervals, label_sets

RNG = np.random.default_rng(3)


def test_sets_are_those_of_the_definition():
    own = [RNG.uniform(size=7), RNG.uniform(size=8)]
    new = [RNG.dirichlet(np.ones(3), 9) for _ in own]
    sets = label_sets(own, new, 0.8)
    for i in range(9):
        for y in range(3):
            below = sum((p <= P[i, y]).sum() for p, P in zip(own, new, strict=True))
            assert sets[i, y] == (below + 1 > 0.2 * 16)


def test_intervals_are_the_quantiles_of_all_folds():
    own = [RNG.exponential(size=20), RNG.exponential(size=19)]
    new = [RNG.normal(size=5), RNG.normal(size=5)]
    ends = cross_intervals(own, new, 0.9)
    assert ends is not None
    for i in range(5):
        low = np.sort(np.concatenate([p[i] - e for p, e in zip(new, own, strict=True)]))
        high = np.sort(np.concatenate([p[i] + e for p, e in zip(new, own, strict=True)]))
        assert ends[i].tolist() == [low[3], high[35]]  # 4th from below, ceil(0.9 * 40) = 36th


def test_few_rows_promise_nothing():
    ends = cross_intervals([np.ones(3)], [np.zeros(2)], 0.95)
    assert ends is not None and np.isinf(ends).all()


@pytest.mark.parametrize("coverage", [0.8, 0.95])
def test_coverage_is_what_is_promised(coverage):
    """Rows that come alike: the truth lies inside as often as was asked for."""
    hits = []
    for _ in range(60):
        x, new = RNG.normal(size=(100, 1)), RNG.normal(size=(40, 1))
        y, truth = 2 * x[:, 0] + RNG.standard_t(3, 100), 2 * new[:, 0] + RNG.standard_t(3, 40)
        own, said = [], []
        for fold in np.array_split(np.arange(100), 5):
            rest = np.setdiff1d(np.arange(100), fold)
            slope = (x[rest, 0] @ y[rest]) / (x[rest, 0] @ x[rest, 0])
            own.append(np.abs(y[fold] - slope * x[fold, 0]))
            said.append(slope * new[:, 0])
        ends = cross_intervals(own, said, coverage)
        assert ends is not None
        hits.append(((ends[:, 0] <= truth) & (truth <= ends[:, 1])).mean())
    assert np.mean(hits) == pytest.approx(coverage, abs=0.03)
