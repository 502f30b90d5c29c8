"""From scores of classes to the class that is said, and to probabilities."""

from __future__ import annotations

import numpy as np


def best_class(scores: np.ndarray) -> np.ndarray:
    """Code of the class with the largest score, shape (m,); of classes that tie, the first.

    `scores` has shape (m, K), or (m,) for two classes: above 0 is the second.
    """
    return (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)


def decision_of(scores: np.ndarray) -> np.ndarray:
    """Scores, shape (m, K), as a decision: of two classes their difference, (m,), above 0 for the
    second."""
    return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores


def softmax(Z: np.ndarray) -> np.ndarray:
    """Shares exp(z_k) / sum_j exp(z_j) of each row of Z, shape (m, K)."""
    # The largest is subtracted first: the exponential of what is far below 0 vanishes, and
    # nothing overflows.
    P = np.exp(Z - Z.max(axis=1, keepdims=True))
    return P / P.sum(axis=1, keepdims=True)


def rarest(counts: np.ndarray) -> int:
    """The class with fewest rows, from counts of shape (K,); of several, the last."""
    return len(counts) - 1 - int(np.argmin(counts[::-1]))


def the_rarest(counts: np.ndarray) -> int | None:
    """The class with fewest rows, from counts of shape (K,); None where two have as few."""
    return rarest(counts) if (counts == counts.min()).sum() == 1 else None
