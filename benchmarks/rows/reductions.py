"""t-SNE and kernel PCA against scikit-learn: the divergence, or the variance of the axes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import KernelPCA as KernelReference
from sklearn.manifold import TSNE as Reference

from benchmarks.pairs import Pair
from benchmarks.rows.clustering import clouds
from mlcore.kernels.rbf import RBF
from mlcore.reduction.kernel_pca import KernelPCA
from mlcore.reduction.tsne import TSNE

ITERATIONS = 500


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


PAIRS = [_pair(400, "exact"), _pair(1797, "barnes_hut"), _kernel(500, 2), _kernel(3_000, 10)]
