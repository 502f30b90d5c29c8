"""Projections against scikit-learn."""

from __future__ import annotations

from warnings import catch_warnings

import numpy as np
import pytest
from sklearn.cross_decomposition import CCA as CCAReference
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.decomposition import NMF as NMFReference
from sklearn.decomposition import PCA as Reference
from sklearn.decomposition import FactorAnalysis
from sklearn.decomposition import FastICA as ICAReference
from sklearn.decomposition import KernelPCA as KernelReference
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.random_projection import johnson_lindenstrauss_min_dim

from mlcore.classification.fisher import Fisher
from mlcore.kernels.products import Linear
from mlcore.kernels.rbf import RBF
from mlcore.reduction.cca import CCA
from mlcore.reduction.fast_ica import FastICA, whitened
from mlcore.reduction.kernel_pca import KernelPCA
from mlcore.reduction.nmf import NMF
from mlcore.reduction.pca import PCA
from mlcore.reduction.probabilistic_pca import ProbabilisticPCA
from mlcore.reduction.random_projection import enough
from mlcore.spine.fit import plain_columns

TABLES = {
    "iris": load_iris().data,
    "wine": load_wine().data,
    "diabetes": load_diabetes().data,
    "tall": np.random.default_rng(0).normal(size=(1500, 12)) * np.arange(1, 13) + 100,
    "square": np.random.default_rng(1).normal(size=(60, 50)) * np.linspace(4, 1, 50),
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("solver", ["auto", "eigh", "svd", "gram"])
def test_the_same_axes_and_variances(name, solver):
    X = TABLES[name]
    # Products lose half the digits of small variances: Gram's last ones are left out.
    k = X.shape[1] if solver != "gram" else 3
    ours = PCA(n_components=k, solver=solver).fit(X)
    theirs = Reference(k, svd_solver="full").fit(X)
    scale = theirs.explained_variance_[0]
    np.testing.assert_allclose(ours.variances, theirs.explained_variance_, atol=1e-12 * scale)
    np.testing.assert_allclose(ours.shares, theirs.explained_variance_ratio_, atol=1e-12)
    np.testing.assert_allclose(ours.singular_values, theirs.singular_values_, rtol=1e-7)
    np.testing.assert_allclose(ours.axes, theirs.components_, atol=1e-8)
    np.testing.assert_allclose(ours.mean, theirs.mean_, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("whiten", [False, True])
def test_coordinates_to_ten_digits(whiten):
    X = load_breast_cancer().data / load_breast_cancer().data.std(axis=0)
    ours = PCA(n_components=5, whiten=whiten, solver="svd").fit(X)
    theirs = Reference(5, whiten=whiten, svd_solver="full").fit(X)
    Z = theirs.transform(X)
    np.testing.assert_allclose(ours.transform(X), Z, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(ours.inverse_transform(Z), theirs.inverse_transform(Z), rtol=1e-10)
    np.testing.assert_allclose(ours.noise_variance, theirs.noise_variance_, rtol=1e-10)


@pytest.mark.parametrize("share", [0.5, 0.9, 0.99])
def test_a_share_keeps_as_many(share):
    X = load_wine().data / load_wine().data.std(axis=0)
    theirs = Reference(share, svd_solver="full").fit(X)
    assert len(PCA(share=share).fit(X).axes) == theirs.n_components_


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("n", [178, 700])
def test_the_same_kernel_components(kernel, n):
    """Of all eigenvalues, and of a few of many rows."""
    X = TABLES["tall"][:n, :4]
    new = TABLES["tall"][n : n + 40, :4]
    made = RBF(gamma=0.05) if kernel == "rbf" else Linear()
    ours = KernelPCA(n_components=3, kernel=made).fit(X)
    theirs = KernelReference(3, kernel=kernel, gamma=0.05, eigen_solver="dense").fit(X)
    np.testing.assert_allclose(ours.variances * n, theirs.eigenvalues_, rtol=1e-9)
    # Axes have no sign.
    np.testing.assert_allclose(
        np.abs(ours.transform(new)), np.abs(theirs.transform(new)), atol=1e-7
    )


@pytest.mark.parametrize("eps", [0.1, 0.3, 0.9])
@pytest.mark.parametrize("n", [2, 150, 100_000])
def test_as_many_random_directions(n, eps):
    """Theirs rounds the bound down, ours up."""
    assert enough(n, eps) in johnson_lindenstrauss_min_dim(n, eps=eps) + np.arange(2)


@pytest.mark.parametrize("max_iter", [1, 10, 100])
def test_the_same_factors_by_the_rule_of_lee_and_seung(max_iter):
    """From the same start, theirs by approximate singular vectors, which settles the tolerance.

    In units in which the mean is 1, for their start depends on it.
    """
    X = load_wine().data
    X /= X.mean()
    ours = NMF(n_components=3, origin="zero", updates="multiplicative", max_iter=max_iter, tol=0)
    made = NMFReference(3, init="nndsvda", solver="mu", max_iter=max_iter, tol=0)
    with catch_warnings(action="ignore", category=ConvergenceWarning):
        theirs = made.fit(X)
    fit = ours.fit(X)
    assert fit.error * len(X) == pytest.approx(theirs.reconstruction_err_**2, rel=1e-6)
    lengths = np.linalg.norm(theirs.components_, axis=1, keepdims=True)
    order = np.abs(fit.axes @ (theirs.components_ / lengths).T).argmax(axis=1)
    np.testing.assert_allclose(fit.axes, (theirs.components_ / lengths)[order], atol=1e-6)


@pytest.mark.parametrize(("name", "k"), [("iris", 2), ("wine", 3), ("digits", 10)])
def test_a_factorisation_at_least_as_good(name, k):
    """From the same start, theirs by coordinates too, both to their ends.

    Which plateau is left before a looser tolerance stops on it, the last bits of a product decide.
    """
    X = load_digits().data[:500] if name == "digits" else TABLES[name]
    with catch_warnings(action="ignore", category=ConvergenceWarning):
        made = NMFReference(k, init="nndsvda", tol=1e-7, max_iter=5000, random_state=0)
        theirs = made.fit(X)
    ours = NMF(n_components=k, origin="zero", tol=1e-7, max_iter=5000).fit(X)
    assert ours.error * len(X) <= theirs.reconstruction_err_**2 * (1 + 1e-3)


@pytest.mark.parametrize("algorithm", ["symmetric", "deflation"])
@pytest.mark.parametrize(
    ("contrast", "fun"), [("log_cosh", "logcosh"), ("gauss", "exp"), ("kurtosis", "cube")]
)
def test_the_same_sources_of_other_starts(contrast, fun, algorithm):
    """Both to the last turns; sources have variance 1, and no order and sign in common."""
    rng = np.random.default_rng(0)
    S = np.column_stack(
        [rng.laplace(size=2000), rng.uniform(-1, 1, 2000), rng.exponential(size=2000)]
    )
    X = S @ rng.normal(size=(3, 3)) + 7
    way = "parallel" if algorithm == "symmetric" else "deflation"
    theirs = ICAReference(algorithm=way, fun=fun, tol=1e-14, whiten="unit-variance",
                          random_state=0, max_iter=1000).fit(X)  # fmt: skip
    ours = FastICA(algorithm=algorithm, contrast=contrast, tol=1e-12).fit(X)
    alike = np.abs(ours.transform(X).T @ theirs.transform(X)) / 2000
    order = alike.argmax(axis=1)
    assert sorted(order) == [0, 1, 2]
    if algorithm == "symmetric":  # one by one, the order in which they are found matters
        np.testing.assert_allclose(alike[np.arange(3), order], 1, atol=1e-5)
        np.testing.assert_allclose(np.abs(ours.axes), np.abs(theirs.mixing_.T[order]), atol=1e-4)
    else:
        assert alike[np.arange(3), order].min() > 0.99


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("iterations", [1, 2, 3])
def test_from_the_same_start_every_turn_is_the_same(iterations):
    """Their white rows are ours, turned: what their start is follows from ours."""
    rng = np.random.default_rng(0)
    S = np.column_stack([rng.laplace(size=800), rng.uniform(size=800), rng.exponential(size=800)])
    X, W = S @ rng.normal(size=(3, 3)), rng.normal(size=(3, 3))
    given = {"whiten": "unit-variance", "max_iter": iterations, "tol": 1e-300}
    theirs = ICAReference(w_init=np.eye(3), **given).fit(X)
    turn = whitened(X, None).whitening @ np.linalg.inv(theirs.whitening_) / np.sqrt(800)
    theirs = ICAReference(w_init=W @ turn, **given).fit(X)
    np.testing.assert_allclose(turn @ turn.T, np.eye(3), atol=1e-12)
    ours = FastICA(w_init=tuple(W.ravel()), max_iter=iterations, tol=0.0).fit(X)
    one, other = (np.abs(fit.transform(X)) for fit in (ours, theirs))
    order = (one.T @ other).argmax(axis=1)
    assert sorted(order) == [0, 1, 2]
    np.testing.assert_allclose(one, other[:, order], atol=1e-10)


@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits])
def test_the_same_discriminant_axes(load):
    """Digits have columns that never vary; axes have no sign in common."""
    X, y = load(return_X_y=True)
    theirs = LinearDiscriminantAnalysis(tol=1e-10).fit(X, y)
    ours = Fisher().fit(X, y)
    np.testing.assert_allclose(np.abs(ours.transform(X)), np.abs(theirs.transform(X)), atol=1e-10)
    np.testing.assert_allclose(ours.shares, theirs.explained_variance_ratio_, atol=1e-12)


def test_the_same_canonical_variates():
    """Theirs by power iterations, pair by pair; variates have no sign and another length."""
    X = TABLES["tall"][:, :7].copy()
    X[:, 4:] += X[:, :3]
    theirs = CCAReference(3, scale=False, max_iter=5000, tol=1e-14).fit(X[:, :4], X[:, 4:])
    ours = CCA(second=("x5", "x6", "x7")).fit(X, columns=plain_columns(7))
    Z = ours.transform(X)
    for own, other in zip(
        (Z[:, ::2], Z[:, 1::2]), theirs.transform(X[:, :4], X[:, 4:]), strict=True
    ):
        lengths = np.sqrt((other**2).mean(axis=0))
        np.testing.assert_allclose(np.abs(own), np.abs(other / lengths), atol=1e-6)


@pytest.mark.parametrize("q", [1, 2, 3])
def test_the_same_density_as_by_axes(q):
    """Theirs divides by n - 1: rows drawn towards the mean by that much make up for it."""
    X = TABLES["iris"]
    theirs = Reference(q, svd_solver="full").fit(X)
    ours = ProbabilisticPCA(n_components=q).fit(X)
    np.testing.assert_allclose(ours.noise, theirs.noise_variance_ * 149 / 150)
    wider = X.mean(axis=0) + (X - X.mean(axis=0)) * (150 / 149) ** 0.5
    densities = theirs.score_samples(wider) + 4 / 2 * np.log(150 / 149)
    np.testing.assert_allclose(ours.log_density(X), densities)


@pytest.mark.parametrize(("name", "q"), [("iris", 2), ("wine", 3), ("tall", 2)])
def test_factors_at_least_as_likely(name, q):
    X = TABLES[name]
    ours = ProbabilisticPCA(n_components=q, noise="diagonal").fit(X)
    theirs = FactorAnalysis(q, svd_method="lapack").fit(X).score(X) * len(X)
    assert ours.log_likelihood >= theirs - 1e-6 * abs(theirs)


def test_the_same_factors():
    """Where the likelihood has one clear maximum."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 2)) @ rng.normal(size=(2, 6)) + rng.normal(size=(2000, 6)) * 0.7
    ours = ProbabilisticPCA(noise="diagonal", tol=1e-13).fit(X)
    theirs = FactorAnalysis(2, svd_method="lapack", tol=1e-9, max_iter=9999).fit(X)
    np.testing.assert_allclose(ours.noise, theirs.noise_variance_, rtol=1e-4)
    np.testing.assert_allclose(np.abs(ours.transform(X)), np.abs(theirs.transform(X)), atol=1e-3)
