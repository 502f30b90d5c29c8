"""Losses of a quantity that gradient boosting can follow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlcore.ensembles import _kernels as k
from mlcore.maths.arrays import read_only
from mlcore.optimisation import losses
from mlcore.optimisation.settings import quantile_level
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import real

MOST_STEPS = 200  # to the constant of least Huber loss, each at most a third of the way short


@dataclass(frozen=True, kw_only=True)
class BoostedLoss(Component):
    """What an error costs, of targets y, shape (n,), in rows of weight w."""

    power = 1  # of the units of the target in the loss

    @property
    def leaf_level(self) -> float | None:
        """The quantile of the errors that a leaf holds; None for one Newton step."""
        return None

    def made(self, y: np.ndarray, w: np.ndarray) -> losses.Loss:
        """The loss, with what it takes from the rows that teach: y and w, shape (n,)."""
        raise NotImplementedError(f"{type(self).__name__} declares no loss")

    def start(self, y: np.ndarray, w: np.ndarray) -> float:
        """The constant of least loss for y with weights w, shape (n,)."""
        level = self.leaf_level
        assert level is not None  # who has none says its own
        return quantile(y, w, level)


@enter(
    Card(
        "squared",
        "Squared error",
        ("boosted_loss",),
        kind="part",
        formula=r"\tfrac12 (y - f)^2",
        synonyms=("least squares", "L2 loss", "squared_error"),
    )
)
@dataclass(frozen=True, kw_only=True)
class SquaredLoss(BoostedLoss):
    """Half the square of the error: predicts the mean, and large errors weigh most."""

    power = 2

    def made(self, y: np.ndarray, w: np.ndarray) -> losses.Loss:
        """The same for any y and w, shape (n,)."""
        return losses.Squared()

    def start(self, y: np.ndarray, w: np.ndarray) -> float:
        """The mean of y with weights w, shape (n,)."""
        return float(np.average(y, weights=w))


@enter(
    Card(
        "absolute",
        "Absolute error",
        ("boosted_loss",),
        kind="part",
        formula=r"|y - f|",
        synonyms=("least absolute deviations", "L1 loss", "absolute_error", "median regression"),
    )
)
@dataclass(frozen=True, kw_only=True)
class AbsoluteLoss(BoostedLoss):
    """The size of the error: predicts the median, and no row pulls harder for being far off."""

    @property
    def leaf_level(self) -> float:
        """The median of the errors."""
        return 0.5

    def made(self, y: np.ndarray, w: np.ndarray) -> losses.Loss:
        """The same for any y and w, shape (n,)."""
        return losses.Absolute()


@enter(
    Card(
        "huber",
        "Huber",
        ("boosted_loss",),
        paper="Huber (1964), Annals of Mathematical Statistics 35(1)",
        kind="part",
        formula=r"\tfrac12 (y - f)^2 \text{ up to } \delta, \text{ then } "
        r"\delta (|y - f| - \tfrac{\delta}{2})",
        synonyms=("robust regression", "Huber loss"),
    )
)
@dataclass(frozen=True, kw_only=True)
class HuberLoss(BoostedLoss):
    """Squares of small errors, the size of large ones: as squared error, but outliers pull less.

    What is large is settled once, by the distances of the targets to their median, so that the loss
    of one round can be laid beside that of another.
    """

    power = 2

    level: float = real(
        0.9,
        above=0.0,
        high=1.0,
        soft=(0.5, 1.0),
        label="Share of small errors",
        doc="This quantile of the distances to the median is the largest small error; 1 squares "
        "all errors.",
    )

    def made(self, y: np.ndarray, w: np.ndarray) -> losses.Loss:
        """The border between small and large errors comes from y and w, shape (n,)."""
        if self.level == 1.0:
            return losses.Huber(np.inf)
        away = np.abs(y - quantile(y, w, 0.5))
        apart = away > 0
        if not apart.any():
            return losses.Huber(1.0)
        return losses.Huber(quantile(away[apart], w[apart], self.level))

    def start(self, y: np.ndarray, w: np.ndarray) -> float:
        """The constant of least loss for y with weights w, shape (n,).

        From the median on, by steps that always lower it.
        """
        loss, at = self.made(y, w), np.array([[quantile(y, w, 0.5)]])
        for _ in range(MOST_STEPS):
            step = np.average(loss.at(y, np.repeat(at, len(y), axis=1)).slope[0], weights=w)
            at = at - step
            if abs(step) <= 1e-12:
                break
        return float(at[0, 0])


@enter(
    Card(
        "quantile",
        "Quantile",
        ("boosted_loss",),
        paper="Koenker and Bassett (1978), Econometrica 46(1)",
        kind="part",
        formula=r"q \, (y - f)_+ + (1 - q) (f - y)_+",
        synonyms=("pinball loss", "quantile regression", "prediction interval"),
    )
)
@dataclass(frozen=True, kw_only=True)
class QuantileLoss(BoostedLoss):
    """Predicts the value below which a share of the targets lies, given the columns."""

    level: float = quantile_level()

    @property
    def leaf_level(self) -> float:
        """That quantile of the errors."""
        return self.level

    def made(self, y: np.ndarray, w: np.ndarray) -> losses.Loss:
        """The same for any y and w, shape (n,)."""
        return losses.Pinball(self.level)


def quantile(values: np.ndarray, w: np.ndarray, level: float) -> float:
    """The quantile of values with weights w, shape (n,); halfway where all between are as good."""
    return float(k.quantile(read_only(values), read_only(w), level))
