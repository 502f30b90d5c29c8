"""First eigenvectors by products against those of the matrix itself."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.maths.krylov import first_eigenvectors
from mlcore.maths.linear import eigen_falling, signed
from mlcore.reduction.pca import PCA
from mlcore.reduction.solvers import Covariance

RNG = np.random.default_rng(0)


def turned(values: np.ndarray) -> np.ndarray:
    """A symmetric matrix with these eigenvalues."""
    Q = np.linalg.qr(RNG.normal(size=(len(values), len(values))))[0]
    return (Q * values) @ Q.T


def settled(A: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    first = first_eigenvectors(lambda V: V @ A, len(A), k)
    assert first is not None
    return first


@pytest.mark.parametrize("k", [1, 7, 14])
def test_they_are_those_of_the_matrix(k):
    A = turned(0.9 ** np.arange(400))
    values, vectors = settled(A, k)
    exact, columns = eigen_falling(A)
    np.testing.assert_allclose(values, exact[:k], rtol=1e-12)
    np.testing.assert_allclose(signed(vectors), signed(columns[:, :k].T), atol=1e-8)


def test_equal_eigenvalues_are_all_there():
    A = turned(np.r_[np.full(12, 5.0), 0.8 ** np.arange(300)])
    values, vectors = settled(A, 12)
    np.testing.assert_allclose(values, 5.0)
    np.testing.assert_allclose(vectors @ vectors.T, np.eye(12), atol=1e-12)


def test_a_matrix_of_low_rank_ends_the_space_early():
    A = turned(np.r_[3.0, 2.0, 1.0, np.zeros(200)])
    values, _ = settled(A, 5)
    np.testing.assert_allclose(values, [3, 2, 1, 0, 0], atol=1e-12)


def test_eigenvalues_that_hardly_differ_are_given_up():
    A = turned(np.linspace(1.0, 0.99, 2000))
    assert first_eigenvectors(lambda V: V @ A, 2000, 10) is None


@pytest.mark.parametrize("level", [0.0, 1e4])
def test_few_axes_of_many_are_the_exact_ones(level):
    """Far from zero the mean would cost digits; both ways need the mean taken out."""
    X = RNG.normal(size=(2100, 30)) * np.linspace(9, 2, 30) @ RNG.normal(size=(30, 2000))
    X += RNG.normal(size=X.shape) + level
    few = PCA(n_components=5).fit(X)
    exact = PCA(n_components=5, solver=Covariance()).fit(X - level)
    np.testing.assert_allclose(few.variances, exact.variances, rtol=1e-9)
    np.testing.assert_allclose(few.shares, exact.shares, rtol=1e-9)
    np.testing.assert_allclose(few.axes, exact.axes, atol=1e-8)
