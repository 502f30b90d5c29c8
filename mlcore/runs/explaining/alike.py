"""Which variables say the same, and which rows are alike in all variables but one."""

from __future__ import annotations

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.preparation.selection.correlations import basis, ranks
from mlcore.preparation.step import holds_text
from mlcore.runs.explaining.model import Model
from mlcore.spine import random
from mlcore.spine.registry import lookup

SAME = 0.7  # an association from which on two variables stand in for each other
DEPTH, LEAF = 5, 30  # of the trees: their depth, and the training rows in a leaf
MOST_GROWN = 5000  # training rows of a tree
MOST_LEVELS = 30  # of a variable of names whose associations are asked


def stand_ins(dataset: Dataset) -> tuple[tuple[int, ...], ...]:
    """The variables in groups that say the same, each a tuple of rising positions.

    Two are in one group where their association is at least 0.7, or where others lead from one to
    the other by such steps. No target is looked at.
    """
    linked = associations(dataset) >= SAME
    groups, free = [], set(range(len(linked)))
    while free:
        group, new = set[int](), {min(free)}
        while new:
            group |= new
            new = {int(j) for i in new for j in np.flatnonzero(linked[i])} - group
        groups.append(tuple(sorted(group)))
        free -= group
    return tuple(groups)


def associations(dataset: Dataset) -> np.ndarray:
    """How much one variable tells of another, from 0 to 1, shape (p, p).

    The largest canonical correlation of the ranks of numbers and the indicators of names: for two
    numbers Spearman's correlation without its sign, for a number and names the root of eta squared.
    Adjusted for the number of levels; a missing value counts as the mean.
    """
    bases = [_basis(dataset, j) for j in range(len(dataset.columns))]
    p, n = len(bases), dataset.n
    matrix = np.eye(p)
    for i in range(p):
        for j in range(i):
            shared = bases[i].T @ bases[j]
            if shared.size:
                free = n - 1 - max(shared.shape)
                square = min(1.0, float(np.linalg.norm(shared, 2)) ** 2)
                left = (1 - square) * (n - 1) / free if free > 0 else 1.0
                matrix[i, j] = matrix[j, i] = np.sqrt(max(0.0, 1 - left))
    return matrix


def _basis(dataset: Dataset, j: int) -> np.ndarray:
    """Orthonormal columns of a variable, (n, rank); none for texts and names of many levels."""
    column, values = dataset.columns[j], dataset.X[:, j]
    known = ~np.isnan(values)
    if holds_text(column) or len(column.levels) > MOST_LEVELS or not known.any():
        return np.empty((dataset.n, 0))
    if column.levels and column.kind != "ordinal":
        return basis((values[:, None] == np.arange(len(column.levels))).astype(float))
    placed = np.zeros(dataset.n)
    placed[known] = ranks(values[known])
    placed[~known] = placed[known].mean()
    return basis(placed[:, None])


def alike(model: Model, j: int) -> np.ndarray:
    """Groups of the rows left out, (m,), within which the others tell little of variable j.

    The leaves of a tree that tells the variable from the others, grown on training rows of the
    fold. Molnar, König, Bischl and Casalicchio (2024), Data Mining and Knowledge Discovery 38.
    """
    dataset, split = model.dataset, model.split
    column = dataset.columns[j]
    others = np.array(
        [i for i, c in enumerate(dataset.columns) if i != j and not holds_text(c)], dtype=np.int64
    )
    rng = random.generator(model.run.seed, "rows of the trees", j)
    known = split.train[~np.isnan(dataset.X[split.train, j])]
    rows = np.sort(rng.permutation(known)[:MOST_GROWN])
    if holds_text(column) or not len(others) or len(rows) < 2 * LEAF:
        return np.zeros(len(split.test), dtype=np.int64)
    classes = ("classification", "decision_tree")
    kind = classes if column.levels else ("regression", "regression_tree")
    tree = lookup(*kind)(max_depth=DEPTH, min_samples_leaf=LEAF, max_leaf_nodes=0)
    columns = tuple(dataset.columns[i] for i in others)
    y = dataset.X[rows, j].astype(np.int64) if column.levels else dataset.X[rows, j]
    if len(np.unique(y)) < 2:
        return np.zeros(len(split.test), dtype=np.int64)
    fit = tree.fit(dataset.X[np.ix_(rows, others)], y, columns=columns)
    return fit.leaf_of(dataset.X[np.ix_(split.test, others)])
