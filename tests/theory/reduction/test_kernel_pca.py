"""What the theory says of kernel PCA, without a reference."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from mlcore.kernels.products import Linear, Sigmoid
from mlcore.kernels.rbf import RBF
from mlcore.reduction.kernel_pca import KernelPCA
from mlcore.reduction.pca import PCA
from mlcore.spine.errors import DataError, ParamError

X = load_iris().data
IRIS = (X - X.mean(axis=0)) / X.std(axis=0)
NARROW = RBF(gamma=1 / (2 * 1.5**2))


def test_eigenvalues_of_iris():
    fit = KernelPCA(n_components=4, kernel=NARROW).fit(IRIS)
    expected = (39.688956, 17.473363, 8.215024, 7.234974)
    np.testing.assert_allclose(fit.variances * 150, expected, atol=5e-7)
    assert fit.shares.sum() == pytest.approx(0.767718, abs=5e-7)


def test_eigenvalues_of_the_integral_operator():
    line = np.linspace(-1, 1, 400)[:, None]
    fit = KernelPCA(n_components=4, kernel=RBF(gamma=2.0)).fit(line)
    # Of the uncentred operator there is one more, that of the mean: these two are below it.
    assert (fit.variances < np.array([1.043172, 0.606747, 0.252970, 0.078613]) / 2).all()


def test_training_rows_are_placed_where_new_ones_would_be():
    fit = KernelPCA(n_components=5, kernel=NARROW).fit(IRIS)
    np.testing.assert_allclose(fit.transform(IRIS), fit.scores, atol=1e-12)
    np.testing.assert_allclose((fit.scores**2).mean(axis=0), fit.variances)
    np.testing.assert_allclose(fit.scores.mean(axis=0), 0, atol=1e-12)


def test_a_linear_kernel_is_pca():
    new = IRIS[::7] + 0.2
    ours = KernelPCA(n_components=3, kernel=Linear()).fit(IRIS)
    pca = PCA(n_components=3, divisor="n").fit(IRIS)
    np.testing.assert_allclose(ours.variances, pca.variances)
    np.testing.assert_allclose(np.abs(ours.transform(new)), np.abs(pca.transform(new)), atol=1e-9)


def test_a_wide_kernel_is_pca():
    wide = KernelPCA(n_components=2, kernel=RBF(gamma=1 / (2 * 1e3**2))).fit(IRIS)
    pca = PCA(n_components=2, divisor="n").fit(IRIS)
    np.testing.assert_allclose(wide.variances * 1e6, pca.variances, rtol=1e-4)


def test_few_axes_of_many_rows_are_those_of_all():
    rows = np.random.default_rng(0).normal(size=(500, 4))
    few = KernelPCA(n_components=3, kernel=NARROW).fit(rows)
    many = KernelPCA(n_components=30, kernel=NARROW).fit(rows)
    np.testing.assert_allclose(few.variances, many.variances[:3])
    np.testing.assert_allclose(few.scores, many.scores[:, :3], atol=1e-7)
    np.testing.assert_allclose(few.shares, many.shares[:3])


def test_the_way_back_removes_noise_of_a_circle():
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, 2 * np.pi, 200)
    circle = np.column_stack([np.cos(angle), np.sin(angle)]) + 0.08 * rng.normal(size=(200, 2))
    fit = KernelPCA(n_components=4, kernel=RBF(gamma=1 / (2 * 0.5**2))).fit(circle)
    radii = np.linalg.norm(fit.inverse_transform(fit.transform(circle)), axis=1)
    assert radii.std() < np.linalg.norm(circle, axis=1).std() / 4
    assert 0.92 < radii.mean() < 0.94


def test_regression_leads_back_from_other_kernels():
    fit = KernelPCA(n_components=3, kernel=Linear(), preimage_alpha=1e-6).fit(IRIS)
    straight = PCA(n_components=3).fit(IRIS)
    back, expected = (f.inverse_transform(f.transform(IRIS)) for f in (fit, straight))
    np.testing.assert_allclose(back, expected, atol=1e-6)


def test_regression_leads_back_where_rounding_swallows_its_penalty():
    X = np.vstack([np.random.default_rng(0).normal(size=(40, 3)), [[1e12, 0, 0]]])
    fit = KernelPCA(n_components=1, kernel=Linear()).fit(X)
    np.testing.assert_allclose(fit.inverse_transform(fit.transform(X))[-1, 0], 1e12)


def test_what_cannot_be_is_refused():
    tanh = Sigmoid(gamma=1.0, coef0=-1.0)
    with pytest.raises(DataError, match="not positive definite on these rows"):
        KernelPCA(kernel=tanh).fit(IRIS)
    assert KernelPCA(kernel=tanh, indefinite="clip").fit(IRIS).shares.sum() < 1
    with pytest.raises(ParamError, match="Fixed points lead back from the Gaussian kernel alone"):
        KernelPCA(kernel=Linear(), preimage="fixed_point")
    with pytest.raises(DataError, match="at most 5,000 rows"):
        KernelPCA().fit(np.random.default_rng(0).normal(size=(5001, 2)))
