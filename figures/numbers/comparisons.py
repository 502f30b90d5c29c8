"""The rows of a comparison: every method with its folds, the baseline first."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.evaluation.intervals import Interval, interval_of, score_interval
from mlcore.evaluation.metrics.metric import Metric
from mlcore.evaluation.summary import sizes, summary
from mlcore.runs.carry import Outcome
from mlcore.runs.comparing.outcome import Entrant
from mlcore.runs.comparing.pairs import BASELINE, same_mean


class Row(NamedTuple):
    """One method, or the baseline, by one score."""

    which: int  # position among the methods; BASELINE for the baseline
    label: str
    values: np.ndarray  # (planned,) on test rows; NaN where a fold has no score
    interval: Interval
    fitted: float  # mean on the training rows
    seconds: float  # of a fold, median
    failure: str  # why it has no score, or why folds are missing

    @property
    def done(self) -> int:
        """Folds that have the score."""
        return int(np.isfinite(self.values).sum())

    @property
    def mean(self) -> float:
        """Mean over the folds that have the score; NaN without any."""
        return self.interval.mean

    @property
    def spread(self) -> float:
        """Standard deviation over the folds, divisor folds - 1; NaN for fewer than two."""
        return summary(self.values).sd


def rows_of(
    entrants: tuple[Entrant, ...], metric: Metric, *, is_sorted: bool = True
) -> tuple[Row, ...]:
    """The baseline, then the methods, the best first and those without a score last."""
    rows = [_row(entrant, metric) for entrant in entrants]
    if is_sorted:
        sign = -1 if metric.better == "higher" else 1
        rows.sort(key=lambda row: (not row.done, sign * row.mean if row.done else 0.0))
    return (*_baseline(entrants, metric), *rows)


def of_best_mean(rows: tuple[Row, ...]) -> tuple[Row, ...]:
    """The methods that share the best mean, of rows that are sorted and begin with the baseline."""
    base, best, *others = rows
    same = [row for row in others if same_mean(row.mean, best.mean, base.mean)]
    return (best, *same)


def _row(entrant: Entrant, metric: Metric) -> Row:
    out = entrant.outcome
    if out is None or not out.done:
        return Row(entrant.which, entrant.label, np.empty(0), _nothing(), *_NAN, entrant.failure)
    return Row(
        entrant.which,
        entrant.label,
        _values(out, metric, "scores"),
        interval_of(out, metric),
        out.mean(metric.name, "fitted_scores"),
        float(np.median([fold.seconds for fold in out.done])),
        entrant.failure or _undefined(out, metric),
    )


_NAN = (float("nan"), float("nan"))


def _nothing() -> Interval:
    return score_interval([], [], [])


def _values(out: Outcome, metric: Metric, of: str) -> np.ndarray:
    """One score a planned fold, NaN where it is missing, shape (planned,)."""
    values = np.full(out.planned, np.nan)
    for fold in out.done:
        values[fold.k] = getattr(fold, of).get(metric.name, np.nan)
    return values


def _undefined(out: Outcome, metric: Metric) -> str:
    known = np.isfinite(out.values(metric.name))
    if known.all():
        return ""
    title = metric.title
    return (
        f"{title} is defined in no fold."
        if not known.any()
        else f"{title} is undefined in some folds."
    )


def _baseline(entrants: tuple[Entrant, ...], metric: Metric) -> tuple[Row, ...]:
    """The baseline as the method that has come furthest met it."""
    outcomes = [entrant.outcome for entrant in entrants if entrant.outcome and entrant.outcome.done]
    if not outcomes:
        return ()
    out = max(outcomes, key=lambda each: len(each.done))
    values = _values(out, metric, "baseline")
    label = f"Baseline, {out.judge.baseline_name(metric)}"
    ends: dict[str, Any] = {"least": metric.least, "most": metric.most}
    scores = out.values(metric.name, "baseline")
    interval = score_interval(scores, *sizes(out.done), **ends)
    return (Row(BASELINE, label, values, interval, *_NAN, ""),)
