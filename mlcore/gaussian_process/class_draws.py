"""A Gaussian process of classes by draws: the latent functions that a Markov chain went through."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.special import expit, ndtri

from mlcore.gaussian_process.class_posteriors import GPClassifierFit, GPClassifierState
from mlcore.gaussian_process.laplace import Labelled
from mlcore.gaussian_process.slices import SliceChain, independent_draws, lifted_factor
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.wording import count, rough

BY_CHAIN = "mcmc"
FRAMES = 24  # steps of a run
PARTS = 20  # of a chain, whose means tell how far its mean may be off
AT_ONCE = 256  # rows that are predicted together


@dataclass(frozen=True, eq=False)
class DrawsState:
    """The chains so far. Their first moves are forgotten as soon as one is made after them."""

    about: GPClassifierState  # the kernels, and the modes from which the chains begin
    drawn: np.ndarray  # (M, t, n) weights of each draw
    first: int  # draws that are dropped

    @property
    def kept(self) -> np.ndarray:
        """The draws that count, (M, s, n): those after the first, or the last where none is."""
        return self.drawn[:, min(self.first, self.drawn.shape[1] - 1) :]


@dataclass(frozen=True, eq=False, kw_only=True)
class GPDrawsFit(GPClassifierFit):
    """Draws of the latent function of each machine.

    `weights` are their means; given a draw the function is known at the rows, so that `roots` are 1
    and `factors` those of the kernel's matrix. `log_evidences` are by the Gaussian about the mode,
    by which settings are learned: draws have none.
    """

    drawn: np.ndarray  # (M, S, n) weights of each draw
    log_likelihoods: np.ndarray  # (M, S) of the labels under each draw, in nats
    independent: np.ndarray  # (M,) independent draws that say as much of them

    def holds_together(self) -> bool:
        """Whether each draw has its weights, and a place in its normal distribution."""
        expected = len(self.kernels), len(self.draws), len(self.rows)
        is_whole = self.log_likelihoods.shape == expected[:2]
        return self.draws.ndim == 1 and self.drawn.shape == expected and is_whole

    def decision(self, X: Any) -> np.ndarray:
        """Log-odds of the second class, (m,); of more those of each, (m, K)."""
        P = self._each(self._rows(X))
        odds = np.log(P) - np.log1p(-P)
        return odds[:, 0] if len(self.classes) == 2 else odds

    def sampling_error(self, X: Any) -> np.ndarray:
        """Standard error of each machine's probability, shape (m, M), by parts of the chain."""
        return self._over_draws(self._rows(X))[1]

    def _each(self, X: np.ndarray) -> np.ndarray:
        return np.clip(self._over_draws(X)[0], 1e-15, 1.0 - 1e-15)

    def _latent(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and deviation over the draws and about each of them."""
        mean, within = super()._latent(X)
        spread = [[at.var(axis=1) for at in self._means(m, X)] for m in range(len(self.drawn))]
        between = np.stack([np.concatenate(own) for own in spread], axis=1)
        return mean, np.sqrt(within**2 + between)

    def _over_draws(self, X: np.ndarray) -> np.ndarray:
        """The mean probability of each machine and its standard error, shape (2, m, M).

        Each draw has a place of its own in its normal distribution, spread evenly over all draws.
        """
        within = super()._latent(X)[1]
        out = np.empty((2, *within.shape))
        for m in range(len(self.drawn)):
            for i, mean in enumerate(self._means(m, X)):
                part = slice(i * AT_ONCE, (i + 1) * AT_ONCE)
                P = expit(mean + within[part, m, None] * self.draws)
                out[:, part, m] = P.mean(axis=1), _error(P)
        return out

    def _means(self, m: int, X: np.ndarray) -> Iterator[np.ndarray]:
        """The latent function of each draw of machine m, (b, S), for blocks of rows."""
        against = self.kernels[m].against(self.rows)
        for i in range(0, len(X), AT_ONCE):
            yield against(X[i : i + AT_ONCE]) @ self.drawn[m].T


def _error(P: np.ndarray) -> np.ndarray:
    """Standard error of the means over a chain, P of shape (b, S): from the means of its parts."""
    parts = min(PARTS, P.shape[1])
    if parts < 2:
        return np.full(len(P), 0.5)
    even = P[:, P.shape[1] % parts :].reshape(len(P), parts, -1).mean(axis=2)
    return even.std(axis=1, ddof=1) / np.sqrt(parts)


def spread_evenly(size: int, rng: np.random.Generator) -> np.ndarray:
    """Values of a standard normal variable at evenly spaced shares, (size,), in a random order."""
    return rng.permutation(ndtri((np.arange(size) + 0.5) / size))


def chained(chains: Sequence[SliceChain], end: Step, *, first: int, kept: int) -> Iterator[Step]:
    """The moves of the chains after step `end`, which says where they begin, some at a time."""
    many, n = len(chains), len(end.state.weights[0])
    total = first + kept
    drawn = np.empty((many, total, n))
    ends = np.unique(np.linspace(0, total, FRAMES + 1).astype(int))
    for k, (before, after) in enumerate(pairwise(ends)):
        for m, chain in enumerate(chains):
            drawn[m, before:after] = chain.moved(after - before)
        value = sum(chain.log_likelihood for chain in chains)
        state = DrawsState(end.state, drawn[:, :after], first)
        yield Step(k, value, state, _stop(end, first, kept) if after == total else None,
                   _note(int(after), first, value))  # fmt: skip


def _stop(end: Step, first: int, kept: int) -> Stop:
    """That of the settings if they were not learned to the end."""
    if end.stop is not None and end.stop.kind != "converged":
        return end.stop
    dropped = f" after {first:,} that are dropped" if first else ""
    return Stop("converged", f"All {count(kept, 'draw')} are made{dropped}.")


def _note(made: int, first: int, value: float) -> str:
    what = "of those that are dropped" if made <= first else "that counts"
    return f"Move {made:,}, the last so far {what}; the log likelihood there is {rough(value)}."


def by_draws(state: DrawsState, each: list[Labelled], rng: np.random.Generator) -> dict[str, Any]:
    """What a fit by draws has beside, and in place of, one by modes."""
    drawn = state.kept.copy()
    factors, values = [], []
    for rows, kernel, weights in zip(each, state.about.kernels, drawn, strict=True):
        factor = lifted_factor(kernel(rows.X))
        latent = (weights @ factor) @ factor.T
        values.append(-np.logaddexp(0.0, -rows.sign * latent) @ rows.w)
        factors.append(factor)
    return {
        "drawn": drawn,
        "log_likelihoods": np.array(values),
        "independent": np.array([independent_draws(own) for own in values]),
        "weights": drawn.mean(axis=1),
        "roots": np.ones((len(drawn), drawn.shape[2])),
        "factors": np.stack(factors),
        "draws": spread_evenly(drawn.shape[1], rng),
    }


def what_draws_say(independent: np.ndarray, kept: int) -> str:
    """The note of a fit: how much `kept` draws tell; `independent` has shape (M,)."""
    least = float(independent.min())
    return (
        f"The {count(kept, 'draw')} say as much of the log likelihood as about "
        f"{count(max(1, round(least)), 'independent one')}. The log evidence is that of the "
        "Laplace approximation, by which settings are learned."
    )
