"""The error of members on the rows that they have not learned from, member by member."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Answers(NamedTuple):
    """The answers of one member for rows that it has not learned from."""

    rows: np.ndarray  # (r,) positions
    values: np.ndarray  # (r, K) share or vote of each class; (r, 1) for a quantity


class OutOfBag:
    """The sum of what members say of each row, of those alone that have left it out.

    `target`, shape (n,), holds codes of K classes, or a quantity with K = 0; w are weights.
    """

    def __init__(self, target: np.ndarray, w: np.ndarray, K: int) -> None:
        self.target, self.w, self.K = target, w, K
        self.sums = np.zeros((len(target), max(K, 1)))
        self.counts = np.zeros(len(target), dtype=np.int64)  # members that have left a row out
        self.losses = np.zeros(len(target))  # 0 or 1, or the square of an error
        self.judged = np.zeros(len(target))  # weight of the rows that some member has left out

    def add(self, given: Answers) -> None:
        """Count the answers of a further member."""
        rows = given.rows
        self.sums[rows] += given.values
        self.counts[rows] += 1
        self.judged[rows] = self.w[rows]
        if self.K:
            self.losses[rows] = self.sums[rows].argmax(axis=1) != self.target[rows]
        else:
            mean = self.sums[rows, 0] / self.counts[rows]
            self.losses[rows] = (mean - self.target[rows]) ** 2

    @property
    def n_rows(self) -> int:
        """Rows that some member has left out."""
        return int(np.count_nonzero(self.counts))

    @property
    def error(self) -> float:
        """Share of these rows that are wrong, or the root mean square; NaN without any."""
        weight = self.judged.sum()
        if not weight > 0:
            return float("nan")
        mean = float(self.w @ self.losses / weight)
        return mean if self.K else mean**0.5
