"""What a fit can do. Figures, panels, scores and tests ask for these and never for classes."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from mlcore.spine.fit import Column


@runtime_checkable
class Predicts(Protocol):
    """`predict(X)`: a label or a number a row, shape (m,); of several outputs (m, q)."""

    def predict(self, X: Any) -> np.ndarray: ...


@runtime_checkable
class HasClasses(Protocol):
    """`classes`: the sorted class labels that `predict` may give, shape (K,)."""

    classes: np.ndarray


@runtime_checkable
class GivesProbabilities(Protocol):
    """`probabilities(X)`: a row of class probabilities, shape (m, K), in order of `classes`."""

    classes: np.ndarray

    def probabilities(self, X: Any) -> np.ndarray: ...


@runtime_checkable
class GivesDecision(Protocol):
    """`decision(X)`: scores of which the largest wins, shape (m, K); (m,) for two classes,
    positive for the second."""

    def decision(self, X: Any) -> np.ndarray: ...


@runtime_checkable
class Transforms(Protocol):
    """`transform(X)`: rows in new coordinates, shape (m, q), and the names of these."""

    out_columns: tuple[Column, ...]

    def transform(self, X: Any) -> np.ndarray: ...


@runtime_checkable
class Inverts(Protocol):
    """`inverse_transform(Z)`: from new coordinates back to rows, shape (m, p)."""

    def inverse_transform(self, Z: Any) -> np.ndarray: ...


class Resampled(NamedTuple):
    """Rows to learn from in place of those that were given."""

    X: np.ndarray  # (m, p)
    rows: np.ndarray  # (m,) position of the given row that each came from


@runtime_checkable
class Resamples(Protocol):
    """`resample(X, y)`: other training rows, and where each came from.

    Whatever else belongs to a row (target, weight, group) follows it by that position.
    """

    def resample(self, X: Any, y: Any) -> Resampled: ...


@runtime_checkable
class GivesDensity(Protocol):
    """`log_density(X)`: natural logarithm of the density at each row, shape (m,)."""

    def log_density(self, X: Any) -> np.ndarray: ...


@runtime_checkable
class HasLabels(Protocol):
    """`labels`: the group of each fitted row, shape (n,); -1 is noise."""

    labels: np.ndarray


@runtime_checkable
class GivesMemberships(Protocol):
    """`memberships(X)`: the share of each group in a row, shape (m, K), adding up to 1."""

    def memberships(self, X: Any) -> np.ndarray: ...


@runtime_checkable
class HasCenters(Protocol):
    """`centers`: one prototype a group, shape (k, p)."""

    centers: np.ndarray


@runtime_checkable
class HasCoefficients(Protocol):
    """`coefficients`, shape (p,) or (K, p), and `intercept`, a number or shape (K,)."""

    coefficients: np.ndarray
    intercept: Any


@runtime_checkable
class HasAxes(Protocol):
    """`axes`: directions in the space of the columns, shape (q, p), by falling `variances`."""

    axes: np.ndarray
    mean: np.ndarray


@runtime_checkable
class HasSpectrum(Protocol):
    """`variances`, shape (q,), and their `shares` of the total."""

    variances: np.ndarray
    shares: np.ndarray


@runtime_checkable
class HasPath(Protocol):
    """`path(X, y)`: coefficients along the strength of the penalty."""

    def path(self, X: Any, y: Any) -> Any: ...


CAPABILITIES: tuple[type, ...] = (
    Predicts, HasClasses, GivesProbabilities, GivesDecision, Transforms, Inverts, Resamples,
    GivesDensity, HasLabels, GivesMemberships, HasCenters, HasCoefficients, HasAxes, HasSpectrum,
    HasPath,
)  # fmt: skip


def capabilities_of(fit: Any) -> list[str]:
    """The names of what a fit can do."""
    return [c.__name__ for c in CAPABILITIES if isinstance(fit, c)]
