"""Rotations of factors: all fit the rows equally well, some are easier to read."""

from __future__ import annotations

import numpy as np

MOST_ITERATIONS = 1000
RISE = 1e-12  # of the criterion, as a share of it, below which nothing turns any more


def varimax(W: np.ndarray) -> np.ndarray:
    r"""The loadings W, shape (p, q), turned until each is large or small: shape (p, q).

    Maximises $\sum_k \operatorname{var}_j (w_{jk}^2 / h_j^2)$ with h_j^2 the sum of the squared
    loadings of column j, so that units do not matter (Kaiser 1958, Psychometrika 23(3)).
    """
    lengths = np.sqrt((W**2).sum(axis=1, keepdims=True))
    A = W / np.where(lengths > 0, lengths, 1.0)
    R, reached = np.eye(W.shape[1]), 0.0
    for _ in range(MOST_ITERATIONS):
        L = A @ R
        # The rotation nearest to the slope of the criterion never lowers it.
        left, values, right = np.linalg.svd(A.T @ (L**3 - L * (L**2).mean(axis=0)))
        R = left @ right
        if values.sum() <= reached * (1.0 + RISE):
            break
        reached = float(values.sum())
    return W @ R


def at_random(W: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The loadings W, shape (p, q), turned by a rotation that is drawn, shape (p, q)."""
    Q, triangle = np.linalg.qr(rng.standard_normal((W.shape[1], W.shape[1])))
    return W @ (Q * np.sign(triangle.diagonal()))  # each rotation is then as likely as another
