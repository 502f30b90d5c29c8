"""Partitions that a binary tree can make, and one that it cannot."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.spine.errors import DataError
from mlcore.trees.decision_tree import DecisionTree
from mlcore.trees.guillotine import guillotine

# Four boxes around one, each beginning where the one before ends.
PINWHEEL = [
    [[0, 2], [0, 1]], [[2, 3], [0, 2]], [[1, 3], [2, 3]], [[0, 1], [1, 3]], [[1, 2], [1, 2]],
]  # fmt: skip
# The five of the notes: x1 <= 2; left x2 <= 1; right x1 <= 4, and beyond it x2 <= 3.
FIVE = [
    [[0, 2], [0, 1]], [[0, 2], [1, 5]], [[2, 4], [0, 5]], [[4, 5], [0, 3]], [[4, 5], [3, 5]],
]  # fmt: skip


def test_no_cut_goes_through_a_pinwheel():
    order = guillotine(PINWHEEL)
    assert not order.is_tree
    assert order.cuts == ()
    assert order.stuck == (0, 1, 2, 3, 4)


def test_the_five_boxes_of_the_notes_are_cut_in_order():
    order = guillotine(FIVE)
    assert order.is_tree
    assert order.cuts == ((0, 2.0, (0, 1, 2, 3, 4)), (1, 1.0, (0, 1)), (0, 4.0, (2, 3, 4)),
                          (1, 3.0, (3, 4)))  # fmt: skip


def test_a_pinwheel_within_a_larger_partition_is_the_piece_that_is_stuck():
    order = guillotine([*PINWHEEL, [[3, 4], [0, 3]]])
    assert order.cuts == ((0, 3.0, (0, 1, 2, 3, 4, 5)),)
    assert order.stuck == (0, 1, 2, 3, 4)


def inside(boxes):
    """The centre of each unit cell, with the number of the box that it lies in."""
    boxes = np.array(boxes)
    ends = boxes[:, :, 1].max(axis=0)
    X = np.argwhere(np.ones(ends)) + 0.5
    in_box = ((boxes[:, :, 0] <= X[:, None]) & (X[:, None] <= boxes[:, :, 1])).all(axis=2)
    return X, in_box.argmax(axis=1)


def test_a_tree_needs_more_leaves_than_a_pinwheel_has_boxes():
    for boxes, fits in ((PINWHEEL, False), (FIVE, True)):
        X, y = inside(boxes)
        tree = DecisionTree(max_leaf_nodes=5).fit(X, y)
        assert (tree.predict(X) == y).all() == fits


def test_leaves_of_a_tree_in_three_columns_are_cut_again():
    boxes = [[[0, 1], [0, 2], [0, 2]], [[1, 2], [0, 1], [0, 2]], [[1, 2], [1, 2], [0, 1]],
             [[1, 2], [1, 2], [1, 2]]]  # fmt: skip
    assert [cut.column for cut in guillotine(boxes).cuts] == [0, 1, 2]


def test_boxes_without_room_are_refused():
    with pytest.raises(DataError, match=r"shape \(m, p, 2\)"):
        guillotine([[[1, 0], [0, 1]]])
