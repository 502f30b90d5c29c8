"""The deviance information criterion of a Gaussian mixture, by refits to reweighted rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mlcore.clustering.em import MixtureProblem, Settings
from mlcore.clustering.mixtures import Mixture, shares
from mlcore.maths.deviance import Deviance
from mlcore.spine.fit import Column
from mlcore.spine.method import Given
from mlcore.spine.random import generator
from mlcore.spine.records import function

DRAWS = 200
FEW = 50  # where a page waits for each of several numbers of components
MOST_ITERATIONS = 50  # of a refit, which begins near its end
# Nats that an iteration of a refit adds to all rows together: little beside the half that a
# parameter is worth. The tolerance of a method is a mean over the rows, however many they are.
SETTLED = 0.02
USUAL = 25  # iterations of a refit, for the expected time


@function(
    "deviance_of_mixture",
    title="Deviance information criterion of a mixture",
    sources=("epfl:metric_dic",),
    synonyms=("DIC", "effective number of parameters", "p_D", "weighted likelihood bootstrap"),
)
def deviance_of_mixture(
    fit: Any, X: Any, weights: Any = None, *, n_draws: int = DRAWS, seed: int = 0
) -> Deviance:
    r"""DIC of a fitted mixture for its training rows X, shape (n, p), with weights, (n,).

    $DIC = \bar D + p_D$ with $D = -2 \ln L$ and $p_D = \bar D - D_0$. Instead of draws from a
    posterior it takes fits to the rows with weights n times a draw of Dirichlet(1, ..., 1), each
    from the components of the fit (Newton and Raftery 1994, JRSS B 56(1)); a row of weight w gets
    what w equal rows get together. $D_0$ is of the mean of their densities at each row, which does
    not ask which component of a draw is which (Celeux and others 2006, Bayesian Analysis 1(4),
    their DIC_3). O(draws) short runs of EM. Raises DataError where the covariance of all rows has
    no inverse in a draw.
    """
    X = fit._rows(X)
    own = np.ones(len(X)) if weights is None else np.asarray(weights, dtype=np.float64)
    rng, each = generator(seed, "deviance"), []
    for _ in range(n_draws):
        drawn = _drawn(own, rng)
        mixture = _refitted(fit.made_by, fit.mixture, X, drawn, fit.columns)
        each.append(mixture.shares(X)[1])
    logs = np.array(each)
    mean = -2 * float((logs @ own).mean())
    at_mean = -2 * float((np.logaddexp.reduce(logs, axis=0) - np.log(n_draws)) @ own)
    return Deviance(mean, at_mean)


def _drawn(own: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Their sum times a draw of the Dirichlet distribution of weights, (n,): 0 where they are."""
    drawn = np.where(own > 0, np.maximum(rng.standard_gamma(own), np.finfo(float).tiny), 0.0)
    return drawn * (own.sum() / drawn.sum())


def _refitted(
    method: Settings, mixture: Mixture, X: np.ndarray, w: np.ndarray, columns: tuple[Column, ...]
) -> Mixture:
    """EM from a mixture to rows of these weights; where a covariance loses its inverse, so far."""
    problem = MixtureProblem(_as_many(method, mixture), Given(X, columns, weights=w))
    last, before = mixture, -np.inf
    enough = min(method.tol * problem.total, SETTLED)
    for _ in range(MOST_ITERATIONS):
        try:
            resp, log_density = shares(problem.log_joint(mixture))
        except np.linalg.LinAlgError:
            break
        last, reached = mixture, float(problem.w @ log_density) + problem.log_prior(mixture)
        if reached - before <= enough:
            break
        before = reached
        mixture = problem.maximised(resp, mixture)
    return last


def _as_many(method: Any, mixture: Mixture) -> Settings:
    """The method with as many components as the fit has: fewer where fewer rows differ."""
    return replace(method, n_components=len(mixture.weights))


def seconds_of(each: float) -> float:
    """Expected time of few draws where an iteration of EM takes so many seconds."""
    return FEW * USUAL * each
