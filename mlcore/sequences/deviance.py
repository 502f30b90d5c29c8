"""The deviance information criterion of a hidden Markov model, by draws from the posterior."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import linear_sum_assignment

from mlcore.maths.deviance import Deviance
from mlcore.sequences.baum_welch import Model
from mlcore.sequences.emissions import (
    Shown,
    Sides,
    component_shares,
    counted,
    log_components,
    log_emissions,
    sides,
)
from mlcore.sequences.hidden import HMMFit
from mlcore.sequences.recursions import filtered
from mlcore.spine.random import generator
from mlcore.spine.records import function

PULL = 0.01  # rows that the prior of a mean is worth
PRIOR_ROWS = 2.0  # degrees of freedom beyond the fewest: the prior mean of a variance is its scale
IMPOSSIBLE = -1e200  # a log-density that can be added up


@function(
    "deviance_information",
    title="Deviance information criterion",
    sources=("epfl:metric_dic", "epfl:hmm_dic"),
    synonyms=("DIC", "effective number of parameters", "p_D", "Gibbs sampling"),
)
def deviance_information(
    fit: HMMFit,
    X: Any,
    lengths: Any = None,
    *,
    n_draws: int = 500,
    burn_in: int = 50,
    seed: int = 0,
) -> Deviance:
    r"""DIC of a hidden Markov model for its training rows X, shape (n, p), of these lengths.

    $DIC = \bar D + p_D$ with $D = -2 \ln L$, the states summed out, and $p_D = \bar D - D(\bar
    \theta)$ (Spiegelhalter and others 2002, JRSS B 64(4), section 2). The posterior is drawn from
    by Gibbs' sampling that begins at the fit: states by filtering forward and sampling backward
    (Scott 2002, JASA 97), then parameters given the states. Priors: Dirichlet with ones over what
    the topology allows; means around that of all rows with the weight of a hundredth of a row;
    covariances inverse Wishart (variances inverse gamma) around the pooled one of the fit. Before
    they are averaged, the states of each draw are given the numbers of the fit whose rows they
    explain best. O(draws n N^2). Raises DataError as the verbs of the fit.
    """
    sampler = _Sampler(fit, X, lengths, seed)
    model, kept, deviances = Model(fit.start, fit.transitions, fit.shown), [], []
    for k in range(burn_in + n_draws):
        model = sampler.drawn(model)
        if k >= burn_in:
            model = sampler.aligned(model)
            kept.append(model)
            deviances.append(sampler.deviance(model))
    mean, at_mean = float(np.mean(deviances)), sampler.deviance(_mean(kept))
    return Deviance(mean, at_mean)


def _mean(models: list[Model]) -> Model:
    """The mean of each parameter."""
    starts, transitions, shown = zip(*models, strict=True)
    means, covariances, frequencies, weights = zip(*shown, strict=True)
    tables = tuple(np.mean(own, axis=0) for own in zip(*frequencies, strict=True))
    m, C, w = (np.mean(own, axis=0) for own in (means, covariances, weights))
    return Model(np.mean(starts, axis=0), np.mean(transitions, axis=0), Shown(m, C, tables, w))


class _Sampler:
    """The rows, the prior and the generator."""

    def __init__(self, fit: HMMFit, X: Any, lengths: Any, seed: int) -> None:
        posterior = fit.responsibilities(X, lengths)  # refuses what cannot be read
        X = np.asarray(X, dtype=np.float64)
        self.fit, self.method, self.posterior = fit, fit.made_by, posterior
        self.rows: Sides = sides(X, fit.columns, fit.pairs)
        self.lengths = np.array([len(X)]) if lengths is None else np.asarray(lengths)
        self.ends = np.cumsum(self.lengths)
        self.begins, self.mask = self.method.allowed(len(fit.start))
        self.rng = generator(seed, "deviance")
        if fit.means.shape[1]:
            self.centre, self.scale = self.rows.numbers.mean(axis=0), self._pooled()

    def _pooled(self) -> np.ndarray:
        """The covariances of the fit averaged by weight, (q, q) or (q,)."""
        shares = (self.posterior.sum(axis=0)[:, None] * self.fit.mixture_weights).ravel()
        return np.average(self.fit.covariances, axis=0, weights=shares)

    def deviance(self, model: Model) -> float:
        """-2 log L of all rows."""
        logs = log_emissions(model.shown, self.rows)
        return -2 * float(filtered(logs, model.start, model.transitions, self.lengths)[0].sum())

    def drawn(self, model: Model) -> Model:
        """Parameters given states that are drawn given the parameters before."""
        states = self.states(model)
        first = self.ends - self.lengths
        moves = np.zeros_like(model.transitions)
        goes_on = np.isin(np.arange(1, len(states)), first, invert=True)
        np.add.at(moves, (states[:-1][goes_on], states[1:][goes_on]), 1.0)
        begun = np.bincount(states[first], minlength=len(model.start))
        transitions = np.array([self._shares(*row) for row in zip(moves, self.mask, strict=True)])
        return Model(self._shares(begun, self.begins), transitions, self._shown(states, model))

    def states(self, model: Model) -> np.ndarray:
        """A path of states given the rows, shape (n,), from its end backward."""
        logs = log_emissions(model.shown, self.rows)
        forward = filtered(logs, model.start, model.transitions, self.lengths)[1]
        chance = self.rng.random((len(forward), 1))
        last = np.zeros(len(forward), dtype=bool)
        last[self.ends - 1] = True
        # The state of each row for every state that may follow it; a path then only reads.
        before = [_picked(forward * into, chance).tolist() for into in model.transitions.T]
        alone, is_last = _picked(forward, chance).tolist(), last.tolist()
        path = alone.copy()
        for t in range(len(path) - 2, -1, -1):
            path[t] = alone[t] if is_last[t] else before[path[t + 1]][t]
        return np.array(path)

    def _shares(self, counts: np.ndarray, allowed: np.ndarray) -> np.ndarray:
        """A draw from the Dirichlet distribution of counts and ones, 0 where nothing is allowed."""
        shares = np.zeros(len(counts))
        shares[allowed] = self.rng.dirichlet(1.0 + counts[allowed])
        return shares

    def _shown(self, states: np.ndarray, model: Model) -> Shown:
        """What the states show, given which rows are theirs."""
        N, M = model.shown.weights.shape
        own = np.eye(N)[states]
        frequencies = []
        for codes, table in zip(self.rows.names.T, model.shown.frequencies, strict=True):
            counts = counted(codes, own, table.shape[1])
            frequencies.append(np.array([self.rng.dirichlet(1.0 + row) for row in counts]))
        if not model.shown.means.shape[1]:
            return model.shown._replace(frequencies=tuple(frequencies))
        parts = self._parts(states, model.shown)
        means, covariances = self._normals(np.eye(N * M)[parts])
        counts = np.bincount(parts, minlength=N * M).reshape(N, M)
        weights = np.array([self.rng.dirichlet(1.0 + row) for row in counts])
        return Shown(means, covariances, tuple(frequencies), weights)

    def _parts(self, states: np.ndarray, shown: Shown) -> np.ndarray:
        """The component of each row, drawn given its state, (n,)."""
        M = shown.weights.shape[1]
        if M == 1:
            return states
        logs = shown.parted(log_components(shown, self.rows).T)[states, :, np.arange(len(states))]
        shares = np.exp(logs - logs.max(axis=1, keepdims=True))
        return states * M + _picked(shares, self.rng.random((len(states), 1)))

    def _normals(self, own: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Means and covariances of the components, given their rows, (n, N M) of 0 and 1."""
        X, n = self.rows.numbers, own.sum(axis=0)
        means = (own.T @ X + PULL * self.centre) / (n + PULL)[:, None]
        # Sums about the posterior mean, with what the prior of the mean adds.
        sums = PULL * _squares(self.centre - means)
        for k, rows in enumerate(own.T > 0):
            centred = X[rows] - means[k]
            sums[k] += centred.T @ centred
        covariances = self._covariances(sums, n)
        noise = self.rng.normal(size=means.shape) / np.sqrt(n + PULL)[:, None]
        if covariances.ndim == 2:
            return means + np.sqrt(covariances) * noise, covariances
        roots = np.linalg.cholesky(covariances)
        return means + np.einsum("kpq,kq->kp", roots, noise), covariances

    def _covariances(self, sums: np.ndarray, n: np.ndarray) -> np.ndarray:
        """A draw of the covariances by the kind of the method; sums (N M, q, q), rows (N M,)."""
        kind, q = self.method.covariance.card.name, sums.shape[1]
        if kind == "fixed":
            return self.fit.covariances
        if kind == "tied":
            return np.repeat(self._inverse_wishart(sums.sum(axis=0), n.sum())[None], len(n), axis=0)
        if kind == "full":
            return np.array([self._inverse_wishart(*one) for one in zip(sums, n, strict=True)])
        scatter, rows = np.diagonal(sums, axis1=1, axis2=2), n[:, None]
        scale = self.scale
        if kind == "spherical":
            scatter, rows, scale = scatter.sum(axis=1, keepdims=True), rows * q, scale[:1]
        shape = (PRIOR_ROWS + 1 + rows) / 2
        drawn = (
            (scale + scatter) / 2 / self.rng.standard_gamma(np.broadcast_to(shape, scatter.shape))
        )
        return np.broadcast_to(drawn, (len(n), q)).copy()

    def _inverse_wishart(self, sums: np.ndarray, n: float) -> np.ndarray:
        """A covariance, (q, q), by the factor of Bartlett (1933) of its inverse."""
        q = len(sums)
        freedom = q + PRIOR_ROWS + n - np.arange(q)
        factor = np.tril(self.rng.normal(size=(q, q)), -1)
        factor += np.diag(np.sqrt(self.rng.chisquare(freedom)))
        root = np.linalg.cholesky(self.scale + sums)
        half = solve_triangular(factor, root.T, lower=True)
        return half.T @ half

    def aligned(self, model: Model) -> Model:
        """The states, and components within them, in the order of those of the fit.

        By the assignment under which the rows of the states of the fit are the most likely.
        """
        logs = np.maximum(log_emissions(model.shown, self.rows), IMPOSSIBLE)
        if not self.method.is_ordered:
            model = model.taken(linear_sum_assignment(-self.posterior.T @ logs)[1])
        return model._replace(shown=self._components_aligned(model.shown))

    def _components_aligned(self, shown: Shown) -> Shown:
        N, M = shown.weights.shape
        if M == 1:
            return shown
        shares = component_shares(self.fit.shown, self.rows, self.posterior)
        fits = shares.T @ np.maximum(log_components(shown, self.rows), IMPOSSIBLE)
        order = np.array(
            [
                k * M + linear_sum_assignment(-fits[k * M : (k + 1) * M, k * M : (k + 1) * M])[1]
                for k in range(N)
            ]
        )
        flat, at = order.ravel(), order - np.arange(N)[:, None] * M
        weights = np.take_along_axis(shown.weights, at, axis=1)
        return shown._replace(
            means=shown.means[flat], covariances=shown.covariances[flat], weights=weights
        )


def _picked(weights: np.ndarray, chance: np.ndarray) -> np.ndarray:
    """One column of each row, drawn by its weights, (n, N), with the chances, (n, 1): (n,)."""
    ends = np.cumsum(weights, axis=1)
    return (chance * ends[:, -1:] >= ends).sum(axis=1).clip(max=weights.shape[1] - 1)


def _squares(rows: np.ndarray) -> np.ndarray:
    """Each row times itself, (k, q) to (k, q, q)."""
    return rows[:, :, None] * rows[:, None, :]
