"""The smooth perceptron: all rows pull at the hyperplane at once, those that lie worst the most.

With rows a_i = y_i x_i / R, the score a_i'v of each must become positive. Where Rosenblatt's rule
adds a single wrong row, this one follows the mean A s_mu(v) with the shares s_mu(v)_i in proportion
to exp(-a_i'v / mu), and lowers mu as it goes (Soheili and Peña 2012). It ends after about
sqrt(log n) / gamma steps, Rosenblatt's after up to 1 / gamma^2, gamma being the widest margin
divided by R. Of K classes a row pulls once for each class that might be said instead of its own.
"""

from __future__ import annotations

import numpy as np


class SmoothPerceptron:
    """The weights W, shape (R, p + 1), the offset last, as they move; R = 1 of two classes."""

    def __init__(self, rows: np.ndarray, codes: np.ndarray, w: np.ndarray, K: int) -> None:
        """`rows`, (n, p + 1), end in what the offset is multiplied by; `w`, (n,), are weights."""
        self.own = np.eye(K)[codes] if K > 2 else 2.0 * codes[:, None] - 1.0  # (n, R), or a sign
        lengths = np.sqrt((rows * rows).sum(axis=1) * (1.0 if K == 2 else 2.0))
        self.rows, self.w = rows / (lengths.max() or 1.0), w[:, None] / w.sum()
        self.k, self.mu = 0, 1.0
        self.W = self._pull(self._shares(np.zeros((self.own.shape[1], rows.shape[1]))))
        self.last = self.mean = self._pull(self._shares(self.W))

    def move(self) -> None:
        """One step: to the mean of all pulls so far, and by the present one."""
        theta = 2.0 / (self.k + 3)
        self.W = (1 - theta) * (self.W + theta * self.mean) + theta**2 * self.last
        self.mu *= 1 - theta
        self.last = self._pull(self._shares(self.W))
        self.mean = (1 - theta) * self.mean + theta * self.last
        self.k += 1

    def _shares(self, W: np.ndarray) -> np.ndarray:
        """How much each row pulls, shape (n, R), all together 1; 0 for its own class."""
        scores = self.rows @ W.T
        if len(W) == 1:
            margins = self.own * scores
        else:
            own = (self.own * scores).sum(axis=1, keepdims=True)
            margins = np.where(self.own > 0, np.inf, own - scores)
        P = self.w * np.exp((margins.min() - margins) / self.mu)
        return P / P.sum()

    def _pull(self, P: np.ndarray) -> np.ndarray:
        """The sum of what rows add by these shares, (n, R), to all weights, shape (R, p + 1)."""
        if P.shape[1] == 1:
            return (self.own * P).T @ self.rows
        return (self.own * P.sum(axis=1, keepdims=True) - P).T @ self.rows
