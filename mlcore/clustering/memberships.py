"""How rows are shared among prototypes: the shares, the pull of each row, and what is charged."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.special import xlogy

from mlcore.maths.class_scores import softmax
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import choice, real


@dataclass(frozen=True, kw_only=True)
class Membership(Component):
    """Shares rows among prototypes by their squared distances, shape (n, K), in data units."""

    def shares(self, squares: np.ndarray) -> np.ndarray:
        """How far each row belongs to each prototype, shape (n, K), rows of sum 1."""
        raise NotImplementedError(f"{type(self).__name__} declares no shares")

    def pulls(self, squares: np.ndarray, shares: np.ndarray) -> np.ndarray:
        """The weight with which each row enters the mean of each prototype, shape (n, K)."""
        return shares

    def costs(self, squares: np.ndarray, shares: np.ndarray) -> np.ndarray:
        """What is charged for each row that is shared so, shape (n,)."""
        raise NotImplementedError(f"{type(self).__name__} declares no costs")

    @property
    def descends(self) -> bool:
        """Whether the means of the pulls minimise what is charged, so that it never rises."""
        return True

    @property
    def radius(self) -> float:
        """The distance over which rows are shared, in data units; 0 where there is no such."""
        return 0.0


@enter(Card("gibbs", "Gibbs: by a stiffness", ("membership",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class Gibbs(Membership):
    r"""Shares proportional to $e^{-\beta\,d(x, c)}$: less than $1/\sqrt\beta$ apart is shared.

    Charged is the free energy, cost plus $1/\beta$ times negative entropy. A stiffness of infinity
    is k-means; from $1/\lambda$ down, with $\lambda$ the largest variance along an axis, all
    centers fall together in the mean.
    """

    beta: float = real(
        10.0,
        above=0.0,
        soft=(0.1, 100.0),
        log=True,
        symbol=r"\beta",
        label="Stiffness",
        doc="1 over the squared radius of sharing, in squared units of the prepared columns.",
    )
    distance: str = choice(
        "half_squared",
        "half_squared",
        "euclidean",
        label="Distance",
        doc="Half the square of the distance, or the distance, by which the cost may rise.",
        advanced=True,
    )

    @property
    def descends(self) -> bool:
        """Means minimise squares alone."""
        return self.distance == "half_squared"

    @property
    def radius(self) -> float:
        """The distance at which the exponent is one half."""
        return 1 / sqrt(self.beta)

    def _lengths(self, squares: np.ndarray) -> np.ndarray:
        return squares / 2 if self.distance == "half_squared" else np.sqrt(squares)

    def shares(self, squares: np.ndarray) -> np.ndarray:
        """Softmax of minus the stiffness times the distances, shape (n, K)."""
        lengths = self._lengths(squares)
        nearest = lengths.min(axis=1, keepdims=True)
        with np.errstate(under="ignore", over="ignore"):  # far prototypes get nothing
            return softmax(np.maximum(-self.beta * (lengths - nearest), -1e300))

    def costs(self, squares: np.ndarray, shares: np.ndarray) -> np.ndarray:
        """Mean distance by shares, less the entropy of the shares over the stiffness, (n,)."""
        return (shares * self._lengths(squares) + xlogy(shares, shares) / self.beta).sum(axis=1)


@enter(
    Card(
        "fuzzy",
        "Fuzzy",
        ("membership",),
        paper="Bezdek (1981), Pattern Recognition with Fuzzy Objective Function Algorithms",
        kind="part",
        synonyms=("fuzzy c-means",),
    )
)
@dataclass(frozen=True, kw_only=True)
class Fuzzy(Membership):
    r"""Shares u proportional to $d^{-2/(m-1)}$, which minimise $\sum_k u_k^m d_k^2$.

    No unit of length enters, so every row is shared with every prototype, the far ones too. A row
    on a prototype belongs to it alone.
    """

    fuzzifier: float = real(
        2.0,
        above=1.0,
        high=20.0,
        soft=(1.1, 5.0),
        symbol="m",
        doc="1 is k-means; the larger, the more evenly rows are shared.",
    )

    def shares(self, squares: np.ndarray) -> np.ndarray:
        """Powers of the inverse distances, scaled to sum 1, shape (n, K)."""
        return _scaled(_closeness(squares, 1 / (self.fuzzifier - 1)))

    def pulls(self, squares: np.ndarray, shares: np.ndarray) -> np.ndarray:
        """Shares to the power m, shape (n, K)."""
        with np.errstate(under="ignore"):
            return shares**self.fuzzifier

    def costs(self, squares: np.ndarray, shares: np.ndarray) -> np.ndarray:
        """Squared distances by the powers of the shares, shape (n,)."""
        return (self.pulls(squares, shares) * squares).sum(axis=1)


@enter(
    Card(
        "harmonic",
        "Harmonic means",
        ("membership",),
        paper="Zhang, Hsu and Dayal (1999), Hewlett-Packard HPL-1999-124",
        kind="part",
        synonyms=("k-harmonic means",),
    )
)
@dataclass(frozen=True, kw_only=True)
class Harmonic(Membership):
    r"""Shares proportional to $d^{-p-2}$; rows that no prototype serves pull more than others.

    Charged is the harmonic mean of the $d^p$. Depends little on the start. The means are a fixed
    point and no descent: the cost may rise on the way, and the best centers are kept.
    """

    power: float = real(
        3.5,
        low=2.0,
        high=20.0,
        soft=(2.0, 6.0),
        symbol="p",
        doc="Power of the distances whose harmonic mean is the cost.",
    )

    @property
    def descends(self) -> bool:
        """Each step solves for centers with weights that it then changes."""
        return False

    def shares(self, squares: np.ndarray) -> np.ndarray:
        """Powers of the inverse distances, scaled to sum 1, shape (n, K)."""
        return _scaled(_closeness(squares, self.power / 2 + 1))

    def pulls(self, squares: np.ndarray, shares: np.ndarray) -> np.ndarray:
        """d^(-p-2) / (sum of d^(-p))^2, divided by one number for all rows, shape (n, K)."""
        nearest = squares.min(axis=1)
        sums = _closeness(squares, self.power / 2).sum(axis=1)
        with np.errstate(under="ignore"):
            scale = (nearest / (nearest.max() or 1.0)) ** (self.power / 2 - 1) / sums**2
            return _closeness(squares, self.power / 2 + 1) * scale[:, None]

    def costs(self, squares: np.ndarray, shares: np.ndarray) -> np.ndarray:
        """The harmonic mean of the distances to the power p, shape (n,)."""
        sums = _closeness(squares, self.power / 2).sum(axis=1)
        return squares.shape[1] * squares.min(axis=1) ** (self.power / 2) / sums


@enter(Card("hard", "Hard", ("membership",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class Hard(Membership):
    """Each row belongs to its nearest prototype alone, as in k-means; to the lowest on ties."""

    def shares(self, squares: np.ndarray) -> np.ndarray:
        """1 for the nearest, 0 for the others, shape (n, K)."""
        return _alone(squares)

    def costs(self, squares: np.ndarray, shares: np.ndarray) -> np.ndarray:
        """The squared distance to the own prototype, shape (n,)."""
        return (shares * squares).sum(axis=1)


def _alone(squares: np.ndarray) -> np.ndarray:
    alone = np.zeros_like(squares)
    alone[np.arange(len(squares)), squares.argmin(axis=1)] = 1.0
    return alone


def _closeness(squares: np.ndarray, power: float) -> np.ndarray:
    """(nearest / squares)^power, shape (n, K): 1 for the nearest, which has all where it is 0."""
    nearest = squares.min(axis=1, keepdims=True)
    on = nearest[:, 0] == 0.0
    ratios = nearest / np.where(squares > 0.0, squares, 1.0)
    ratios[on] = _alone(squares[on])
    with np.errstate(under="ignore"):  # far prototypes get nothing
        return ratios**power


def _scaled(closeness: np.ndarray) -> np.ndarray:
    return closeness / closeness.sum(axis=1, keepdims=True)
