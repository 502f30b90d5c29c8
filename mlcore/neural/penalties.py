"""What weights cost beside the mean loss; offsets are always free."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import real


@dataclass(frozen=True, kw_only=True)
class WeightPenalty(Component):
    """A value added to the mean loss of a row, and its gradient."""

    is_free = False  # whether it costs nothing

    @property
    def decay(self) -> float:
        """The share by which a step of rate 1 shrinks every weight, where it does so; else 0."""
        return 0.0

    def value(self, w: np.ndarray) -> float:
        """The value at weights w, shape (P,), in which offsets are 0."""
        return 0.0

    def gradient(self, w: np.ndarray) -> np.ndarray:
        """Its derivative, shape (P,); 0 at 0."""
        raise NotImplementedError(f"{type(self).__name__} declares no gradient")


def _strength(default: float) -> Any:
    return real(
        default,
        above=0.0,
        soft=(1e-6, 0.1),
        log=True,
        symbol=r"\lambda",
        doc="Strength, beside the mean loss of a row. Scikit-learn's alpha is this times the rows "
        "of a batch.",
    )


@enter(Card("none", "None", ("weight_penalty",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class NoWeightPenalty(WeightPenalty):
    """Weights cost nothing."""

    is_free = True

    def gradient(self, w: np.ndarray) -> np.ndarray:
        """Zeros, shape (P,)."""
        return np.zeros_like(w)


@enter(
    Card(
        "weight_decay",
        "L2 (weight decay)",
        ("weight_penalty",),
        paper="Krogh and Hertz (1992), NIPS 4",
        kind="part",
        sources=("cs2:reg_l2", "s841:weight_decay"),
        formula=r"\tfrac{\lambda}{2} \sum w^2",
        synonyms=("weight decay", "ridge", "L2"),
    )
)
@dataclass(frozen=True, kw_only=True)
class WeightDecay(WeightPenalty):
    """Half the sum of squares: every step also shrinks the weights by a share."""

    strength: float = _strength(1e-4)

    @property
    def decay(self) -> float:
        """The strength."""
        return self.strength

    def value(self, w: np.ndarray) -> float:
        """lambda / 2 sum w^2, of w with shape (P,)."""
        return 0.5 * self.strength * float(w @ w)

    def gradient(self, w: np.ndarray) -> np.ndarray:
        """lambda w, shape (P,)."""
        return self.strength * w


@enter(
    Card(
        "l1",
        "L1",
        ("weight_penalty",),
        kind="part",
        sources=("cs2:reg_l1",),
        formula=r"\lambda \sum |w|",
        synonyms=("lasso",),
    )
)
@dataclass(frozen=True, kw_only=True)
class L1Weights(WeightPenalty):
    """The sum of sizes: many weights end close to 0."""

    strength: float = _strength(1e-4)

    def value(self, w: np.ndarray) -> float:
        """lambda sum |w|, of w with shape (P,)."""
        return self.strength * float(np.abs(w).sum())

    def gradient(self, w: np.ndarray) -> np.ndarray:
        """lambda times the sign of w, shape (P,)."""
        return self.strength * np.sign(w)


@enter(
    Card(
        "weight_elimination",
        "Weight elimination",
        ("weight_penalty",),
        paper="Weigend, Rumelhart and Huberman (1991), NIPS 3",
        kind="part",
        sources=("s841:weight_elimination",),
        formula=r"\lambda \sum \frac{(w / s)^2}{1 + (w / s)^2}",
    )
)
@dataclass(frozen=True, kw_only=True)
class WeightElimination(WeightPenalty):
    """Counts large weights and shrinks small ones: a weight beyond the scale costs no more."""

    strength: float = _strength(1e-3)
    scale: float = real(
        1.0, above=0.0, soft=(0.1, 10.0), log=True, symbol="s", doc="Size of a large weight."
    )

    def value(self, w: np.ndarray) -> float:
        """lambda sum (w/s)^2 / (1 + (w/s)^2), of w with shape (P,)."""
        u = (w / self.scale) ** 2
        return self.strength * float((u / (1.0 + u)).sum())

    def gradient(self, w: np.ndarray) -> np.ndarray:
        """2 lambda (w / s^2) / (1 + (w/s)^2)^2, shape (P,)."""
        u = w / self.scale
        return 2.0 * self.strength / self.scale * u / (1.0 + u * u) ** 2
