"""Min-max scaling: the training range of each column on one interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.preparation.chain import Met, StepSummary
from mlcore.preparation.step import StepFit, apply_two, as_number, holds_names, outside_range
from mlcore.spine.component import Card, enter
from mlcore.spine.method import Given, Method
from mlcore.spine.params import flag, real
from mlcore.spine.wording import listed


@dataclass(frozen=True, eq=False, kw_only=True)
class MinMaxFit(StepFit):
    """The range of each column among the training rows."""

    made_by: MinMax
    least: np.ndarray  # (p,) in the units of the column
    greatest: np.ndarray  # (p,)
    factor: np.ndarray  # (p,) new units for one old one
    offset: np.ndarray  # (p,) z = x * factor + offset

    def transform(self, X: Any) -> np.ndarray:
        """Rows on the wanted range, shape (m, p); missing values stay missing."""
        Z = apply_two(self._rows(X), np.multiply, self.factor, np.add, self.offset)
        step = self.made_by
        scaled = self._scaled()
        if step.clip and scaled.all():
            np.clip(Z, step.low, step.high, out=Z)
        elif step.clip:
            Z[:, scaled] = np.clip(Z[:, scaled], step.low, step.high)
        return Z

    def inverse_transform(self, Z: Any) -> np.ndarray:
        """Rows in the units of the table, shape (m, p); what was clipped stays clipped."""
        return apply_two(self._prepared_rows(Z), np.subtract, self.offset, np.divide, self.factor)

    def summary(self) -> StepSummary:
        """The range of each column in the training rows."""
        at = np.flatnonzero(self._scaled())
        values = tuple(
            (self.columns[j].name, what, float(v[j]))
            for j in at
            for what, v in (("least", self.least), ("greatest", self.greatest))
        )
        names = [self.columns[j].name for j in at if self.least[j] == self.greatest[j]]
        note = f"Constant in the training rows, so not scaled: {listed(names)}." if names else ""
        return StepSummary(self.made_by.title(), values, note)

    def met(self, X: Any) -> Met:
        """Values beyond the training range, which leave the interval unless they are clipped."""
        at, step = self._scaled(), self.made_by
        event = "values moved to an end of" if step.clip else "values outside"
        what = f"{event} {step.low:g} to {step.high:g}"
        return outside_range(self._rows(X)[:, at], self.least[at], self.greatest[at], what)

    def _scaled(self) -> np.ndarray:
        return np.array([not holds_names(c) for c in self.columns])


@enter(
    Card(
        "min_max",
        "Min-max scaling",
        ("preparation",),
        stage="scale",
        peer="sklearn.preprocessing.MinMaxScaler",
        also=("min_max_scaler",),
        sources=("cs1:scale_minmax",),
        takes=("columns", "missing"),
        cost=lambda n, p, self: (1e-8 * n * p, 16.0 * n * p),
        formula=r"z_{ij} = a + (b - a) \frac{x_{ij} - \min_j}{\max_j - \min_j}",
        synonyms=("normalisation", "MinMaxScaler", "rescaling", "range scaling", "feature scaling"),
        line="each column from 0 to 1, or as you say",
    )
)
@dataclass(frozen=True, kw_only=True)
class MinMax(Method):
    """Maps the training range of each column to one interval, by a straight line.

    z = low + (high - low) (x - min) / (max - min). New rows may lie outside the interval unless
    they are clipped. Missing values are ignored and stay missing; columns of names pass as they
    are.

    For inputs that must be bounded. One outlier takes most of the interval: standardisation with
    quartiles resists. A constant column becomes `low`. O(n p).
    """

    low: float = real(0.0, soft=(-1.0, 0.0), doc="Where the least training value goes.")
    high: float = real(1.0, soft=(0.5, 2.0), doc="Where the greatest training value goes.")
    clip: bool = flag(False, doc="Move values of new rows beyond the interval to its ends.")

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        return {"feature_range": (self.low, self.high), "clip": self.clip}

    def conflict(self) -> str | None:
        """Refuse an interval without length."""
        if self.low < self.high:
            return None
        return f"{self.title()}: high must be greater than low; got {self.low} and {self.high}."

    def _fit(self, given: Given) -> MinMaxFit:
        is_name = np.array([holds_names(c) for c in given.columns])
        # These reductions ignore missing values; a column of nothing else is NaN.
        ends = (np.fmin.reduce(given.X, axis=0), np.fmax.reduce(given.X, axis=0))
        least, greatest = (np.where(is_name | np.isnan(v), 0.0, v) for v in ends)
        span = greatest - least
        # Nothing can be divided by a range below the smallest normal number.
        span = np.where(span >= np.finfo(np.float64).tiny, span, 1.0)
        factor = np.where(is_name, 1.0, (self.high - self.low) / span)
        return MinMaxFit(
            made_by=self,
            columns=given.columns,
            out_columns=tuple(c if holds_names(c) else as_number(c) for c in given.columns),
            least=least,
            greatest=greatest,
            factor=factor,
            offset=np.where(is_name, 0.0, self.low - least * factor),
        )
