"""What must be true of DBSCAN whatever the rows: who is core, who joins, who is noise."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components

from mlcore.clustering import dbscan
from mlcore.clustering.dbscan import DBSCAN
from mlcore.distances.mahalanobis import Mahalanobis
from mlcore.spine.iterate import record


def line(*values: float) -> np.ndarray:
    """Rows of one column."""
    return np.array(values)[:, None]


def test_a_distance_of_the_radius_counts_and_so_does_the_row_itself():
    fit = DBSCAN(eps=1.5, min_samples=3).fit(line(0, 1, 2, 3, 4.5, 10, 11, 12, 20))
    assert fit.labels.tolist() == [0] * 5 + [1] * 3 + [-1]
    assert np.flatnonzero(fit.core).tolist() == [1, 2, 3, 6]


def test_a_border_row_joins_no_groups_and_goes_to_the_first():
    fit = DBSCAN(eps=1.0, min_samples=4).fit(line(0, 0.5, 1, 2, 3, 3.5, 4))
    assert fit.labels.tolist() == [0, 0, 0, 0, 1, 1, 1]
    assert np.flatnonzero(fit.core).tolist() == [2, 4]


def test_which_group_comes_first_is_a_matter_of_core_rows():
    # The first row is border of the right group alone, whose core row comes after the left one's.
    fit = DBSCAN(eps=1.0, min_samples=4).fit(line(4, 0, 0.5, 1, 2, 3, 3.5))
    assert fit.labels.tolist() == [1, 0, 0, 0, 0, 1, 1]


@pytest.fixture(params=[1, 4, 9])
def cloud(request):
    """Rows, and which lie within 0.35 of each other."""
    p = request.param
    X = np.random.default_rng(p).normal(size=(400, p)) * 0.5
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    return X, D


@pytest.mark.parametrize("m", [1, 3, 8])
def test_groups_are_the_connected_core_rows(cloud, m):
    X, D = cloud
    eps = float(np.sort(D, axis=1)[:, 6].mean())
    fit = DBSCAN(eps=eps, min_samples=m).fit(X)
    near = eps >= D
    core = near.sum(axis=1) >= m
    np.testing.assert_array_equal(fit.core, core)
    n_groups, parts = connected_components(near[np.ix_(core, core)], directed=False)
    assert fit.labels.max(initial=-1) + 1 == n_groups
    same = fit.labels[core][:, None] == fit.labels[core]
    np.testing.assert_array_equal(same, parts[:, None] == parts)
    others = np.flatnonzero(~core)
    for i in others:
        around = fit.labels[core & near[i]]
        assert fit.labels[i] == (around.min() if len(around) else -1)


def test_a_vanishing_radius_leaves_noise_and_a_huge_one_one_group(cloud):
    X, _ = cloud
    nothing = DBSCAN(eps=1e-12, min_samples=2).fit(X)
    assert (nothing.labels == -1).all()
    assert "every row is noise" in nothing.notes[0]
    assert (DBSCAN(eps=1e6, min_samples=400).fit(X).labels == 0).all()
    alone = DBSCAN(eps=1e-12, min_samples=1).fit(X)
    assert alone.labels.tolist() == list(range(400))


def test_a_whole_weight_is_that_many_equal_rows(cloud):
    X, _ = cloud
    w = np.random.default_rng(0).integers(1, 4, len(X))
    weighted = DBSCAN(eps=0.4, min_samples=6).fit(X, weights=w)
    repeated = DBSCAN(eps=0.4, min_samples=6).fit(np.repeat(X, w, axis=0))
    first = np.cumsum(w) - w
    np.testing.assert_array_equal(weighted.labels, repeated.labels[first])


def test_a_row_of_weight_0_joins_nothing():
    X = line(0, 0.5, 1, 2, 3, 3.5, 4)
    w = np.array([1, 1, 1, 0, 1, 1, 1])
    fit = DBSCAN(eps=1.0, min_samples=2).fit(X, weights=w)
    assert fit.labels.tolist() == [0, 0, 0, 0, 1, 1, 1]
    assert not fit.core[3]


def test_blocks_change_nothing(cloud, monkeypatch):
    X, _ = cloud
    whole = DBSCAN(eps=0.4).fit(X)
    monkeypatch.setattr(dbscan, "MOST_PAIRS", 3000)
    for room in (2000, 0):
        monkeypatch.setattr(dbscan, "MOST_CACHED", room)
        parts = DBSCAN(eps=0.4).fit(X)
        np.testing.assert_array_equal(whole.labels, parts.labels)
        np.testing.assert_array_equal(whole.core, parts.core)


@pytest.mark.parametrize("p", [2, 9])
def test_a_border_row_joins_the_first_group_wherever_it_stands(p):
    X = np.zeros((300, p))
    X[:, 0] = np.random.default_rng(0).integers(0, 150, 300)
    w = np.random.default_rng(1).choice([0.25, 0.5, 2.0], 300)
    fit = DBSCAN(eps=2.0, min_samples=9).fit(X, weights=w)
    is_near = np.abs(X[:, :1] - X[:, 0]) <= 2.0
    np.testing.assert_array_equal(fit.core, is_near @ w >= 9)
    border = np.flatnonzero(~fit.core & (is_near & fit.core).any(axis=1))
    lowest = [fit.labels[is_near[i] & fit.core].min() for i in border]
    assert fit.labels[border].tolist() == lowest
    several = [len(set(fit.labels[is_near[i] & fit.core])) > 1 for i in border]
    assert any(several) and len(border) > 30


def test_a_huge_radius_needs_no_room_for_all_pairs(monkeypatch):
    asked: list[int] = []
    within = dbscan.Neighbours.within_ahead

    def watched(self, first, end, radius, crew=None):
        near = within(self, first, end, radius, crew)
        asked.append(len(near.rows))
        return near

    monkeypatch.setattr(dbscan.Neighbours, "within_ahead", watched)
    monkeypatch.setattr(dbscan, "MOST_PAIRS", 10_000)
    assert (DBSCAN(eps=100.0).fit(np.random.default_rng(0).normal(size=(600, 2))).labels == 0).all()
    assert max(asked) <= 10_000


@pytest.mark.parametrize("room", [2**24, 0])
def test_groups_grow_from_their_first_core_rows_one_after_the_other(cloud, monkeypatch, room):
    X, D = cloud
    monkeypatch.setattr(dbscan, "MOST_CACHED", room)  # without room, each row looks around anew
    eps = float(np.sort(D, axis=1)[:, 6].mean())
    method = DBSCAN(eps=eps, min_samples=8)
    fit, steps = method.fit(X), record(method.steps(X), keep=10_000)
    assert len(steps) == 1 + fit.core.sum()
    looked = [int(step.state.around[0]) for step in steps[1:-1]]
    assert len(set(looked)) == len(looked)
    assert fit.core[looked].all()
    for before, step in pairwise(steps[:-1]):
        near = step.state.around
        assert set(near) == set(np.flatnonzero(D[near[0]] <= eps))
        changed = np.flatnonzero(before.state.labels != step.state.labels)
        assert set(changed) <= set(near)
        own = step.state.labels[near[0]]
        assert (step.state.labels[changed] == own).all()
        assert own == step.state.labels.max()  # the former groups are whole
        assert step.objective == (step.state.labels >= 0).sum()
    np.testing.assert_array_equal(steps[-1].state.labels, fit.labels)


def test_a_new_row_is_of_the_nearest_core_row_within_the_radius(cloud):
    X, D = cloud
    method = DBSCAN(eps=float(np.sort(D, axis=1)[:, 6].mean()), min_samples=6)
    fit = method.fit(X)
    assert 0 < fit.core.sum() < len(X)
    new = np.random.default_rng(7).normal(size=(300, X.shape[1])) * 0.6
    away = np.sqrt(((new[:, None] - X[fit.core]) ** 2).sum(axis=2))
    nearest = fit.labels[fit.core][away.argmin(axis=1)]
    expected = np.where(away.min(axis=1) <= method.eps, nearest, -1)
    assert (expected == -1).any()
    np.testing.assert_array_equal(fit.predict(new), expected)
    np.testing.assert_array_equal(fit.predict(X[fit.core]), fit.labels[fit.core])
    assert ((fit.predict(X) == -1) == (fit.labels == -1)).all()  # no row changes to or from noise


def test_a_row_as_near_to_two_groups_is_of_the_first_and_many_new_rows_make_no_group():
    fit = DBSCAN(eps=1.0, min_samples=3).fit(line(0, 0.5, 1, 3, 3.5, 4))
    assert fit.predict(line(2, 5, 5.01, 9, 9, 9)).tolist() == [0, 1, -1, -1, -1, -1]
    assert DBSCAN(eps=0.1).fit(line(0, 1, 2)).predict(line(0, 1)).tolist() == [-1, -1]


def test_a_border_row_of_two_groups_keeps_its_group_though_the_other_is_nearer():
    # 2.3 lies 0.8 from the core row 1.5 of the first group, 0.5 from 2.8 of the second.
    X = line(0.8, 1.1, 1.3, 1.5, 2.3, 2.8, 3.1, 3.4, 3.6)
    fit = DBSCAN(eps=0.85, min_samples=5).fit(X)
    assert not fit.core[4]
    assert fit.labels[4] == 0
    assert fit.predict(X)[4] == 1


def test_new_rows_are_measured_in_the_frame_of_the_fitted_ones():
    X = np.random.default_rng(3).normal(size=(200, 2)) @ [[30.0, 0.0], [1.0, 0.1]]
    fit = DBSCAN(eps=0.5, min_samples=4, metric=Mahalanobis()).fit(X)
    one = np.vstack([X[fit.core][:1], X.mean(axis=0) + 500])
    assert fit.predict(one).tolist() == [fit.labels[fit.core][0], -1]


def test_core_rows_are_marked_and_not_counted():
    """Numbers 0 and 1 in place of marks would pick rows 0 and 1 for core rows."""
    fit = DBSCAN(eps=1.0, min_samples=3).fit(line(0, 0.5, 1, 3, 3.5, 4))
    assert fit.holds_together()
    assert not replace(fit, core=fit.core.astype(np.int64)).holds_together()
