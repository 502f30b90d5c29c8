"""Kernel ridge regression: numbers by hand, and what the theory says of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mlcore.gaussian_process.gp_regression import GPRegressor
from mlcore.gaussian_process.kernel_ridge import KernelRidge
from mlcore.kernels.low_rank import incomplete_cholesky, nystroem
from mlcore.kernels.products import Linear
from mlcore.kernels.radial import Power
from mlcore.kernels.rbf import RBF
from mlcore.regression.multi_output import MultiOutputRegressor
from mlcore.regression.ridge import Ridge
from mlcore.spine.errors import DataError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 3))
Y = X[:, 0] ** 2 + 5.0 + RNG.normal(size=30)
BELL = RBF(gamma=0.3)


def test_three_points_by_hand():
    """K = [[1, a, 0], [a, 1, a], [0, a, 1]] with a so small a width that ends do not meet."""
    rows, y, a = np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 1.0, 0.0]), np.exp(-4.0)
    kernel = RBF(gamma=4.0)
    fit = KernelRidge(kernel=kernel, alpha=1.0, offset=False).fit(rows, y)
    ends = np.exp(-16.0)
    K = np.array([[1, a, ends], [a, 1, a], [ends, a, 1]])
    np.testing.assert_allclose(fit.duals, np.linalg.solve(K + np.eye(3), y), rtol=1e-12)


def test_golden_numbers_of_the_notes():
    rows, y = np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 1.0, 0.0])
    fit = KernelRidge(kernel=RBF(gamma=1.0), alpha=1.0, offset=False).fit(rows, y)
    np.testing.assert_allclose(fit.duals, (-0.097685, 0.535936, -0.097685), atol=5e-7)
    np.testing.assert_allclose(fit.predict(rows), (0.097685, 0.464064, 0.097685), atol=5e-7)
    left = fit.left_one_out()
    np.testing.assert_allclose(left, (-0.188638, 1, -0.188638), atol=5e-7)
    assert (left**2).mean() == pytest.approx(0.357056, abs=5e-7)


@pytest.mark.parametrize("offset", [False, True])
def test_a_linear_kernel_is_ridge_regression(offset):
    fit = KernelRidge(kernel=Linear(), alpha=2.0, offset=offset).fit(X, Y)
    plain = Ridge(alpha=2.0, offset="centering" if offset else "none").fit(X, Y)
    np.testing.assert_allclose(fit.predict(X), plain.predict(X), rtol=1e-10)


def test_it_is_the_mean_of_a_gaussian_process_with_that_noise():
    fit = KernelRidge(kernel=BELL, alpha=0.2, offset=False).fit(X, Y)
    process = GPRegressor(kernel=BELL, noise=0.2, learn="none", scaling="none").fit(X, Y)
    np.testing.assert_allclose(fit.predict(X), process.predict(X), rtol=1e-9)
    np.testing.assert_allclose(
        fit.contributions(X).sum(axis=1), process.contributions(X).sum(axis=1), rtol=1e-9
    )


@pytest.mark.parametrize("offset", [False, True])
def test_the_closed_form_of_rows_left_out_is_that_of_new_fits(offset):
    method = KernelRidge(kernel=BELL, alpha=0.5, offset=offset)
    left = [
        Y[i] - method.fit(np.delete(X, i, 0), np.delete(Y, i)).predict(X[i : i + 1])[0]
        for i in range(30)
    ]
    np.testing.assert_allclose(method.fit(X, Y).left_one_out(), left, atol=1e-10)


@pytest.mark.parametrize("offset", [False, True])
@pytest.mark.parametrize("weights", [None, np.arange(30) % 3])
def test_the_chosen_strength_has_the_least_error_of_rows_left_out(offset, weights):
    method = KernelRidge(kernel=BELL, alpha_rule="loo", offset=offset, n_alphas=9)
    fit = method.fit(X, Y, weights=weights)
    counts = np.ones(30) if weights is None else weights[weights > 0]
    fixed = [KernelRidge(kernel=BELL, alpha=float(a), offset=offset) for a in fit.tried]
    left = [one.fit(X, Y, weights=weights).left_one_out() for one in fixed]
    errors = np.array([np.average(e**2, weights=counts) for e in left])
    np.testing.assert_allclose(fit.tried_errors, errors, rtol=1e-6)
    assert fit.alpha == fit.tried[errors.argmin()]


def test_generalised_cross_validation_by_its_definition():
    fit = KernelRidge(kernel=BELL, alpha_rule="gcv", n_alphas=5).fit(X, Y)
    one = KernelRidge(kernel=BELL, alpha=float(fit.tried[3])).fit(X, Y)
    moved = [
        one.made_by.fit(X, Y + np.eye(30)[i]).predict(X)[i] - one.predict(X)[i] for i in range(30)
    ]
    df = float(np.sum(moved))
    assert fit.tried_df[3] == pytest.approx(df, rel=1e-8)
    assert fit.tried_errors[3] == pytest.approx((one.residuals**2).mean() / (1 - df / 30) ** 2)


@pytest.mark.parametrize("offset", [False, True])
def test_conjugate_gradients_reach_the_solution(offset):
    exact = KernelRidge(kernel=BELL, alpha=0.5, offset=offset).fit(X, Y)
    walked = KernelRidge(kernel=BELL, alpha=0.5, offset=offset, solver="cg", tol=1e-12).fit(X, Y)
    assert walked.n_iter < 40
    np.testing.assert_allclose(walked.predict(X), exact.predict(X), rtol=1e-9)


def test_duals_sum_to_zero_with_a_free_offset_and_residuals_are_alpha_times_them():
    fit = KernelRidge(kernel=BELL, alpha=0.5).fit(X, Y)
    assert fit.duals.sum() == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(fit.residuals, 0.5 * fit.duals, atol=1e-10)
    np.testing.assert_allclose(fit.residuals, Y - fit.predict(X), atol=1e-10)


def test_the_level_of_the_target_does_not_matter_with_a_free_offset():
    method = KernelRidge(kernel=BELL, alpha=0.5)
    np.testing.assert_allclose(
        method.fit(X, Y + 1000.0).predict(X), method.fit(X, Y).predict(X) + 1000.0, rtol=1e-10
    )


def test_weights_are_repeated_rows():
    w, method = RNG.integers(0, 3, 30), KernelRidge(kernel=BELL, alpha=0.5)
    repeated = method.fit(np.repeat(X, w, 0), np.repeat(Y, w))
    np.testing.assert_allclose(method.fit(X, Y, weights=w).predict(X), repeated.predict(X))


def test_a_strength_that_rounding_swallows_is_refused():
    rows = np.repeat(X[:3], 5, axis=0)
    with pytest.raises(DataError, match="Raise alpha"):
        KernelRidge(kernel=Linear(), alpha=1e-12, offset=False).fit(1e6 * rows, np.arange(15.0))


def test_where_rounding_swallows_the_strength_eigenvalues_give_the_shortest_solution():
    """That of the pseudo-inverse: rows at one place share what they explain evenly."""
    rows, y = np.repeat(X[:3], 5, axis=0), np.arange(15.0)
    method = KernelRidge(kernel=Linear(), alpha=1e-12, offset=False, solver="eigh")
    fit = method.fit(1e6 * rows, y)
    np.testing.assert_allclose(fit.duals, fit.duals.reshape(3, 5).mean(1).repeat(5), rtol=1e-6)
    shortest = np.linalg.pinv(1e6 * rows, rcond=1e-12) @ y
    np.testing.assert_allclose(fit.predict(1e6 * rows), 1e6 * rows @ shortest, rtol=1e-8)
    lost = 15 - np.linalg.matrix_rank(rows)
    assert f"{lost} directions of the features" in fit.stop.why


@pytest.mark.parametrize("offset", [False, True])
@pytest.mark.parametrize("n_centers", [None, 7])
def test_eigenvalues_reach_the_solution_of_cholesky(offset, n_centers):
    method = KernelRidge(kernel=BELL, alpha=0.5, offset=offset, n_centers=n_centers)
    exact, other = (replace(method, solver=s).fit(X, Y) for s in ("cholesky", "eigh"))
    np.testing.assert_allclose(other.duals, exact.duals, atol=1e-10)
    np.testing.assert_allclose(other.predict(X), exact.predict(X), atol=1e-10)
    assert "direction" not in other.stop.why


WEIGHTS = (None, np.arange(30) % 3 + 0.5)


@pytest.mark.parametrize("offset", [False, True])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_centers_at_all_rows_change_nothing(offset, weights):
    """Of the prediction, of rows left out, and of the strength that is chosen."""
    method = KernelRidge(kernel=BELL, alpha=0.5, offset=offset)
    whole, parts = (replace(method, n_centers=m).fit(X, Y, weights=weights) for m in (None, 30))
    np.testing.assert_allclose(parts.predict(X), whole.predict(X), atol=1e-9)
    np.testing.assert_allclose(parts.left_one_out(), whole.left_one_out(), atol=1e-8)
    for rule in ("loo", "gcv"):
        chosen = replace(method, alpha_rule=rule, n_alphas=9)
        a, b = (replace(chosen, n_centers=m).fit(X, Y, weights=weights) for m in (None, 30))
        np.testing.assert_allclose(b.tried, a.tried)
        np.testing.assert_allclose(b.tried_errors[3:], a.tried_errors[3:], rtol=1e-6)
        np.testing.assert_allclose(b.tried_df[3:], a.tried_df[3:], rtol=1e-6)
        assert a.alpha == pytest.approx(b.alpha, rel=1e-9)


@pytest.mark.parametrize("solver", ["cholesky", "cg"])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_few_centers_are_the_closed_form(solver, weights):
    """The least of squares plus penalty over sums of kernels at the centers and an intercept."""
    method = KernelRidge(kernel=BELL, alpha=0.5, n_centers=7, solver=solver, tol=1e-13)
    fit = method.fit(X, Y, weights=weights)
    w = np.ones(30) if weights is None else weights
    assert len(fit.rows) == 7
    A = np.column_stack([BELL(X, fit.rows), np.ones(30)])
    penalty = np.zeros((8, 8))
    penalty[:7, :7] = 0.5 * BELL(fit.rows)
    B = np.linalg.solve(A.T @ (w[:, None] * A) + penalty, A.T * w)
    np.testing.assert_allclose([*fit.duals, fit.intercept], B @ Y, atol=1e-8)
    np.testing.assert_allclose(fit.residuals, Y - fit.predict(X), atol=1e-10)
    leverage = np.diag(A @ B)
    np.testing.assert_allclose(fit.left_one_out(), fit.residuals / (1 - leverage), atol=1e-9)
    chosen = replace(method, alpha_rule="loo", n_alphas=9).fit(X, Y, weights=weights)
    again = replace(method, alpha=chosen.alpha).fit(X, Y, weights=weights)
    np.testing.assert_allclose(chosen.predict(X), again.predict(X), atol=1e-8)
    least = np.average(again.left_one_out() ** 2, weights=w)
    assert chosen.tried_errors.min() == pytest.approx(least, rel=1e-8)


def test_centers_are_the_rows_that_are_explained_least():
    """Equal rows are one center, rows far apart come first, the order of rows does not count."""
    heaps = np.repeat([[0.0], [0.1], [5.0], [-5.0]], 4, axis=0)
    fit = KernelRidge(kernel=BELL, n_centers=3).fit(heaps, np.arange(16.0))
    assert sorted(np.round(fit.rows[:, 0], 1)) in ([-5.0, 0.0, 5.0], [-5.0, 0.1, 5.0])
    assert len(KernelRidge(kernel=BELL, n_centers=16).fit(heaps, np.arange(16.0)).rows) == 4
    assert (
        "4 of 16 rows are centers and hold 100 %"
        in (KernelRidge(kernel=BELL, n_centers=16).fit(heaps, np.arange(16.0)).notes[0])
    )
    order = RNG.permutation(30)
    method = KernelRidge(kernel=BELL, n_centers=6)
    np.testing.assert_array_equal(method.fit(X, Y).rows, method.fit(X[order], Y[order]).rows)


def test_what_centers_leave_is_told():
    """The trace of K less that of the approximation by the pivots."""
    G, pivots, corner, left = incomplete_cholesky(BELL(X), 7)
    K, cross = BELL(X), BELL(X, X[pivots])
    by_pivots = cross @ np.linalg.solve(BELL(X[pivots]), cross.T)
    np.testing.assert_allclose(G @ G.T, by_pivots, atol=1e-10)
    assert left == pytest.approx(np.trace(K - by_pivots) / 30, rel=1e-8)
    np.testing.assert_array_equal(corner, np.tril(G[pivots]))
    first = (K**2).sum(axis=0) / np.diag(K)
    assert pivots[0] == first.argmax()
    R = np.delete(K - np.outer(G[:, 0], G[:, 0]), pivots[0], axis=1)
    second = (R**2).sum(axis=0) / np.diag(np.delete(R, pivots[0], axis=0))
    assert pivots[1] == np.delete(np.arange(30), pivots[0])[second.argmax()]


@pytest.mark.parametrize("offset", [True, False])
def test_centers_solve_the_ridge_of_their_kernels(offset):
    """Of more centers than are solved at once: the slope of the penalised squares is zero."""
    rng = np.random.default_rng(3)
    rows, y, w = rng.normal(size=(300, 3)), rng.normal(size=300), rng.uniform(0.5, 2.0, 300)
    made = KernelRidge(kernel=BELL, n_centers=100, alpha=0.5, offset=offset)
    fit = made.fit(rows, y, weights=w)
    assert len(fit.rows) == 100
    np.testing.assert_allclose(fit.residuals, y - fit.predict(rows), atol=1e-9)
    across, own = BELL(rows, fit.rows), BELL(fit.rows)
    slope = across.T @ (w * fit.residuals) - 0.5 * own @ fit.duals
    np.testing.assert_allclose(slope, 0.0, atol=1e-8)
    assert offset == (abs(w @ fit.residuals) < 1e-9)


def test_many_rows_are_explained_by_pivots_among_some():
    """By any order of the rows; they leave less than centers drawn at random."""
    rows = np.random.default_rng(1).normal(size=(700, 3))
    G, pivots, corner, left = nystroem(BELL, rows, 40)
    np.testing.assert_allclose(G @ corner.T, BELL(rows, rows[pivots]), atol=1e-9)
    assert left == pytest.approx(1.0 - (G**2).sum() / 700)
    drawn = BELL(rows, rows[:40])
    assert left < 0.9 * (1.0 - np.sum(np.linalg.solve(BELL(rows[:40]), drawn.T) * drawn.T) / 700)
    order = np.random.default_rng(2).permutation(700)
    np.testing.assert_array_equal(rows[order][nystroem(BELL, rows[order], 40).pivots], rows[pivots])


def test_centers_need_a_kernel_that_is_an_inner_product_and_room():
    with pytest.raises(DataError, match="inner product"):
        KernelRidge(kernel=Power(), n_centers=5).fit(X, Y)
    KernelRidge(kernel=Power()).fit(X, Y)
    too_many = KernelRidge(n_centers=9000).applies(np.zeros((20_000, 1)))
    assert too_many is not None and "Take fewer centers" in too_many
    too_large = KernelRidge().applies(np.zeros((20_000, 1)))
    assert too_large is not None and "Set the number of centers" in too_large
    assert KernelRidge(n_centers=500).applies(np.zeros((20_000, 1))) is None


@pytest.mark.parametrize(
    "method",
    [
        KernelRidge(),
        KernelRidge(alpha_rule="loo", offset=False),
        KernelRidge(alpha_rule="gcv", n_centers=8),
        KernelRidge(solver="cg", n_centers=5),
    ],
    ids=["cholesky", "loo", "gcv of centers", "cg of centers"],
)
def test_outputs_share_one_decomposition_and_are_what_each_is_alone(method, monkeypatch):
    rng = np.random.default_rng(3)
    rows, outputs, w = rng.normal(size=(25, 2)), rng.normal(size=(25, 3)), rng.uniform(0, 2, 25)
    alone = [method.fit(rows, y, weights=w) for y in outputs.T.copy()]
    counted = {"eigh": 0, "cholesky": 0}
    for name in counted:
        plain = getattr(np.linalg, name)

        def count(*given, name=name, plain=plain):
            counted[name] += 1
            return plain(*given)

        monkeypatch.setattr(np.linalg, name, count)
    together = MultiOutputRegressor(regressor=method).fit(rows, outputs, weights=w)
    monkeypatch.undo()
    assert counted["eigh"] == int(method.alpha_rule != "fixed")
    assert counted["cholesky"] == int(method == KernelRidge())
    for one, member in zip(alone, together.members, strict=True):
        for name in ("duals", "residuals"):
            np.testing.assert_array_equal(getattr(one, name), getattr(member, name))
        assert (one.alpha, one.intercept) == (member.alpha, member.intercept)
    np.testing.assert_array_equal(together.predict(rows)[:, 1], alone[1].predict(rows))
