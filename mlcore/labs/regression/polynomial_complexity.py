"""Polynomials of rising degree: the error on training rows falls, that on others turns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.polynomial import legendre

from mlcore.labs.lab import Lab, row_count
from mlcore.regression.linear_regression import LinearRegression
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, integer, real
from mlcore.spine.random import generator

MOST = 15
NEW = 500  # rows that measure the error on new rows
BEYOND = 1.2  # how far the curve is drawn outside the rows


class Polynomials(NamedTuple):
    """Errors by degree, and the curve of one degree."""

    x: np.ndarray  # (n,)
    y: np.ndarray  # (n,)
    degrees: np.ndarray  # (D,) 0, 1, ...
    train: np.ndarray  # (D,) root mean squared errors
    test: np.ndarray  # (D,)
    noise: float
    grid: np.ndarray  # (g,) also outside the rows
    truth: np.ndarray  # (g,)
    curve: np.ndarray  # (g,)
    degree: int
    best: int


@enter(
    Card(
        "polynomial_complexity",
        "Overfitting of polynomial regression",
        ("lab",),
        sources=(
            "s841:overfit_underfit_demo", "s841:bias_variance_mse", "cs2:lagrange_overfit",
            "cs1:overfit_diagnostic",
        ),
        random=True,
        cost=lambda n, p, it: (0.03 + 2e-5 * it.n_rows, 2e6),
        formula=r"\operatorname{E}\, \mathrm{MSE}_{\text{train}} = \sigma^2"
        r"\left(1 - \frac{m + 1}{n}\right)\quad\text{where degree } m \text{ holds the truth}",
        kind="lab",
        pages=("regression", "neural_networks"),
        synonyms=(
            "overfitting", "underfitting", "bias-variance tradeoff", "training error",
            "test error", "model complexity",
        ),
        line="more freedom fits better, then errs more",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class PolynomialComplexity(Lab):
    r"""More freedom always fits the training rows better, and soon other rows worse.

    Rows are drawn from a curve on $[-1, 1]$ with normal noise. Polynomials of degree 0, 1, 2 and so
    on are fitted by least squares, on Legendre's polynomials so that rounding plays no part, and
    judged on 500 new rows.
    """

    tasks = (
        "Raise the degree to the number of rows less one, and look between and beyond the rows.",
        "Set the noise to zero with the cubic truth: find the degree from which nothing is wrong.",
        "Multiply the rows, and see how far the turning point moves.",
    )
    seen = (
        "The error on training rows falls down to zero where there are as many coefficients as "
        "rows; that on new rows falls and then rises steeply. With more rows the rise comes later, "
        "and without noise a curve that holds the truth does no harm."
    )

    truth: str = choice("sine", "sine", "cubic", "step", doc="The curve behind the rows.")
    degree: int = integer(
        9, low=0, high=MOST, soft=(0, MOST), symbol="m", doc="Of the curve that is drawn."
    )
    noise: float = real(
        0.3, low=0.0, high=2.0, soft=(0.0, 1.0), symbol=r"\sigma", doc="Spread of the noise."
    )
    n_rows: int = row_count(20, (5, 500), high=1000, doc="That are fitted.")

    def compute(self, seed: int = 0) -> Polynomials:
        """Errors of each degree that the rows can fix, and one curve."""
        x = np.sort(generator(seed, "places").uniform(-1, 1, self.n_rows))
        y = self._true(x) + self.noise * generator(seed, "noise").normal(size=len(x))
        rng = generator(seed, "new rows")
        new = rng.uniform(-1, 1, NEW)
        answers = self._true(new) + self.noise * rng.normal(size=NEW)
        degrees = np.arange(min(MOST, self.n_rows - 1) + 1)
        train = np.array([_rmse(_curve(x, y, m, x), y) for m in degrees.tolist()])
        test = np.array([_rmse(_curve(x, y, m, new), answers) for m in degrees.tolist()])
        grid = np.linspace(-BEYOND, BEYOND, 241)
        degree = min(self.degree, int(degrees[-1]))
        return Polynomials(
            x, y, degrees, train, test, self.noise, grid, self._true(grid),
            _curve(x, y, degree, grid), degree, int(degrees[test.argmin()]),
        )  # fmt: skip

    def _true(self, x: np.ndarray) -> np.ndarray:
        if self.truth == "cubic":
            return 4 * x**3 - 3 * x
        return np.sin(np.pi * x) if self.truth == "sine" else np.sign(x)


def _curve(x: np.ndarray, y: np.ndarray, degree: int, at: np.ndarray) -> np.ndarray:
    """The values at some places of the polynomial fitted to the rows."""
    if degree == 0:
        return np.full(len(at), y.mean())
    fit = LinearRegression().fit(legendre.legvander(x, degree)[:, 1:], y)
    return fit.predict(legendre.legvander(at, degree)[:, 1:])


def _rmse(predicted: np.ndarray, y: np.ndarray) -> float:
    return float(np.sqrt(((predicted - y) ** 2).mean()))
