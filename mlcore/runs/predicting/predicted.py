"""What came of a prediction: what the model says of every new row, how sure, and how well."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from mlcore.data.table import Table
from mlcore.evaluation.intervals import Interval
from mlcore.evaluation.metrics.metric import Metric
from mlcore.runs.carry import Outcome
from mlcore.runs.predicting.matching import Matching
from mlcore.runs.predicting.promises import BY, Promises


@dataclass(frozen=True, eq=False, kw_only=True)
class Predicted:
    """The m new rows; NaN where a row could not be predicted."""

    run: Any
    trained: Outcome | None  # of the run whose model it is; None for a model that came as a file
    new: Table  # after the changes of the table learned from; as it was brought in `matching`
    matching: Matching
    outputs: dict[str, Any]  # by name, (m,) each: what is taken away
    values: np.ndarray | None  # (m,) codes, numbers or groups; (m, q) of several outputs
    probabilities: np.ndarray | None  # (m, K) of all classes
    classes: tuple[str, ...]
    target: str
    ranges: np.ndarray | None = None  # (m, K, 2), or (m, 2): from lowest to highest of the folds
    sets: np.ndarray | None = None  # (m, K) labels that the row may have
    ends: np.ndarray | None = None  # (m, 2) of its interval
    ends_by: str = ""  # how the interval was found
    promises: Promises | None = None  # of which sets and intervals of any coverage follow
    truth: np.ndarray | None = None  # (m,) where the new table has the target
    usable: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=bool))  # (m,) predicted
    scores: dict[str, float] = field(default_factory=dict)
    metric: Metric | None = None  # the first of the scores
    interval: Interval | None = None  # of the first score
    remarks: tuple[str, ...] = ()
    planned: int = 0
    done: int = 0
    versions: tuple[tuple[str, str], ...] = ()
    truths: dict[int, np.ndarray] = field(default_factory=dict)  # (n_k,) by fold, of its test rows
    uncut: Predicted | None = None  # as the method decides, where a threshold does

    def promising(self, **chosen: Any) -> Predicted:
        """The same with another `coverage`, `intervals` or `sets`, where the folds allow it.

        Nothing is fitted or asked again: what the models said is enough.
        """
        run, promises = replace(self.run, **chosen), self.promises
        if promises is None:
            return self
        if self.classes:
            sets = promises.sets(run.sets, run.coverage)
            return replace(self, run=run, sets=sets)
        way = promises.way(run.intervals, run.coverage)
        ends = promises.ends(way, run.coverage)
        return replace(self, run=run, ends=ends, ends_by=BY[way])

    @property
    def doubt(self) -> str:
        """Why the promise is empty, as a sentence; "" where it is not."""
        if self.promises is None:
            return ""
        way = self.run.sets if self.classes else self.promises.way(*self._asked)
        return self.promises.doubt(way, self.run.coverage)

    @property
    def to_whom(self) -> str:
        """For which rows the promise holds where rows are of groups; "" where they are not."""
        if self.promises is None:
            return ""
        way = self.run.sets if self.classes else self.promises.way(*self._asked)
        return self.promises.to_whom(way)

    @property
    def _asked(self) -> tuple[str, float]:
        return self.run.intervals, self.run.coverage

    @property
    def scored_rows(self) -> int:
        """How many new rows the score is of."""
        if self.truth is None:
            return 0
        return int((self.usable & ~np.isnan(self.truth)).sum())

    @property
    def wrong(self) -> np.ndarray:
        """Rows whose class is another one than was predicted, (m,) bool."""
        if self.truth is None or self.values is None or not self.classes:
            return np.zeros(len(self.usable), dtype=bool)
        return self.usable & ~np.isnan(self.truth) & (self.values != self.truth)

    @property
    def unsure(self) -> np.ndarray:
        """Rows whose set of labels has none, or more than one, (m,) bool."""
        if self.sets is None:
            return np.zeros(len(self.usable), dtype=bool)
        return self.usable & (self.sets.sum(axis=1) != 1)

    @property
    def inside(self) -> float:
        """The share of scored rows whose truth lies in their set or interval; NaN without."""
        if self.truth is None:
            return float("nan")
        known = self.usable & ~np.isnan(self.truth)
        if self.sets is not None:
            hits = self.sets[known, self.truth[known].astype(int)]
        elif self.ends is not None:
            y, ends = self.truth[known], self.ends[known]
            hits = (ends[:, 0] <= y) & (y <= ends[:, 1])
        else:
            return float("nan")
        return float(hits.mean()) if known.any() else float("nan")

    def flags(self) -> dict[int, list[str]]:
        """What there is to know of single rows, by position."""
        told: dict[int, list[str]] = {}
        for flag in self.matching.flags:
            for row in flag.rows.tolist():
                told.setdefault(row, []).append(f"{flag.what}: {flag.column}")
        for row in np.flatnonzero(~self.usable).tolist():
            told.setdefault(row, []).append("not predicted")
        return told

    def flagged(self) -> np.ndarray:
        """Rows of which there is something to know, (m,) bool."""
        has = ~self.usable
        for flag in self.matching.flags:
            has[flag.rows] = True
        return has
