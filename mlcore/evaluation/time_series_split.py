"""Splits in time: fitted on what came before, scored on what comes next."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlcore.evaluation.splits import Split, Splitter
from mlcore.maths.dealing import RowsToSplit
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.params import integer


@enter(
    Card(
        "time_series_split",
        "Time series split",
        ("splits",),
        peer="sklearn.model_selection.TimeSeriesSplit",
        sources=("s841:iid_assumption",),
        kind="part",
        synonyms=(
            "rolling origin",
            "TimeSeriesSplit",
            "forward chaining",
            "walk-forward validation",
        ),
    )
)
@dataclass(frozen=True, kw_only=True)
class TimeSeriesSplit(Splitter):
    """Fits on what came before, scores on what comes next, and moves on.

    In the order of the column with the role order (else of the table) the rows are cut into k + 1
    equal parts; split i fits on the first i parts and scores the next. Rows of one time stay in one
    part: a cut among them moves to the first of them. Rows of a group that is scored are not
    fitted. A sequence is cut where time is: its beginning is fitted, what follows is scored.

    For rows that depend on their neighbours in time, where a shuffled fold would look into the
    future. Leave a gap where a value uses the last few, limit the past where the world changes.
    """

    cuts_units = True

    n_splits: int = integer(
        5,
        low=1,
        high=10_000,
        soft=(2, 20),
        label="Number of splits",
        doc="How often the training rows grow.",
    )
    gap: int = integer(
        0, low=0, soft=(0, 20), doc="Rows between training and test rows that belong to neither."
    )
    max_train: int | None = integer(
        None,
        low=1,
        soft=(10, 1000),
        log=True,
        or_none="all of the past",
        label="Maximum training rows",
        doc="Rows fitted at most.",
    )

    def describe(
        self, y: np.ndarray | None = None, groups: np.ndarray | None = None, unit: str = "group"
    ) -> str:
        """How often time moves on."""
        return f"{self.n_splits} splits in time" + (f", gap {self.gap}" if self.gap else "")

    def remarks(
        self,
        y: np.ndarray | None = None,
        groups: np.ndarray | None = None,
        names: tuple = (),
        unit: str = "group",
    ) -> tuple[str, ...]:
        """Say what becomes of groups, or sequences, that lie on both sides of a cut."""
        if groups is None:
            return ()
        if unit == "group":
            return (
                "Rows are split by time; earlier rows of a group that is scored are not fitted.",
            )
        return (f"Rows are split by time, so a {unit} may be both fitted and scored.",)

    def _count(self, rows: RowsToSplit) -> tuple[int, int]:
        drawn = self._drawing(rows, 0)
        for k in range(self.n_splits):
            self._cut(rows, drawn, k)
        return 1, self.n_splits

    def _drawing(self, rows: RowsToSplit, k: int) -> tuple[np.ndarray, list[int]]:
        """The rows by time, and where the rows of each split begin to be scored, and the end."""
        order = np.arange(rows.n) if rows.order is None else rows.order
        if order.dtype.kind in "fmM" and np.isnan(order).any():
            raise DataError("Splits in time need a time for every row; leave out rows without one.")
        size = rows.n // (self.n_splits + 1)
        first = rows.n - self.n_splits * size - self.gap
        if size < 1 or first < 1:
            raise DataError(
                f"{self.n_splits} splits in time with a gap of {self.gap} need more than "
                f"{rows.n} rows. Take fewer splits or a smaller gap."
            )
        by_time = np.argsort(order, kind="stable")
        cuts = _between_times(order[by_time], rows.n - size * np.arange(self.n_splits, 0, -1))
        return by_time, [*cuts, rows.n]

    def _cut(self, rows: RowsToSplit, drawn: tuple[np.ndarray, list[int]], k: int) -> Split:
        by_time, (start, end) = drawn[0], drawn[1][k : k + 2]
        last = start - self.gap
        first = 0 if self.max_train is None else max(0, last - self.max_train)
        train, test = by_time[first : max(last, 0)], by_time[start:end]
        if rows.unit == "group" and rows.groups is not None:
            train = train[~np.isin(rows.groups[train], rows.groups[test])]
        if len(train) and len(test):
            return Split(train, test)
        raise DataError(
            f"{self.n_splits} splits in time leave no rows to fit, or none to score: rows of one "
            f"time{' and of one group' if rows.unit == 'group' else ''} stay together. "
            "Take fewer splits or a smaller gap."
        )


def _between_times(times: np.ndarray, cuts: np.ndarray) -> list[int]:
    """Each cut moved to the first of the rows that have its time; the times rise."""
    begins = np.flatnonzero(np.append(True, times[1:] != times[:-1]))
    return begins[np.searchsorted(begins, cuts, side="right") - 1].tolist()
