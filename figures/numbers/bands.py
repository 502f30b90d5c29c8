"""Scores along a curve: mean and standard deviation over the folds at every point."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.evaluation.metrics.metric import Metric
from mlcore.evaluation.summary import summary
from mlcore.runs.curves import Curve


class Band(NamedTuple):
    """Mean over the folds and one standard deviation to either side."""

    mean: np.ndarray  # (points,)
    low: np.ndarray  # (points,)
    high: np.ndarray  # (points,)
    sd: np.ndarray  # (points,) 0 for a single fold


class ScoreCurve(NamedTuple):
    """A score over the number of rows, or over the values of one hyper-parameter."""

    values: tuple[Any, ...]  # (points,)
    left_out: Band  # of a metric that names other rows: on those
    fitted: Band  # NaN for such a metric
    folds: np.ndarray  # (points,) folds that have a score
    title: str
    on: str  # the rows on which it is measured
    heading: str  # both
    higher_is_better: bool
    failures: tuple[str, ...]  # (points,) empty where nothing failed

    @property
    def best(self) -> int | None:
        """Position of the best mean; None where no point has a score."""
        gain = self.left_out.mean if self.higher_is_better else -self.left_out.mean
        return int(np.nanargmax(gain)) if np.isfinite(gain).any() else None


def score_curve(curve: Curve) -> ScoreCurve:
    """Bands of both scores; a fold that failed does not count."""
    points = curve.points
    left_out = [p.scores for p in points]
    return ScoreCurve(
        values=tuple(p.value for p in points),
        left_out=_band(left_out, curve.metric),
        fitted=_band([p.fitted_scores for p in points], curve.metric),
        folds=np.array([int(np.isfinite(s).sum()) for s in left_out]),
        title=curve.metric.title,
        on=curve.metric.on,
        heading=curve.metric.heading,
        higher_is_better=curve.metric.better == "higher",
        failures=tuple(p.failure for p in points),
    )


def _band(scores: list[np.ndarray], metric: Metric) -> Band:
    each = [summary(s) for s in scores]
    mean = np.array([s.mean for s in each])
    sd = np.array([s.sd if s.count > 1 else 0.0 for s in each])
    ends = metric.least, metric.most  # a share cannot lie beyond 1
    return Band(mean, np.clip(mean - sd, *ends), np.clip(mean + sd, *ends), sd)
