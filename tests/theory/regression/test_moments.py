"""Least squares from sums of products: no digit is lost to far means, constants or dependence."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.optimisation import triangles
from mlcore.optimisation.extended import WIDE, WIDER
from mlcore.optimisation.rows import rows
from mlcore.regression.linear_regression import WELL, LinearRegression
from mlcore.regression.ridge import Ridge

wider = pytest.mark.skipif(not WIDER, reason="this machine has no numbers wider than float")


def table(n: int = 4000, p: int = 6) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    X = np.round(rng.normal(size=(n, p)), 3)
    return X, np.round(X @ np.arange(1.0, p + 1) + rng.normal(size=n), 3)


def slowly(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Coefficients from moments in extended precision, refined until they stand."""
    Z, t = X.astype(WIDE), y.astype(WIDE)
    Z, t = Z - Z.mean(axis=0), t - t.mean()
    inverse = np.linalg.inv((Z.T @ Z).astype(float)).astype(WIDE)
    w = np.zeros(X.shape[1], WIDE)
    for _ in range(12):
        w = w + inverse @ (Z.T @ (t - Z @ w))
    return w.astype(float)


def passes_over(monkeypatch) -> list[int]:
    """Grows by one for each pass over centred rows that the triangle makes."""
    passes: list[int] = []
    former = triangles.reduced

    def counted(blocks, enough=0.0):
        return former(lambda: (passes.append(1), blocks())[1], enough)

    monkeypatch.setattr(triangles, "reduced", counted)
    return passes


@wider
@pytest.mark.parametrize("units", [1.0, 2.0**40])
@pytest.mark.parametrize("mean", [0.0, 2.0**20, 2.0**26])
def test_far_means_cost_no_digits(mean, units, monkeypatch):
    passes = passes_over(monkeypatch)
    X, y = table()
    X = (np.round(X * 1024) / 1024 + mean) * units ** np.array([1, -1, 1, 0, 1, 1])
    fit = LinearRegression().fit(X, y)
    assert len(passes) == (1 if mean else 0)  # near zero the rows are taken as they are
    np.testing.assert_allclose(fit.coefficients, slowly(X, y), rtol=2e-14)


@wider
@pytest.mark.parametrize(("lean", "count"), [(2.0, 0), (20.0, 0), (1e3, 2), (1e5, 2)])
def test_leaning_columns_are_read_twice_where_once_costs_digits(lean, count, monkeypatch):
    passes = passes_over(monkeypatch)
    X, y = table()
    X[:, 1] = X[:, 0] + X[:, 1] / lean
    fit = LinearRegression().fit(X, y)
    assert len(passes) == count
    np.testing.assert_allclose(fit.coefficients, slowly(X, y), rtol=1e-15 * max(lean, 20))


@wider
def test_large_tables_near_zero_are_read_once():
    X, y = table(50_000)
    fit = LinearRegression().fit(X, y)
    np.testing.assert_allclose(fit.coefficients, slowly(X, y), rtol=1e-14)
    left = y - fit.predict(X)
    assert fit.rss == pytest.approx(left @ left, rel=1e-12)


@wider
def test_where_the_first_rows_are_near_zero_and_the_others_are_not_all_are_centred():
    X, y = table(200_000, 2)
    X[64:, 1] += 1e7
    X[:64, 1] = 1e7 * (-1.0) ** np.arange(64)
    design = rows(X, y, None, "centering")
    Z = X[:, 1].astype(WIDE)
    wanted = float(((Z - Z.mean()) ** 2).sum())
    gram, _ = design.moments()
    assert gram[1, 1] == pytest.approx(wanted, rel=1e-13)


def test_one_pass_is_refined():
    X, y = table()
    X[:, 1] = X[:, 0] + X[:, 1] / 20
    design = rows(X, y, None, "centering")
    once, twice = design.reduced(enough=WELL), design.reduced()
    np.testing.assert_allclose(once, twice, rtol=1e-9, atol=1e-9)
    assert not np.array_equal(once, twice)
    fit = LinearRegression().fit(X, y)
    assert np.abs(design.left_by(fit.coefficients)[1]).max() < 1e-9


def test_a_fit_without_noise_leaves_rounding_only():
    X, _ = table()
    y = X @ np.arange(1.0, 7)
    fit = LinearRegression().fit(X, y)
    assert fit.rss < 1e-26 * (y @ y)
    np.testing.assert_allclose(fit.coefficients, np.arange(1.0, 7), rtol=1e-14)


@pytest.mark.parametrize("offset", ["centering", "none"])
@pytest.mark.parametrize("scale", [1e-100, 1e-30, 1e30, 1e100])
def test_targets_of_any_size(scale, offset):
    X, y = table()
    plain = LinearRegression(offset=offset).fit(X, y)
    fit = LinearRegression(offset=offset).fit(X, y * scale)
    np.testing.assert_allclose(fit.coefficients / scale, plain.coefficients, rtol=1e-13)


@pytest.mark.parametrize("value", [0.1, 1 / 3, 1e8 / 3, 1e-9 / 7])
@pytest.mark.parametrize("weights", [None, np.arange(4000) % 7 / 3])
def test_a_constant_column_has_no_product_with_the_target(value, weights):
    X, y = table()
    X = np.column_stack([X, np.full(len(X), value)])
    design = rows(X, y + 1e6 / 3, weights, "centering")
    gram, toward = design.moments()
    assert toward[-1] == 0
    assert not gram[-1].any()
    for solver in ("auto", "svd", "cholesky"):
        fit = Ridge(alpha=1e-300, solver=solver).fit(X, y + 1e6 / 3, weights=weights)
        assert fit.coefficients[-1] == 0
        assert fit.coefficients[0] == pytest.approx(1.0, abs=0.1)
    fit = LinearRegression().fit(X, y + 1e6 / 3, weights=weights)
    assert (fit.coefficients[-1], fit.rank) == (0, 6)
