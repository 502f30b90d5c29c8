"""Rules about what test rows must not know: a column that tells the target, and later rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.runs.findings.finding import WARNING, Press, Statement, rule
from mlcore.runs.findings.ran import Ran
from mlcore.spine.registry import lookup
from mlcore.spine.wording import count, fixed, listed, percent

# One-sided, 1 %: neighbours in time that are alike by chance would make this said of any order.
ALIKE = 2.33
ROWS_IN_TIME = 30  # below, the normal approximation of an autocorrelation is rough


@rule(
    "gives_away", WARNING, "One column gives the target away", "classification", "regression",
    source="Kaufman, Rosset, Perlich and Stitelman (2012), ACM TKDD 6(4)",
)  # fmt: skip
def gives_away(ran: Ran) -> Statement | None:
    """A rule on one column alone is right almost always, and more often than on shuffled targets.

    Asked only where the score is nearly perfect: a leak that no prediction rests on does no harm.
    """
    if not ran.leaks:
        return None
    best = max(ran.leaks, key=lambda leak: leak.accuracy)
    names = [leak.column for leak in ran.leaks]
    measure = (
        f"one rule on it is right in {percent(best.accuracy)} of the rows"
        if ran.task == "classification"
        else f"it orders the rows as the target does (rank correlation {fixed(best.accuracy, 3)})"
    )
    sentence = (
        f"{best.column!r} alone tells {ran.dataset.target!r}: {measure}"
        + (f"; so do {listed(map(repr, names[1:]))}" if len(names) > 1 else "")
        + ". If it is known only after the target, the score says nothing about new rows."
    )
    label = f"Leave {names[0]} out" if len(names) == 1 else f"Leave {len(names)} columns out"
    return Statement(sentence, Press(label, run=ran.without(names)), {"accuracy": best.accuracy})


@rule(
    "time_overlap", WARNING, "Training rows from after the test rows",
    "classification", "regression",
    source="Bergmeir and Benítez (2012), Information Sciences 191",
)  # fmt: skip
def time_overlap(ran: Ran) -> Statement | None:
    """Rows have a time, test rows have later training rows, and neighbours in time are alike.

    That they are alike is tested: rows that do not depend on their neighbours may be shuffled.
    """
    dataset, time = ran.dataset, time_of(ran.dataset)
    if time is None or dataset.sequences is not None or dataset.n < ROWS_IN_TIME:
        return None
    later = [_share_before_the_end(time, fold) for fold in ran.outcome.done]
    share = float(np.mean(later)) if later else 0.0
    r = autocorrelation(_in_time(ran, time))
    if share == 0.0 or not r * np.sqrt(dataset.n) > ALIKE:
        return None
    splitter = lookup("splits", "time_series_split")()
    sentence = (
        f"{percent(share)} of the test rows are earlier than some row that was learned from, and "
        f"rows that follow each other in time are alike (autocorrelation of {dataset.target!r} at "
        f"lag 1: {fixed(r)}, {count(dataset.n, 'row')}). A forecast has no later rows: split by "
        "time, and the score is that of a forecast."
    )
    changed = replace(ran.run, evaluation=splitter)
    return Statement(sentence, Press("Split by time", run=changed), {"share": share, "lag_1": r})


def time_of(dataset: Dataset) -> np.ndarray | None:
    """The time of each row, (n,): of its role, else of dates that rise down the table."""
    if dataset.order is not None:
        return dataset.order
    for column in dataset.table.columns:
        if column.kind == "datetime" and column.is_rising:
            return column.values[dataset.rows]
    return None


def _share_before_the_end(order: np.ndarray, fold: object) -> float:
    """Share of the test rows of a fold that lie before its last training row."""
    # pyrefly: ignore[missing-attribute]  # a FoldResult
    train, test = order[fold.train], order[fold.test]
    return float((test < np.nanmax(train)).mean())


def _in_time(ran: Ran, time: np.ndarray) -> np.ndarray:
    """The target in the order of time, shape (n, K): a column a class, or the quantity."""
    y = ran.dataset.y
    assert y is not None  # it predicts
    y = y[np.argsort(time, kind="stable")]
    if ran.task == "classification":
        return np.eye(len(ran.dataset.classes))[y.astype(int)]
    return y[:, None].astype(np.float64)


def autocorrelation(values: np.ndarray) -> float:
    """Correlation of rows with the next one, over all columns of `values`, shape (n, K).

    In rows of no order its standard deviation is at most about 1 / sqrt(n) (Bartlett 1946).
    """
    centred = values - values.mean(axis=0)
    total = float((centred**2).sum())
    return float((centred[1:] * centred[:-1]).sum() / total) if total else 0.0
