"""The support vector classifier against scikit-learn, with the same kernel, C and tolerance."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process import kernels as peer_kernels
from sklearn.kernel_approximation import Nystroem
from sklearn.kernel_ridge import KernelRidge as PeerRidge
from sklearn.linear_model import Ridge as PeerLinear
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC as Reference
from sklearn.svm import SVR as PeerRegressor
from sklearn.svm import LinearSVC
from sklearn.svm import NuSVC as PeerNu
from sklearn.svm import NuSVR as PeerNuRegressor

from benchmarks.pairs import Pair
from mlcore.gaussian_process.gp_classification import GPClassifier
from mlcore.gaussian_process.gp_regression import GPRegressor
from mlcore.gaussian_process.kernel_ridge import KernelRidge
from mlcore.kernels.composed import Scaled
from mlcore.kernels.gram import gram
from mlcore.kernels.products import Linear
from mlcore.kernels.rbf import RBF
from mlcore.regression.multi_output import MultiOutputRegressor
from mlcore.svm.nu_svc import NuSVC
from mlcore.svm.nu_svr import NuSVR
from mlcore.svm.svc import SVC
from mlcore.svm.svr import SVR

COLUMNS = 20
GAMMA: Any = 1.0 / COLUMNS  # to a checker theirs takes only "scale" or "auto"
SIZES = ((500, 1.0), (2_000, 1.0), (2_000, 100.0), (8_000, 1.0), (8_000, 100.0), (20_000, 1.0))


@lru_cache(maxsize=2)
def shell(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal columns, and whether a noisy quadratic form of four of them is large."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, COLUMNS))
    level = (X[:, :3] ** 2).sum(axis=1) - 2.5 + X[:, 3] + 0.5 * rng.normal(size=n)
    return X, (level > 0).astype(np.int64)


def dual(X: np.ndarray, y: np.ndarray, rows: np.ndarray, beta: np.ndarray) -> float:
    """The objective of the dual at signed multipliers of some rows."""
    value, signs = 0.0, np.where(y[rows] > 0, 1.0, -1.0)
    for start in range(0, len(rows), 1000):
        part = slice(start, start + 1000)
        value += beta[part] @ (rbf_kernel(X[rows[part]], X[rows], gamma=GAMMA) @ beta)
    return float(beta @ signs - value / 2)


def svc_pair(n: int, C: float) -> Pair:
    """Fitting both; compared is by how much the dual of ours lies below that of theirs."""
    X, y = shell(n)
    ours = SVC(C=C, kernel=RBF(gamma=GAMMA))
    theirs = Reference(C=C, gamma=GAMMA, cache_size=200)

    def gap(a: Any, b: Any) -> float:
        dual_value = dual(X, y, b.support_, b.dual_coef_[0])
        return (dual_value - dual(X, y, a.support, a.duals[:, 0])) / dual_value

    return Pair(
        "svc", "sklearn.svm.SVC", f"{n} x {COLUMNS}, C {C:g}",
        lambda: ours.fit(X, y), lambda: theirs.fit(X, y), gap,
    )  # fmt: skip


def kernel_ridge_pair(n: int) -> Pair:
    """Fitting both; compared is the largest difference of their predictions."""
    X, _ = shell(n)
    y = np.sin(2 * X[:, 0]) + X[:, 1] ** 2 / 2
    ours = KernelRidge(kernel=RBF(gamma=GAMMA), offset=False)
    theirs = PeerRidge(kernel="rbf", gamma=GAMMA)
    return Pair(
        "kernel_ridge", "sklearn.KernelRidge", f"{n} x {COLUMNS}",
        lambda: ours.fit(X, y), lambda: theirs.fit(X, y),
        lambda a, b: float(np.abs(a.predict(X) - b.predict(X)).max()),
    )  # fmt: skip


def centers_pair(n: int, m: int) -> Pair:
    """Fitting both with as many centers; compared is the mean squared error of new rows."""
    X, _ = shell(n + 2_000)
    y = np.sin(2 * X[:, 0]) + X[:, 1] ** 2 / 2
    ours = KernelRidge(kernel=RBF(gamma=GAMMA), n_centers=m)
    lots = Nystroem(gamma=GAMMA, n_components=m, random_state=0)
    theirs = make_pipeline(lots, PeerLinear(alpha=1.0))

    def error(fit: Any) -> float:
        return float(((fit.predict(X[n:]) - y[n:]) ** 2).mean())

    return Pair(
        "kernel_ridge, centers", "sklearn.Nystroem, Ridge", f"{n} x {COLUMNS}, {m} centers",
        lambda: ours.fit(X[:n], y[:n]), lambda: theirs.fit(X[:n], y[:n]),
        lambda a, b: error(a) - error(b),
    )  # fmt: skip


def svr_pair(n: int, C: float) -> Pair:
    """Fitting both; compared is the largest difference of their predictions."""
    X, _ = shell(n)
    y = np.sin(2 * X[:, 0]) + X[:, 1] ** 2 / 2 + 0.2 * np.random.default_rng(1).normal(size=n)
    ours, theirs = SVR(C=C, kernel=RBF(gamma=GAMMA)), PeerRegressor(C=C, gamma=GAMMA)
    return Pair(
        "svr", "sklearn.svm.SVR", f"{n} x {COLUMNS}, C {C:g}",
        lambda: ours.fit(X, y), lambda: theirs.fit(X, y),
        lambda a, b: float(np.abs(a.predict(X) - b.predict(X)).max()),
    )  # fmt: skip


def nu_pair(n: int, nu: float) -> Pair:
    """Fitting both; compared is the share of the fitted rows that they call differently."""
    X, y = shell(n)
    ours, theirs = NuSVC(nu=nu, kernel=RBF(gamma=GAMMA)), PeerNu(nu=nu, gamma=GAMMA)
    return Pair(
        "nu_svc", "sklearn.svm.NuSVC", f"{n} x {COLUMNS}, nu {nu:g}",
        lambda: ours.fit(X, y), lambda: theirs.fit(X, y),
        lambda a, b: float((a.predict(X) != b.predict(X)).mean()),
    )  # fmt: skip


def nu_svr_pair(n: int, nu: float) -> Pair:
    """Fitting both; compared is the largest difference of their predictions."""
    X, _ = shell(n)
    y = np.sin(2 * X[:, 0]) + X[:, 1] ** 2 / 2 + 0.2 * np.random.default_rng(1).normal(size=n)
    ours, theirs = NuSVR(nu=nu, kernel=RBF(gamma=GAMMA)), PeerNuRegressor(nu=nu, gamma=GAMMA)
    return Pair(
        "nu_svr", "sklearn.svm.NuSVR", f"{n} x {COLUMNS}, nu {nu:g}",
        lambda: ours.fit(X, y), lambda: theirs.fit(X, y),
        lambda a, b: float(np.abs(a.predict(X) - b.predict(X)).max()),
    )  # fmt: skip


def classes_pair() -> Pair:
    """Ten classes, a machine a pair; compared is the error on the fitted rows."""
    X, _ = shell(2_000)
    y = np.argsort(np.argsort(X[:, 0] + 0.3 * X[:, 1])) * 10 // len(X)
    ours, theirs = SVC(kernel=RBF(gamma=GAMMA)), Reference(gamma=GAMMA)
    return Pair(
        "svc, 10 classes", "sklearn.svm.SVC", f"{len(X)} x {COLUMNS}",
        lambda: ours.fit(X, y), lambda: theirs.fit(X, y),
        lambda a, b: float((b.predict(X) == y).mean() - (a.predict(X) == y).mean()),
    )  # fmt: skip


def joint_pair(n: int) -> Pair:
    """Three classes in one machine; compared is by how much our primal is above theirs."""
    X, _ = shell(n)
    y = np.searchsorted([-0.5, 0.5], X[:, 0] + 0.3 * X[:, 1])
    ours = SVC(kernel=Linear(), multiclass="crammer_singer", tol=1e-4)
    theirs = LinearSVC(multi_class="crammer_singer", fit_intercept=False)

    def primal(weights: np.ndarray) -> float:
        scores, each = X @ weights.T, np.arange(len(y))
        ahead = scores + 1.0
        ahead[each, y] -= 1.0
        slack = ahead.max(axis=1) - scores[each, y]
        return float((weights**2).sum() / 2 + slack.sum())

    return Pair(
        "svc, crammer_singer", "sklearn.svm.LinearSVC", f"{n} x {COLUMNS}, 3 classes",
        lambda: ours.fit(X, y), lambda: theirs.fit(X, y),
        lambda a, b: primal(a.duals.T @ a.support_vectors) / primal(b.coef_) - 1.0,
    )  # fmt: skip


def gram_pair(n: int) -> Pair:
    """The Gram matrix of a Gaussian kernel; compared is the largest difference."""
    X, _ = shell(n)
    kernel = RBF(gamma=GAMMA)
    return Pair(
        "gram rbf", "sklearn.rbf_kernel", f"{n} x {n} x {COLUMNS}",
        lambda: gram(kernel, X), lambda: rbf_kernel(X, gamma=GAMMA),
        lambda a, b: float(np.abs(a - b).max()),
    )  # fmt: skip


def gp_pair(n: int) -> Pair:
    """Learning width, variance and noise; compared is by how much our evidence is below theirs."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    y = np.sin(2 * X[:, 0]) + X[:, 1] ** 2 + 0.2 * rng.normal(size=n)
    ours = GPRegressor(kernel=Scaled(kernel=RBF(gamma=0.5)))
    covariance = peer_kernels.ConstantKernel() * peer_kernels.RBF() + peer_kernels.WhiteKernel(0.1)
    theirs = GaussianProcessRegressor(covariance, normalize_y=True)
    return Pair(
        "gp_regression", "sklearn.GaussianProcessRegressor", f"{n} x 3",
        lambda: ours.fit(X, y), lambda: theirs.fit(X, y),
        lambda a, b: float(b.log_marginal_likelihood_value_ - a.log_evidence),
    )  # fmt: skip


def gp_outputs_pair(n: int) -> Pair:
    """One kernel for three outputs; compared is by how much the sum of our evidences is below."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    Y = np.column_stack([np.sin(2 * X[:, 0]), 10 * X[:, 1] ** 2, X[:, 0] * X[:, 2]])
    Y += [0.2, 2.0, 0.2] * rng.normal(size=Y.shape)
    process = GPRegressor(kernel=Scaled(kernel=RBF(gamma=0.5)))
    ours = MultiOutputRegressor(regressor=process, together=True)
    covariance = peer_kernels.ConstantKernel() * peer_kernels.RBF() + peer_kernels.WhiteKernel(0.1)
    theirs = GaussianProcessRegressor(covariance, normalize_y=True)
    return Pair(
        "gp_regression, outputs", "sklearn.GaussianProcessRegressor", f"{n} x 3, 3 outputs",
        lambda: ours.fit(X, Y), lambda: theirs.fit(X, Y),
        lambda a, b: float(
            b.log_marginal_likelihood_value_ - sum(member.log_evidence for member in a.members)
        ),
    )  # fmt: skip


def gp_classes_pair(n: int) -> Pair:
    """Learning width and variance; compared is by how much our evidence is below theirs."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    y = (np.sin(2 * X[:, 0]) + X[:, 1] ** 2 + 0.5 * rng.normal(size=n) > 0.7).astype(np.int64)
    ours = GPClassifier(kernel=Scaled(kernel=RBF(gamma=0.5)))
    theirs = GaussianProcessClassifier(peer_kernels.ConstantKernel() * peer_kernels.RBF())
    return Pair(
        "gp_classification", "sklearn.GaussianProcessClassifier", f"{n} x 3",
        lambda: ours.fit(X, y), lambda: theirs.fit(X, y),
        lambda a, b: float(b.log_marginal_likelihood_value_ - a.log_evidence),
    )  # fmt: skip


INTELEX = ("svc", "svc, 10 classes")
PAIRS = [
    *(svc_pair(n, C) for n, C in SIZES),
    *(nu_pair(n, nu) for n, nu in ((300, 0.3), (2_000, 0.1), (2_000, 0.3))),
    *(nu_svr_pair(2_000, nu) for nu in (0.2, 0.5)),
    svr_pair(2_000, 1.0),
    svr_pair(2_000, 100.0),
    classes_pair(),
    joint_pair(2_000),
    gram_pair(2_000),
    *(kernel_ridge_pair(n) for n in (500, 2_000)),
    centers_pair(10_000, 300),
    *(gp_pair(n) for n in (300, 1_000)),
    gp_outputs_pair(500),
    *(gp_classes_pair(n) for n in (150, 300, 600)),
]
