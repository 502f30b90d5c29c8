"""Families of distributions around a predicted mean, for generalised models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import xlogy

from mlcore.optimisation.deviances import (
    BinomialLoss,
    MeanLoss,
    TweedieLoss,
    half_binomial_deviance,
    half_deviance,
    saturated,
)
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import real
from mlcore.spine.wording import rough


@dataclass(frozen=True, kw_only=True)
class Family(Component):
    """A distribution whose variance is phi mean^power, unless it says otherwise.

    `known` is the dispersion phi where the family says it; else it is estimated. `links` are those
    that it may have, the usual one first.
    """

    links: ClassVar[tuple[str, ...]] = ("log", "identity")

    @property
    def variance_power(self) -> float:
        """How fast the variance grows with the mean."""
        # It is what tells the families apart.
        raise NotImplementedError(f"{type(self).__name__} declares no power")

    @property
    def known(self) -> float | None:
        """None: the dispersion is estimated."""
        return None

    def deviance(self, y: np.ndarray, mean: np.ndarray) -> np.ndarray:
        """Unit deviance of targets from means, both (n,): shape (n,), NaN outside the family."""
        return 2.0 * half_deviance(y, mean, self.variance_power)

    def variance(self, mean: np.ndarray) -> np.ndarray:
        """Variance at the means for dispersion 1, shape (n,)."""
        return mean**self.variance_power

    def loss(self, link: str) -> MeanLoss:
        """Half the deviance by the linked mean, less its part in the target alone."""
        return TweedieLoss(self.variance_power, link == "log")

    def saturated(self, y: np.ndarray) -> np.ndarray:
        """What the loss leaves out, which only depends on targets y, (n,): shape (n,)."""
        return saturated(y, self.variance_power)

    def refuses(self, y: np.ndarray) -> str | None:
        """Why targets y, shape (n,), cannot come from it: half a sentence, or None."""
        least, power = float(y.min()), self.variance_power
        if power == 0:
            return None
        if power >= 2 and least <= 0:
            return f"needs targets above 0; the least is {rough(least)}"
        if least < 0:
            return f"needs targets of at least 0; the least is {rough(least)}"
        return "needs a target above 0 in some row; all are 0" if not y.any() else None


@enter(
    Card(
        "gaussian", "Normal", ("response_family",), kind="part",
        formula=r"\operatorname{Var} = \phi",
        synonyms=("Gaussian", "normal distribution"),
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class GaussianFamily(Family):
    """The spread is the same everywhere: squared errors."""

    links: ClassVar[tuple[str, ...]] = ("identity", "log")

    @property
    def variance_power(self) -> float:
        """Zero."""
        return 0.0


@enter(
    Card(
        "poisson", "Poisson", ("response_family",), kind="part",
        formula=r"\operatorname{Var} = \mu",
        synonyms=("counts", "Poisson regression", "PoissonRegressor", "rates"),
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class PoissonFamily(Family):
    """Counts of events that come independently: the variance is the mean."""

    @property
    def variance_power(self) -> float:
        """One."""
        return 1.0

    @property
    def known(self) -> float:
        """One."""
        return 1.0


@enter(
    Card(
        "gamma", "Gamma", ("response_family",), kind="part",
        formula=r"\operatorname{Var} = \phi \mu^2",
        synonyms=("gamma regression", "GammaRegressor", "amounts", "waiting times"),
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class GammaFamily(Family):
    """Amounts above 0 whose standard deviation is a share of the mean."""

    @property
    def variance_power(self) -> float:
        """Two."""
        return 2.0


@enter(
    Card(
        "inverse_gaussian", "Inverse Gaussian", ("response_family",), kind="part",
        formula=r"\operatorname{Var} = \phi \mu^3",
        synonyms=("Wald distribution", "first passage times"),
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class InverseGaussianFamily(Family):
    """Amounts above 0 with a long tail: the variance grows with the cube of the mean."""

    @property
    def variance_power(self) -> float:
        """Three."""
        return 3.0


@enter(
    Card(
        "tweedie", "Tweedie", ("response_family",), kind="part",
        paper="Jorgensen (1987), J. Royal Statistical Society B 49(2)",
        formula=r"\operatorname{Var} = \phi \mu^p",
        synonyms=("compound Poisson", "TweedieRegressor", "insurance claims", "zeros and amounts"),
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class TweedieFamily(Family):
    """Between Poisson's and the gamma distribution: sums of a random number of random amounts.

    Zeros occur, as where nothing was claimed, beside amounts of every size.
    """

    power: float = real(
        1.5, low=1.0, high=3.0, soft=(1.0, 2.0), symbol="p",
        doc="How fast the variance grows with the mean; targets of 0 are allowed below 2.",
    )  # fmt: skip

    @property
    def variance_power(self) -> float:
        """The power given."""
        return self.power


@enter(
    Card(
        "binomial", "Binomial", ("response_family",), kind="part",
        formula=r"\operatorname{Var} = \mu (1 - \mu) / m",
        synonyms=("logistic regression", "proportions", "shares", "Bernoulli", "logit", "odds"),
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class BinomialFamily(Family):
    """Shares of m trials that succeed, in [0, 1], or 0 and 1 themselves; m is the weight."""

    links: ClassVar[tuple[str, ...]] = ("logit",)

    @property
    def known(self) -> float:
        """One."""
        return 1.0

    def deviance(self, y: np.ndarray, mean: np.ndarray) -> np.ndarray:
        """Unit deviance of shares from means, both (n,): shape (n,), NaN outside [0, 1]."""
        return 2.0 * half_binomial_deviance(y, mean)

    def variance(self, mean: np.ndarray) -> np.ndarray:
        """Of one trial at the means, shape (n,)."""
        return mean * (1.0 - mean)

    def loss(self, link: str) -> MeanLoss:
        """The logistic loss."""
        return BinomialLoss()

    def saturated(self, y: np.ndarray) -> np.ndarray:
        """Minus the entropy of shares y, (n,), in nats: shape (n,)."""
        return xlogy(y, y) + xlogy(1.0 - y, 1.0 - y)

    def refuses(self, y: np.ndarray) -> str | None:
        """Why targets y, shape (n,), are no shares: half a sentence, or None."""
        least, most = float(y.min()), float(y.max())
        if least < 0 or most > 1:
            return f"needs targets from 0 to 1; theirs go from {least:.4g} to {most:.4g}"
        is_all_one = least == most and least in (0.0, 1.0)
        return f"needs targets that differ; all are {least:.4g}" if is_all_one else None
