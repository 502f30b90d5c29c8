"""Penalties on coefficients: a value, a prox, and the two numbers that compiled loops take."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import real


@dataclass(frozen=True, kw_only=True)
class Penalty(Component):
    """l1 sum |w| + l2/2 sum w^2, with numbers l1 and l2 that each entry declares."""

    @property
    def l1(self) -> float:
        """Weight of the sum of absolute values."""
        return 0.0

    @property
    def l2(self) -> float:
        """Weight of half the sum of squares."""
        return 0.0

    def value(self, w: np.ndarray) -> float:
        """The value of the penalty at coefficients of any shape."""
        corners = self.l1 * np.abs(w).sum() if self.l1 > 0 else 0.0
        return float(corners + 0.5 * self.l2 * np.vdot(w, w))

    def prox(self, w: np.ndarray, step: float) -> np.ndarray:
        """The u, of the shape of w, that minimises value(u) + |u - w|^2 / (2 step)."""
        return soft(w, step * self.l1) / (1.0 + step * self.l2)


@enter(Card("none", "No penalty", ("penalty",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class NoPenalty(Penalty):
    """No regularisation: maximum likelihood, or least squares.

    Needs more rows than columns, and classes that overlap: else the coefficients are not unique or
    grow for ever.
    """


@enter(
    Card(
        "l2",
        "L2 penalty (ridge)",
        ("penalty",),
        kind="part",
        sources=("cs1:reg_l2", "cs2:reg_l2"),
        formula=r"\tfrac{\alpha}{2} \|w\|^2",
        synonyms=("L2", "ridge", "weight decay", "Tikhonov"),
    )
)
@dataclass(frozen=True, kw_only=True)
class L2(Penalty):
    """alpha/2 times the sum of squared coefficients; the intercept is free.

    Makes the answer unique and steady. Every coefficient shrinks and none becomes zero.
    """

    alpha: float = real(
        1.0,
        above=0.0,
        soft=(1e-4, 1e4),
        log=True,
        symbol=r"\lambda",
        doc="Strength, in units of loss for a coefficient of length 1; elsewhere C = 1 / alpha.",
    )

    @property
    def l2(self) -> float:
        """The strength."""
        return self.alpha


@enter(
    Card(
        "l1",
        "L1 penalty (lasso)",
        ("penalty",),
        kind="part",
        sources=("cs1:reg_l1", "cs2:reg_l1"),
        formula=r"\alpha \|w\|_1",
        synonyms=("L1", "lasso", "L1 norm"),
    )
)
@dataclass(frozen=True, kw_only=True)
class L1(Penalty):
    """alpha times the sum of absolute coefficients; the intercept is free.

    Sets coefficients to exactly zero. Of columns that are nearly equal it keeps one, by chance.
    """

    alpha: float = real(
        1.0,
        above=0.0,
        soft=(1e-3, 1e3),
        log=True,
        symbol=r"\lambda",
        doc="Strength, in units of loss for a coefficient of 1.",
    )

    @property
    def l1(self) -> float:
        """The strength."""
        return self.alpha


@enter(
    Card(
        "elastic_net",
        "Elastic net",
        ("penalty",),
        kind="part",
        formula=r"\alpha \left( \rho \|w\|_1 + \tfrac{1 - \rho}{2} \|w\|^2 \right)",
    )
)
@dataclass(frozen=True, kw_only=True)
class ElasticNetPenalty(Penalty):
    """A share of absolute values and the rest of squares.

    Sets coefficients to zero like the lasso, but keeps nearly equal columns together.
    """

    alpha: float = real(
        1.0, above=0.0, soft=(1e-3, 1e3), log=True, symbol=r"\lambda", doc="Strength of both parts."
    )
    l1_ratio: float = real(
        0.5,
        low=0.0,
        high=1.0,
        soft=(0.0, 1.0),
        symbol=r"\rho",
        label="L1 ratio",
        doc="Share of the absolute values: 1 is the lasso, 0 the ridge penalty.",
    )

    @property
    def l1(self) -> float:
        """alpha times the L1 ratio."""
        return self.alpha * self.l1_ratio

    @property
    def l2(self) -> float:
        """alpha times 1 minus the L1 ratio."""
        return self.alpha * (1.0 - self.l1_ratio)


def soft(w: np.ndarray, by: float) -> np.ndarray:
    """Soft thresholding: sign(w) max(|w| - by, 0), of the shape of w."""
    return np.sign(w) * np.maximum(np.abs(w) - by, 0.0)
