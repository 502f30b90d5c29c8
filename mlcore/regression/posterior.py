"""The posterior of planes: what rows say in the directions of their columns, and its evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.optimisation.closed_form import ThinSVD, spectrum
from mlcore.optimisation.rows import ENOUGH, rows

EXACT = 1e-14  # of the variance of the target: noise that is smaller is rounding
ROUNDED = 1e-30  # of its squared mean: numbers of that size have no digits for less
LEAST_SPARE = 1e-3  # of the rows: what is left for the noise where coefficients use up all


@dataclass
class BayesState:
    """The posterior under the settings so far."""

    coefficients: np.ndarray  # (p,)
    intercept: float
    axes: np.ndarray  # (p, r) directions in which the rows tell coefficients apart, orthonormal
    axis_variances: np.ndarray  # (r,) of the coefficients along them
    prior_variance: float  # of a coefficient
    noise_variance: float  # of the target around the plane, of a row of weight 1
    offset_variance: float  # of the plane at the mean of the columns
    middle: np.ndarray  # (p,) the mean of the columns, or zeros without an intercept
    log_evidence: float  # in nats


class Seen(NamedTuple):
    """Centred rows as X = U s V', and the target along U."""

    svd: ThinSVD
    toward: np.ndarray  # (r,) U'y
    square: float  # y'y
    df: float  # weight of all rows, less one for the offset
    total: float  # weight of all rows
    x_mean: np.ndarray  # (p,)
    y_mean: float
    has_offset: bool

    @property
    def mean_square(self) -> float:
        """Of the target, less its mean."""
        return self.square / max(self.df, LEAST_SPARE)

    @property
    def least_noise(self) -> float:
        """What rounding leaves of a target that is fitted exactly."""
        varying, level = EXACT * self.square / self.total, ROUNDED * self.y_mean**2
        return max(varying, level, 1e-200)

    @property
    def strongest(self) -> float:
        """The largest sum of squares in a direction."""
        return float(self.svd.s[0] ** 2) if len(self.svd.s) else 1.0

    @property
    def first_prior(self) -> float:
        """Coefficients that would give the target its spread."""
        signal = float((self.svd.s**2).sum())
        spread = max(self.square, self.least_noise * max(self.df, LEAST_SPARE))
        return spread / signal if signal > 0 else 1.0

    def estimate(self, prior: float, noise: float) -> tuple[np.ndarray, float]:
        """Coefficients along the axes, shape (r,), and how many the rows determine."""
        share = self.svd.shrink(np.array([noise / prior]))[:, 0]
        return share * self.toward / self.svd.s, float(share.sum())

    def squares_left(self, m: np.ndarray) -> float:
        """The weighted sum of squares that coefficients m, shape (r,), leave."""
        outside = max(self.square - float(self.toward @ self.toward), 0.0)
        return outside + float(((self.toward - self.svd.s * m) ** 2).sum())

    def posterior(self, prior: float, noise: float) -> BayesState:
        """The distribution of planes for these variances."""
        m, _ = self.estimate(prior, noise)
        w = self.svd.V @ m
        with np.errstate(over="ignore"):  # infinite precision is a variance of 0
            variances = 1.0 / (self.svd.s / noise * self.svd.s + 1.0 / prior)
        return BayesState(
            coefficients=w,
            intercept=float(self.y_mean - self.x_mean @ w),
            axes=self.svd.V,
            axis_variances=variances,
            prior_variance=prior,
            noise_variance=noise,
            offset_variance=noise / self.total if self.has_offset else 0.0,
            middle=self.x_mean,
            log_evidence=self._log_evidence(prior, noise),
        )

    def _log_evidence(self, prior: float, noise: float) -> float:
        """log N(y; 0, prior X X' + noise I), without the direction that the offset takes."""
        signal = prior * self.svd.s**2
        outside = max(self.square - float(self.toward @ self.toward), 0.0)
        misfit = outside / noise + float((self.toward**2 / (noise + signal)).sum())
        logs = self.df * np.log(2 * np.pi * noise) + np.log1p(signal / noise).sum()
        flat = np.log(self.total) if self.has_offset else 0.0
        return float(-0.5 * (misfit + logs + flat))


def seen_in(X: np.ndarray, y: np.ndarray, w: np.ndarray | None, *, intercept: bool) -> Seen:
    """What rows X, shape (n, p), of positive weights w, say of y, both shape (n,)."""
    design = rows(X, y, w, "centering" if intercept else "none")
    n, p = X.shape
    short = design.shortened(ENOUGH)
    svd = spectrum(short[:, :-1], np.finfo(float).eps * max(n, p))
    return Seen(
        svd=svd,
        toward=svd.U.T @ short[:, -1],
        square=float(design.y @ design.y),
        # Weights count rows; where they are shares instead, they are as many as their sum.
        df=max(design.total - 1.0, design.total * (n - 1) / n) if intercept else design.total,
        total=design.total,
        x_mean=design.x_mean,
        y_mean=design.y_mean,
        has_offset=intercept,
    )
