"""How scores and rows are summed up over folds and repeats: said here alone, called everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mlcore.evaluation.spread import spread


class Summary(NamedTuple):
    """One score over the folds that have it: every "mean ± sd" is these two numbers."""

    mean: float  # NaN where no fold has it
    sd: float  # divisor count - 1; NaN for fewer than two
    count: int  # folds that have it


def summary(values: Any) -> Summary:
    """The mean of one score a fold, shape (folds,), and how far the folds lie apart.

    Every fold counts once, those of all repeats; one where the score is undefined (NaN) does not.
    """
    values = np.asarray(values, dtype=np.float64)
    known = values[np.isfinite(values)]
    mean = float(known.mean()) if len(known) else float("nan")
    return Summary(mean, spread(known), len(known))


def sizes(splits: Sequence[Any]) -> np.ndarray:
    """How many different rows each split fits and leaves out, shape (2, J).

    A row that a bootstrap sample has twice counts once: intervals ask what share of a table the
    splits leave out, and with the draws themselves those of 95 % hold the truth in 92 of 100.
    """
    counts = [[_different(split.train), len(split.test)] for split in splits]
    return np.array(counts, dtype=float).reshape(-1, 2).T


def _different(rows: np.ndarray) -> int:
    """How many different rows these are; without sorting, as leave-one-out asks n times of n."""
    return int(np.count_nonzero(np.bincount(rows)))


class LeftOut(NamedTuple):
    """Rows that some folds left out: a row is counted once, however often it was left out."""

    rows: int
    least: int  # how often a row was left out, of those that were
    most: int

    @property
    def again(self) -> str:
        """How often each, to go on after a number of rows; empty where once."""
        if self.most <= 1:
            return ""
        often = f"{self.most}" if self.least == self.most else f"{self.least} to {self.most}"
        return f", each {often} times"


def rows_left_out(folds: Sequence[Any]) -> LeftOut:
    """How many rows the folds left out, and how often each of them."""
    if not folds:
        return LeftOut(0, 0, 0)
    _, times = np.unique(np.concatenate([fold.test for fold in folds]), return_counts=True)
    return LeftOut(len(times), int(times.min()), int(times.max()))
