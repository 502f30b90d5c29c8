"""The squared error of probabilities: a loss that nearly vanishes where they are very wrong."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlcore.maths.class_scores import softmax
from mlcore.optimisation.losses import Local


@dataclass(frozen=True)
class SquaredShares:
    """Half the sum over the classes of (p_k - y_k)^2; for two classes of the second alone."""

    n_classes: int
    steepest: float = 1.0
    shared: bool = False

    def at(self, y: np.ndarray, Z: np.ndarray) -> Local:
        """Value, (n,), and slope by the scores, shape (m, n); y holds codes, or 0 and 1."""
        if self.n_classes == 2:
            p = 0.5 * (1.0 + np.tanh(0.5 * Z))
            left = p - y
            return Local(0.5 * left[0] ** 2, left * p * (1.0 - p), p)
        P = softmax(Z.T).T
        left = P.copy()
        left[y, np.arange(len(y))] -= 1.0
        mean = (left * P).sum(axis=0)
        return Local(0.5 * (left * left).sum(axis=0), P * (left - mean), P)

    def curvature(self, y: np.ndarray, local: Local, a: int, b: int) -> np.ndarray | None:
        """None, for rows of shape (n,): it bends both ways, and its solvers ask for slopes."""
        return None

    def gauss_newton(self, local: Local) -> np.ndarray:
        """The part of the second derivative that is never negative, shape (m, m, n).

        It is J'J with the derivative J of the probabilities by the scores.
        """
        P = local.shape
        if self.n_classes == 2:
            return ((P * (1.0 - P)) ** 2)[None]
        J = share_covariance(P)
        return np.einsum("abn,bcn->acn", J, J)


def share_covariance(P: np.ndarray) -> np.ndarray:
    """diag(p) - p p' of each column of probabilities, shape (m, m, n)."""
    J = -P[:, None] * P[None]
    at = np.arange(len(P))
    J[at, at] += P
    return J
