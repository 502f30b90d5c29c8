"""Columns brought to a common scale, by what the training rows show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.component import Card, enter
from mlcore.method import Given, Method
from mlcore.params import choice, flag, real
from mlcore.preparation.chain import StepSummary
from mlcore.preparation.step import StepFit, as_number, holds_names, listed, present, twice

# Turns the median absolute deviation of a Gaussian into its standard deviation: 1 / Phi^-1(3/4).
MAD_TO_SD = 1.4826


@dataclass(frozen=True, eq=False, kw_only=True)
class ScaleFit(StepFit):
    """z = (x - center) / scale, column by column."""

    made_by: Standardise
    center: np.ndarray  # (p,) in the units of the column
    scale: np.ndarray  # (p,) the same, positive
    constant: np.ndarray  # (p,) whether the training rows have a single value there
    fallback: np.ndarray  # (p,) whether the wanted spread was 0 and the standard deviation is used

    def transform(self, X: Any) -> np.ndarray:
        """Scaled rows, shape (m, p); missing values stay missing."""
        return twice(self._rows(X), np.subtract, self.center, np.divide, self.scale)

    def inverse_transform(self, Z: Any) -> np.ndarray:
        """Rows in the units of the table, shape (m, p)."""
        return twice(self._prepared_rows(Z), np.multiply, self.scale, np.add, self.center)

    def summary(self) -> StepSummary:
        """Center and scale of each column."""
        step = self.made_by
        names = [(j, c.name) for j, c in enumerate(self.columns) if not holds_names(c)]
        wanted = ((step.center, self.center), (step.scale, self.scale))
        kinds = [(kind, values) for kind, values in wanted if kind != "none"]
        values = tuple((name, kind, float(v[j])) for j, name in names for kind, v in kinds)
        return StepSummary(step.title(), values, self._note())

    def _note(self) -> str:
        said = []
        if constant := self._named(self.constant):
            said.append(f"Constant in the training rows, so not scaled: {listed(constant)}.")
        if fallback := self._named(self.fallback):
            spread = self.made_by.scale.upper()
            said.append(f"{spread} is 0, so the standard deviation is used: {listed(fallback)}.")
        return " ".join(said)

    def _named(self, which: np.ndarray) -> list[str]:
        return [self.columns[j].name for j in np.flatnonzero(which)]


@enter(
    Card(
        "standardise",
        "Standardisation",
        ("preparation",),
        peer="sklearn.preprocessing.StandardScaler",
        sources=(
            "cs1:scale_standard",
            "epfl:center",
            "mi2:center_data",
            "cs2:input_standardization",
        ),
        takes=("columns", "missing"),
        cost=lambda n, p, self: (2e-8 * n * p, 16.0 * n * p),
        formula=r"z_{ij} = \frac{x_{ij} - \bar x_j}{\sigma_j}, \quad "
        r"\sigma_j^2 = \frac1n \sum_i (x_{ij} - \bar x_j)^2",
    )
)
@dataclass(frozen=True, kw_only=True)
class Standardise(Method):
    """Gives each column center 0 and spread 1.

    z = (x - center) / scale with the mean or the median, and the standard deviation (divisor n),
    the range between the quartiles, or 1.4826 times the median absolute deviation of the training
    rows. Missing values are ignored and stay missing; columns of names pass as they are.

    Distances, gradients and penalties depend on units, so nearly every method but trees needs it.
    Outliers inflate mean and standard deviation: median and quartiles resist them. A constant
    column is centered and not divided; where half of the values are equal, so that the robust
    spread is 0, the standard deviation takes its place. O(n p), the robust ones O(n p) by
    selection.
    """

    center: str = choice("mean", "mean", "median", "none", doc="What becomes 0.")
    scale: str = choice("std", "std", "iqr", "mad", "none", doc="What becomes 1.", symbol="σ")

    def _fit(self, given: Given) -> ScaleFit:
        columns = zip(present(given.X), given.columns, strict=True)
        found = [self._of_column(None if holds_names(c) else x) for x, c in columns]
        center, scale, constant, fallback = (np.array(v) for v in zip(*found, strict=True))
        return ScaleFit(
            made_by=self,
            columns=given.columns,
            out_columns=tuple(c if holds_names(c) else as_number(c) for c in given.columns),
            center=center,
            scale=scale,
            constant=constant,
            fallback=fallback,
        )

    def _of_column(self, x: np.ndarray | None) -> tuple[float, float, bool, bool]:
        """Center, scale, whether constant, whether the wanted spread was 0."""
        if x is None:
            return 0.0, 1.0, False, False
        if not len(x):
            return 0.0, 1.0, True, False
        mean = float(x.mean())
        variance = float(((x - mean) ** 2).mean())
        constant = is_constant(mean, variance, len(x))
        center = {"mean": mean, "none": 0.0}.get(self.center)
        center = float(np.median(x)) if center is None else center
        if constant or self.scale == "none":
            return center, 1.0, constant, False
        sd = float(np.sqrt(variance))
        spread = {"std": lambda _: sd, "iqr": _iqr, "mad": _mad}[self.scale](x)
        return center, spread or sd, False, not spread


def is_constant(mean: float, variance: float, n: int) -> bool:
    """Whether a variance is what rounding leaves of n equal values."""
    eps = float(np.finfo(np.float64).eps)
    return variance <= n * eps * variance + (n * mean * eps) ** 2


def _iqr(x: np.ndarray) -> float:
    low, high = np.quantile(x, [0.25, 0.75])
    return float(high - low)


def _mad(x: np.ndarray) -> float:
    return MAD_TO_SD * float(np.median(np.abs(x - np.median(x))))


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
        Z = twice(self._rows(X), np.multiply, self.factor, np.add, self.offset)
        step = self.made_by
        scaled = self._scaled()
        if step.clip and scaled.all():
            np.clip(Z, step.low, step.high, out=Z)
        elif step.clip:
            Z[:, scaled] = np.clip(Z[:, scaled], step.low, step.high)
        return Z

    def inverse_transform(self, Z: Any) -> np.ndarray:
        """Rows in the units of the table, shape (m, p); what was clipped stays clipped."""
        return twice(self._prepared_rows(Z), np.subtract, self.offset, np.divide, self.factor)

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

    def _scaled(self) -> np.ndarray:
        return np.array([not holds_names(c) for c in self.columns])


@enter(
    Card(
        "min_max",
        "Min-max scaling",
        ("preparation",),
        peer="sklearn.preprocessing.MinMaxScaler",
        sources=("cs1:scale_minmax",),
        takes=("columns", "missing"),
        cost=lambda n, p, self: (1e-8 * n * p, 16.0 * n * p),
        formula=r"z_{ij} = a + (b - a) \frac{x_{ij} - \min_j}{\max_j - \min_j}",
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
        span = np.where(greatest > least, greatest - least, 1.0)
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
