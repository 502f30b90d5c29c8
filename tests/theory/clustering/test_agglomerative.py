"""What must be true of trees of merges: heights by hand, nested cuts, inversions, costs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mlcore.clustering.agglomerative import Agglomerative
from mlcore.clustering.hierarchy.cuts import AtHeight, AtNumber
from mlcore.clustering.hierarchy.linkages import Cost, Linkage
from mlcore.clustering.hierarchy.merge_starts import ColumnGroups, KMeansGroups
from mlcore.clustering.kmeans import KMeans
from mlcore.spine.errors import MlcoreError
from mlcore.spine.fit import Column
from mlcore.spine.registry import entries

ROWS = np.random.default_rng(3).normal(size=(80, 3))


def line(*values: float) -> np.ndarray:
    """Rows of one column."""
    return np.array(values, dtype=float)[:, None]


@pytest.mark.parametrize(
    ("linkage", "heights"),
    [
        ("single", [1, 2, 4]),
        ("complete", [1, 3, 7]),
        ("average", [1, 2.5, 17 / 3]),
        ("centroid", [1, 2.5, 17 / 3]),
        ("weighted", [1, 2.5, 5.25]),
        ("median", [1, 2.5, 5.25]),
        ("ward", [1, 2.8867513459, 6.9402209379]),
    ],
)
def test_heights_that_can_be_checked_on_paper(linkage, heights):
    fit = Agglomerative(linkage=linkage, cut=AtNumber(n_clusters=2)).fit(line(0, 1, 3, 7))
    np.testing.assert_allclose(fit.heights, heights, rtol=1e-9)
    assert fit.labels.tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize("linkage", ["centroid", "median"])
def test_an_equilateral_triangle_is_inverted(linkage):
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
    fit = Agglomerative(linkage=linkage).fit(X)
    np.testing.assert_allclose(fit.heights, [1.0, np.sqrt(0.75)])
    assert fit.inversions.tolist() == [False, True]
    assert fit.notes
    # By height no merge comes before the first, so the second is not made either.
    assert len(np.unique(fit.cut_at(0.9))) == 3


def test_plain_distances_may_get_cheaper_by_a_merge_and_squares_never():
    X = line(0, 0, 0, 10, 0, 0, 0, -10)
    labels = np.repeat([0, 1], 4)

    def rise(measure):
        fit = Agglomerative(linkage=Cost(measure=measure)).fit(X)
        return fit.heights.sum()

    # All in one cluster: |10| + |-10|, and their squares.
    assert rise("distance_sum") == pytest.approx(20.0)
    assert rise("scatter") == pytest.approx(200.0)
    means = [X[labels == k].mean() for k in (0, 1)]
    assert np.abs(X[:, 0] - np.take(means, labels)).sum() == 30.0  # as two: dearer than as one


def test_least_scatter_is_ward():
    ward = Agglomerative().fit(ROWS)
    cost = Agglomerative(linkage=Cost(measure="scatter")).fit(ROWS)
    np.testing.assert_array_equal(cost.children, ward.children)
    np.testing.assert_allclose(cost.heights, ward.heights**2 / 2)
    total = ((ROWS - ROWS.mean(axis=0)) ** 2).sum()
    assert cost.heights.sum() == pytest.approx(total)  # from no scatter at all to that of all rows


@pytest.mark.parametrize("p", [1, 2, 4])
@pytest.mark.parametrize("linkage", ["ward", "centroid", "median"])
def test_boxes_spare_distances_and_change_no_merge(linkage, p):
    """Columns of zeros change no distance, but the way: boxes are drawn in few columns only."""
    X = np.random.default_rng(p).normal(size=(300, p)) * np.arange(1, p + 1)
    method = Agglomerative(linkage=linkage)
    few, many = method.fit(X), method.fit(np.pad(X, ((0, 0), (0, 4))))
    np.testing.assert_allclose(few.heights, many.heights, rtol=1e-9)
    np.testing.assert_array_equal(few.children, many.children)
    assert linkage == "ward" or p == 1 or few.inversions.any()


@pytest.mark.parametrize("linkage", ["ward", "centroid"])
def test_equal_rows_pair_off_whatever_else_is_as_near(linkage):
    """Nine places, on each many rows: each is of one cluster before any two places merge."""
    X = np.random.default_rng(0).integers(0, 3, (600, 2)).astype(float)
    fit = Agglomerative(linkage=linkage).fit(X)
    assert fit.holds_together()
    assert (fit.heights[:-8] == 0.0).all()
    assert (fit.heights[-8:] > 0.5).all()
    codes = fit.cut(9) * 9 + (X @ [3, 1]).astype(int)
    assert len(np.unique(codes)) == 9


@pytest.mark.parametrize("linkage", entries("linkage"))
def test_cuts_are_nested_and_keep_their_numbers(linkage):
    fit = Agglomerative(linkage=linkage).fit(ROWS)
    assert fit.holds_together()
    for k in range(1, len(ROWS)):
        coarse, fine = fit.cut(k), fit.cut(k + 1)
        changed = coarse != fine
        assert np.unique(fine[changed]).tolist() == [k]  # one part of one cluster gets the new one
        assert len(np.unique(coarse[changed])) == 1
        assert changed.sum() <= (fine == coarse[changed][0]).sum()  # and it is not the larger


@pytest.mark.parametrize("linkage", entries("linkage"))
def test_equal_rows_merge_at_no_height(linkage):
    fit = Agglomerative(linkage=linkage).fit(np.ones((7, 2)))
    assert not fit.heights.any()


def test_more_clusters_than_rows_that_differ_are_said_to_part_equal_ones():
    X = np.repeat([[0.0], [1.0]], 5, axis=0)
    fit = Agglomerative(cut=AtNumber(n_clusters=3)).fit(X)
    assert "Only 2 rows differ, so some of 3 clusters hold equal rows." in fit.notes
    assert Agglomerative(cut=AtNumber(n_clusters=2)).fit(X).notes == ()


def test_the_cut_moves_without_a_fit():
    fit = Agglomerative().fit(ROWS)
    for k in (1, 2, 9):
        asked = Agglomerative(cut=AtNumber(n_clusters=k)).fit(ROWS)
        np.testing.assert_array_equal(fit.cut(k), asked.labels)
    height = float(fit.heights[-4:-2].mean())
    np.testing.assert_array_equal(fit.cut_at(height), fit.cut(4))
    below = Agglomerative(cut=AtHeight(distance_threshold=height)).fit(ROWS)
    np.testing.assert_array_equal(below.labels, fit.cut(4))


def test_each_step_is_a_merge():
    method = Agglomerative(cut=AtNumber(n_clusters=3))
    steps = list(method.steps(ROWS))
    assert len(steps) == len(ROWS) - 2
    heights = [step.objective for step in steps]
    assert heights == sorted(heights)
    np.testing.assert_array_equal(steps[-1].state.labels, method.fit(ROWS).labels)
    assert (steps[0].state.labels == -1).all()  # all are alone


def test_a_tree_of_which_a_cluster_merges_twice_is_none():
    fit = Agglomerative().fit(ROWS)
    children = fit.children.copy()
    children[-1, 0] = children[0, 0]
    assert not replace(fit, children=children).holds_together()


def test_what_cannot_be_merged_is_a_sentence():
    with pytest.raises(MlcoreError, match="straight line"):
        Agglomerative(metric="manhattan").fit(ROWS)
    with pytest.raises(MlcoreError, match="at most 500 rows"):
        Agglomerative(linkage="cost").fit(np.arange(501.0)[:, None])
    with pytest.raises(MlcoreError, match="1 to 80"):
        Agglomerative().fit(ROWS).cut(81)


def beginning_with(labels: np.ndarray, X: np.ndarray, linkage: str | Linkage, k: int = 3) -> Any:
    """A fit to X that merges the groups of a first column."""
    names = (Column("group"), *(Column(f"x{j}") for j in range(X.shape[1])))
    method = Agglomerative(
        linkage=linkage, start=ColumnGroups(name="group"), cut=AtNumber(n_clusters=k)
    )
    return method.fit(np.column_stack([labels, X]), columns=names)


@pytest.mark.parametrize(
    "linkage",
    ["ward", "single", "complete", "average", "centroid", "cost", Cost(measure="scatter")],
)
def test_groups_of_a_tree_go_on_as_the_tree_does(linkage):
    whole = Agglomerative(linkage=linkage).fit(ROWS)
    # Codes of any kind, and not in the order of the rows.
    fit = beginning_with(17.5 - whole.cut(12), ROWS, linkage)
    assert fit.holds_together() and fit.n_groups == 12 and fit.n_iter == 9
    np.testing.assert_allclose(fit.heights[-11:], whole.heights[-11:], rtol=1e-9)
    np.testing.assert_array_equal(fit.inversions[-11:], whole.inversions[-11:])
    for k in (1, 3, 7, 12):
        mine, theirs = fit.cut(k), whole.cut(k)  # groups of equal size may change numbers
        assert len(np.unique(mine * 100 + theirs)) == k
    assert not fit.heights[:-11].any()


def test_a_merge_of_two_given_groups_may_lower_the_cost():
    fit = beginning_with(np.repeat([0, 1], 4), line(0, 0, 0, 10, 0, 0, 0, -10), Cost(), k=1)
    assert fit.heights[-1] == pytest.approx(20.0 - 30.0)
    assert not fit.inversions.any() and fit.cut_at(0.0).max() == 0


def test_groups_of_k_means_are_merged_and_not_divided():
    radius = np.repeat([1.0, 3.0], 1000) + 0.2 * np.random.default_rng(1).normal(size=2000)
    turn = np.linspace(0.0, 200.0, 2000)
    X = radius[:, None] * np.column_stack([np.cos(turn), np.sin(turn)])
    start = KMeansGroups(n_groups=60)
    fit = Agglomerative(linkage="single", start=start, cut=AtNumber(n_clusters=2)).fit(X)
    # A ring is no round group, but many of them: single linkage finds what k-means cannot.
    assert (fit.labels == fit.labels[0]).tolist() == (radius < 2.0).tolist()
    groups, parts = fit.cut(60), KMeans(n_clusters=60, n_init=1).fit(X, seed=0).labels
    assert len(np.unique(groups * 100 + parts)) == 60
    with pytest.raises(MlcoreError, match="60 groups is cut into 1 to 60 clusters; got 61"):
        fit.cut(61)
    first = next(iter(Agglomerative(start=start).steps(X[:200])))
    assert first.note == "Each group is one of 60 clusters."


def test_what_cannot_be_begun_with_is_refused():
    with pytest.raises(MlcoreError, match="3 clusters need at least as many"):
        beginning_with(np.zeros(80), ROWS, "ward")
    method = Agglomerative(start=ColumnGroups(name="ring"))
    assert method.untouched() == ("ring",)
    with pytest.raises(MlcoreError, match=r"needs ring, which holds .* it got 0 of 3"):
        method.fit(ROWS)
