"""Whether a binary tree of questions about single columns can make a partition into boxes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.spine.errors import DataError
from mlcore.spine.records import function


class Cut(NamedTuple):
    """One question: whether a column is at most a value, asked of some of the boxes."""

    column: int
    at: float
    boxes: tuple[int, ...]  # that it parts


class CutOrder(NamedTuple):
    """The questions from the root on, and the boxes that none parts any further."""

    cuts: tuple[Cut, ...]
    stuck: tuple[int, ...]  # boxes of a piece that no cut goes through without harm; () if none

    @property
    def is_tree(self) -> bool:
        """Whether a tree makes the partition."""
        return not self.stuck


@function(
    "guillotine",
    title="Partition by a binary tree",
    sources=("cs2:recursive_partition_check", "cs2:tree_predict"),
)
def guillotine(boxes: Any) -> CutOrder:
    """The cuts, each through a whole piece, that part boxes, (m, p, 2), with their ends last.

    Any cut that splits no box will do: what it leaves of a partition that a tree can make, a tree
    can make too. O(m^2 p) a cut. Raises DataError unless every box ends above where it begins.
    """
    boxes = np.asarray(boxes, dtype=np.float64)
    if boxes.ndim != 3 or boxes.shape[2] != 2 or not (boxes[..., 0] < boxes[..., 1]).all():
        raise DataError(
            "Boxes must have shape (m, p, 2), with each end above its beginning; got shape "
            f"{boxes.shape}."
        )
    cuts, pieces = [], [np.arange(len(boxes))]
    while pieces:
        piece = pieces.pop(0)
        if len(piece) < 2:
            continue
        cut = _cut(boxes[piece])
        if cut is None:
            return CutOrder(tuple(cuts), tuple(piece.tolist()))
        column, at = cut
        cuts.append(Cut(column, at, tuple(piece.tolist())))
        below = boxes[piece, column, 1] <= at
        pieces += [piece[below], piece[~below]]
    return CutOrder(tuple(cuts), ())


def _cut(boxes: np.ndarray) -> tuple[int, float] | None:
    """The first column and value that splits none of these boxes, and has some on each side."""
    for column in range(boxes.shape[1]):
        low, high = boxes[:, column, 0], boxes[:, column, 1]
        for at in np.unique(low)[1:]:
            if ((high <= at) | (low >= at)).all():
                return column, float(at)
    return None
