"""The error of members on the rows that they have not learned from, member by member."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlcore.ensembles.walking import _kernels
from mlcore.maths.arrays import read_only


class Answers(NamedTuple):
    """The answers of one member for rows that it has not learned from."""

    rows: np.ndarray  # (r,) positions
    values: np.ndarray  # (r, K) share or vote of each class; (r, 1) for a quantity
    votes: np.ndarray | None = None  # (r, K) 1 for the class that it predicts; None: not counted


class OutOfBag:
    """The sum of what members say of each row, of those alone that have left it out.

    `target`, shape (n,), holds codes of K classes, or a quantity with K = 0; w are weights.
    """

    def __init__(self, target: np.ndarray, w: np.ndarray, K: int) -> None:
        self.target, self.w, self.K = target, w, K
        self._numbers = read_only(target.astype(np.float64))  # one loop for codes and quantities
        self.sums = np.zeros((len(target), max(K, 1)))
        self.votes = np.zeros((len(target), K))
        self.counts = np.zeros(len(target), dtype=np.int64)  # members that have left a row out
        self.losses = np.zeros(len(target))  # 0 or 1, or the square of an error
        self.judged = np.zeros(len(target))  # weight of the rows that some member has left out

    def add(self, given: Answers) -> None:
        """Count the answers of a further member."""
        rows = given.rows
        self.sums[rows] += given.values
        if given.votes is not None:
            self.votes[rows] += given.votes
        self.counts[rows] += 1
        self.judged[rows] = self.w[rows]
        if self.K:
            self.losses[rows] = self.sums[rows].argmax(axis=1) != self.target[rows]
        else:
            mean = self.sums[rows, 0] / self.counts[rows]
            self.losses[rows] = (mean - self.target[rows]) ** 2

    def add_leaves(
        self,
        rows: np.ndarray,
        leaf: np.ndarray,
        ends: np.ndarray,
        answers: np.ndarray,
        label: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Count the answers of c trees for the rows that each has left out, up to `ends`, (c,): of
        row i, (r,), those of node `leaf[i]`; `answers` has shape (t, K), `label`, the commonest
        class, (t,).

        Returns the error and the number of rows after each tree, shapes (c,).
        """
        errors, n_rows = np.empty(len(ends)), np.empty(len(ends), dtype=np.int64)
        _kernels.judge(
            read_only(rows), read_only(leaf), read_only(ends), read_only(answers),
            read_only(label), self._numbers, read_only(self.w), self.K,
            (self.sums, self.votes, self.counts, self.losses, self.judged), errors, n_rows,
        )  # fmt: skip
        return (errors if self.K else errors**0.5), n_rows

    @property
    def vote_shares(self) -> np.ndarray:
        """The share of the members that have left a row out and predict a class, shape (n, K); NaN
        where there is none."""
        counts = np.where(self.counts > 0, self.counts, np.nan)
        return self.votes / counts[:, None]

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
        # No product of vectors: its threads would take turns with those that fit members.
        mean = float((self.w * self.losses).sum() / weight)
        return mean if self.K else mean**0.5


def are_votes(votes: np.ndarray | None, K: int) -> bool:
    """Whether shares of votes for K classes from a file, shape (n, K), are such, or none."""
    return votes is None or (votes.ndim == 2 and votes.shape[1] == K)
