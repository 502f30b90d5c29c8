"""Several outputs of one kernel and noise: sums over the outputs, by one factor."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.gaussian_process.approximations import FITC, Subset
from mlcore.gaussian_process.gp_regression import GPRegressor
from mlcore.kernels.composed import Scaled
from mlcore.kernels.evidence import Observed, Process, log_evidence
from mlcore.kernels.inducing import SparseProcess
from mlcore.kernels.products import Sigmoid
from mlcore.kernels.rbf import RBF
from mlcore.kernels.settings import value_at, with_value
from mlcore.regression.multi_output import MultiOutputRegressor
from mlcore.spine.errors import DataError

KERNEL = Scaled(factor=1.7, kernel=RBF(gamma=0.8))
CENTERS = np.array([2, 5, 11, 14])
X = np.random.default_rng(0).uniform(-3, 3, size=(24, 1))
Y = np.column_stack([np.sin(2 * X[:, 0]), 40.0 * np.cos(X[:, 0]), 3.0 - X[:, 0]])
Y += np.random.default_rng(1).normal(size=Y.shape) * [0.2, 8.0, 0.1]
W = np.linspace(0.5, 2.5, 24)
MAKERS = {
    "exact": Process,
    "fitc": lambda rows, kernel, noise: SparseProcess(rows, kernel, noise, CENTERS),
}


def shared(**settings):
    return MultiOutputRegressor(regressor=GPRegressor(**settings), together=True)


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("criterion", ["evidence", "left_out"])
def test_the_criterion_and_its_slopes_are_the_sums_over_the_outputs(make, criterion):
    together = make(Observed(X, Y / 10.0, W), KERNEL, 0.1)
    each = [make(Observed(X, column.copy(), W), KERNEL, 0.1) for column in (Y / 10.0).T]
    slopes = "gradient" if criterion == "evidence" else "left_out_gradient"
    total = sum(getattr(process, criterion) for process in each)
    assert getattr(together, criterion) == pytest.approx(total, rel=1e-12)
    gradients = [getattr(process, slopes)() for process in each]
    for path, slope in getattr(together, slopes)().items():
        assert slope == pytest.approx(sum(own[path] for own in gradients), rel=1e-9)
    for j, process in enumerate(each):
        assert together.of_output(j).evidence == pytest.approx(process.evidence, rel=1e-12)
        np.testing.assert_allclose(together.weights[:, j], process.weights, atol=1e-12)


def test_the_evidence_of_two_outputs_by_hand():
    # Rows that know nothing of each other: each target is normal of variance 1 + 0.5.
    evidence = log_evidence(RBF(gamma=1.0), [[0.0], [1e6]], [[1.0, 2.0], [0.0, -1.0]], noise=0.5)
    assert evidence.fit == pytest.approx(-0.5 * (1 + 4 + 0 + 1) / 1.5)
    assert evidence.complexity == pytest.approx(-2.0 * np.log(1.5))
    assert evidence.value == pytest.approx(-2.0 - 2.0 * np.log(1.5) - 2.0 * np.log(2 * np.pi))
    # d/d log noise of the sum of y^2 / 1.5 / -2 and -log 1.5 / 2, four times
    assert evidence.gradient["noise"] == pytest.approx(0.5 * (0.5 * 6 / 1.5**2 - 4 * 0.5 / 1.5))


def test_what_is_learned_has_the_largest_sum_and_each_output_keeps_its_scale():
    fit = shared(tol=1e-8).fit(X, Y)
    kernel, noise = fit.members[0].kernel, fit.members[0].noise
    assert all((m.kernel, m.noise) == (kernel, noise) for m in fit.members)
    scaled = (Y - Y.mean(axis=0)) / Y.std(axis=0)
    best = log_evidence(kernel, X, scaled, noise)
    assert sum(m.log_evidence for m in fit.members) == pytest.approx(best.value, rel=1e-10)
    assert max(abs(slope) for slope in best.gradient.values()) < 1e-6
    for path in ("factor", "kernel.gamma"):
        for by in (0.98, 1.02):
            other = with_value(kernel, path, by * value_at(kernel, path))
            assert log_evidence(other, X, scaled, noise).value < best.value
    assert "3 outputs share: " in fit.notes[0]
    moved = shared(tol=1e-8).fit(X, Y * [1.0, 1e3, 1.0] + [0.0, 5.0, 0.0])
    np.testing.assert_allclose(
        moved.predict(X), fit.predict(X) * [1.0, 1e3, 1.0] + [0.0, 5.0, 0.0], rtol=1e-6
    )


@pytest.mark.parametrize("learn", ["evidence", "loo"])
def test_a_constant_output_moves_neither_kernel_nor_noise(learn):
    two, flat = Y[:, :2], np.full((24, 3), 0.1)
    known = shared(learn=learn).fit(X, two)
    fit = shared(learn=learn).fit(X, np.hstack([flat[:, :1], two, flat[:, 1:]]))
    assert (fit.members[0].kernel, fit.members[0].noise) == (
        known.members[0].kernel, known.members[0].noise
    )  # fmt: skip
    np.testing.assert_array_equal(fit.predict(X)[:, 1:3], known.predict(X))
    np.testing.assert_allclose(fit.predict(X)[:, 0], 0.1, rtol=1e-12)
    assert "2 outputs share: " in fit.notes[0]
    assert fit.notes[0].endswith("3 other outputs are constant and teach nothing.")
    assert "2 outputs share: " in shared(learn=learn).fit(X, flat[:, :2]).notes[0]


@pytest.mark.parametrize("part", [None, FITC(n_inducing=8), Subset(n_kept=12)])
@pytest.mark.parametrize("learn", ["evidence", "loo"])
def test_one_output_is_to_the_bit_what_it_is_without(part, learn):
    inner = {"learn": learn} | ({} if part is None else {"approximation": part})
    alone, given = GPRegressor(**inner).fit(X, Y[:, 0], weights=W), {"weights": W}
    for target in (Y[:, 0], Y[:, :1]):
        member = shared(**inner).fit(X, target, **given).members[0]
        np.testing.assert_array_equal(member.predict(X), alone.predict(X))
        np.testing.assert_array_equal(member.factor, alone.factor)
        assert (member.kernel, member.noise) == (alone.kernel, alone.noise)
        assert member.log_evidence == alone.log_evidence


def test_equal_outputs_learn_what_one_of_them_learns():
    alone = GPRegressor(tol=1e-8).fit(X, Y[:, 0])
    fit = shared(tol=1e-8).fit(X, Y[:, [0, 0, 0]])
    assert fit.members[2].noise == pytest.approx(alone.noise, rel=1e-5)
    np.testing.assert_allclose(fit.predict(X)[:, 2], alone.predict(X), rtol=1e-6)


def test_what_one_output_refuses_all_refuse():
    with pytest.raises(DataError, match="a kernel that is a covariance"):
        shared(kernel=Sigmoid()).fit(X, Y)


def test_one_learning_for_all_outputs_is_expected_to_take_the_time_of_one():
    one, apart = shared(), MultiOutputRegressor(regressor=GPRegressor())
    cost = MultiOutputRegressor.card.cost
    assert cost(500, 3, one)[0] == pytest.approx(cost(500, 3, apart)[0] / 3)
    ridge = MultiOutputRegressor(together=True)  # has no kernel to share
    assert cost(500, 3, ridge) == cost(500, 3, MultiOutputRegressor())
