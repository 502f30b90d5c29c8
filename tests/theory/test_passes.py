"""Passes over many rows: compiled loops against plain products, and what they change of nothing."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.maths.arrays import read_only
from mlcore.optimisation import _kernels, passes
from mlcore.optimisation.composed import Objective
from mlcore.optimisation.deviances import BinomialLoss, TweedieLoss
from mlcore.optimisation.lbfgs import _along_columns
from mlcore.optimisation.losses import Logistic, Softmax
from mlcore.optimisation.newton import Newton
from mlcore.optimisation.passes import Passes
from mlcore.optimisation.penalties import L2
from mlcore.spine.iterate import last

RNG = np.random.default_rng(0)
X = RNG.normal(size=(3001, 5)) + 2.0
Z = X @ RNG.normal(size=5) * 0.2
AMOUNTS = RNG.gamma(2.0, np.exp(Z) / 2.0)
CODES = np.searchsorted(np.quantile(Z, [0.3, 0.6]), Z + RNG.normal(size=3001))
POWERS = [1.0, 1.5, 2.0, 2.6, 3.0]
LOSSES = [
    *((TweedieLoss(power), 1, AMOUNTS) for power in POWERS),
    (BinomialLoss(), 1, np.clip(AMOUNTS, 0.0, 1.0)),
    (Logistic(), 1, (CODES > 0).astype(float)),
    (Softmax(), 3, CODES),
]


@pytest.mark.parametrize("m", [1, 2, 3])
@pytest.mark.parametrize("rows", [2049, 3000, 3001])
def test_passes_are_products(monkeypatch, m, rows):
    monkeypatch.setattr(passes, "PART", 5 * 700)  # several parts, none a multiple of four
    over, W, S = Passes.over(X[:rows], m), RNG.normal(size=(m, 5)), RNG.normal(size=(m, rows))
    start = RNG.normal(size=m)
    predicted = W @ X[:rows].T + start[:, None]
    np.testing.assert_allclose(over.predicted(W, start), predicted, rtol=0, atol=1e-13)
    sums = np.column_stack([S @ X[:rows], S.sum(axis=1)])
    np.testing.assert_allclose(over.gathered(S), sums, rtol=0, atol=1e-10)


def test_few_rows_many_outputs_and_other_orders_are_left_to_the_blas():
    assert Passes.over(X[:2048], 1) is None
    assert Passes.over(X, 4) is None
    assert Passes.over(np.asfortranarray(X), 1) is None


@pytest.mark.parametrize(("loss", "m", "y"), LOSSES, ids=lambda it: type(it).__name__)
@pytest.mark.parametrize("is_weighted", [False, True])
def test_an_objective_by_passes_is_that_by_blocks(loss, m, y, is_weighted):
    weights = RNG.integers(0, 3, 3001) / 3001 if is_weighted else None
    problem = Objective(loss, L2(alpha=0.1), X, y, weights, m)
    assert problem._passes is not None
    theta = RNG.normal(size=(m, 6)) * 0.3
    got = problem.evaluated(theta)
    W, start = theta[:, :-1], theta[:, -1:] - (theta[:, :-1] @ problem.mean)[:, None]
    plain = problem._by_blocks(W, start)
    np.testing.assert_allclose(got.Z, plain.Z, rtol=0, atol=1e-13)
    assert got.value == pytest.approx(plain.value, rel=1e-12)
    size = np.abs(plain.slope).max()
    np.testing.assert_allclose(got.slope, plain.slope, rtol=0, atol=1e-11 * size)


@pytest.mark.parametrize("power", POWERS)
def test_a_mean_beyond_all_numbers_is_no_decrease(power):
    loop, y = TweedieLoss(power), np.ones(8)
    far = np.where(np.arange(8) == 5, 2000.0, 0.0)[None, :]
    for sign in 1.0, -1.0:
        with np.errstate(over="ignore", invalid="ignore"):
            plain = float(loop.at(y, sign * far).value.sum())
        there, slopes, out = np.empty((1, 8)), np.empty((1, 8)), np.empty(2)
        one, Z, by = map(read_only, (y, np.zeros((1, 8)), sign * far))
        _kernels._tweedie_along(power, one, one, Z, by, 1.0, 0, 8, there, slopes, out)
        got = out[0]
        assert got == pytest.approx(plain, rel=1e-12) if np.isfinite(plain) else not got <= 1e300


def test_no_loop_carries_the_identity_and_the_normal_family():
    assert TweedieLoss(0.0).over is None
    assert TweedieLoss(2.0, has_log=False).over is None
    assert TweedieLoss(2.0).over is not None


def test_powers_of_e_end_where_numbers_end():
    x = np.linspace(-708.0, 709.0, 4001)
    exact = np.exp(x.astype(np.longdouble))
    got = np.array([_kernels._power_of_e(it) for it in x])
    assert float((np.abs(got - exact) / np.spacing(exact.astype(float))).max()) < 1.01
    assert _kernels._power_of_e(709.5) == np.inf
    assert np.isnan(_kernels._power_of_e(np.nan))


def test_the_gram_matrix_of_rows_that_weigh_the_same_comes_of_one_pass():
    problem = Objective(TweedieLoss(1.0), L2(), X, AMOUNTS, np.full(3001, 1 / 3001))
    np.testing.assert_allclose(problem.mean, X.mean(axis=0), rtol=0, atol=1e-7)
    centred = np.column_stack([X - problem.mean, np.ones(3001)])
    whole = centred.T @ centred / 3001
    np.testing.assert_allclose(problem.gram(problem.weights), whole, rtol=0, atol=1e-12)
    rough = problem.gram(problem.weights, np.float32)
    np.testing.assert_allclose(rough, whole, rtol=0, atol=1e-6)
    assert not np.array_equal(rough, problem.gram(problem.weights))
    uneven = np.where(np.arange(3001) == 2000, 2.0, 1.0)
    about = np.column_stack([X - problem.mean, np.ones(3001)])
    np.testing.assert_allclose(
        problem.gram(uneven), (about.T * uneven) @ about, rtol=1e-11, atol=1e-9
    )


@pytest.mark.parametrize(("loss", "m", "y"), LOSSES, ids=lambda it: type(it).__name__)
def test_no_bit_depends_on_the_threads(monkeypatch, loss, m, y):
    monkeypatch.setattr(passes, "PART", 5 * 700)

    def end(threads):
        monkeypatch.setenv("MLSCOPE_THREADS", threads)
        problem = Objective(loss, L2(alpha=0.1), X, y, None, m)
        return last(Newton().steps(problem, problem.zero(), tol=1e-9, max_iter=30)).state

    one, three = end("1"), end("3")
    np.testing.assert_array_equal(one.coefficients, three.coefficients)
    np.testing.assert_array_equal(one.predictor, three.predictor)


@pytest.mark.parametrize("n", [1, 3, 40])
def test_the_curvature_along_columns_is_that_of_centred_rows(n):
    rows, bend = RNG.normal(size=(n, 7)) + 1e3, RNG.uniform(size=n)
    problem = Objective(Logistic(), L2(), rows, np.zeros(n))
    exact = bend @ (rows - problem.mean) ** 2
    np.testing.assert_allclose(_along_columns(problem, bend), exact, rtol=1e-12)
