"""Maps against scikit-learn: what each minimises, the variance of axes, coordinates, or lengths.

Their Laplacian would join rows in another way, so it is given the same graph as ours.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from sklearn.cross_decomposition import CCA as CCAReference
from sklearn.datasets import load_digits, make_swiss_roll
from sklearn.decomposition import NMF as NMFReference
from sklearn.decomposition import FactorAnalysis
from sklearn.decomposition import FastICA as ICAReference
from sklearn.decomposition import KernelPCA as KernelReference
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.manifold import TSNE as Reference
from sklearn.manifold import Isomap as IsomapReference
from sklearn.manifold import LocallyLinearEmbedding as LLEReference
from sklearn.manifold import SpectralEmbedding as SpectralReference
from sklearn.manifold import trustworthiness
from sklearn.random_projection import GaussianRandomProjection as ProjectionReference

from benchmarks import THREADS
from benchmarks.pairs import Pair
from benchmarks.rows.clustering import clouds, near_rows
from mlcore.classification.fisher import Fisher
from mlcore.kernels.rbf import RBF
from mlcore.maths.log_cosh import negentropies
from mlcore.reduction.cca import CCA
from mlcore.reduction.fast_ica import FastICA
from mlcore.reduction.fuzzy.supervised import SupervisedUMAP
from mlcore.reduction.fuzzy.umap import UMAP
from mlcore.reduction.isomap import Isomap
from mlcore.reduction.kernel_pca import KernelPCA
from mlcore.reduction.laplacian_eigenmaps import LaplacianEigenmaps
from mlcore.reduction.lle import LLE
from mlcore.reduction.nmf import NMF
from mlcore.reduction.probabilistic_pca import ProbabilisticPCA
from mlcore.reduction.random_projection import RandomProjection
from mlcore.reduction.tsne import TSNE

ITERATIONS = 500
GIVEN_K: dict[str, Any] = {"projection": ProjectionReference, "nmf": NMFReference}  # by position


def _pair(n: int, method: str) -> Pair:
    X = load_digits(return_X_y=True)[0][:n]
    forces: Any = method
    ours = TSNE(forces=forces, max_iter=ITERATIONS)
    theirs: Any = Reference(method=method, max_iter=ITERATIONS)
    return Pair(
        "tsne", "sklearn.manifold.TSNE", f"{n} x 64, {method}, {ITERATIONS} steps",
        ours=lambda: ours.fit(X).divergence,
        theirs=lambda: float(theirs.fit(np.array(X)).kl_divergence_),
        gap=lambda a, b: a / b - 1,
    )  # fmt: skip


def _opened(n: int, method: str) -> Pair:
    """As many steps in all, as many of them exaggerated."""
    X = _digits(n)
    ours = TSNE(max_iter=ITERATIONS)
    settings: dict[str, Any] = {"n_iter": ITERATIONS - ours.exaggeration_iter, "random_state": 0}
    settings |= {"negative_gradient_method": method, "n_jobs": THREADS}
    return Pair(
        "tsne", "openTSNE.TSNE", f"{n} x 64, {method}, {ITERATIONS} steps",
        ours=lambda: ours.fit(X).divergence,
        theirs=lambda: float(import_module("openTSNE").TSNE(**settings).fit(X).kl_divergence),
        gap=lambda a, b: a / b - 1, package="openTSNE",
    )  # fmt: skip


def _digits(n: int) -> np.ndarray:
    X, rng = load_digits(return_X_y=True)[0], np.random.default_rng(0)
    more = X[rng.integers(0, len(X), max(n - len(X), 0))]
    return np.vstack([X[:n], more + rng.normal(size=more.shape)])


def _fuzzy(n: int) -> Pair:
    X = load_digits(return_X_y=True)[0][:n]
    settings: dict[str, Any] = {"random_state": 0, "n_jobs": 1}
    return Pair(
        "umap", "umap.UMAP", f"{n} x 64",
        ours=lambda: UMAP().fit(X).coordinates,
        theirs=lambda: import_module("umap").UMAP(**settings).fit_transform(np.array(X)),
        gap=lambda a, b: trustworthiness(X, b) - trustworthiness(X, a), package="umap",
    )  # fmt: skip


def _fuzzy_with_labels(n: int) -> Pair:
    X, y = (part[:n] for part in load_digits(return_X_y=True))
    settings: dict[str, Any] = {"random_state": 0, "n_jobs": 1}
    return Pair(
        "supervised_umap", "umap.UMAP", f"{n} x 64, with labels",
        ours=lambda: SupervisedUMAP().fit(X, y).coordinates,
        theirs=lambda: import_module("umap").UMAP(**settings).fit_transform(np.array(X), y),
        gap=lambda a, b: trustworthiness(X, b) - trustworthiness(X, a), package="umap",
    )  # fmt: skip


def _kernel(n: int, k: int) -> Pair:
    X = clouds(n, 10, 4)
    ours = KernelPCA(n_components=k, kernel=RBF(gamma=0.1))
    theirs: Any = KernelReference(k, kernel="rbf", gamma=0.1)
    return Pair(
        "kernel_pca", "sklearn.decomposition.KernelPCA", f"{n} x 10, {k} axes",
        ours=lambda: ours.fit(X).variances.sum(),
        theirs=lambda: theirs.fit(X).eigenvalues_.sum() / n,
        gap=lambda a, b: abs(a / b - 1),
    )  # fmt: skip


def _unrolled(name: str, ours: Any, theirs: Any, n: int) -> Pair:
    X = make_swiss_roll(n, random_state=0)[0]
    scale = n**0.5 if name == "lle" else 1.0

    def apart(a: np.ndarray, b: np.ndarray) -> float:
        return float(np.abs(np.abs(a) - np.abs(b) * scale).max() / np.abs(a).max())

    return Pair(
        name, f"{type(theirs).__module__.rpartition('.')[0]}.{type(theirs).__name__}",
        f"roll of {n}",
        ours=lambda: ours.fit(X).coordinates,
        theirs=lambda: theirs.fit(X).embedding_,
        gap=apart,
    )  # fmt: skip


def _smooth(n: int) -> Pair:
    """Both on the same graph; the gap is that of the coordinates."""
    X = make_swiss_roll(n, random_state=0)[0]
    ours, theirs = LaplacianEigenmaps(), SpectralReference(2, affinity="precomputed")
    return Pair(
        "laplacian_eigenmaps", "sklearn.manifold.SpectralEmbedding", f"roll of {n}",
        ours=lambda: ours.fit(X).coordinates,
        theirs=lambda: theirs.fit(near_rows(X, ours.n_neighbors)).embedding_,
        gap=lambda a, b: float(np.abs(np.abs(a) - np.abs(b)).max() / np.abs(a).max()),
    )  # fmt: skip


def _projected(n: int, p: int, k: int) -> Pair:
    X = np.random.default_rng(0).normal(size=(n, p))
    ours = RandomProjection(n_components=k)
    theirs = GIVEN_K["projection"](k, random_state=0)

    def off(Z: np.ndarray) -> float:
        return float(np.abs((Z**2).sum(axis=1) / (X**2).sum(axis=1) - 1).mean())

    return Pair(
        "random_projection", "sklearn.random_projection.GaussianRandomProjection",
        f"{n} x {p}, {k} directions",
        ours=lambda: ours.fit(X).transform(X),
        theirs=lambda: theirs.fit(X).transform(X),
        gap=lambda a, b: off(a) - off(b),
    )  # fmt: skip


def _factorised(k: int) -> Pair:
    X = load_digits(return_X_y=True)[0]
    ours = NMF(n_components=k, origin="zero")
    theirs = GIVEN_K["nmf"](k, init="nndsvda")
    return Pair(
        "nmf", "sklearn.decomposition.NMF", f"1797 x 64, {k} parts",
        ours=lambda: ours.fit(X).error,
        theirs=lambda: theirs.fit(X).reconstruction_err_ ** 2 / len(X),
        gap=lambda a, b: a / b - 1,
    )  # fmt: skip


def _parted(n: int, p: int, k: int) -> Pair:
    rng = np.random.default_rng(0)
    y = rng.integers(0, k, n)
    X = rng.normal(size=(n, p)) + rng.normal(size=(k, p))[y]
    theirs: Any = LinearDiscriminantAnalysis(tol=1e-10)
    return Pair(
        "fisher", "sklearn.LinearDiscriminantAnalysis", f"{n} x {p}, {k} classes",
        ours=lambda: Fisher().fit(X, y).transform(X),
        theirs=lambda: theirs.fit(X, y).transform(X),
        gap=lambda a, b: float(np.abs(np.abs(a) - np.abs(b)).max()),
    )  # fmt: skip


def _paired(n: int, p: int, k: int) -> Pair:
    X = np.random.default_rng(0).normal(size=(n, 2 * p))
    X[:, p:] += 0.1 * X[:, :p] @ np.random.default_rng(1).normal(size=(p, p))
    theirs: Any = CCAReference(k, scale=False, max_iter=2_000)

    def reached(pairs: Any) -> float:
        return sum(float(np.corrcoef(u, v)[0, 1]) for u, v in zip(*pairs, strict=True))

    def split(Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return Z[:, ::2].T, Z[:, 1::2].T

    return Pair(
        "cca", "sklearn.cross_decomposition.CCA", f"{n} x {p} + {p}, {k} pairs",
        ours=lambda: split(CCA(n_components=k).fit(X).transform(X)),
        theirs=lambda: [
            block.T for block in theirs.fit(X[:, :p], X[:, p:]).transform(X[:, :p], X[:, p:])
        ],
        gap=lambda a, b: reached(b) - reached(a),
    )  # fmt: skip


def _multiplied(n: int, p: int, k: int, steps: int) -> Pair:
    rng = np.random.default_rng(0)
    X = rng.random((n, k)) @ rng.random((k, p)) + 0.1 * rng.random((n, p))
    ours = NMF(n_components=k, origin="zero", updates="multiplicative", max_iter=steps, tol=0.0)
    theirs = GIVEN_K["nmf"](k, init="nndsvda", solver="mu", max_iter=steps, tol=0.0)
    return Pair(
        "nmf, multiplicative", "sklearn.decomposition.NMF (mu)",
        f"{n} x {p}, {k} parts, {steps} steps",
        ours=lambda: ours.fit(X).error,
        theirs=lambda: theirs.fit(X).reconstruction_err_ ** 2 / n,
        gap=lambda a, b: a / b - 1,
    )  # fmt: skip


def _unmixed(n: int, q: int) -> Pair:
    rng = np.random.default_rng(0)
    S = np.column_stack([rng.laplace(size=(n, q // 2)), rng.uniform(-1, 1, (n, q - q // 2))])
    X = S @ rng.normal(size=(q, q))
    ours = FastICA()
    theirs: Any = ICAReference(tol=1e-8, whiten="unit-variance", random_state=0)

    def contrast(Z: np.ndarray) -> float:
        return float(negentropies(Z).sum())

    return Pair(
        "fast_ica", "sklearn.decomposition.FastICA", f"{n} x {q}, all sources",
        ours=lambda: ours.fit(X).transform(X),
        theirs=lambda: theirs.fit(X).transform(X),
        gap=lambda a, b: 1 - contrast(a) / contrast(b),
    )  # fmt: skip


def _explained(n: int, p: int, q: int) -> Pair:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, q)) @ rng.normal(size=(q, p))
    X += rng.normal(size=(n, p)) * rng.uniform(0.3, 2.0, p)
    ours = ProbabilisticPCA(n_components=q, noise="diagonal")
    theirs: Any = FactorAnalysis(q)
    return Pair(
        "factor analysis", "sklearn.decomposition.FactorAnalysis", f"{n} x {p}, {q} factors",
        ours=lambda: ours.fit(X).log_likelihood,
        theirs=lambda: theirs.fit(X).score(X) * n,
        gap=lambda a, b: (b - a) / abs(b),
    )  # fmt: skip


GRAPHS = [
    _unrolled("isomap", Isomap(), IsomapReference(n_neighbors=10), 2_000),
    _unrolled("lle", LLE(n_neighbors=12), LLEReference(n_neighbors=12), 3_000),
    _smooth(3_000),
]  # fmt: skip
PAIRS = [
    *GRAPHS,
    _pair(400, "exact"),
    _pair(1797, "barnes_hut"),
    _opened(1797, "bh"),
    _opened(10_000, "fft"),
    _opened(20_000, "fft"),
    _fuzzy(500),
    _fuzzy(1797),
    _fuzzy_with_labels(1797),
    _kernel(500, 2),
    _kernel(3_000, 10),
    _projected(1_000, 5_000, 100),
    _paired(5_000, 50, 5),
    _parted(5_000, 50, 10),
    _parted(200, 2_000, 5),
    _unmixed(20_000, 20),
    _explained(5_000, 50, 5),
    _factorised(10),
    _factorised(20),
    _multiplied(1_000, 500, 20, 200),
]
