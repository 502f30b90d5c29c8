"""The logistic function, and the boundary that linear scores draw between two classes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.spine.errors import DataError
from mlcore.spine.records import function


class Logistic(NamedTuple):
    """The logistic function at some points."""

    value: np.ndarray  # 1 / (1 + e^-x)
    slope: np.ndarray  # value (1 - value), at most 1/4
    integral: np.ndarray  # log(1 + e^x)


class Boundary(NamedTuple):
    """The plane constant + linear' x = 0 of equal probability; above it, the first class."""

    constant: float
    linear: np.ndarray  # (p,)

    def text(self, names: tuple[str, ...]) -> str:
        """The equation, with the names of the columns."""
        terms = [f"{w:+.4g} {name}" for w, name in zip(self.linear, names, strict=True)]
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
    sources=("s841:lda_pairwise_boundary",),
)
def discriminant_coefficients(fit: Any, m: Any, n: Any) -> Boundary:
    """The plane between classes m and n of a fit with `classes`, `coefficients` and `intercept`.

    Raises DataError if m and n are not two different labels of the fit.
    """
    labels = fit.classes.tolist()
    if m not in labels or n not in labels or m == n:
        raise DataError(
            f"A boundary lies between two different classes of {', '.join(map(str, labels))}; "
            f"got {m} and {n}."
        )
    W, b = np.atleast_2d(fit.coefficients), np.atleast_1d(fit.intercept)
    if len(W) == 1:  # one vector, for the second of two classes
        W, b = np.vstack([np.zeros_like(W), W]), np.append(0.0, b)
    i, j = labels.index(m), labels.index(n)
    return Boundary(float(b[i] - b[j]), W[i] - W[j])
