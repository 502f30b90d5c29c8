"""The evidence of a Gaussian process for a kernel, and its gradient by the settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cho_solve, cholesky

from mlcore.kernels.kernel import Kernel
from mlcore.spine import checks
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.records import function

WHO = "The log evidence"


class Evidence(NamedTuple):
    """log p(y | X) under a Gaussian process, in nats, and its terms."""

    value: float
    fit: float  # -y' (K + s I)^-1 y / 2: how well the kernel explains the target
    complexity: float  # -log |K + s I| / 2: how many targets it could explain as well
    gradient: Mapping[str, float]  # by the logarithm of each setting, and of "noise"


@function(
    "log_evidence",
    title="Log evidence of a kernel",
    sources=("epfl:kernel_se_gp",),
)
def log_evidence(kernel: Kernel, X: Any, y: Any, noise: float = 0.1) -> Evidence:
    """log p(y | X) of y ~ N(0, K + noise I), with its gradient where the kernel has one.

    X has shape (n, p), y shape (n,) and mean zero by assumption, `noise` is a variance.
    Raises ParamError if the noise is not positive, DataError if the matrix has no Cholesky factor.
    O(n^3).
    Rasmussen and Williams (2006), Gaussian Processes for Machine Learning, equations 5.8 and 5.9.
    """
    X = checks.matrix(X, WHO)
    y = checks.target(y, len(X), WHO)
    if not noise > 0:
        raise ParamError(f"{WHO} needs a noise variance above 0; got {noise}.")
    kernel = kernel.resolve(X)
    L = _factor(kernel.against(X)(X), noise, kernel)
    weights = cho_solve((L, True), y)
    fit, complexity = -0.5 * float(y @ weights), -float(np.log(np.diag(L)).sum())
    value = fit + complexity - 0.5 * len(y) * float(np.log(2 * np.pi))
    return Evidence(value, fit, complexity, _gradient(kernel, X, L, weights, noise))


def _factor(K: np.ndarray, noise: float, kernel: Kernel) -> np.ndarray:
    K = (K + K.T) / 2  # products round the two halves apart
    K[np.diag_indices_from(K)] += noise
    try:
        return cholesky(K, lower=True)
    except np.linalg.LinAlgError:
        raise DataError(
            f"{WHO} needs a positive definite matrix; that of {kernel.title()} on these rows has "
            f"negative eigenvalues beyond the noise of {noise:g}. Raise the noise or choose "
            "another kernel."
        ) from None


def _gradient(
    kernel: Kernel, X: np.ndarray, L: np.ndarray, weights: np.ndarray, noise: float
) -> dict[str, float]:
    """tr((a a' - C^-1) dC / d log theta) / 2 with a = C^-1 y, for each setting."""
    inverse = cho_solve((L, True), np.eye(len(X)))
    inner = np.outer(weights, weights) - inverse
    slopes = kernel.gradient(X) if kernel.has_gradient else {}
    gradient = {path: 0.5 * float((inner * slope).sum()) for path, slope in slopes.items()}
    return gradient | {"noise": 0.5 * noise * float(np.trace(inner))}
