r"""Exact Shapley values of linear models and of means of trees, for any number of variables.

They are those of `mlcore/evaluation/explaining/shapley.py`, in the coordinates of the method, where
each column was made from one variable of the table; all columns of one variable go together.

Linear: $\phi_j = \sum_{c \in j} w_c (x_c - \bar b_c)$.

Tree: a leaf is reached by the row with some variables, A, taken from x and others, C, from b, and
gives each of A $v (a - 1)! \, c! / (a + c)!$ and each of C $-v a! \, (c - 1)! / (a + c)!$, a = |A|
and c = |C|. Lundberg et al. (2020), Nature Machine Intelligence 2 (interventional TreeSHAP).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial
from typing import Any

import numpy as np

from mlcore.evaluation.explaining import _kernels
from mlcore.evaluation.explaining.shapley import Shapley
from mlcore.maths.arrays import read_only
from mlcore.spine.records import function

IN_SHORT = 0  # sets that are looked at one by one


@function("linear_shapley", title="Shapley values of a linear model", synonyms=("LinearSHAP",))
def shapley_linear(
    weights: np.ndarray, row: np.ndarray, background: np.ndarray, groups: np.ndarray, n: int
) -> np.ndarray:
    """Values of n variables, shape (n, K), by `weights`, (q, K), of the columns.

    Of one row, shape (q,), and background rows, shape (B, q); `groups`, shape (q,), is the variable
    that each column was made from.
    """
    values = np.zeros((n, weights.shape[1]))
    np.add.at(values, groups, weights * (row - background.mean(axis=0))[:, None])
    return values


@function("tree_shapley", title="Shapley values of trees", synonyms=("TreeSHAP",))
def shapley_trees(
    trees: Sequence[tuple[Any, np.ndarray]],
    row: np.ndarray,
    background: np.ndarray,
    groups: np.ndarray,
    n: int,
) -> np.ndarray:
    """Values of n variables, shape (n, K), for the mean of trees, each with its nodes' answers.

    Of one row, shape (q,), and background rows, shape (B, q); `groups`, shape (q,), is the variable
    that each column was made from. O(B t) for a tree of t nodes, as seldom more ways are open.
    """
    gains, losses = _weights(n)
    values = np.zeros((n, trees[0][1].shape[1]))
    for tree, answers in trees:
        _kernels.share_out(
            read_only(tree.answers_to(row[None])[0]), read_only(tree.answers_to(background)),
            read_only(tree.left), read_only(groups[tree.feature]),
            read_only(np.ascontiguousarray(answers, dtype=np.float64)), gains, losses, values,
        )  # fmt: skip
    return values / (len(trees) * len(background))


def _weights(n: int) -> tuple[np.ndarray, np.ndarray]:
    """(a - 1)! c! / (a + c)! and a! (c - 1)! / (a + c)! by a and c; 0 where they cannot be.

    Both come as shape (n + 1, n + 1).
    """
    gains = np.zeros((n + 1, n + 1))
    for a in range(1, n + 1):
        for c in range(n + 1 - a):
            gains[a, c] = factorial(a - 1) * factorial(c) / factorial(a + c)
    return gains, np.ascontiguousarray(gains.T)


def shapley_of(base: np.ndarray, values: np.ndarray) -> Shapley:
    """Values, shape (n, K), with what they add up to; nothing was drawn, so no error."""
    return Shapley(base, values, np.zeros_like(values), base + values.sum(axis=0), IN_SHORT)
