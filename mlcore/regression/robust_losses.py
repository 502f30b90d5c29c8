"""What an error costs where large errors are not to rule: losses of `robust_regression`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mlcore.optimisation.settings import quantile_level
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import real


@dataclass(frozen=True, kw_only=True)
class RobustLoss(Component):
    """A loss of errors; `level` is the quantile of a loss that has no scale, else None."""

    @property
    def level(self) -> float | None:
        """None: errors are counted in units of the scale."""
        return None


@dataclass(frozen=True, kw_only=True)
class ScaledLoss(RobustLoss):
    """A loss of errors u in units of the scale, which a reweighting makes smaller.

    `is_convex` says whether there is one minimum for any start.
    """

    is_convex: ClassVar[bool] = True

    def value(self, u: np.ndarray) -> np.ndarray:
        """The loss, shape (n,), u^2 / 2 for small errors u, shape (n,)."""
        raise NotImplementedError(f"{type(self).__name__} declares no value")

    def weights(self, u: np.ndarray) -> np.ndarray:
        """The slope over u, in [0, 1], shape (n,): how much a row counts in a reweighting."""
        raise NotImplementedError(f"{type(self).__name__} declares no weights")


@enter(
    Card(
        "huber",
        "Huber",
        ("robust_loss",),
        paper="Huber (1964), Annals of Mathematical Statistics 35(1)",
        kind="part",
        sources=("prac:linear_tail_loss",),
        formula=r"\tfrac12 u^2 \text{ up to } c, \text{ then } c (|u| - \tfrac{c}{2})",
        synonyms=("Huber loss", "linear tails", "M-estimator"),
    )
)
@dataclass(frozen=True, kw_only=True)
class HuberErrors(ScaledLoss):
    """Squares of small errors, the size of large ones: farther off, a row pulls no harder."""

    threshold: float = real(
        1.345,
        above=0.0,
        high=1e6,
        soft=(0.5, 5.0),
        symbol="c",
        doc="Errors up to this many scales are small; 1.345 loses 5 % beside least squares where "
        "the noise is normal.",
    )

    def value(self, u: np.ndarray) -> np.ndarray:
        """Squared up to the threshold, linear beyond, shape (n,)."""
        size = np.abs(u)
        small = np.minimum(size, self.threshold)
        return small * (size - 0.5 * small)

    def weights(self, u: np.ndarray) -> np.ndarray:
        """One up to the threshold, then the threshold over the size of the error, shape (n,)."""
        return self.threshold / np.maximum(np.abs(u), self.threshold)


@enter(
    Card(
        "tukey",
        "Tukey's biweight",
        ("robust_loss",),
        paper="Beaton and Tukey (1974), Technometrics 16(2)",
        kind="part",
        formula=r"\tfrac{c^2}{6} \bigl(1 - (1 - u^2 / c^2)^3\bigr) \text{ up to } c, "
        r"\text{ then } \tfrac{c^2}{6}",
        synonyms=("bisquare", "biweight", "redescending", "M-estimator"),
    )
)
@dataclass(frozen=True, kw_only=True)
class TukeyErrors(ScaledLoss):
    """Errors beyond the threshold cost all the same: a row that is far off counts for nothing.

    There may be several minima; the fit begins at that of Huber's loss.
    """

    is_convex = False

    threshold: float = real(
        4.685,
        above=0.0,
        high=1e6,
        soft=(1.5, 10.0),
        symbol="c",
        doc="Rows with errors of this many scales and more count for nothing; 4.685 loses 5 % "
        "beside least squares where the noise is normal.",
    )

    def value(self, u: np.ndarray) -> np.ndarray:
        """Rises to a sixth of the squared threshold and stays there, shape (n,)."""
        return self.threshold**2 / 6.0 * (1.0 - self._room(u) ** 3)

    def weights(self, u: np.ndarray) -> np.ndarray:
        """(1 - u^2 / c^2)^2 up to the threshold c, then zero, shape (n,)."""
        return self._room(u) ** 2

    def _room(self, u: np.ndarray) -> np.ndarray:
        return 1.0 - np.minimum(np.abs(u) / self.threshold, 1.0) ** 2


@enter(
    Card(
        "absolute",
        "Absolute error",
        ("robust_loss",),
        paper="Boscovich (1757), De litteraria expeditione",
        kind="part",
        sources=("cs1:loss_l1",),
        formula=r"|y - f|",
        synonyms=("least absolute deviations", "LAD", "L1 loss", "median regression"),
    )
)
@dataclass(frozen=True, kw_only=True)
class AbsoluteErrors(RobustLoss):
    """The size of the error: predicts the median, and only the side on which a row lies counts."""

    @property
    def level(self) -> float:
        """The median."""
        return 0.5


@enter(
    Card(
        "quantile",
        "Quantile",
        ("robust_loss",),
        paper="Koenker and Bassett (1978), Econometrica 46(1)",
        kind="part",
        formula=r"q \, (y - f)_+ + (1 - q) (f - y)_+",
        synonyms=("pinball loss", "quantile regression", "tilted absolute value"),
    )
)
@dataclass(frozen=True, kw_only=True)
class QuantileErrors(RobustLoss):
    """Predicts the value below which a share of the targets lies, given the columns."""

    quantile: float = quantile_level()

    @property
    def level(self) -> float:
        """That share."""
        return self.quantile
