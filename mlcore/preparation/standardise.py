"""Standardisation: each column with center 0 and scale 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.preparation.chain import StepSummary
from mlcore.preparation.step import StepFit, apply_two, as_number, holds_names, present
from mlcore.spine.component import Card, enter
from mlcore.spine.method import Given, Method
from mlcore.spine.params import choice
from mlcore.spine.wording import listed

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
        return apply_two(self._rows(X), np.subtract, self.center, np.divide, self.scale)

    def inverse_transform(self, Z: Any) -> np.ndarray:
        """Rows in the units of the table, shape (m, p)."""
        return apply_two(self._prepared_rows(Z), np.multiply, self.scale, np.add, self.center)

    def summary(self) -> StepSummary:
        """Center and scale of each column."""
        step = self.made_by
        names = [(j, c.name) for j, c in enumerate(self.columns) if not holds_names(c)]
        wanted = ((step.center, self.center), (step.scale, self.scale))
        kinds = [(kind, values) for kind, values in wanted if kind != "none"]
        values = tuple((name, kind, float(v[j])) for j, name in names for kind, v in kinds)
        return StepSummary(step.title(), values, self._note())

    def _note(self) -> str:
        notes = []
        if constant := self._named(self.constant):
            notes.append(f"Constant in the training rows, so not scaled: {listed(constant)}.")
        if fallback := self._named(self.fallback):
            spread = self.made_by.scale.upper()
            notes.append(f"{spread} is 0, so the standard deviation is used: {listed(fallback)}.")
        return " ".join(notes)

    def _named(self, which: np.ndarray) -> list[str]:
        return [self.columns[j].name for j in np.flatnonzero(which)]


@enter(
    Card(
        "standardise",
        "Standardisation",
        ("preparation",),
        stage="scale",
        peer="sklearn.preprocessing.StandardScaler",
        also=("standard_scaler",),
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
        synonyms=(
            "z-score",
            "StandardScaler",
            "standard score",
            "zero mean unit variance",
            "RobustScaler",
            "feature scaling",
        ),
        line="center 0 and scale 1 for each column",
    )
)
@dataclass(frozen=True, kw_only=True)
class Standardise(Method):
    """Gives each column center 0 and scale 1.

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

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        if missing := self.beyond_peer(center=("mean", "none"), scale=("std", "none")):
            return missing
        return {"with_mean": self.center == "mean", "with_std": self.scale == "std"}

    def _fit(self, given: Given) -> ScaleFit:
        columns = zip(present(given.X), given.columns, strict=True)
        scales = [self._of_column(None if holds_names(c) else x) for x, c in columns]
        center, scale, constant, fallback = (np.array(v) for v in zip(*scales, strict=True))
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
        # About 1 by a power of two, squares neither vanish nor overflow, and keep their bits.
        size = float(np.ldexp(1.0, np.frexp(np.abs(x - mean).max())[1]))
        variance = float((((x - mean) / size) ** 2).mean())
        constant = is_constant(mean / size, variance, len(x))
        center = {"mean": mean, "none": 0.0}.get(self.center)
        center = float(np.median(x)) if center is None else center
        if constant or self.scale == "none":
            return center, 1.0, constant, False
        sd = float(np.sqrt(variance)) * size
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
