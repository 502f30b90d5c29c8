"""Clipping: values beyond the fences of the training rows are moved to the fence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.preparation.chain import Met, StepSummary
from mlcore.preparation.standardise import MAD_TO_SD
from mlcore.preparation.step import StepFit, as_number, holds_names, outside_range, present
from mlcore.spine.component import Card, enter
from mlcore.spine.conditions import other_than
from mlcore.spine.method import Given, Method
from mlcore.spine.params import choice, real
from mlcore.spine.wording import listed


@dataclass(frozen=True, eq=False, kw_only=True)
class OutlierClipperFit(StepFit):
    """Two fences a column."""

    made_by: OutlierClipper
    low: np.ndarray  # (p,) in the units of the column; -inf where nothing is clipped
    high: np.ndarray  # (p,) the same, inf where nothing is clipped
    moved: np.ndarray  # (p,) values of the training rows beyond a fence
    fallback: np.ndarray  # (p,) whether the wanted spread was 0 and the standard deviation is used

    def transform(self, X: Any) -> np.ndarray:
        """Rows between the fences, shape (m, p); missing values stay missing."""
        return np.clip(self._rows(X), self.low, self.high)

    def summary(self) -> StepSummary:
        """The fences of each column, and how many values lay beyond them."""
        values = tuple(
            (self.columns[j].name, what, float(fence[j]))
            for j in np.flatnonzero(np.isfinite(self.low))
            for what, fence in (("low fence", self.low), ("high fence", self.high))
        )
        return StepSummary(self.made_by.title(), values, self._note())

    def met(self, X: Any) -> Met:
        """Values beyond a fence of the training rows."""
        at, what = np.isfinite(self.low), "values moved to a fence"
        return outside_range(self._rows(X)[:, at], self.low[at], self.high[at], what)

    def _note(self) -> str:
        if not np.isfinite(self.low).any():
            return "No column has three different numbers, so nothing is clipped."
        at = np.flatnonzero(self.moved)
        count = int(self.moved.sum())
        note = f"Moved {count} value{'s' * (count != 1)} of the training rows to a fence"
        if len(at):
            note += f", in {listed([self.columns[j].name for j in at])}"
        if self.fallback.any():
            names = listed([self.columns[j].name for j in np.flatnonzero(self.fallback)])
            note += (
                f". {self.made_by.rule.upper()} is 0, so the standard deviation is used: {names}"
            )
        return note + "."


@enter(
    Card(
        "outlier_clipper",
        "Clipping of outliers",
        ("preparation",),
        stage="clip",
        paper="Dixon (1960), Annals of Mathematical Statistics 31",
        takes=("columns", "missing"),
        cost=lambda n, p, self: (4e-8 * n * p, 16.0 * n * p),
        formula=r"z_{ij} = \min(\max(x_{ij}, l_j), u_j)",
        synonyms=("winsorising", "winsorisation", "capping", "interquartile range", "IQR rule"),
        line="values beyond a fence moved to it",
    )
)
@dataclass(frozen=True, kw_only=True)
class OutlierClipper(Method):
    """Moves values beyond two fences to the nearer fence, column by column.

    The fences are learned from the training rows: the quartiles less and plus t times the range
    between them (iqr), the mean and t standard deviations (zscore), the median and t times 1.4826
    median absolute deviations (mad), or the quantiles that leave a share in each tail. Where half
    of the values are equal, so that iqr or mad is 0, the mean and the standard deviation are used.
    Columns with levels and those with at most two values pass as they are, missing values stay
    missing.

    For columns with a few wild values and methods that use squares or distances; no row is lost.
    A true value may be far out: look at the column first. The mean and standard deviation are
    drawn along by what they should find, so with few rows zscore finds nothing. O(n p).
    """

    rule: str = choice("iqr", "iqr", "zscore", "mad", "quantile", doc="How the fences are found.")
    threshold: float = real(
        3.0,
        above=0.0,
        soft=(1.0, 6.0),
        symbol="t",
        doc="Distance of the fences, in units of the scale.",
        only_if={"rule": other_than("quantile")},
    )
    share: float = real(
        0.01,
        low=0.0,
        below=0.5,
        soft=(0.001, 0.1),
        log=True,
        label="Tail fraction",
        doc="Part of the training values beyond each fence.",
        only_if={"rule": "quantile"},
    )

    def _fit(self, given: Given) -> OutlierClipperFit:
        columns = zip(present(given.X), given.columns, strict=True)
        fences = [
            (-np.inf, np.inf, False)
            if c.levels or holds_names(c) or _at_most_two(x)
            else self._fences(x)
            for x, c in columns
        ]
        low, high, fallback = (np.array(v) for v in zip(*fences, strict=True))
        out = zip(given.columns, np.isfinite(low), strict=True)
        return OutlierClipperFit(
            made_by=self,
            columns=given.columns,
            out_columns=tuple(as_number(c) if clipped else c for c, clipped in out),
            low=low,
            high=high,
            moved=((low > given.X) | (high < given.X)).sum(axis=0),
            fallback=fallback,
        )

    def _fences(self, x: np.ndarray) -> tuple[float, float, bool]:
        """The fences of some values, and whether the wanted spread was 0."""
        if self.rule == "quantile":
            low, high = np.quantile(x, [self.share, 1 - self.share])
            return float(low), float(high), False
        below, above, spread = {"iqr": _quartiles, "mad": _medians, "zscore": _mean}[self.rule](x)
        is_zero = spread == 0
        if is_zero:
            below, above, spread = _mean(x)
        reach = self.threshold * spread
        return below - reach, above + reach, is_zero


def _at_most_two(x: np.ndarray) -> bool:
    """Whether there are at most two different values: an indicator has no outliers."""
    if not len(x):
        return True
    ends = x.min(), x.max()
    return bool(((x == ends[0]) | (x == ends[1])).all())


def _quartiles(x: np.ndarray) -> tuple[float, float, float]:
    low, high = np.quantile(x, [0.25, 0.75])
    return float(low), float(high), float(high - low)


def _medians(x: np.ndarray) -> tuple[float, float, float]:
    middle = float(np.median(x))
    return middle, middle, MAD_TO_SD * float(np.median(np.abs(x - middle)))


def _mean(x: np.ndarray) -> tuple[float, float, float]:
    return float(x.mean()), float(x.mean()), float(x.std())
