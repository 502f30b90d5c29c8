"""What the models of the folds said of rows left out and of new ones: any coverage follows of it.

The folds are those of the run, so nothing is fitted for another coverage or another way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mlcore.evaluation.conformal.intervals import cross_intervals, interval_errors
from mlcore.evaluation.conformal.own_intervals import OwnIntervals
from mlcore.evaluation.conformal.quantile import too_few
from mlcore.evaluation.conformal.sets import label_errors, label_p_values, label_sets
from mlcore.spine.random import generator

AUTOMATIC, ABSOLUTE, NORMALISED = "automatic", "absolute_residuals", "normalised_residuals"
CONFORMALISED, OWN = "conformalised_intervals", "method_alone"
INTERVALS = (AUTOMATIC, ABSOLUTE, NORMALISED, CONFORMALISED, OWN)
BY = {
    ABSOLUTE: "CV+",
    NORMALISED: "CV+, scaled by the deviation of the method",
    CONFORMALISED: "CV+ around the intervals of the method",
    OWN: "the method itself",
}


@dataclass(frozen=True, eq=False)
class Spoken:
    """What one model says of m rows."""

    values: np.ndarray | None  # (m,) codes or numbers
    probabilities: np.ndarray | None  # (m, K)
    own_intervals: OwnIntervals | None

    def around(self, way: str, coverage: float) -> np.ndarray:
        """What an interval is laid around: a number a row, (m,), or two ends, (m, 2)."""
        if way == CONFORMALISED:
            assert self.own_intervals is not None  # what every way asks for was looked at first
            return self.own_intervals.near(coverage)
        assert self.values is not None
        return self.values

    def scale(self, way: str) -> np.ndarray | None:
        """What errors are divided by, (m,)."""
        return (
            self.own_intervals.deviation
            if way == NORMALISED and self.own_intervals is not None
            else None
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Promises:
    """k folds, of each the truth and what its model says, and what the model of all rows says."""

    truth: tuple[np.ndarray, ...]  # (n_k,) codes or numbers, of each row once
    left_out: tuple[Spoken, ...]  # of the same rows
    new: tuple[Spoken, ...]  # each of m rows
    whole: OwnIntervals | None  # of the same m rows
    seed: int
    weights: tuple[np.ndarray, ...] | None = None  # (n_k,) one over the rows of the group of each
    unit: str = "row"  # of what is drawn independently: groups, where rows are of such

    @property
    def n(self) -> int:
        """Rows, or groups, left out."""
        if self.weights is None:
            return sum(map(len, self.truth))
        return round(sum(float(w.sum()) for w in self.weights))

    @cached_property
    def ways(self) -> tuple[str, ...]:
        """How intervals can be made, the plainest first."""
        told = [spoken.own_intervals for spoken in (*self.left_out, *self.new)]
        ways = [ABSOLUTE]
        if all(own is not None and own.deviation is not None for own in told):
            ways.append(NORMALISED)
        if all(own is not None for own in told):
            ways.append(CONFORMALISED)
        return (*ways, OWN) if self.whole is not None else tuple(ways)

    def way(self, asked: str, coverage: float) -> str:
        """The way that is taken: the one asked for if it can be had, else the first of these.

        What the method itself says, at this very coverage; around its intervals; absolute.
        """
        has_own = self.whole is not None and self.whole.at(coverage) is not None
        if asked in self.ways and (asked != OWN or has_own):
            return asked
        if has_own:
            return OWN
        return CONFORMALISED if CONFORMALISED in self.ways else ABSOLUTE

    def ends(self, way: str, coverage: float) -> np.ndarray:
        """The interval of each new row, shape (m, 2)."""
        if way == OWN:
            own = None if self.whole is None else self.whole.at(coverage)
            assert own is not None  # `way` looked
            return own
        errors = [
            interval_errors(y, spoken.around(way, coverage), spoken.scale(way))
            for y, spoken in zip(self.truth, self.left_out, strict=True)
        ]
        around = [spoken.around(way, coverage) for spoken in self.new]
        scales = [scale for spoken in self.new if (scale := spoken.scale(way)) is not None]
        ends = cross_intervals(errors, around, coverage, scales or None, self.weights)
        # Ends of an interval that was too wide may pass one another: it holds one point then.
        passed = ends[:, 0] > ends[:, 1]
        ends[passed] = ends[passed].mean(axis=1, keepdims=True)
        return ends

    def sets(self, way: str, coverage: float) -> np.ndarray:
        """The labels that each new row may have, shape (m, K)."""
        lots = generator(self.seed, "last labels")
        own = []
        for y, spoken in zip(self.truth, self.left_out, strict=True):
            assert spoken.probabilities is not None  # there are no promises without
            errors = label_errors(spoken.probabilities, way, lots.random(len(y)))
            own.append(errors[np.arange(len(y)), y.astype(int)])
        each = [s.probabilities for s in self.new if s.probabilities is not None]
        # One lot a row, whatever the fold that speaks of it.
        lot = generator(self.seed, "last labels of new rows").random(len(each[0]))
        new = [label_errors(P, way, lot) for P in each]
        return label_sets(label_p_values(own, new, self.weights), self.n, coverage)

    def doubt(self, way: str, coverage: float) -> str:
        """Why the promise is empty, as a sentence; "" where it is not."""
        if way == OWN:
            return ""
        return too_few(self.n, coverage, "What is promised", self.unit) or ""

    def to_whom(self, way: str) -> str:
        """For which rows it holds where rows are of groups, as a sentence; "" where they are not.

        What a method says alone takes the rows that it learned from for independent.
        """
        if self.weights is None:
            return ""
        if way == OWN:
            return (
                f"The method takes all rows for independent; rows of one {self.unit} are alike, so "
                "less may lie inside."
            )
        return (
            f"Rows of one {self.unit} count as one together, so it is promised to a row of another "
            f"{self.unit} than these {self.n}."
        )


def first_times(folds: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Of the rows that each fold left out, (n_k,), those that none before did, each (n_k,) bool.

    A row that is left out several times would count as several, which are not exchangeable.
    """
    seen: set[int] = set()
    first = []
    for rows in folds:
        first.append(np.array([row not in seen for row in rows.tolist()], dtype=bool))
        seen.update(rows.tolist())
    return first
