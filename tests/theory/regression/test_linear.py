"""Facts about linear regressions that need no other library."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mlcore.optimisation.coordinate import POLISH, descend, duality_gap, least_squares
from mlcore.optimisation.rows import rows
from mlcore.optimisation.triangles import inverse_factor, reduced
from mlcore.regression.constant import ConstantRegressor
from mlcore.regression.elastic_net import ElasticNet
from mlcore.regression.inference import hat_matrix, leverage, prediction_interval, vif
from mlcore.regression.lasso_path import alpha_max
from mlcore.regression.leave_one_out import loo_linear, ridge_curve
from mlcore.regression.linear_regression import LinearRegression
from mlcore.regression.ridge import Ridge
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.iterate import record

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 8)) + 2.0
X[:, 1] += X[:, 0]
Y = X @ np.array([2.0, -1, 0, 0, 3, 0, 0, 1]) + RNG.normal(size=60)
W = RNG.integers(0, 3, 60).astype(float)


# Golden numbers


@pytest.mark.parametrize(("alpha", "w"), [(0, 11 / 14), (1, 11 / 15), (14, 11 / 28)])
@pytest.mark.parametrize("solver", ["auto", "svd", "cholesky", "qr", "cg"])
def test_ridge_of_three_rows(alpha, w, solver):
    x, y = [[1], [2], [3]], [1, 2, 2]
    fit = Ridge(alpha=alpha, solver=solver, offset="none").fit(x, y)
    np.testing.assert_allclose(fit.coefficients, [w], rtol=1e-12)
    if alpha == 1:
        left_out = [0.285714, 0.727273, -0.5]
        np.testing.assert_allclose(fit.influence(x, y).loo_residuals, left_out, atol=1e-6)


def test_leave_one_out_of_four_rows():
    x, y = [[1], [2], [3], [4]], [1, 3, 2, 5]
    fit = Ridge(alpha=1).fit(x, y)
    found = fit.influence(x, y)
    np.testing.assert_allclose(
        [fit.coefficients[0], fit.intercept], [0.916667, 0.458333], atol=1e-6
    )
    np.testing.assert_allclose(found.hat_diag, [0.625, 0.291667, 0.291667, 0.625], atol=1e-6)
    np.testing.assert_allclose(found.loo_residuals, [-1, 1, -1.705882, 2.333333], atol=1e-6)
    assert abs(found.loo_error - 2.588620) < 1e-6  # the formula without the intercept: 1.114026
    penalised = Ridge(alpha=1, offset="constant_feature").fit(x, y)
    np.testing.assert_allclose([penalised.intercept, penalised.coefficients[0]], [0.2, 1.0])


def test_quantities_of_the_constant():
    x = np.zeros((3, 1))
    assert ConstantRegressor().fit(x, [0, 0, 10]).value == pytest.approx(10 / 3)
    assert ConstantRegressor(strategy="median").fit(x, [0, 0, 10]).value == 0
    assert ConstantRegressor(strategy="median").fit(x[:2], [0, 10]).value == 5


def test_order_in_which_columns_enter_the_lasso_path():
    from sklearn.datasets import load_diabetes

    data, y = load_diabetes(return_X_y=True)
    names = ["age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"]
    path = ElasticNet(n_alphas=1000, tol=1e-9).path(data, y)
    assert abs(path.alphas[0] - 2.148044) < 1e-6
    entered = [int(np.argmax(path.coefficients[:, j] != 0)) for j in range(10)]
    order = [names[j] for j in np.argsort(entered, kind="stable")]
    assert order == ["bmi", "s5", "bp", "s3", "sex", "s6", "s1", "s4", "s2", "age"]
    away = path.coefficients[entered[6] :, 6] == 0
    assert away.any()  # s3 leaves
    assert not away[-1]  # and returns


# Ridge


def brute_force(method, x, y, w=None):
    """Target minus prediction of each row by a fit without it."""
    out = np.empty(len(y))
    for i in range(len(y)):
        stay = np.arange(len(y)) != i
        fit = method.fit(x[stay], y[stay], weights=None if w is None else w[stay])
        out[i] = y[i] - fit.predict(x[i : i + 1])[0]
    return out


@pytest.mark.parametrize("offset", ["centering", "constant_feature", "none"])
@pytest.mark.parametrize("weights", [None, W])
def test_leaving_one_out_equals_refitting(offset, weights):
    method = Ridge(alpha=2.5, offset=offset)
    found = method.fit(X, Y, weights=weights).influence(X, Y, weights=weights)
    left = brute_force(method, X, Y, weights)
    np.testing.assert_allclose(found.loo_residuals, left, atol=1e-10)
    np.testing.assert_allclose(found.loo_error, np.average(left**2, weights=weights), rtol=1e-10)


@pytest.mark.parametrize("weights", [None, W])
@pytest.mark.parametrize("columns", [3, 8])
def test_the_curve_has_the_error_of_each_alpha(weights, columns):
    x = X[:, :columns]
    curve = Ridge(alpha_rule="loo", n_alphas=7).fit(x, Y, weights=weights).curve
    for alpha, error, df in zip(curve.alphas, curve.loo, curve.df):
        found = Ridge(alpha=alpha).fit(x, Y, weights=weights).influence(x, Y, weights=weights)
        np.testing.assert_allclose([error, df], [found.loo_error, found.df], rtol=1e-9)


def test_the_functions_say_what_the_fits_say():
    alphas = [0.0, 0.3, 40.0]
    curve = ridge_curve(X, Y, alphas)
    for k, alpha in enumerate(alphas):
        ours, found = loo_linear(X, Y, alpha), Ridge(alpha=alpha).fit(X, Y).influence(X, Y)
        np.testing.assert_allclose(ours.loo_residuals, found.loo_residuals, atol=1e-10)
        np.testing.assert_allclose(curve.loo[k], found.loo_error, rtol=1e-10)
        np.testing.assert_allclose(np.trace(hat_matrix(X, alpha)), curve.df[k], rtol=1e-10)
    for ratio in (1.0, 0.3):
        top = ElasticNet(l1_ratio=ratio).path(X, Y).alphas[0]
        assert alpha_max(X, Y, ratio) == top
    for wrong in (-1.0, np.nan):
        with pytest.raises(ParamError, match="at least 0"):
            loo_linear(X, Y, wrong)


def test_more_columns_than_rows_leave_one_out_too():
    x = RNG.normal(size=(12, 30))
    found = Ridge(alpha=0.5).fit(x, Y[:12]).influence(x, Y[:12])
    np.testing.assert_allclose(
        found.loo_residuals, brute_force(Ridge(alpha=0.5), x, Y[:12]), atol=1e-10
    )


def test_a_row_that_only_one_column_knows_cannot_be_left_out():
    x = np.column_stack([X[:, 0], np.arange(60) == 7])
    found = Ridge(alpha=0).fit(x, Y).influence(x, Y)
    assert np.isnan(found.loo_residuals[7])
    assert np.isfinite(np.delete(found.loo_residuals, 7)).all()
    assert "row 8" in found.note


def test_no_penalty_is_least_squares_and_the_shortest_of_several():
    np.testing.assert_allclose(
        Ridge(alpha=1e-10).fit(X, Y).coefficients, LinearRegression().fit(X, Y).coefficients
    )
    x = RNG.normal(size=(5, 9))
    shortest = np.linalg.pinv(x - x.mean(axis=0)) @ (Y[:5] - Y[:5].mean())
    for method in (Ridge(alpha=0), LinearRegression(), LinearRegression(offset="explicit")):
        np.testing.assert_allclose(method.fit(x, Y[:5]).coefficients, shortest, atol=1e-12)


def test_the_path_of_ridge_passes_through_its_fits():
    path = Ridge(n_alphas=5, scale="mean").path(X, Y)
    for a, alpha in enumerate(path.alphas):
        method = Ridge(alpha=alpha, scale="mean")
        fit, step = method.fit(X, Y), next(method.steps(X, Y))
        np.testing.assert_allclose(path.coefficients[a], fit.coefficients, atol=1e-9)
        np.testing.assert_allclose(path.intercepts[a], fit.intercept, atol=1e-9)
        np.testing.assert_allclose(path.objective[a], step.objective, rtol=1e-9)
        np.testing.assert_allclose(path.df[a], fit.influence(X, Y).df, rtol=1e-9)


def test_conjugate_gradients_end_after_as_many_turns_as_columns():
    method = Ridge(alpha=1.0, solver="cg", tol=1e-9)
    assert method.fit(X, Y).n_iter <= 9  # one for rounding
    assert np.diff([s.objective for s in method.steps(X, Y)]).max() < 1e-9


def test_solvers_that_need_independent_columns_say_so():
    x = np.column_stack([X, X[:, 0]])
    for solver in ("cholesky", "qr"):
        with pytest.raises(DataError, match="clearly independent"):
            Ridge(alpha=0, solver=solver).fit(x, Y)
    assert "nearly dependent" in Ridge(alpha=0).fit(x, Y).stop.why
    with pytest.raises(ParamError, match="singular values"):
        Ridge(alpha_rule="loo", solver="cg")


# Weights, constant columns, least squares


@pytest.mark.parametrize(
    "method",
    [Ridge(), Ridge(alpha_rule="gcv"), LinearRegression(), LinearRegression(offset="explicit")],
)
def test_whole_weights_are_repeated_rows(method):
    again = np.repeat(np.arange(60), W.astype(int))
    weighted, repeated = method.fit(X, Y, weights=W), method.fit(X[again], Y[again])
    if getattr(method, "alpha_rule", "fixed") == "fixed":
        np.testing.assert_allclose(weighted.coefficients, repeated.coefficients, rtol=1e-9)
        np.testing.assert_allclose(weighted.intercept, repeated.intercept, rtol=1e-9)


def test_a_constant_column_gets_nothing_and_is_named():
    x = np.column_stack([X, np.full(60, 0.1)])
    for method in (Ridge(alpha=0), LinearRegression(), ElasticNet()):
        fit = method.fit(x, Y)
        assert fit.coefficients[-1] == 0
        assert "x9" in " ".join(fit.notes)


def test_residuals_are_orthogonal_and_the_hat_matrix_projects():
    fit = LinearRegression().fit(X, Y)
    left = Y - fit.predict(X)
    assert np.abs(left @ X).max() < 1e-9
    assert abs(left.sum()) < 1e-9
    H, h = hat_matrix(X), leverage(X)
    np.testing.assert_allclose(H @ Y, fit.predict(X), rtol=1e-10)
    np.testing.assert_allclose(H @ H, H, atol=1e-12)
    np.testing.assert_allclose(np.diagonal(H), h, rtol=1e-9)
    assert abs(h.sum() - 9) < 1e-10  # rank plus intercept
    assert ((h > 0) & (h < 1)).all()


def test_dependent_columns_have_no_errors_and_infinite_inflation():
    x = np.column_stack([X[:, :3], X[:, 0] + X[:, 1]])
    fit = LinearRegression().fit(x, Y)
    assert np.isinf(fit.standard_errors[[0, 1, 3]]).all()
    assert np.isfinite(fit.standard_errors[2])
    assert np.isinf(vif(x)[[0, 1, 3]]).all()
    assert fit.rank == 3
    assert "not fixed" in " ".join(fit.notes) or "is fixed" in " ".join(fit.notes)
    exact = LinearRegression().fit(X[:4], Y[:4])
    assert exact.df_residual == 0
    with pytest.raises(DataError, match="leaves no residuals"):
        prediction_interval(exact, X)


def test_the_constant_feature_is_the_free_intercept_only_without_a_penalty():
    plain, feature = (Ridge(alpha=0, offset=o).fit(X, Y) for o in ("centering", "constant_feature"))
    np.testing.assert_allclose(plain.coefficients, feature.coefficients, rtol=1e-8)
    plain, feature = (Ridge(alpha=5, offset=o).fit(X, Y) for o in ("centering", "constant_feature"))
    assert abs(plain.intercept - feature.intercept) > 0.1


def test_triangles_keep_sums_of_squares_and_products():
    x = np.vstack([X] * 80)  # more than two blocks of rows
    held = rows(x, np.tile(Y, 80), np.tile(W, 80), "centering")
    short, full = held.reduced(), held.X
    assert short.shape == (8, 9)
    np.testing.assert_allclose(short[:, :8].T @ short, full.T @ np.c_[full, held.y], rtol=1e-9)
    gram, toward = held.moments()
    np.testing.assert_allclose(gram, held.X.T @ held.X, rtol=1e-10)
    np.testing.assert_allclose(toward, held.X.T @ held.y, rtol=1e-10)
    np.testing.assert_allclose(held.toward(held.y), toward, rtol=1e-8)
    inverse = inverse_factor(gram)
    np.testing.assert_allclose(inverse.T @ inverse @ gram, np.eye(8), atol=1e-9)


@pytest.mark.parametrize("condition", [1e1, 1e4, 1e6, 1e9, 1e13])
@pytest.mark.parametrize("block", [7, 50, 400])
def test_triangles_lose_no_digits(condition, block):
    """R has the singular values of X to rounding, where those of X'X would lose half the digits."""
    rng = np.random.default_rng(8)
    U, V = (np.linalg.qr(rng.normal(size=(n, 10)))[0] for n in (400, 10))
    s = condition ** -np.linspace(0, 1, 10)
    A = np.c_[U * s @ V.T, rng.normal(size=400)]
    short = reduced(lambda: iter([A[i : i + block] for i in range(0, 400, block)]))
    # A rounding of X itself moves its singular values by as much.
    found = np.linalg.svd(short[:, :10], compute_uv=False)[:10]
    np.testing.assert_allclose(found, s, atol=2e-15, rtol=1e-13)
    w, *_ = np.linalg.lstsq(short[:, :10], short[:, 10], rcond=1e-15)
    exact, *_ = np.linalg.lstsq(A[:, :10], A[:, 10], rcond=1e-15)
    np.testing.assert_allclose(A[:, :10] @ w, A[:, :10] @ exact, atol=1e-9 * condition**0.5)


# Elastic net


def test_at_alpha_max_every_coefficient_is_zero_and_just_below_it_one_is_not():
    for ratio in (1.0, 0.4):
        top = ElasticNet(l1_ratio=ratio).path(X, Y).alphas[0]
        # One part in 1e12, so that rounding of the top itself does not decide.
        assert not ElasticNet(alpha=top * (1 + 1e-12), l1_ratio=ratio).fit(X, Y).coefficients.any()
        below = ElasticNet(alpha=0.999 * top, l1_ratio=ratio, tol=1e-12).fit(X, Y)
        assert len(below.support) == 1


def test_without_absolute_values_it_is_ridge_with_n_times_alpha():
    net = ElasticNet(alpha=0.3, l1_ratio=0.0, tol=1e-15).fit(X, Y)
    ridge = Ridge(alpha=0.3 * 60).fit(X, Y)
    np.testing.assert_allclose(net.coefficients, ridge.coefficients, rtol=1e-6)
    np.testing.assert_allclose(net.intercept, ridge.intercept, rtol=1e-6)


def test_orthonormal_columns_are_soft_thresholded():
    Q = np.linalg.qr(RNG.normal(size=(60, 5)) - 0.0)[0]
    Q = np.linalg.qr(Q - Q.mean(axis=0))[0] * np.sqrt(60)
    z = Q.T @ (Y - Y.mean()) / 60
    for alpha in (0.1, 0.5):
        fit = ElasticNet(alpha=alpha, l1_ratio=0.7, tol=1e-15).fit(Q, Y)
        expected = np.sign(z) * np.maximum(np.abs(z) - 0.7 * alpha, 0) / (1 + 0.3 * alpha)
        np.testing.assert_allclose(fit.coefficients, expected, atol=1e-7)


@pytest.mark.parametrize("shape", [(60, 8), (30, 200), (200, 150)])
@pytest.mark.parametrize("ratio", [1.0, 0.5, 0.01])
@pytest.mark.parametrize("alpha", [0.5, 0.01])
def test_conditions_of_the_minimum_hold_and_the_gap_bounds_the_rest(shape, ratio, alpha):
    rng = np.random.default_rng(1)
    x = rng.normal(size=shape) + rng.normal(size=(shape[0], 1))
    y = x[:, :3].sum(axis=1) + rng.normal(size=shape[0])
    method = ElasticNet(alpha=alpha, l1_ratio=ratio, tol=1e-13, max_iter=100_000)
    fit = method.fit(x, y)
    assert fit.stop.kind == "converged"
    left = y - fit.predict(x)
    slope = (x - x.mean(axis=0)).T @ left / len(y) - alpha * (1 - ratio) * fit.coefficients
    on = fit.coefficients != 0
    # A gap of 1e-13 of the variance leaves slopes of its root.
    close = 1e-5 * np.abs(x).max() * y.std()
    signs = alpha * ratio * np.sign(fit.coefficients[on])
    np.testing.assert_allclose(slope[on], signs, atol=close)
    assert np.abs(slope[~on]).max(initial=0) <= alpha * ratio + close
    rough = replace(method, tol=1e-3).fit(x, y)
    value, best = (
        0.5 * np.mean((y - f.predict(x)) ** 2)
        + alpha * (ratio * np.abs(f.coefficients).sum()
                   + 0.5 * (1 - ratio) * (f.coefficients**2).sum())
        for f in (rough, fit)
    )  # fmt: skip
    assert -1e-12 * best <= value - best <= rough.gap + 1e-12 * best


@pytest.mark.parametrize("solver", ["cd", "fista"])
@pytest.mark.parametrize("ratio", [1.0, 0.3])
def test_the_objective_never_rises(solver, ratio):
    method = ElasticNet(alpha=0.05, l1_ratio=ratio, solver=solver, tol=1e-10, max_iter=3000)
    values = [s.objective for s in method.steps(X, Y)]
    assert len(values) > 3
    assert np.diff(values).max() <= 1e-12 * values[0]  # rounding of a sum


def test_subgradients_reach_no_exact_zero():
    fit = ElasticNet(alpha=0.5, solver="subgradient", max_iter=300).fit(X, Y)
    assert len(fit.support) == 8
    assert len(ElasticNet(alpha=0.5).fit(X, Y).support) < 8


def test_how_often_the_caller_is_told_does_not_matter():
    x = RNG.normal(size=(50, 130)) + RNG.normal(size=(50, 1))
    it = least_squares(rows(x, Y[:50], None, "centering"))
    ends = [
        list(descend(it, 0.5, 0.1, tol=1e-12, max_iter=10_000, batch=b))[-1] for b in (1, 7, POLISH)
    ]
    for end in ends[1:]:
        np.testing.assert_array_equal(ends[0].w, end.w)
        assert end.sweeps == ends[0].sweeps


def test_the_rule_keeps_the_last_step_of_the_fit():
    for rule in ("cv", "aic", "bic"):
        method = ElasticNet(alpha_rule=rule)
        fit = method.fit(X, Y, seed=3)
        end = record(method.steps(X, Y, seed=3))[-1]
        np.testing.assert_array_equal(fit.coefficients, end.state.coefficients)
        assert fit.curve.name == rule
        assert fit.alpha == fit.curve.alphas[fit.curve.score.argmin()]
    with pytest.raises(DataError, match="rows for 8 columns"):
        ElasticNet(alpha_rule="aic").fit(X[:9], Y[:9])


@pytest.mark.parametrize("l2", [0.0, 0.7])
def test_the_gap_is_never_below_the_truth(l2):
    """Primal minus the true minimum is at most the gap, for any coefficients."""
    it = least_squares(rows(X, Y, None, "centering"))
    l1 = 6.0
    best = list(descend(it, l1, l2, tol=1e-15, max_iter=100_000))[-1].objective
    rng = np.random.default_rng(5)
    for _ in range(50):
        w = rng.normal(size=8) * rng.choice([0, 0.1, 2.0])
        left = it.left(w)
        value = 0.5 * (it.yy - (it.toward + left) @ w) + l1 * np.abs(w).sum() + 0.5 * l2 * w @ w
        assert duality_gap(it.toward, it.yy, l1, l2, w, left) >= value - best - 1e-9


@pytest.mark.parametrize("method", [LinearRegression(), Ridge()])
@pytest.mark.parametrize("weighted", [False, True])
def test_columns_far_from_zero_keep_their_digits_on_large_tables(method, weighted):
    rng = np.random.default_rng(0)
    n = 300_000
    near = np.round(rng.normal(size=(n, 2)) * 64) / 64  # binary fractions: moved without rounding
    y = near @ [1.0, 2.0] + np.round(rng.normal(size=n) * 64) / 64
    options = {"weights": np.tile([1.0, 2.0, 3.0], n // 3)} if weighted else {}
    wanted = method.fit(near, y, **options).coefficients
    far = near + np.array([1e9, -1e9])
    found = method.fit(far, y - 1e9, **options).coefficients
    np.testing.assert_allclose(found, wanted, rtol=1e-13)
