"""Losses along a line: compiled loops against the plain formulas, and against wider numbers."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.optimisation import _kernels, lines
from mlcore.optimisation.lines import Compiled, Line
from mlcore.optimisation.losses import Logistic, Sigmoids, Softmax

# Rows of more than a part and of more than a chunk, and targets of each loss.
CASES = [
    (Logistic(), 1, lambda rng, n: rng.integers(0, 2, n).astype(float)),
    (Softmax(), 3, lambda rng, n: rng.integers(0, 3, n)),
    (Sigmoids(), 3, lambda rng, n: rng.integers(0, 3, n)),
]


def ulps(values, exact):
    return float((np.abs(values - exact) / np.spacing(exact.astype(float))).max())


def test_the_exponential_is_right_to_an_ulp():
    x = -np.concatenate([np.linspace(0.0, 700.0, 20_001), 10.0 ** np.linspace(-20, 2.8, 20_001)])
    exact = np.exp(x.astype(np.longdouble))
    assert ulps(np.array([_kernels._exp(it) for it in x]), exact) < 1.01
    assert _kernels._exp(0.0) == 1.0
    assert 0.0 < _kernels._exp(-np.inf) < 1e-307
    assert np.isnan(_kernels._exp(np.nan))


def test_the_logarithm_is_right_to_two_ulps_near_zero_too():
    u = np.concatenate([10.0 ** np.linspace(-300, 6, 20_001), np.linspace(0.001, 5.0, 20_001)])
    exact = np.log1p(u.astype(np.longdouble))
    assert ulps(np.array([_kernels._log1p(it) for it in u]), exact) < 2.01
    assert _kernels._log1p(0.0) == 0.0
    assert np.isnan(_kernels._log1p(np.nan))


def test_the_logistic_function_and_its_loss_are_right_wherever_they_are_looked_at():
    z = np.concatenate([np.linspace(-700.0, 700.0, 20_001), [0.0, -0.0, 1e-300, -1e-300]])
    local = Logistic().at(np.zeros(len(z)), z[None])
    small = np.exp(-np.abs(z.astype(np.longdouble)))
    exact = np.where(z >= 0, 1.0, small) / (1.0 + small)
    assert ulps(local.shape[0], exact) < 3
    assert ulps(local.value, np.maximum(z, 0.0) + np.log1p(small)) < 3
    far = Logistic().at(np.zeros(4), np.array([[1e300, 800.0, -800.0, -1e300]]))
    assert far.shape.tolist() == [[1.0, 1.0, 0.0, 0.0]]
    assert np.isnan(Logistic().at(np.zeros(1), np.array([[np.nan]])).shape).all()


@pytest.mark.parametrize(("loss", "m", "targets"), CASES, ids=lambda it: type(it).__name__)
@pytest.mark.parametrize("size", [1.0, 300.0])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_a_trial_is_the_loss_there(monkeypatch, loss, m, targets, size, is_weighted):
    monkeypatch.setattr(lines, "PART", 700)
    rng, n = np.random.default_rng(0), 1001
    y, Z, by = targets(rng, n), size * rng.normal(size=(m, n)), rng.normal(size=(m, n))
    weights = rng.integers(0, 3, n).astype(float) if is_weighted else None
    w = np.ones(n) if weights is None else weights
    local = loss.at(y, Z + 0.7 * by)
    got = Line(loss, y, weights).at(Z, by, 0.7)
    np.testing.assert_allclose(got.Z, Z + 0.7 * by, rtol=0, atol=1e-13 * size)
    np.testing.assert_allclose(got.slopes, local.slope * w, rtol=0, atol=1e-13)
    assert got.value == pytest.approx(w @ local.value, rel=1e-12)
    assert got.rise == pytest.approx(np.vdot(local.slope * w, by), rel=1e-10)


def test_losses_with_loops_of_their_own_are_known():
    assert isinstance(Logistic(), Compiled)
    assert isinstance(Softmax(), Compiled)
    assert not isinstance(Sigmoids(), Compiled)


@pytest.mark.parametrize(("loss", "m", "targets"), CASES[:2], ids=lambda it: type(it).__name__)
def test_a_trial_too_far_is_no_decrease(loss, m, targets):
    y = targets(np.random.default_rng(0), 50)
    Z = np.zeros((m, 50))
    far = np.where(np.arange(50) == 7, np.inf, 1.0) * np.ones((m, 50))
    for by in far, np.where(np.isinf(far), np.nan, far):
        trial = Line(loss, y, None).at(Z, by, 1.0)
        assert not trial.value <= 0.0


def test_a_kept_predictor_outlives_the_next_trial():
    y, Z = np.zeros(5), np.zeros((1, 5))
    line = Line(Logistic(), y, None)
    kept = line.kept(line.at(Z, np.ones((1, 5)), 1.0))
    line.at(Z, np.ones((1, 5)), 2.0)
    np.testing.assert_array_equal(kept.Z, np.ones((1, 5)))
