"""Least squares from sums of products: no digit is lost to far means, constants or dependence."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.optimisation import closed_form, triangles
from mlcore.optimisation.extended import WIDE, WIDER
from mlcore.optimisation.rows import BLOCK, rows
from mlcore.optimisation.thin import PART, THIN, products
from mlcore.regression import linear_regression
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
    assert not passes  # differences from the first rows are small wherever these lie
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


@wider
@pytest.mark.parametrize("p", [1, 5, 20, THIN, THIN + 1])
def test_sums_of_products_of_thin_tables_are_those_of_all_rows(p):
    X, y = table(BLOCK + 300, p)
    Z = np.column_stack([X, y, np.ones(len(X))])
    size = np.abs(Z).T @ np.abs(Z)
    wanted = (Z.T.astype(WIDE) @ Z.astype(WIDE)).astype(float)
    assert np.abs(products(X, y, np.zeros(p)) - wanted).max() <= 1e-15 * size.max()
    rough = products(X, y, np.zeros(p), precision=np.float32)
    assert 1e-15 * size.max() < np.abs(rough - wanted).max() <= 1e-6 * size.max()


@pytest.mark.parametrize(("precision", "digits"), [(np.float64, 1e-14), (np.float32, 1e-6)])
def test_sums_of_products_take_weights_of_both_signs(precision, digits):
    X, y = table(BLOCK + 301, 7)
    Z, w = np.column_stack([X - X[0], y, np.ones(len(X))]), np.sin(np.arange(len(X)))
    got, size = products(X, y, X[0], w, precision), np.abs(Z).T @ np.abs(Z)
    assert np.abs(got - (Z.T * w) @ Z).max() <= digits * size.max()


def test_sums_of_products_are_the_same_bits_with_any_number_of_threads(monkeypatch):
    X, y = table(90_000, 10)
    assert X.size > 3 * PART
    monkeypatch.setenv("MLSCOPE_THREADS", "1")
    alone = products(X, y, X[0])
    monkeypatch.setenv("MLSCOPE_THREADS", "3")
    np.testing.assert_array_equal(products(X, y, X[0]), alone)


@pytest.mark.parametrize("lean", [2.0, 1e4])
@pytest.mark.parametrize("noise", [1.0, 1e-9])
def test_what_a_ridge_leaves_is_that_of_its_rows(noise, lean):
    X, _ = table()
    X[:, 1] = X[:, 0] + X[:, 1] / lean
    y = X @ np.arange(1.0, 7) + noise * np.sin(np.arange(len(X)))
    (step,) = Ridge(alpha=1e-6).steps(X, y)
    w = step.state.coefficients
    left = y - X @ w - step.state.intercept
    assert step.objective == pytest.approx(left @ left + 1e-6 * w @ w, rel=1e-9)


def test_a_ridge_leaves_the_moments_of_its_rows_alone():
    X, y = table()
    design = rows(X, y, None, "centering")
    before = design.moments()[0].copy()
    closed_form.by_cholesky(design, 5.0)
    closed_form.leverages(design, 5.0)
    np.testing.assert_array_equal(design.moments()[0], before)


@pytest.mark.parametrize("offset", ["centering", "none", "constant_feature"])
def test_a_triangle_tells_what_singular_values_tell(offset):
    X, y = table()
    X[:, 1] = X[:, 0] + X[:, 1] / 2
    X *= 10.0 ** np.arange(-3, 3)
    short = LinearRegression(offset=offset).fit(X, y)
    full = LinearRegression(offset=offset, rcond=1e-12).fit(X, y)  # counts singular values
    for name in ("coefficients", "standard_errors", "intercept_error", "vif", "rss", "covariance"):
        np.testing.assert_allclose(
            getattr(short, name), getattr(full, name), rtol=1e-11, err_msg=name
        )
    assert (short.rank, short.df_residual, short.notes) == (full.rank, full.df_residual, full.notes)


def test_sure_tables_need_no_singular_values(monkeypatch):
    asked: list[int] = []
    former = linear_regression.scaled_spectrum
    monkeypatch.setattr(
        linear_regression, "scaled_spectrum", lambda *a: (asked.append(1), former(*a))[1]
    )
    X, y = table()
    LinearRegression().fit(X, y)
    assert not asked
    X[:, 1] = X[:, 0] + X[:, 1] / 1e4
    LinearRegression().fit(X, y)
    assert asked


@wider
@pytest.mark.parametrize("sampled", [False, True])
def test_rows_in_order_and_rows_unlike_those_that_are_looked_at(sampled):
    X, y = table(64 * 100, 3)
    X[:, 1] = 1e6 + np.sort(X[:, 1])
    if sampled:
        X[::100, 2] += 1e7
    design = rows(X, y, None, "centering")
    assert (design.thin is None) == sampled
    Z = X.astype(WIDE)
    Z = Z - Z.mean(axis=0)
    gram, toward = design.moments()
    size = np.sqrt(np.diagonal(gram))
    assert np.abs((gram - (Z.T @ Z).astype(float)) / np.outer(size, size)).max() < 1e-13
    assert np.abs((toward - (Z.T @ (y.astype(WIDE) - y.mean())).astype(float)) / size).max() < 1e-10
