"""The logistic function, and the boundary that linear scores draw between two classes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.spine.capabilities import HasCoefficients, HasComponents
from mlcore.spine.errors import DataError
from mlcore.spine.records import function


class Logistic(NamedTuple):
    """The logistic function at some points."""

    value: np.ndarray  # 1 / (1 + e^-x)
    slope: np.ndarray  # value (1 - value), at most 1/4
    integral: np.ndarray  # log(1 + e^x)


class Boundary(NamedTuple):
    """Where constant + linear' x + x' quadratic x = 0; above it, the first class."""

    constant: float
    linear: np.ndarray  # (p,)
    quadratic: np.ndarray | None = None  # (p, p), symmetric; None for a plane

    def text(self, names: tuple[str, ...]) -> str:
        """The equation, with the names of the columns."""
        terms = [f"{w:+.4g} {name}" for w, name in zip(self.linear, names, strict=True)]
        if self.quadratic is not None:
            whole = 2.0 * np.triu(self.quadratic, 1) + np.diag(np.diagonal(self.quadratic))
            pairs = zip(*np.triu_indices(len(names)), strict=True)
            terms += [f"{whole[i, j]:+.4g} {names[i]} {names[j]}" for i, j in pairs]
        return f"0 = {self.constant:.4g} " + " ".join(terms)


@function("logistic_function", sources=("s841:logistic_function",))
def logistic_function(x: Any) -> Logistic:
    """Value, slope and integral at x, of any shape, without overflow at either end."""
    x = np.asarray(x, dtype=float)
    small = np.exp(-np.abs(x))
    value = np.where(x >= 0, 1.0, small) / (1.0 + small)
    return Logistic(value, small / (1.0 + small) ** 2, np.maximum(x, 0.0) + np.log1p(small))


@function(
    "discriminant_coefficients",
    title="Discriminant coefficients",
    sources=("s841:lda_pairwise_boundary", "s841:qda_pairwise_boundary"),
)
def discriminant_coefficients(fit: Any, m: Any, n: Any) -> Boundary:
    """The border between classes m and n of a fit with `classes`.

    A plane where it has `coefficients` and `intercept`, a conic where it has one Gaussian a class.
    Raises DataError if m and n are not two different labels of the fit.
    """
    labels = fit.classes.tolist()
    if m not in labels or n not in labels or m == n:
        raise DataError(
            f"A boundary lies between two different classes of {', '.join(map(str, labels))}; "
            f"got {m} and {n}."
        )
    i, j = labels.index(m), labels.index(n)
    if not isinstance(fit, HasCoefficients):
        return _conic(fit, i, j)
    W, b = np.atleast_2d(fit.coefficients), np.atleast_1d(fit.intercept)
    if len(W) == 1:  # one vector, for the second of two classes
        W, b = np.vstack([np.zeros_like(W), W]), np.append(0.0, b)
    return Boundary(float(b[i] - b[j]), W[i] - W[j])


def _conic(fit: HasComponents, i: int, j: int) -> Boundary:
    """Where two Gaussians, weighted, are equal."""
    parts = []
    for k in (i, j):
        mean, covariance = fit.means[k], fit.covariances[k]
        full = np.diag(covariance) if covariance.ndim == 1 else covariance
        precision = np.linalg.inv(full)
        level = np.log(fit.weights[k]) - 0.5 * np.linalg.slogdet(full)[1]
        linear = precision @ mean
        parts.append((level - 0.5 * mean @ linear, linear, -0.5 * precision))
    (a, u, P), (b, v, Q) = parts
    return Boundary(float(a - b), u - v, P - Q)
