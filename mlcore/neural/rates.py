"""How the learning rate goes on, epoch by epoch, as a factor of where it began."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import integer, real


@dataclass(frozen=True, kw_only=True)
class RateSchedule(Component):
    """A factor an epoch."""

    def factor(self, losses: Sequence[float]) -> float:
        """The factor of the next epoch, after these training losses of the epochs so far."""
        raise NotImplementedError(f"{type(self).__name__} declares no factor")


@enter(Card("constant", "Constant", ("rate_schedule",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class ConstantRate(RateSchedule):
    """The same rate in every epoch."""

    def factor(self, losses: Sequence[float]) -> float:
        """1 after any losses."""
        return 1.0


@enter(
    Card(
        "exponential",
        "Exponential",
        ("rate_schedule",),
        kind="part",
        sources=("cs2:lr_exponential",),
        formula=r"e^{-c t}",
    )
)
@dataclass(frozen=True, kw_only=True)
class ExponentialRate(RateSchedule):
    """Falls by the same share in every epoch."""

    decay: float = real(
        0.01, above=0.0, soft=(0.001, 0.1), log=True, symbol="c", doc="Share lost in an epoch."
    )

    def factor(self, losses: Sequence[float]) -> float:
        """exp(-c t) after t losses."""
        return float(np.exp(-self.decay * len(losses)))


@enter(
    Card(
        "inverse_time",
        "Inverse time",
        ("rate_schedule",),
        paper="Robbins and Monro (1951), Annals of Mathematical Statistics 22(3)",
        kind="part",
        formula=r"\frac{1}{1 + t / t_0}",
    )
)
@dataclass(frozen=True, kw_only=True)
class InverseTimeRate(RateSchedule):
    """Falls with one over the number of epochs: slowly enough to arrive, whatever the noise."""

    half: float = real(
        50.0,
        above=0.0,
        soft=(1.0, 500.0),
        log=True,
        symbol="t_0",
        label="Half after",
        doc="Epochs after which half of the rate is left.",
    )

    def factor(self, losses: Sequence[float]) -> float:
        """1 / (1 + t / t_0) after t losses."""
        return 1.0 / (1.0 + len(losses) / self.half)


@enter(
    Card(
        "plateau",
        "On a plateau",
        ("rate_schedule",),
        kind="part",
        sources=("cs2:lr_plateau",),
        synonyms=("ReduceLROnPlateau", "adaptive learning rate"),
    )
)
@dataclass(frozen=True, kw_only=True)
class Plateau(RateSchedule):
    """Falls by a factor whenever the training loss has not fallen for some epochs."""

    shrink: float = real(
        0.1, above=0.0, below=1.0, soft=(0.05, 0.9), label="Factor", doc="Factor of each fall."
    )
    patience: int = integer(
        5, low=1, soft=(1, 30), doc="Epochs without a new least loss before the rate falls."
    )

    def factor(self, losses: Sequence[float]) -> float:
        """The factor to the power of how many plateaus these losses have."""
        best, idle, falls = np.inf, 0, 0
        for loss in losses:
            idle = 0 if loss < best else idle + 1
            best = min(best, loss)
            if idle >= self.patience:
                falls, idle = falls + 1, 0
        return self.shrink**falls


@enter(
    Card(
        "bold_driver",
        "Bold driver",
        ("rate_schedule",),
        paper="Vogl and others (1988), Biological Cybernetics 59",
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class BoldDriver(RateSchedule):
    """Rises a little after each epoch in which the loss fell, and falls much where it rose."""

    up: float = real(
        1.05,
        low=1.0,
        high=2.0,
        soft=(1.0, 1.2),
        label="Growth",
        doc="Factor after the loss has fallen.",
    )
    down: float = real(
        0.7,
        above=0.0,
        high=1.0,
        soft=(0.3, 1.0),
        label="Cut",
        doc="Factor after the loss has risen.",
    )

    def factor(self, losses: Sequence[float]) -> float:
        """The product over all changes of these losses."""
        changes = np.diff(np.asarray(losses, dtype=np.float64))
        rises = int((changes > 0).sum())
        return self.up ** (len(changes) - rises) * self.down**rises
