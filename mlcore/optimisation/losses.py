"""Losses on a linear predictor Z: value, slope and curvature in each row, written stably.

Z has shape (m, n): one row for a number or for two classes, else one row a class (numpy sums over
the first axis several times faster than over a short last one). A loss knows nothing of columns,
coefficients or penalties; these meet it in `composed`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple, Protocol, runtime_checkable

import numpy as np

from mlcore.maths.arrays import read_only
from mlcore.optimisation import _kernels

Over = Callable[..., None]  # a compiled loop that sums a loss and its slopes over rows
LARGEST_POWER = 300.0  # of e: sums of squares of more overflow


class Local(NamedTuple):
    """A loss at one predictor, row by row."""

    value: np.ndarray  # (n,)
    slope: np.ndarray  # (m, n), derivative by the predictor
    shape: np.ndarray  # (m, n), what the loss needs for its curvature


class Loss(Protocol):
    """The interface of a loss for solvers.

    `steepest` bounds the curvature in any direction of Z; `shared` says that adding one number to
    all rows of Z changes nothing.
    """

    @property
    def steepest(self) -> float: ...

    @property
    def shared(self) -> bool: ...

    def at(self, y: np.ndarray, Z: np.ndarray) -> Local:
        """Value, shape (n,), and slope, shape (m, n), for targets y and predictor Z, (m, n)."""
        ...

    def curvature(self, y: np.ndarray, local: Local, a: int, b: int) -> np.ndarray | None:
        """Absolute second derivative by rows a and b of Z, shape (n,); None where it is 0.

        It is at least 0 for a = b and at most 0 else, so the sign is known.
        """
        ...


@runtime_checkable
class Observable(Protocol):
    """A loss whose `curvature` may be an expectation, never negative, beside the observed one."""

    def observed(self, y: np.ndarray, z: np.ndarray) -> np.ndarray | None:
        """The second derivative at predictors z, both (n,): (n,); None where there is none."""
        ...


@runtime_checkable
class BendsAlike(Protocol):
    """A loss whose curvature depends on the predictor alone, and that says so."""

    bends_alike: bool


@runtime_checkable
class Summed(Protocol):
    """A loss of one output that a compiled loop sums over rows, for targets of type `codes`."""

    over: Over | None  # None with settings for which there is no such loop
    codes: type


@dataclass(frozen=True)
class Squared:
    """(z - y)^2 / 2."""

    steepest: float = 1.0
    shared: bool = False

    def at(self, y: np.ndarray, Z: np.ndarray) -> Local:
        """Value, shape (n,), and the residual z - y as slope, shape (m, n)."""
        slope = Z - y
        return Local(0.5 * slope[0] ** 2, slope, slope)

    def curvature(self, y: np.ndarray, local: Local, a: int, b: int) -> np.ndarray | None:
        """One everywhere, shape (n,)."""
        return np.ones(len(y))


@dataclass(frozen=True)
class Huber:
    """Squared up to `delta`, linear beyond: delta (|z - y| - delta / 2)."""

    delta: float = 1.345
    steepest: float = 1.0
    shared: bool = False

    def at(self, y: np.ndarray, Z: np.ndarray) -> Local:
        """Value, shape (n,), and the clipped residual as slope, shape (m, n)."""
        left = Z - y
        slope = np.clip(left, -self.delta, self.delta)
        return Local((slope * (left - 0.5 * slope))[0], slope, left)

    def curvature(self, y: np.ndarray, local: Local, a: int, b: int) -> np.ndarray | None:
        """One where the residual is at most delta, else zero, shape (n,)."""
        return (np.abs(local.shape[0]) <= self.delta).astype(float)


@dataclass(frozen=True)
class Absolute:
    """|z - y|, which bends nowhere but at the target."""

    steepest: float = math.inf
    shared: bool = False

    def at(self, y: np.ndarray, Z: np.ndarray) -> Local:
        """Value, shape (n,), and the side of the target as slope, (1, n)."""
        left = Z - y
        return Local(np.abs(left[0]), np.sign(left), left)

    def curvature(self, y: np.ndarray, local: Local, a: int, b: int) -> np.ndarray | None:
        """None: no row, of shape (n,), bends it."""
        return None


@dataclass(frozen=True)
class Pinball:
    """level (y - z) where the target lies above, (1 - level) (z - y) where it lies below."""

    level: float = 0.5
    steepest: float = math.inf
    shared: bool = False

    def at(self, y: np.ndarray, Z: np.ndarray) -> Local:
        """Value, shape (n,), and -level or 1 - level as slope, (1, n); 0 at the target."""
        left = Z - y
        slope = np.where(left > 0, 1.0 - self.level, np.where(left < 0, -self.level, 0.0))
        return Local((slope * left)[0], slope, left)

    def curvature(self, y: np.ndarray, local: Local, a: int, b: int) -> np.ndarray | None:
        """None: no row, of shape (n,), bends it."""
        return None


@dataclass(frozen=True)
class Logistic:
    """log(1 + e^z) - y z for y in {0, 1}: minus the log-likelihood of two classes."""

    steepest: float = 0.25
    shared: bool = False
    bends_alike: ClassVar = True  # its curvature depends on the predictor alone
    along: ClassVar = staticmethod(_kernels.logistic_along)
    over: ClassVar = partial(_kernels.evaluated, 0.0)
    codes: ClassVar = np.float64

    def at(self, y: np.ndarray, Z: np.ndarray) -> Local:
        """Value, shape (n,), and p - y as slope, shape (m, n)."""
        value, p = _logistic(Z)
        return Local((value - y * Z)[0], p - y, p)

    def curvature(self, y: np.ndarray, local: Local, a: int, b: int) -> np.ndarray | None:
        """p (1 - p), shape (n,)."""
        p = local.shape[0]
        return p * (1.0 - p)


@dataclass(frozen=True)
class Exponential:
    """exp(-s z / 2) with s = 2 y - 1 for y in {0, 1}: the loss of AdaBoost, z being log-odds."""

    steepest: float = math.inf
    shared: bool = False

    def at(self, y: np.ndarray, Z: np.ndarray) -> Local:
        """Value, shape (n,), and -s / 2 of it as slope, shape (m, n)."""
        sign = 2.0 * y - 1.0
        value = np.exp(np.minimum(-0.5 * sign * Z, LARGEST_POWER))
        return Local(value[0], -0.5 * sign * value, value)

    def curvature(self, y: np.ndarray, local: Local, a: int, b: int) -> np.ndarray | None:
        """A quarter of the value, shape (n,)."""
        return 0.25 * local.shape[0]


@dataclass(frozen=True)
class Softmax:
    """log sum_c e^{z_c} - z_y for codes y: minus the log-likelihood of K classes."""

    steepest: float = 0.5  # the largest eigenvalue of diag(p) - p p'
    shared: bool = True
    bends_alike: ClassVar = True
    along: ClassVar = staticmethod(_kernels.softmax_along)
    codes: ClassVar = np.int64

    def at(self, y: np.ndarray, Z: np.ndarray) -> Local:
        """Value, (n,), and probability minus indicator of the class as slope, shape (m, n)."""
        y, Z = read_only(y.astype(np.int64, copy=False)), read_only(Z)
        P, slope, own, total = (np.empty(s) for s in (Z.shape, Z.shape, len(y), len(y)))
        # Subtract the largest score first: exp overflows beyond about 709.
        _kernels.below_largest(Z, y, P, own)
        np.exp(P, out=P)
        _kernels.shared_out(P, y, total, slope)
        return Local(np.log(total) - own, slope, P)

    def curvature(self, y: np.ndarray, local: Local, a: int, b: int) -> np.ndarray | None:
        """p_a (1 - p_a), or p_a p_b, shape (n,)."""
        P = local.shape
        return P[a] * (1.0 - P[a] if a == b else P[b])


@dataclass(frozen=True)
class Reference:
    """Softmax in which the score of class `fixed` is 0 and has no row in Z."""

    fixed: int
    steepest: float = 0.5
    shared: bool = False

    def at(self, y: np.ndarray, Z: np.ndarray) -> Local:
        """Value, shape (n,), and slope of the free classes, shape (m, n)."""
        full = Softmax().at(y, np.insert(Z, self.fixed, 0.0, axis=0))
        free = np.arange(len(Z) + 1) != self.fixed
        return Local(full.value, full.slope[free], full.shape[free])

    def curvature(self, y: np.ndarray, local: Local, a: int, b: int) -> np.ndarray | None:
        """As for softmax, shape (n,)."""
        return Softmax().curvature(y, local, a, b)


@dataclass(frozen=True)
class Sigmoids:
    """One logistic loss a class against the others, added up."""

    steepest: float = 0.25
    shared: bool = False

    def at(self, y: np.ndarray, Z: np.ndarray) -> Local:
        """Value, shape (n,), and p_c minus the indicator of the class as slope, shape (m, n)."""
        value, P = _logistic(Z)
        own = y, np.arange(len(y))
        slope = P.copy()
        slope[own] -= 1.0
        return Local(value.sum(axis=0) - Z[own], slope, P)

    def curvature(self, y: np.ndarray, local: Local, a: int, b: int) -> np.ndarray | None:
        """p_a (1 - p_a), shape (n,), or None: the classes are independent."""
        if a != b:
            return None
        p = local.shape[a]
        return p * (1.0 - p)


@dataclass(frozen=True)
class Pairwise:
    """Sum over the wrong classes c of log(1 + e^{z_c - z_y}) (Rennie 2005)."""

    n_classes: int

    @property
    def steepest(self) -> float:
        """1/4 a pair, times K, the largest eigenvalue of a star of K nodes."""
        return 0.25 * self.n_classes

    shared: bool = True

    def at(self, y: np.ndarray, Z: np.ndarray) -> Local:
        """Value, shape (n,), and slope, (m, n): a wrong class has its probability to win."""
        own = y, np.arange(len(y))
        value, M = _logistic(Z - Z[own])
        value[own] = M[own] = 0.0
        slope = M.copy()
        slope[own] = -M.sum(axis=0)
        return Local(value.sum(axis=0), slope, M)

    def curvature(self, y: np.ndarray, local: Local, a: int, b: int) -> np.ndarray | None:
        """m (1 - m) of the pair, shape (n,), summed over the pairs where a = b is the own class."""
        V = local.shape * (1.0 - local.shape)
        if a == b:
            return np.where(y == a, V.sum(axis=0), V[a])
        return np.where(y == a, V[b], np.where(y == b, V[a], 0.0))


def _logistic(Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """log(1 + e^z) and 1 / (1 + e^-z), without overflow on either side."""
    value, p = np.empty(Z.shape), np.empty(Z.shape)
    flat = read_only(np.ascontiguousarray(Z, dtype=float).reshape(-1))
    _kernels.logistic(flat, value.reshape(-1), p.reshape(-1))
    return value, p
