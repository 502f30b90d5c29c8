"""How likely hard groups are as Gaussians of any shape: AIC and BIC that do not prefer balls."""

from __future__ import annotations

from math import log, pi
from typing import Any, NamedTuple

import numpy as np

from mlcore.evaluation.metrics.groups import rss
from mlcore.spine.errors import ParamError
from mlcore.spine.records import function

SHAPES = ("full", "diag", "spherical")  # of the covariance of a group
RIDGE = 1e-3  # of the mean variance of the columns: a group in a plane has some depth too


class Information(NamedTuple):
    """Criteria of hard groups: the lower, the better."""

    aic: float
    bic: float


@function(
    "information_elliptical",
    title="AIC and BIC of groups as ellipses",
    sources=("epfl:metric_aic", "epfl:metric_bic"),
    synonyms=("classification likelihood", "Akaike", "Schwarz criterion", "AIC of k-means"),
)
def information_elliptical(X: Any, labels: Any, shape: str = "full") -> Information:
    """2 q - 2 log L and q log n - 2 log L of rows X, (n, p), in groups of labels, (n,).

    L is the classification likelihood: each row has the density of its own group, a Gaussian with
    the mean and covariance of its rows and the weight n_k / n. Noise, -1, and groups of fewer than
    p + 1 rows, which have no covariance, are one component more, uniform in the box of all rows.
    q counts weights, means and covariances. A ridge of a thousandth of the mean variance of the
    columns keeps flat groups from being infinitely likely. NaN where no group has a covariance.
    Of the `shape` diag or spherical a covariance has p variances or one in place of p (p + 1) / 2
    numbers. Raises ParamError for any other.
    """
    if shape not in SHAPES:
        raise ParamError(f"shape must be one of {', '.join(SHAPES)}; got {shape!r}.")
    X, labels = np.asarray(X, dtype=np.float64), np.asarray(labels)
    (n, p), ridge = X.shape, RIDGE * float(X.var(axis=0).mean())
    groups = [own for k in np.unique(labels[labels >= 0]) if len(own := X[labels == k]) > p]
    if not groups or ridge <= 0:
        return Information(float("nan"), float("nan"))
    likelihood = sum(_gaussian(own, ridge, shape) + len(own) * log(len(own) / n) for own in groups)
    free = {"full": p * (p + 1) / 2, "diag": p, "spherical": 1}[shape]
    parameters = len(groups) * (1 + p + free) - 1
    if rest := n - sum(map(len, groups)):
        # As deep as the ridge where all rows are equal.
        sides = np.maximum(np.ptp(X, axis=0), ridge**0.5)
        likelihood += rest * (log(rest / n) - float(np.log(sides).sum()))
        parameters += 1
    return Information(2 * parameters - 2 * likelihood, parameters * log(n) - 2 * likelihood)


def information_by_scatter(X: Any, labels: Any) -> Information:
    """RSS + 2 K p and RSS + K p log n of rows X, (n, p), in K groups of labels, (n,).

    As if every group had variance 1 and noise cost nothing: a wrong tool, kept to show it.
    """
    X, labels = np.asarray(X, dtype=np.float64), np.asarray(labels)
    scatter, parameters = rss(X, labels), len(np.unique(labels[labels >= 0])) * X.shape[1]
    return Information(scatter + 2 * parameters, scatter + parameters * log(len(X)))


def _gaussian(X: np.ndarray, ridge: float, shape: str) -> float:
    """Log-likelihood of rows under the Gaussian of their mean and covariance with a ridge."""
    n, p = X.shape
    if shape == "full":
        own = np.maximum(np.linalg.eigvalsh(np.cov(X.T, bias=True).reshape(p, p)), 0.0)
    else:
        variances = X.var(axis=0)
        own = variances if shape == "diag" else np.full(p, variances.mean())
    spread = own + ridge
    return -n / 2 * (p * log(2 * pi) + float(np.log(spread).sum() + (own / spread).sum()))
