"""Probabilities of several classes from those of rules of two."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlcore.spine.errors import DataError
from mlcore.spine.records import function

# No rule of two is believed to be surer: of a certain one the ridge alone would decide what a class
# keeps that loses.
SUREST = 1e-7
RIDGE = 1e-13  # of the mean of the diagonal, where a code leaves a direction open
TOGETHER = 2**22  # numbers of the systems that are solved together


def coupled(R: np.ndarray, code: np.ndarray) -> np.ndarray:
    r"""Probabilities of the classes that agree best with those of the rules, shape (m, K).

    Minimises $\sum_j ((1 - r_j) p(C_j^+) - r_j p(C_j^-))^2$ over p with sum 1, where $r_j$, of
    shape (m, B), is the probability of the positive side of rule j among the classes that have a
    part in it, by `code`, shape (K, B). With one rule a pair this is the second method of Wu, Lin
    and Weng, whose answer is never negative; of other codes negative answers become 0.
    """
    R, block = np.clip(R, SUREST, 1.0 - SUREST), max(1, TOGETHER // code.size)
    parts = [_solved(R[i : i + block], code) for i in range(0, len(R), block)]
    P = np.maximum(np.concatenate(parts), 0.0)
    return P / P.sum(axis=1, keepdims=True)


def _solved(R: np.ndarray, code: np.ndarray) -> np.ndarray:
    """The minimum with sum 1, by its (K + 1) linear equations; the last unknown is a multiplier."""
    K = len(code)
    A = np.where(code.T > 0, 1.0 - R[:, :, None], 0.0) - np.where(code.T < 0, R[:, :, None], 0.0)
    system = np.zeros((len(R), K + 1, K + 1))
    Q = np.swapaxes(A, 1, 2) @ A  # (m, K, K)
    open_ways = RIDGE * np.trace(Q, axis1=1, axis2=2) / K
    system[:, :K, :K] = Q + open_ways[:, None, None] * np.eye(K)
    system[:, K, :K] = system[:, :K, K] = 1.0
    wanted = np.zeros((K + 1, 1))
    wanted[K] = 1.0
    return np.linalg.solve(system, np.broadcast_to(wanted, (len(R), K + 1, 1)))[:, :K, 0]


@function(
    "pairwise_coupling",
    title="Pairwise coupling",
    sources=("prac:multiclass_reduction",),
)
def pairwise_coupling(R: Any) -> np.ndarray:
    """Class probabilities, shape (K,) or (m, K), from those of each pair of classes.

    `R[..., i, j]` is the probability of class i given that it is i or j, so that R[..., j, i] is
    the rest to 1; the diagonal is not read. Wu, Lin and Weng (2004), JMLR 5, second method. Where
    the pairs come from one distribution of the classes, that distribution is the answer. Raises
    DataError if R is not square, or a pair does not sum to 1.
    """
    R = np.asarray(R, dtype=np.float64)
    if R.ndim not in (2, 3) or R.shape[-1] != R.shape[-2] or R.shape[-1] < 2:
        raise DataError(
            "Coupling needs a square matrix of at least two classes, or several of them; got an "
            f"array of shape {R.shape}."
        )
    one, two = np.triu_indices(R.shape[-1], 1)
    pairs, rest = R[..., one, two], R[..., two, one]
    if not (np.abs(pairs + rest - 1.0) < 1e-9).all() or pairs.min() < 0 or pairs.max() > 1:
        raise DataError(
            "Coupling needs probabilities: R[i, j] and R[j, i] from 0 to 1 and with sum 1 for "
            "every pair of classes."
        )
    code = np.zeros((R.shape[-1], len(one)))
    code[one, np.arange(len(one))], code[two, np.arange(len(one))] = 1.0, -1.0
    P = coupled(np.atleast_2d(pairs), code)
    return P[0] if R.ndim == 2 else P
