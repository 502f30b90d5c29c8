"""Noise on both axes: least squares sees a flatter line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.labs.lab import Lab, row_count
from mlcore.reduction.pca import PCA
from mlcore.regression.linear_regression import LinearRegression
from mlcore.spine.component import Card, enter
from mlcore.spine.params import real
from mlcore.spine.random import generator

REPEATS = 100


class Lines(NamedTuple):
    """One table with both lines, and the slopes of many tables."""

    x: np.ndarray  # (n,) as measured
    y: np.ndarray  # (n,)
    slope: float  # the true one
    ols: float  # of the table that is drawn
    tls: float
    ols_slopes: np.ndarray  # (REPEATS,)
    tls_slopes: np.ndarray  # (REPEATS,)
    expected: float  # of least squares: slope v / (v + s^2)


def _cost(n: int, p: int, it: OLSOrTLS) -> tuple[float, float]:
    return 0.05 + 2e-5 * it.n_rows, 1e6


@enter(
    Card(
        "ols_or_tls",
        "Errors in variables: OLS and TLS",
        ("lab",),
        sources=("mi2:ols_regression", "mi2:total_least_squares"),
        random=True,
        cost=_cost,
        formula=r"\hat\beta_{\text{OLS}} \to \beta\, \frac{v}{v + s_x^2},\qquad"
        r"\hat\beta_{\text{TLS}} \to \beta\ \text{ if } s_x = s_y",
        kind="lab",
        pages=("regression", "dimensionality_reduction"),
        synonyms=("total least squares", "Deming regression", "attenuation", "regression dilution"),
        line="noise in the inputs flattens the slope",
    )
)
@dataclass(frozen=True, kw_only=True)
class OLSOrTLS(Lab):
    r"""Noise in what is measured, and not only in what is predicted, makes the slope too small.

    True places have variance $v = 1$, and both axes are measured with noise. Least squares counts
    distances along the vertical axis alone; total least squares counts them at a right angle to
    the line, which is then the first principal component.
    """

    tasks = (
        "Raise the noise of the horizontal axis, and watch the line of least squares turn flat.",
        "Make both noises equal, and compare the slopes over all tables.",
        "Take the noise of the horizontal axis away: see which of the two is then wrong.",
        "Multiply the rows: look whether that takes the error away.",
    )
    seen = (
        "The slope of least squares shrinks by v / (v + s squared), however many rows there are. "
        "Total least squares is right where both noises are equal, and too steep where only the "
        "vertical axis is noisy. For predicting from equally noisy places least squares stays "
        "the right choice; for the distribution behind them it is not."
    )

    slope: float = real(
        2.0, low=-5.0, high=5.0, soft=(-4.0, 4.0), symbol=r"\beta", doc="The true slope."
    )
    noise_x: float = real(
        0.5, low=0.0, high=3.0, soft=(0.0, 2.0), symbol="s_x", doc="Spread along the horizontal."
    )
    noise_y: float = real(
        0.5, low=0.0, high=3.0, soft=(0.0, 2.0), symbol="s_y", doc="Spread along the vertical."
    )
    n_rows: int = row_count(200, (10, 2000), high=5000, doc="Of each table.")

    def compute(self, seed: int = 0) -> Lines:
        """Both slopes of every table, and the first table."""
        tables = [self._table(generator(seed, f"table {r}")) for r in range(REPEATS)]
        ols = np.array([_least_squares(x, y) for x, y in tables])
        tls = np.array([_total(x, y) for x, y in tables])
        expected = self.slope / (1 + self.noise_x**2)
        x, y = tables[0]
        return Lines(x, y, self.slope, float(ols[0]), float(tls[0]), ols, tls, expected)

    def _table(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        true, on_x, on_y = rng.normal(size=(3, self.n_rows))
        return true + self.noise_x * on_x, self.slope * true + self.noise_y * on_y


def _least_squares(x: np.ndarray, y: np.ndarray) -> float:
    return float(LinearRegression().fit(x[:, None], y).coefficients[0])


def _total(x: np.ndarray, y: np.ndarray) -> float:
    """The slope of the first principal axis; NaN where it stands upright."""
    along, up = PCA(n_components=1).fit(np.column_stack([x, y])).axes[0]
    return float(up / along) if abs(along) > 1e-9 else float("nan")
