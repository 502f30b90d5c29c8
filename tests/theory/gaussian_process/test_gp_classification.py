"""What the theory says of Gaussian process classification, without a reference."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit

from mlcore.gaussian_process.averages import averaged_logistic, sampled_logistic
from mlcore.gaussian_process.gp_classification import GPClassifier
from mlcore.gaussian_process.laplace import Labelled, Laplace, newton
from mlcore.kernels.composed import Scaled, Sum
from mlcore.kernels.products import Linear
from mlcore.kernels.rbf import RBF
from mlcore.spine.errors import DataError
from mlcore.spine.iterate import record

X4, Y4 = np.array([[0.1], [0.3], [0.7], [0.9]]), np.array([1, 1, 0, 0])
KERNEL = Scaled(kernel=RBF.from_sigma(0.3), factor=9.0)


def clouds(n=60, seed=0, classes=2):
    """Rows of classes that overlap."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    level = X[:, 0] + X[:, 1] ** 2 + 0.3 * rng.normal(size=n)
    return X, np.searchsorted(np.quantile(level, np.arange(1, classes) / classes), level)


def test_four_rows_by_hand():
    fit = GPClassifier(kernel=KERNEL, learn="none").fit(X4, Y4)
    latent = [2.028694, 1.592148, -1.592148, -2.028694]
    np.testing.assert_allclose(fit.latent(X4)[:, 0], latent, atol=1e-6)
    assert fit.log_evidence == pytest.approx(-2.377880, abs=1e-6)
    np.testing.assert_allclose(fit.latent([[0.2]]), 1.980781, atol=1e-6)
    np.testing.assert_allclose(fit.latent_deviation([[0.2]]) ** 2, 3.061558, atol=1e-6)
    np.testing.assert_allclose(fit.probabilities([[0.2]])[0, 1], 0.790064, atol=1e-6)
    plain = replace(fit.made_by, average="plug_in").fit(X4, Y4)
    np.testing.assert_allclose(plain.probabilities([[0.2]])[0, 1], 0.878764, atol=1e-6)


def test_the_mode_is_where_its_weights_are_what_labels_lack_of_probabilities():
    X, y = clouds()
    fit = GPClassifier(learn="none").fit(X, y)
    missing = y - expit(fit.latent(X)[:, 0])
    np.testing.assert_allclose(fit.weights[0], missing, atol=1e-9)


@pytest.mark.parametrize(
    "kernel", [KERNEL, Sum(first=KERNEL, second=Scaled(kernel=RBF(gamma=0.1), factor=0.5))]
)
def test_the_gradient_of_the_evidence_is_that_of_differences(kernel):
    X, y = clouds()
    w = np.random.default_rng(1).uniform(0.3, 2.0, len(X))
    rows = Labelled(X, np.where(y == 1, 1.0, -1.0), w)

    def moved(path, by):
        name, _, rest = path.partition(".")
        if rest:
            inner = getattr(kernel, name)
            own, _, deeper = rest.partition(".")
            if deeper:
                core = getattr(inner, own)
                changed = replace(core, **{deeper: getattr(core, deeper) * np.exp(by)})
                return replace(kernel, **{name: replace(inner, **{own: changed})})
            changed = replace(inner, **{own: getattr(inner, own) * np.exp(by)})
            return replace(kernel, **{name: changed})
        return replace(kernel, **{name: getattr(kernel, name) * np.exp(by)})

    for path, slope in Laplace(rows, kernel).gradient().items():
        ends = [Laplace(rows, moved(path, by)).evidence for by in (1e-4, -1e-4)]
        assert slope == pytest.approx((ends[0] - ends[1]) / 2e-4, rel=1e-5, abs=1e-7), path


def test_newton_never_loses_and_ends_where_nothing_is_left_to_gain():
    X, y = clouds()
    rows = Labelled(X, np.where(y == 1, 1.0, -1.0), np.ones(len(X)))
    # Far from the mode a whole step overshoots, and is halved.
    modes = list(newton(KERNEL(X), rows, 50.0 * rows.sign))
    assert np.diff([mode.log_posterior for mode in modes]).min() > -1e-9
    assert max(mode.halvings for mode in modes) > 0
    assert np.abs(modes[-1].slope - modes[-1].weights).max() < 1e-8


@pytest.mark.parametrize("deviation", [1e-3, 0.3, 0.99, 1.01, 3.0, 40.0])
@pytest.mark.parametrize("mean", [0.0, 0.4, -5.0, 30.0])
def test_the_mean_of_the_logistic_function_is_its_integral(mean, deviation):
    def integrand(z):
        return expit(mean + deviation * z) * np.exp(-z * z / 2) / np.sqrt(2 * np.pi)

    bend = float(np.clip(-mean / deviation, -11, 11))
    exact = quad(integrand, -12, 12, points=[bend], limit=500, epsabs=1e-13)[0]
    ours = averaged_logistic(np.array([mean]), np.array([deviation]))[0]
    assert ours == pytest.approx(exact, abs=1e-8)


def test_averages_by_chance_are_off_by_what_they_say():
    fit = GPClassifier(kernel=KERNEL, learn="none", average="monte_carlo", n_samples=400)
    each = [fit.fit(X4, Y4, seed=seed) for seed in range(200)]
    P = np.array([f.probabilities([[0.2]])[0, 1] for f in each])
    errors = np.array([f.sampling_error([[0.2]])[0, 0] for f in each])
    # Of 200 means, and of their spread: three standard errors.
    assert P.mean() == pytest.approx(0.790064, abs=3 * errors.mean() / np.sqrt(200))
    assert P.std() == pytest.approx(errors.mean(), rel=3 / np.sqrt(400))


def test_averages_by_chance_name_the_class_of_the_latent_mean():
    mean = np.array([-1e-6, 1e-6, 1e-3])
    said, _ = sampled_logistic(mean, np.full(3, 4.0), np.random.default_rng(0).normal(size=5))
    assert ((said > 0.5) == (mean > 0)).all()
    X, y = clouds()
    fit = GPClassifier(learn="none", average="monte_carlo", n_samples=10).fit(X, y, seed=1)
    np.testing.assert_array_equal(fit.predict(X), fit.probabilities(X).argmax(axis=1))
    np.testing.assert_allclose(fit.probabilities(X[:3]), fit.probabilities(X)[:3], rtol=1e-12)


def test_far_from_the_rows_the_classes_are_as_probable():
    X, y = clouds(classes=3)
    fit = GPClassifier(kernel=RBF(gamma=1.0), learn="none").fit(X, y)
    np.testing.assert_allclose(fit.probabilities([[99.0, 99.0]]), 1 / 3)
    assert np.abs(fit.probabilities(X).sum(axis=1) - 1).max() < 1e-12


def test_a_row_of_weight_two_is_two_rows():
    X, y = clouds(40)
    w = np.random.default_rng(1).integers(1, 3, 40)
    method = GPClassifier(kernel=KERNEL, learn="none")
    fit, same = method.fit(X, y, weights=w), method.fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    np.testing.assert_allclose(fit.probabilities(X), same.probabilities(X), atol=1e-9)
    assert fit.log_evidence == pytest.approx(same.log_evidence, abs=1e-9)


def test_each_step_of_learning_has_more_evidence():
    X, y = clouds()
    steps = record(GPClassifier().steps(X, y))
    assert np.diff([step.objective for step in steps]).min() > -1e-9
    fit = GPClassifier().fit(X, y)
    assert fit.log_evidence == pytest.approx(steps[-1].objective)
    assert fit.evidence_at(0, fit.kernels[0]) == pytest.approx(fit.log_evidence, abs=1e-8)


def test_a_kernel_without_a_gradient_stays_as_it_is_and_says_so():
    X, y = clouds()
    fit = GPClassifier(kernel=Linear()).fit(X, y)
    assert fit.learned == ()
    assert any("has no gradient" in note for note in fit.notes)


def test_a_kernel_that_is_no_covariance_is_refused():
    X, y = clouds()
    with pytest.raises(DataError, match="needs a kernel that is a covariance"):
        GPClassifier(kernel="sigmoid").fit(X, y)
