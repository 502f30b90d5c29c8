"""Stumps for two classes: many of them, on rows that are sorted once."""

from __future__ import annotations

import numpy as np

from mlcore.ensembles.stumping import _kernels as k
from mlcore.maths.arrays import read_only
from mlcore.spine.fit import Column
from mlcore.trees.growth import Rows
from mlcore.trees.tree import Tree, holds_names


class Stumps:
    """Fits the stump of least weighted error, again and again, to the same rows of two classes."""

    def __init__(self, rows: Rows, y: np.ndarray) -> None:
        values = np.take_along_axis(rows.X, rows.order, axis=1)
        self.rows, self.y = rows, y
        self._sorted = read_only(values), read_only(rows.order)

    def tree(self, w: np.ndarray) -> Tree:
        """The stump for weights w, shape (n,); a single leaf where no cut lowers the error."""
        best = np.zeros(4)
        k.best_stump(*self._sorted, read_only(np.where(self.y == 1, w, -w)), best)
        values = [np.bincount(self.y, weights=w, minlength=2)]
        sizes = [len(w)]
        if (column := int(best[1])) >= 0:
            goes_left = self.rows.X[column] <= best[2]
            left = np.bincount(self.y[goes_left], weights=w[goes_left], minlength=2)
            sizes += [int(goes_left.sum()), len(w) - int(goes_left.sum())]
            values += [left, values[0] - left]
        return _tree(np.array(values), np.array(sizes), column, float(best[2]), self.rows.n_levels)


def can_be_stumps(columns: tuple[Column, ...], K: int) -> bool:
    """Whether there are two classes, and no columns of names."""
    return K == 2 and not any(map(holds_names, columns))


def _tree(
    values: np.ndarray, sizes: np.ndarray, column: int, cut: float, n_levels: np.ndarray
) -> Tree:
    """A root with these class weights, and two leaves below it if there is a column to ask."""
    t = len(values)
    label = values.argmax(axis=1)
    label[values[:, 0] == values[:, 1]] = label[0]
    weight = values.sum(axis=1)
    risk = weight - values.max(axis=1)
    at_root = np.arange(t) == 0
    split = at_root & (t > 1)
    return Tree(
        feature=np.where(split, column, -1),
        cut=np.where(split, cut, 0.0),
        missing_left=split & (sizes[1:2].sum() >= sizes[2:].sum()),
        left=np.where(split, 1, -1),
        depth=np.where(at_root, 0, 1),
        rows=sizes,
        weight=weight,
        risk=risk,
        gain=np.where(split, risk[0] - risk[1:].sum(), 0.0),
        label=label,
        values=values,
        levels=np.zeros((1, 1), dtype=np.uint8),
        n_levels=n_levels,
    )
