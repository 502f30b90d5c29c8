"""The Bayesian answer: how probable is it that a method is better, and by more than matters?"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammaln, stdtr

from mlcore.evaluation.comparing.differences import are_alike, checked, mean_of
from mlcore.evaluation.intervals import corrected_sd
from mlcore.spine.errors import ParamError
from mlcore.spine.records import function


class Posterior(NamedTuple):
    """What is known of the true difference: Student's t about `center`, with `scale` and `df`.

    `scale` is 0 where all splits moved alike: all mass then lies at the center.
    """

    center: float
    scale: float
    df: int
    rope: float
    worse: float  # P(difference < -rope)
    same: float  # P(-rope <= difference <= rope)
    better: float  # P(difference > rope)


@function(
    "bayesian_correlated_t",
    title="Bayesian correlated t-test",
    sources=("prac:significance_test",),
)
def bayesian_correlated_t(
    differences: Any, n_train: Any, n_test: Any, *, rope: float = 0.01
) -> Posterior:
    r"""Probabilities that the first method is worse, practically the same, and better.

    The posterior of the mean difference under a flat prior is Student's t with J - 1 degrees of
    freedom, center $\bar d$ and scale² $(1/J + \rho/(1-\rho)) s^2$, where $\rho = n_2/(n_1 + n_2)$
    is the correlation of splits that share training rows (Corani and Benavoli 2015). Differences
    within `rope`, in the units of the score, do not matter in practice. With a rope of 0,
    P(better) is one minus half the p-value of the corrected t-test. All arrays have shape (J,).
    Raises ParamError for a negative rope.
    """
    if not rope >= 0:
        raise ParamError(f"The region of practical equivalence is 0 or wider; got {rope!r}.")
    d, train, test = checked(differences, n_train, n_test)
    mean, df = mean_of(d), len(d) - 1
    if are_alike(d):
        worse, better = float(mean < -rope), float(mean > rope)
        return Posterior(mean, 0.0, df, rope, worse, 1 - worse - better, better)
    # rho / (1 - rho) = n2 / n1: the correction of Nadeau and Bengio.
    scale = corrected_sd(d, train, test)
    worse = float(stdtr(df, (-rope - mean) / scale))
    better = float(stdtr(df, (mean - rope) / scale))
    return Posterior(mean, scale, df, rope, worse, max(0.0, 1 - worse - better), better)


def density(posterior: Posterior, at: np.ndarray) -> np.ndarray:
    """Density of the posterior at some differences, shape of `at`; its scale must be positive."""
    df, z = posterior.df, (at - posterior.center) / posterior.scale
    log_norm = gammaln((df + 1) / 2) - gammaln(df / 2) - np.log(df * np.pi) / 2
    return np.exp(log_norm - (df + 1) / 2 * np.log1p(z**2 / df)) / posterior.scale
