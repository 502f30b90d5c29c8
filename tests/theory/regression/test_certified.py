"""Least squares against values certified by NIST, and against fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from mlcore.data import bundled
from mlcore.optimisation.extended import WIDER
from mlcore.regression.linear_regression import LinearRegression

wider = pytest.mark.skipif(not WIDER, reason="this machine has no numbers wider than float")

POWERS = np.arange(21.0)[:, None] ** np.arange(1, 6)
# The errors of Wampler3 to 5 are at right angles to all five powers.
ERRORS = np.tile([2048.0, -2048.0], 11)[:21]
ERRORS[[0, 4, 8, 12, 16, 20]] = [759, 2523, 1838, 1838, 2523, 759]


def longley() -> tuple[np.ndarray, np.ndarray]:
    table = bundled.load("longley")
    names = ("gnpdefl", "gnp", "unemp", "armed", "pop", "year")
    return table.matrix(*names), table.matrix("totemp")[:, 0]


def exact(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Intercept and coefficients of the numbers as they are stored, in fractions."""
    rows = [[Fraction(1), *map(Fraction, row), Fraction(t)] for row, t in zip(X, y, strict=True)]
    q = X.shape[1] + 1
    M = [[sum(row[i] * row[j] for row in rows) for j in range(q + 1)] for i in range(q)]
    for i in range(q):
        M[i] = [v / M[i][i] for v in M[i]]
        for k in (k for k in range(q) if k != i):
            M[k] = [u - M[k][i] * v for u, v in zip(M[k], M[i], strict=True)]
    return np.array([float(row[-1]) for row in M])


@wider
def test_longley():
    X, y = longley()
    fit = LinearRegression().fit(X, y)
    wanted = [
        -3482258.63459582, 15.0618722713733, -0.0358191792925910, -2.02022980381683,
        -1.03322686717359, -0.0511041056535807, 1829.15146461355,
    ]  # fmt: skip
    found = np.r_[fit.intercept, fit.coefficients]
    np.testing.assert_allclose(found, wanted, rtol=1e-14)
    np.testing.assert_allclose(found, exact(X, y), rtol=1e-15)
    assert fit.sigma == pytest.approx(304.854073561965, rel=3e-15)
    assert fit.intercept_error == pytest.approx(890420.383607373, rel=1e-14)
    assert fit.r2 == pytest.approx(0.995479004577296, rel=2e-15)


@wider
@pytest.mark.parametrize("offset", ["centering", "constant_feature"])
@pytest.mark.parametrize(("noise", "digits"), [(0, 12), (1, 12), (100, 11), (10_000, 9)])
def test_wampler_of_ones(noise, digits, offset):
    fit = LinearRegression(offset=offset).fit(POWERS, 1 + POWERS.sum(axis=1) + noise * ERRORS)
    found = np.r_[fit.intercept, fit.coefficients]
    np.testing.assert_allclose(found, 1.0, rtol=10.0**-digits)
    assert fit.sigma == pytest.approx(2360.14502379268 * noise, rel=1e-14, abs=1e-12)


@wider
def test_wampler_of_falling_coefficients():
    wanted = 10.0 ** -np.arange(6)
    fit = LinearRegression().fit(POWERS, wanted[0] + POWERS @ wanted[1:])
    np.testing.assert_allclose(np.r_[fit.intercept, fit.coefficients], wanted, rtol=1e-12)


@wider
def test_ten_raw_powers_have_all_the_digits_that_matter():
    x = np.linspace(-8.8, -3.1, 82)  # as in the set Filip, whose columns have a condition of 10^10
    X = x[:, None] ** np.arange(1, 11)
    y = np.round(0.84 + 0.06 * np.sin(2 * x) + 0.003 * np.cos(50 * x), 4)
    fit = LinearRegression().fit(X, y)
    assert fit.rank == 10
    np.testing.assert_allclose(np.r_[fit.intercept, fit.coefficients], exact(X, y), rtol=1e-9)


@pytest.mark.parametrize(
    ("x", "y", "slope", "error", "sigma"),
    [
        (np.arange(60.0, 71), np.arange(130.0, 141), 2.07438016528926, 0.0165289256198347,
         3.56753034006338),
        (np.arange(4.0, 7), np.array([3.0, 4, 4]), 0.727272727272727, 0.0420827318078432,
         0.369274472937998),
    ],
)  # fmt: skip
def test_lines_through_zero(x, y, slope, error, sigma):
    fit = LinearRegression(offset="none").fit(x[:, None], y)
    found = [fit.coefficients[0], fit.standard_errors[0], fit.sigma]
    np.testing.assert_allclose(found, [slope, error, sigma], rtol=2e-14)


@wider
@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
def test_weights_count_as_repeated_rows(scale):
    X, y = longley()
    often = np.arange(len(y)) % 3
    X, y = X * scale, y / scale
    weighted = LinearRegression().fit(X, y, weights=often.astype(float))
    repeated = LinearRegression().fit(np.repeat(X, often, axis=0), np.repeat(y, often))
    np.testing.assert_allclose(weighted.coefficients, repeated.coefficients, rtol=1e-14)
    assert weighted.rss == pytest.approx(repeated.rss, rel=1e-13)
