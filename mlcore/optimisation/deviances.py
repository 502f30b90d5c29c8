"""Deviances of Tweedie's families: what a prediction costs where the variance grows with the mean.

A family has variance phi mu^power: 0 is the normal, 1 Poisson's, 2 the gamma and 3 the inverse
Gaussian distribution; between 1 and 2 lie sums of a random number of amounts (Jorgensen 1987,
J. Royal Statistical Society B 49(2)). The binomial one of shares in [0, 1] stands beside them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from scipy.special import expit, xlogy

from mlcore.optimisation import _kernels
from mlcore.optimisation.losses import Local, Logistic, Over

TINY = 5e-324  # in place of 0 or 0 / 0 in y log y, which is 0 there; xlogy takes tenfold the time


def _quiet() -> np.errstate:
    """A step too far overflows; whoever took it sees infinite or NaN and takes a shorter one."""
    return np.errstate(over="ignore", invalid="ignore", divide="ignore")


def half_deviance(y: np.ndarray, mean: np.ndarray, power: float) -> np.ndarray:
    """Half the unit deviance of targets y from means, both (n,): (n,), 0 where they are equal.

    NaN where the mean is not above 0, which no family but the normal allows; one whose targets may
    be 0 expects nothing by a mean of 0, and deviates without end where something comes.
    """
    with _quiet():
        if power == 0:
            return 0.5 * (y - mean) ** 2
        if power == 1:
            cost = y * np.log(np.fmax(y / mean, TINY)) + (mean - y)
        elif power == 2:
            ratio = y / mean
            cost = ratio - np.log(ratio) - 1.0
        else:
            cost = (
                y ** (2.0 - power) / ((1.0 - power) * (2.0 - power))
                - y * mean ** (1.0 - power) / (1.0 - power)
                + mean ** (2.0 - power) / (2.0 - power)
            )
        cost = np.maximum(cost, 0.0)  # rounding may fall below
        if 1 <= power < 2:  # nothing is expected, and nothing may come
            none = mean == 0
            cost[none] = np.where(y[none] == 0, 0.0, np.inf)
            cost[mean < 0] = np.nan
        else:
            cost[mean <= 0] = np.nan
        return cost


def saturated(y: np.ndarray, power: float) -> np.ndarray:
    """What `TweedieLoss` leaves out of half the deviance, which only depends on y: shape (n,)."""
    if power == 0:
        return np.zeros_like(y)
    if power == 1:
        return y * np.log(np.fmax(y, TINY)) - y
    if power == 2:
        return -1.0 - np.log(y)
    return y ** (2.0 - power) / ((1.0 - power) * (2.0 - power))


@dataclass(frozen=True)
class TweedieLoss:
    """Half the unit deviance less its part in y alone, of a mean that is e^z or z itself.

    The curvature is the second derivative where that is never negative, else its expectation
    (Fisher's scoring); `observed` is the second derivative all the same.
    """

    power: float = 1.0
    has_log: bool = True  # whether the link is the logarithm; else the identity
    steepest: float = np.inf
    shared: bool = False
    codes: ClassVar = np.float64

    @property
    def over(self) -> Over | None:
        """The compiled loop of sums over the rows; None of the normal family and the identity."""
        is_carried = self.has_log and self.power >= 1
        return partial(_kernels.evaluated, float(self.power)) if is_carried else None

    def at(self, y: np.ndarray, Z: np.ndarray) -> Local:
        """Value, shape (n,), slope by z, (1, n), and its curvature, (1, n)."""
        z = Z[0]
        with _quiet():
            value, slope, bend = self._logarithmic(y, z) if self.has_log else self._plain(y, z)
        if not np.isfinite(value).all():  # a step too far: solvers take a shorter one
            value = np.where(np.isfinite(value), value, np.inf)
        return Local(value, slope[None, :], bend[None, :])

    def curvature(self, y: np.ndarray, local: Local, a: int, b: int) -> np.ndarray | None:
        """The curvature at that predictor, shape (n,)."""
        return local.shape[0]

    def observed(self, y: np.ndarray, z: np.ndarray) -> np.ndarray | None:
        """The second derivative at predictors z, both (n,): (n,); None of the identity."""
        p = self.power
        # Of the identity the expectation keeps steps short where a mean comes near zero.
        if not self.has_log:
            return None
        with _quiet():
            if p == 1:
                return np.exp(z)
            if p == 2:
                return y * np.exp(-z)
            return (2.0 - p) * np.exp((2.0 - p) * z) + (p - 1.0) * y * np.exp((1.0 - p) * z)

    def expected_curvature(self, z: np.ndarray) -> np.ndarray:
        """Fisher's information of each row about its predictor z, shape (n,), for dispersion 1."""
        with _quiet():
            return np.exp((2.0 - self.power) * z) if self.has_log else z ** (-self.power)

    def mean(self, z: np.ndarray) -> np.ndarray:
        """The mean at predictors z, of any shape."""
        with _quiet():
            return np.exp(z) if self.has_log else z

    def rise(self, z: np.ndarray) -> np.ndarray:
        """Derivative of the mean by the predictor at z, of any shape."""
        return self.mean(z) if self.has_log else np.ones_like(z)

    def _logarithmic(self, y: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, ...]:
        p = self.power
        if p == 1:
            mean = np.exp(z)
            return mean - y * z, mean - y, mean
        if p == 2:
            ratio = y * np.exp(-z)
            return ratio + z, 1.0 - ratio, ratio
        if p == 0:
            mean = np.exp(z)
            return 0.5 * (mean - y) ** 2, (mean - y) * mean, mean**2
        a, b = y * np.exp((1.0 - p) * z), np.exp((2.0 - p) * z)
        bend = (2.0 - p) * b + (p - 1.0) * a if 1 < p < 2 else b
        return b / (2.0 - p) - a / (1.0 - p), b - a, bend

    def _plain(self, y: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, ...]:
        p = self.power
        if p == 0:
            return 0.5 * (z - y) ** 2, z - y, np.ones_like(z)
        if p == 1:
            value = z - xlogy(y, z)
        elif p == 2:
            value = y / z + np.log(z)
        else:
            value = z ** (2.0 - p) / (2.0 - p) - y * z ** (1.0 - p) / (1.0 - p)
        inside = np.where(z > 0, value, np.inf)
        bend = z**-p
        return inside, (z - y) * bend, bend


def half_binomial_deviance(y: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """Half the unit deviance of shares y from means, both (n,) in [0, 1]: shape (n,).

    Infinite where a mean of 0 or 1 is wrong, NaN where it lies outside.
    """
    with _quiet():
        cost = xlogy(y, _over(y, mean)) + xlogy(1.0 - y, _over(1.0 - y, 1.0 - mean))
        return np.where((mean >= 0) & (mean <= 1), np.maximum(cost, 0.0), np.nan)


def _over(y: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """The ratio, 1 where both are equal, be it to 0."""
    return np.where(y == mean, 1.0, y / mean)


class BinomialLoss(Logistic):
    """Half the unit deviance of shares y in [0, 1] less its part in y alone, of mean 1/(1+e^-z)."""

    def expected_curvature(self, z: np.ndarray) -> np.ndarray:
        """Fisher's information of each row about its predictor z, shape (n,)."""
        return self.rise(z)

    def mean(self, z: np.ndarray) -> np.ndarray:
        """The mean at predictors z, of any shape."""
        return expit(z)

    def rise(self, z: np.ndarray) -> np.ndarray:
        """Derivative of the mean by the predictor at z, of any shape."""
        return expit(z) * expit(-z)  # 1 - expit(z) would be rounded to 0


MeanLoss = TweedieLoss | BinomialLoss


@dataclass(frozen=True, eq=False)
class Shifted:
    """The loss of a predictor to which known values are added: the second column of y, (n, 2)."""

    loss: MeanLoss

    @property
    def steepest(self) -> float:
        """That of the loss."""
        return self.loss.steepest

    @property
    def shared(self) -> bool:
        """That of the loss."""
        return self.loss.shared

    def at(self, y: np.ndarray, Z: np.ndarray) -> Local:
        """Value, shape (n,), slope by z and its curvature, (1, n), at Z moved."""
        return self.loss.at(y[:, 0], Z + y[:, 1])

    def curvature(self, y: np.ndarray, local: Local, a: int, b: int) -> np.ndarray | None:
        """The curvature at that predictor, shape (n,)."""
        return self.loss.curvature(y[:, 0], local, a, b)

    def observed(self, y: np.ndarray, z: np.ndarray) -> np.ndarray | None:
        """The second derivative at predictors z moved, (n,); None where there is none."""
        loss = self.loss
        return loss.observed(y[:, 0], z + y[:, 1]) if isinstance(loss, TweedieLoss) else None
