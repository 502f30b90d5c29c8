"""Losses of scores that stand for what errors cost."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from mlcore.optimisation.losses import Local
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import choice

FAR = 50.0  # a score from which on e^s goes on as a straight line, so that nothing overflows


def rising(name: str, s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A convex function that rises where the scores s are above -1, its slope and its curvature.

    All have the shape of s, (K, n).
    """
    if name == "exponential":
        near = np.minimum(s, FAR)
        e = np.exp(near)
        return e * (1.0 + (s - near)), e, np.where(s <= FAR, e, 0.0)
    if name == "logistic":
        p = np.exp(-np.logaddexp(0.0, -s))
        return np.logaddexp(0.0, s), p, p * (1.0 - p)
    if name == "squared":
        return (1.0 + s) ** 2, 2.0 * (1.0 + s), np.full_like(s, 2.0)
    gap = np.maximum(1.0 + s, 0.0)
    if name == "hinge":
        return gap, (gap > 0).astype(float), np.zeros_like(s)
    return gap**2, 2.0 * gap, 2.0 * (gap > 0)


@dataclass(frozen=True)
class Costly:
    """A loss on scores Z, shape (K, n), for a matrix of costs: sums of psi of their differences.

    `about_mean`: sum over k of c_yk psi(z_k - mean z); else of c_yk psi(z_k - z_y).
    """

    costs: np.ndarray  # (K, K) rows true, columns predicted
    psi: str
    about_mean: bool
    steepest: float = inf  # e^s has curvature without bound
    shared: bool = True

    @property
    def has_kinks(self) -> bool:
        """Whether the slope jumps, so that no curvature leads to the minimum."""
        return self.psi == "hinge"

    def at(self, y: np.ndarray, Z: np.ndarray) -> Local:
        """Value, shape (n,), and slope and curvature by each score, shape (K, n)."""
        C, own = self.costs[y].T, (y, np.arange(len(y)))
        value, slope, bend = (C * f for f in rising(self.psi, Z - self._level(Z, own)))
        if self.about_mean:
            return Local(value.sum(axis=0), slope - slope.mean(axis=0), bend)
        slope[own] -= slope.sum(axis=0)  # c_yy = 0: what is there is nothing
        return Local(value.sum(axis=0), slope, bend)

    def _level(self, Z: np.ndarray, own: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        return Z.mean(axis=0) if self.about_mean else Z[own]

    def curvature(self, y: np.ndarray, local: Local, a: int, b: int) -> np.ndarray | None:
        """Absolute second derivative by the scores of a and b, shape (n,)."""
        H, K = local.shape, len(self.costs)
        if self.about_mean:
            both = H.sum(axis=0) / K**2 - (H[a] + H[b]) / K
            return np.abs(both + (H[a] if a == b else 0.0))
        if a == b:
            return np.where(y == a, H.sum(axis=0), H[a])
        return np.where(y == a, H[b], np.where(y == b, H[a], 0.0))


@dataclass(frozen=True, kw_only=True)
class CostLoss(Component):
    """What stands in the place of the costs, which have steps and no slope."""

    def of(self, costs: np.ndarray) -> Costly:
        """The loss for a matrix of costs, shape (K, K)."""
        # Each way to smooth costs has its own loss; there is none to fall back on.
        raise NotImplementedError(f"{type(self).__name__} declares no loss")


def _card(name: str, title: str, source: str) -> Card:
    return Card(name, title, ("cost_loss",), kind="part", sources=(source,))


@enter(_card("cost_sum", "Sum of costs", "cs1:cs_multiclass"))
@dataclass(frozen=True, kw_only=True)
class CostSum(CostLoss):
    r"""$\sum_k c_{yk}\, \psi(f_k)$ with scores of sum 0: a costly class is pushed down."""

    psi: str = choice(
        "exponential",
        "exponential",
        "logistic",
        "hinge",
        "squared_hinge",
        "squared",
        symbol=r"\psi",
        label="Function of the score",
        doc="e^s, log(1 + e^s), 1 + s above 0, its square, or that everywhere: how much a high "
        "score costs.",
    )

    def of(self, costs: np.ndarray) -> Costly:
        """Charges each score about their mean."""
        return Costly(costs, self.psi, about_mean=True)


@enter(_card("guess_averse", "Guess-averse", "cs1:cs_multiclass_guess_averse"))
@dataclass(frozen=True, kw_only=True)
class GuessAverse(CostLoss):
    r"""$\sum_k c_{yk}\, e^{f_k - f_y}$ (Beijbom and others 2014): a random guess is costly."""

    def of(self, costs: np.ndarray) -> Costly:
        """Charges each score over that of the own class."""
        return Costly(costs, "exponential", about_mean=False)
