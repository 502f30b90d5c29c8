"""Consensus clustering: order, blocks, items and curves, each against its definition."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.evaluation.consensus import (
    ambiguous_pairs,
    consensus_area,
    consensus_blocks,
    consensus_distribution,
    consensus_gains,
    consensus_matrix,
    item_consensus,
)
from mlcore.runs import carry_count
from mlcore.runs.counting.cluster_count import ClusterCount
from mlcore.runs.counting.counted import LEVELS
from mlcore.runs.run import Run

SURE = np.array([[1, 0.9, 0, 0], [0.9, 1, 0.1, 0], [0, 0.1, 1, 0.8], [0, 0, 0.8, 1]])


def test_golden_curves():
    # Pairs: .9, 0, 0, .1, 0, .8.
    np.testing.assert_allclose(
        consensus_distribution(SURE, [0, 0.1, 0.5, 0.85, 1]), [3 / 6, 4 / 6, 4 / 6, 5 / 6, 1]
    )
    assert ambiguous_pairs(SURE) == pytest.approx(2 / 6)  # .8 and .9, which is not above .9
    assert consensus_area(SURE) == pytest.approx(1 - 1.8 / 6)
    np.testing.assert_allclose(
        consensus_gains([0, 0.4, 0.5, 0.5, 0.55])[1:], [0.4, 0.25, 0, 0.1], atol=1e-12
    )
    assert np.isnan(consensus_gains([0.0, 0.4])[0])
    assert np.isnan(consensus_gains([np.nan, 0.4, np.nan, 0.5])[2:]).all()
    assert np.isnan(consensus_distribution(np.full((3, 3), np.nan), [0.5])).all()


def test_golden_blocks_and_items():
    mixed = [2, 0, 3, 1]
    blocks = consensus_blocks(SURE[np.ix_(mixed, mixed)], 2)
    assert sorted(blocks.groups[[1, 3]]) == sorted([blocks.groups[1]] * 2)  # rows 0 and 1
    assert blocks.groups[0] == blocks.groups[2] != blocks.groups[1]
    assert (np.diff(blocks.groups[blocks.order]) >= 0).all()  # the rows of a group lie together
    items = item_consensus(SURE, [0, 0, 1, 1])
    np.testing.assert_allclose(items, [[0.9, 0], [0.9, 0.05], [0.05, 0.8], [0, 0.8]], atol=1e-12)
    assert np.isnan(item_consensus(np.eye(2), [0, 1])[0, 0])  # alone in its group


def test_rows_that_no_draw_has_both_of_do_not_break_the_order():
    torn = np.array([[1, np.nan, 0.9], [np.nan, 1, 0.1], [0.9, 0.1, 1]])
    groups = consensus_blocks(torn, 2).groups
    assert groups[0] == groups[2] != groups[1]
    assert consensus_blocks(np.ones((1, 1)), 3).groups.tolist() == [0]
    assert len(consensus_blocks(np.full((3, 3), np.nan), 2).order) == 3


def test_groups_that_come_again_are_blocks_of_ones():
    truth = np.repeat(np.arange(3), 10)
    rng = np.random.default_rng(0)
    draws = []
    for _ in range(9):
        at = np.sort(rng.choice(30, 24, replace=False))
        draws.append((at, rng.permutation(3)[truth[at]]))  # names of groups change
    consensus = consensus_matrix(draws, np.arange(30))
    assert ambiguous_pairs(consensus) == 0
    groups = consensus_blocks(consensus, 3).groups
    assert len(set(zip(truth.tolist(), groups.tolist(), strict=True))) == 3
    assert np.nanmin(item_consensus(consensus, groups)[np.arange(30), groups]) == 1


def test_iris_is_surest_in_two_groups():
    run = Run(data="iris", method="kmeans")
    counted = carry_count.carried_out(ClusterCount.of(run, highest=5, references=0, splits=0))
    below = counted.distributions
    doubt = below[:, np.abs(LEVELS - 0.9).argmin()] - below[:, np.abs(LEVELS - 0.1).argmin()]
    assert np.isnan(doubt[0])
    assert int(np.nanargmin(doubt)) + 1 == 2  # setosa, and the two that run into each other
    np.testing.assert_allclose(
        counted.areas[1:], [consensus_area(counted.consensus(k)) for k in (2, 3, 4, 5)]
    )
