r"""Exact Shapley values of sums of curves and of trees, for any number of variables.

They are those of `mlcore/evaluation/explaining/shapley.py`, in the coordinates of the method, where
each column was made from one variable of the table; all columns of one variable go together. The
values of a sum are the sums of the values of its terms.

Curve of one column: $\phi_j = \sum_{c \in j} f_c(x_c) - \frac1B \sum_b f_c(b_c)$; of a linear
model $f_c(x) = w_c x$.

Tree: a leaf is reached by the row with some variables, A, taken from x and others, C, from b, and
gives each of A $v (a - 1)! \, c! / (a + c)!$ and each of C $-v a! \, (c - 1)! / (a + c)!$, a = |A|
and c = |C|. Lundberg et al. (2020), Nature Machine Intelligence 2 (interventional TreeSHAP).

Path-dependent, without background rows: a tree is asked with the variables of S alone, and where
it asks about another goes both ways, each by its share of the training rows that came there; v(S)
is the mean of the leaves by these shares. Lundberg, Erion and Lee (2018), arXiv:1802.03888.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import factorial

import numpy as np

from mlcore.evaluation.explaining import _kernels
from mlcore.maths.arrays import read_only
from mlcore.spine.capabilities_of_sums import Sum, TreeTerm
from mlcore.spine.errors import DataError
from mlcore.spine.records import function


def shapley_of_sum(
    total: Sum, rows: np.ndarray, background: np.ndarray, groups: np.ndarray, n: int
) -> np.ndarray:
    """Values of n variables for rows, (m, q), by a sum against background rows, (B, q): (m, n, K).

    `groups`, shape (q,), is the variable that each column was made from. Raises DataError for a sum
    of nothing.
    """
    values = []
    if total.trees:
        values.append(shapley_trees(total.trees, rows, background, groups, n))
    if total.curve is not None:
        values.append(shapley_curves(total.curve, rows, background, groups, n))
    if not values:
        raise DataError("A sum of nothing has no Shapley values. Give it trees or curves.")
    return np.sum(values, axis=0)


@function(
    "linear_shapley",
    title="Shapley values of additive models",
    synonyms=("LinearSHAP", "Shapley values of a linear model"),
)
def shapley_curves(
    curve: Callable[[np.ndarray, int], np.ndarray],
    rows: np.ndarray,
    background: np.ndarray,
    groups: np.ndarray,
    n: int,
) -> np.ndarray:
    """The same, shape (m, n, K), of `curve(X, j)`: what column j adds at rows X, shape (m, K)."""
    added = [curve(rows, j) - curve(background, j).mean(axis=0) for j in range(len(groups))]
    values = np.zeros((len(rows), n, added[0].shape[1]))
    for j, own in zip(groups, added, strict=True):
        values[:, j] += own
    return values


@function("tree_shapley", title="Shapley values of trees", synonyms=("TreeSHAP",))
def shapley_trees(
    trees: Sequence[TreeTerm],
    rows: np.ndarray,
    background: np.ndarray,
    groups: np.ndarray,
    n: int,
) -> np.ndarray:
    """The same, shape (m, n, K), of a sum of trees.

    O((m + B) t) for one of t nodes, and at each leaf the pairs of kinds of rows that reach it: at
    most 3^d for d variables on its way.
    """
    gains, losses = _weights(n)
    values = np.zeros((len(rows), n, trees[0].answers.shape[1]))
    for tree, answers, columns in trees:
        at = slice(None) if columns is None else columns
        others = read_only(np.ascontiguousarray(tree.answers_to(background[:, at]).T))
        own = read_only(np.ascontiguousarray(tree.answers_to(rows[:, at]).T))
        asked = read_only(groups[at][tree.feature])
        left = read_only(np.asarray(tree.left, dtype=np.int64))
        answers = read_only(np.ascontiguousarray(answers, dtype=np.float64))
        depth = _depth(left)
        _kernels.share_out(own, others, left, asked, answers, depth, gains, losses, values)
    return values / len(background)


@function(
    "path_dependent_shapley",
    title="Path-dependent Shapley values of trees",
    synonyms=("tree_path_dependent", "TreeSHAP without background rows"),
)
def shapley_by_path(
    trees: Sequence[TreeTerm], rows: np.ndarray, groups: np.ndarray, n: int
) -> np.ndarray:
    """Path-dependent values of n variables for rows, (m, q), by a sum of trees: (m, n, K).

    At most O(m L d^2) for a tree of L leaves and depth d.
    """
    values = np.zeros((len(rows), n, trees[0].answers.shape[1]))
    lefts = [read_only(np.asarray(tree.left, dtype=np.int64)) for tree, _, _ in trees]
    depths = [_depth(left) for left in lefts]
    sizes = _of_sizes(max(depths))
    for (tree, answers, columns), left, depth in zip(trees, lefts, depths, strict=True):
        at = slice(None) if columns is None else columns
        own = read_only(tree.answers_to(rows[:, at]))
        asked = read_only(groups[at][tree.feature])
        weight = read_only(np.asarray(tree.weight, dtype=np.float64))
        answers = read_only(np.ascontiguousarray(answers, dtype=np.float64))
        _kernels.share_out_by_path(own, left, asked, weight, answers, depth, sizes, values)
    return values


def _of_sizes(most: int) -> np.ndarray:
    """s! (n - s - 1)! / n!, the weight of a set of s among n variables, (most + 1, most + 1).

    0 where there is none.
    """
    sizes = np.zeros((most + 1, most + 1))
    for n in range(1, most + 1):
        sizes[n, :n] = [factorial(s) * factorial(n - s - 1) / factorial(n) for s in range(n)]
    return sizes


def _depth(left: np.ndarray) -> int:
    """The most questions on a way; a parent stands before its children."""
    depth = np.zeros(len(left), dtype=np.int64)
    for node in np.flatnonzero(left >= 0):
        depth[left[node] : left[node] + 2] = depth[node] + 1
    return int(depth.max())


def _weights(n: int) -> tuple[np.ndarray, np.ndarray]:
    """(a - 1)! c! / (a + c)! and a! (c - 1)! / (a + c)! by a and c; 0 where they cannot be.

    Both come as shape (n + 1, n + 1).
    """
    gains = np.zeros((n + 1, n + 1))
    for a in range(1, n + 1):
        for c in range(n + 1 - a):
            gains[a, c] = factorial(a - 1) * factorial(c) / factorial(a + c)
    return gains, np.ascontiguousarray(gains.T)
