"""The evidence of a kernel: its value from the density of a normal, its gradient by differences."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from mlcore.kernels.composed import Product, Scaled, Sum
from mlcore.kernels.evidence import log_evidence
from mlcore.kernels.gram import gram
from mlcore.kernels.products import Linear, Sigmoid
from mlcore.kernels.radial import Matern, RationalQuadratic
from mlcore.kernels.rbf import RBF
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.registry import entries

X = np.random.default_rng(0).normal(size=(25, 2))
Y = np.sin(X[:, 0]) + 0.1 * np.random.default_rng(1).normal(size=25)
KERNELS = [
    RBF(gamma=0.7),
    Scaled(kernel=RBF(gamma=0.7), factor=2.0),
    Sum(first=RBF(gamma=0.2), second=Scaled(kernel=RBF(gamma=3.0), factor=0.5)),
    Product(first=RBF(gamma=0.2), second=Scaled(kernel=RBF(gamma=3.0), factor=0.5)),
    *(Matern(length_scale=0.8, smoothness=nu) for nu in ("0.5", "1.5", "2.5")),
    Scaled(kernel=RationalQuadratic(length_scale=0.8, alpha=0.6), factor=0.7),
]
STEP = 1e-5  # of a logarithm: the error of central differences is then about 1e-9


def moved(kernel: Any, path: str, by: float) -> Any:
    """The kernel with the setting at a path multiplied by e^by."""
    name, _, rest = path.partition(".")
    inner = getattr(kernel, name)
    return replace(kernel, **{name: moved(inner, rest, by) if rest else inner * np.exp(by)})


@pytest.mark.parametrize(
    "kernel", KERNELS, ids=lambda kernel: f"{kernel.title()} {kernel.settings_text()}"
)
def test_the_evidence_is_the_density_of_a_normal(kernel):
    found = log_evidence(kernel, X, Y, noise=0.05)
    covariance = gram(kernel, X) + 0.05 * np.eye(len(X))
    assert found.value == pytest.approx(multivariate_normal(cov=covariance).logpdf(Y), rel=1e-10)
    constant = -len(Y) / 2 * np.log(2 * np.pi)
    assert found.fit + found.complexity + constant == pytest.approx(found.value)


@pytest.mark.parametrize(
    "kernel", KERNELS, ids=lambda kernel: f"{kernel.title()} {kernel.settings_text()}"
)
def test_its_gradient_agrees_with_differences(kernel):
    found = log_evidence(kernel, X, Y, noise=0.05).gradient
    assert len(found) == len(kernel.gradient(X)) + 1
    for path in kernel.gradient(X):
        up, down = (log_evidence(moved(kernel, path, by), X, Y, 0.05).value for by in (STEP, -STEP))
        assert found[path] == pytest.approx((up - down) / (2 * STEP), rel=1e-6), path
    up, down = (log_evidence(kernel, X, Y, 0.05 * np.exp(by)).value for by in (STEP, -STEP))
    assert found["noise"] == pytest.approx((up - down) / (2 * STEP), rel=1e-6)


@pytest.mark.parametrize("name", entries("kernel"))
def test_a_kernel_says_whether_it_has_a_gradient(name):
    kernel = entries("kernel")[name]().resolve(np.abs(X))
    if kernel.has_gradient:
        slopes = kernel.gradient(np.abs(X))
        assert all(slope.shape == (len(X), len(X)) for slope in slopes.values())
        for path in slopes:
            assert reduce(getattr, path.split("."), kernel) > 0  # it has a logarithm
    else:
        with pytest.raises(ParamError, match="does not say how its values change"):
            kernel.gradient(np.abs(X))
        assert set(log_evidence(Linear(), X, Y).gradient) == {"noise"}


def test_climbing_the_gradient_finds_the_width_the_rows_were_drawn_with():
    """The mean over draws of the log evidence is largest at the truth, by Gibbs' inequality."""
    truth, rng = RBF(gamma=0.5), np.random.default_rng(2)
    rows = rng.normal(size=(60, 1))
    root = np.linalg.cholesky(gram(truth, rows) + 0.01 * np.eye(60))
    draws = (root @ rng.normal(size=(60, 40))).T
    slopes = [log_evidence(truth, rows, y, 0.01).gradient["gamma"] for y in draws]
    assert abs(np.mean(slopes)) < 3 * np.std(slopes) / np.sqrt(len(slopes))
    narrow = [log_evidence(RBF(gamma=5.0), rows, y, 0.01).gradient["gamma"] for y in draws]
    assert np.mean(narrow) < 0  # too narrow: wider is better


def test_what_cannot_be_is_said():
    with pytest.raises(ParamError, match="noise variance above 0"):
        log_evidence(RBF(), X, Y, noise=0.0)
    with pytest.raises(DataError, match="negative eigenvalues"):
        log_evidence(Sigmoid(), X, Y, noise=1e-6)
