"""Rows within a radius: the same by every way, as a reference has them, exact on the boundary."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from mlcore.distances.neighbourhoods import neighborhood_graph
from mlcore.distances.neighbours import Neighbours, Within

POWERS = (0.0, 1.0, 2.0, 3.0, np.inf)


def of(found: Within, i: int) -> list[int]:
    """The rows found for one query."""
    return found.rows[found.starts[i] : found.starts[i + 1]].tolist()


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("p", [1, 3, 15])
def test_every_way_finds_the_same_rows_at_the_same_distance(power, p):
    rng = np.random.default_rng(p)
    S = rng.integers(0, 4, (700, p)) / 4
    X = S[::8]
    radius = 0.5 if power else 0.34
    ways = [Neighbours(S, power, search).within(X, radius) for search in ("tree", "brute", "auto")]
    for other in ways[1:]:
        for one, also in zip(ways[0], other, strict=True):
            np.testing.assert_array_equal(one, also)
    gaps = np.abs(X[:, None] - S)
    if power == 0:
        D = (gaps > 0).mean(axis=2)
    else:
        D = gaps.max(axis=2) if power == np.inf else (gaps**power).sum(axis=2) ** (1 / power)
    # Quarters and their powers are sums without rounding, so the boundary is hit exactly.
    wanted = [np.flatnonzero(row <= radius).tolist() for row in D]
    assert [of(ways[0], i) for i in range(len(X))] == wanted
    assert sum(map(len, wanted)) > 0


@pytest.mark.parametrize("search", ["tree", "brute"])
def test_the_boundary_belongs_to_the_ball(search):
    S = np.arange(40.0)[:, None]
    found = Neighbours(S, 2.0, search).within(np.array([[10.0]]), 2.0)
    assert of(found, 0) == [8, 9, 10, 11, 12]
    assert found.distances.tolist() == [2, 1, 0, 1, 2]
    short = Neighbours(S, 2.0, search).within(np.array([[10.0]]), np.nextafter(2.0, 0))
    assert of(short, 0) == [9, 10, 11]


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("search", ["tree", "brute"])
@pytest.mark.parametrize("n", [105, 128])  # 128: all leaves of the tree are full
def test_in_a_ball_without_an_end_are_all_rows(power, search, n):
    S = np.random.default_rng(1).normal(size=(n, 2))
    found = Neighbours(S, power, search).within(S[:3], np.inf)
    assert [of(found, i) for i in range(3)] == [list(range(n))] * 3


@pytest.mark.parametrize("search", ["tree", "brute"])
def test_duplicates_are_all_found_and_a_radius_of_0_finds_them_alone(search):
    S = np.repeat(np.random.default_rng(0).normal(size=(5, 2)), 60, axis=0)
    found = Neighbours(S, 2.0, search).within(S, 0.0)
    assert np.diff(found.starts).tolist() == [60] * 300
    assert of(found, 130) == list(range(120, 180))
    assert not found.distances.any()


def test_products_see_every_row_once_however_many_parts_they_are_taken_in():
    rng = np.random.default_rng(1)
    for n in (191, 192, 193, 500, 577):  # a part has 192 rows of 20 columns
        S = rng.integers(0, 2, (n, 20)) + 0.0
        X = S[::3]
        found = Neighbours(S, 2.0, "brute").within(X, 2.5)
        near = ((X[:, None] - S) ** 2).sum(axis=2) <= 2.5**2
        assert [of(found, i) for i in range(len(X))] == [np.flatnonzero(r).tolist() for r in near]


@pytest.mark.parametrize("search", ["tree", "brute"])
@pytest.mark.parametrize("power", [0.0, 1.0, 2.0])
@pytest.mark.parametrize("threads", ["1", "3"])
def test_ahead_of_a_row_are_itself_and_the_later_ones_of_its_ball(
    search, power, threads, monkeypatch
):
    monkeypatch.setenv("MLSCOPE_THREADS", threads)
    S = np.random.default_rng(2).integers(0, 3, (577, 8)) + 0.0
    among, radius = Neighbours(S, power, search), 3.0 if power else 0.4
    whole = among.within(S, radius)
    assert len(whole.rows) > 2 * len(S)
    for first, end in ((0, 577), (0, 1), (1, 200), (200, 576), (576, 577)):
        ahead = among.within_ahead(first, end, radius)
        for i in range(first, end):
            assert of(ahead, i - first) == [j for j in of(whole, i) if j >= i]


def test_nothing_near_is_nothing_found():
    S = np.random.default_rng(0).normal(size=(300, 2))
    found = Neighbours(S).within(np.full((3, 2), 1e6), 1.0)
    assert found.starts.tolist() == [0, 0, 0, 0]
    assert len(found.rows) == len(found.distances) == 0


@pytest.mark.parametrize("p", [2, 10, 20])
@pytest.mark.parametrize("power", [1.0, 2.0, 3.0, np.inf])
def test_the_reference_finds_the_same(p, power):
    rng = np.random.default_rng(7)
    S, X = rng.normal(size=(600, p)), rng.normal(size=(200, p))
    radius = {1.0: 0.9 * p, 2.0: 1.1 * p**0.5, 3.0: 1.0 * p**0.4, np.inf: 0.8 + 0.05 * p}[power]
    theirs = NearestNeighbors(radius=radius, metric="minkowski", p=power).fit(S)
    far, rows = theirs.radius_neighbors(X, sort_results=False, return_distance=True)
    found = Neighbours(S, power).within(X, radius)
    assert len(found.rows) > 200
    for i in range(len(X)):
        turn = np.argsort(rows[i])
        assert of(found, i) == rows[i][turn].tolist()
        mine = found.distances[found.starts[i] : found.starts[i + 1]]
        np.testing.assert_allclose(mine, far[i][turn], rtol=1e-7)  # theirs by products


def test_far_from_zero_and_very_large_rows_lose_nothing():
    rng = np.random.default_rng(3)
    S = rng.integers(0, 3, (400, 9)).astype(float)
    plain = Neighbours(S).within(S[:50], 2.0)
    moved = Neighbours(S + 2.0**40, 2.0, "brute").within(S[:50] + 2.0**40, 2.0)
    large = Neighbours(S * 2.0**70, 2.0, "brute").within(S[:50] * 2.0**70, 2.0**71)
    for other in (moved, large):
        np.testing.assert_array_equal(plain.rows, other.rows)


def test_threads_change_nothing(monkeypatch):
    X = np.random.default_rng(0).normal(size=(900, 2))
    one = Neighbours(X).within(X, 0.2)
    monkeypatch.setenv("MLSCOPE_THREADS", "3")
    for alone, together in zip(one, Neighbours(X).within(X, 0.2), strict=True):
        np.testing.assert_array_equal(alone, together)


def test_a_graph_joins_what_lies_within_its_radius():
    X = np.array([[0.0], [1.0], [2.5], [2.5], [9.0]])
    graph = neighborhood_graph(X, radius=1.5)
    assert graph.components.tolist() == [0, 0, 0, 0, 1]
    assert graph.lengths.nnz == 8  # 0-1, 1-2, 1-3 and 2-3, both ways
