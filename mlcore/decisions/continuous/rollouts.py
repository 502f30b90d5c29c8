"""Episodes under a policy, and what they say of its gradient."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import NamedTuple

import numpy as np

from mlcore.decisions.continuous.policies import Policy
from mlcore.optimisation.conjugate_gradient import conjugate_gradient

MOST_PRODUCTS = 12  # of the Fisher information: roughly solved, a direction climbs nearly as well
EXACT_ENOUGH = 1e-6  # of the gradient may be left over


class Rollouts(NamedTuple):
    """Episodes under the policy, one behind the other, T moves in all."""

    index: np.ndarray  # (T, n_active) features of the states
    value: np.ndarray  # (T, n_active)
    told: np.ndarray  # (T, R) probabilities of the actions, or mean and spread
    scores: np.ndarray  # (T, R) derivatives of the log-probability of what was done
    rewards: np.ndarray  # (T,)
    lengths: np.ndarray  # (e,)

    @property
    def times(self) -> np.ndarray:
        """The moves of its episode that came before each, shape (T,)."""
        return np.concatenate([np.arange(n) for n in self.lengths])

    def to_go(self, gamma: float) -> np.ndarray:
        """Discounted rewards from each move to the end of its episode, shape (T,)."""
        out, after, ends = np.empty(len(self.rewards)), 0.0, set(np.cumsum(self.lengths) - 1)
        for t in range(len(out) - 1, -1, -1):
            after = self.rewards[t] + (0.0 if t in ends else gamma * after)
            out[t] = after
        return out

    def sums(self, gamma: float) -> np.ndarray:
        """Discounted rewards of each episode, shape (e,)."""
        firsts = np.cumsum(self.lengths) - self.lengths
        return np.add.reduceat(self.rewards * gamma**self.times, firsts)

    def gradient(self, advantage: np.ndarray, gamma: float, n: int) -> np.ndarray:
        """Mean over episodes of gamma^t times the score of the move times its advantage, (R, n)."""
        weight = gamma**self.times * advantage / len(self.lengths)
        return self._spread(weight[:, None] * self.scores, n)

    def fisher_times(self, direction: np.ndarray, gamma: float, policy: Policy) -> np.ndarray:
        """The Fisher information of the policy over these moves times a direction, (R, n)."""
        return self._weighed(policy.informed(self.told, self._changed(direction)), direction, gamma)

    def scores_times(self, direction: np.ndarray, gamma: float) -> np.ndarray:
        """Score times score of what was done, over these moves, times a direction, (R, n)."""
        along = (self.scores * self._changed(direction)).sum(axis=1, keepdims=True)
        return self._weighed(self.scores * along, direction, gamma)

    def _changed(self, direction: np.ndarray) -> np.ndarray:
        """What a direction, (R, n), does to the scores of each move, (T, R)."""
        return (direction[:, self.index] * self.value).sum(axis=2).T

    def _weighed(self, by_move: np.ndarray, direction: np.ndarray, gamma: float) -> np.ndarray:
        weight = gamma**self.times / len(self.lengths)
        return self._spread(weight[:, None] * by_move, direction.shape[1])

    def _spread(self, by_move: np.ndarray, n: int) -> np.ndarray:
        """Numbers of moves and scores, (T, R), summed over the features that are on, (R, n)."""
        parts = [
            np.bincount(self.index.ravel(), (column[:, None] * self.value).ravel(), n)
            for column in by_move.T
        ]
        return np.array(parts)

    def errors(self, error: np.ndarray, n: int) -> np.ndarray:
        """The mean error, of shape (T,), where each feature is on, shape (n,)."""
        total = np.bincount(self.index.ravel(), (error[:, None] * self.value).ravel(), n)
        on = np.bincount(self.index.ravel(), np.abs(self.value).ravel(), n)
        return total / np.maximum(on, 1.0)


def solved(
    times: Callable[[np.ndarray], np.ndarray], gradient: np.ndarray, damping: float
) -> np.ndarray:
    """(F + damping I)^-1 times the gradient, shape (R, n), by conjugate gradients.

    F has (R n)^2 numbers and is never written down: `times` multiplies a direction by it.
    """

    def product(flat: np.ndarray) -> np.ndarray:
        direction = flat.reshape(gradient.shape)
        return (times(direction) + damping * direction).ravel()

    # A direction that is solved for roughly still climbs, so the last of the products will do.
    for state in islice(conjugate_gradient(product, gradient.ravel()), MOST_PRODUCTS):
        if state.residual <= EXACT_ENOUGH:
            break
    return state.w.reshape(gradient.shape)


def mean_of_others(rolled: Rollouts, to_go: np.ndarray) -> np.ndarray:
    """The mean of what the other episodes still earned at the same move, shape (T,); 0 if alone.

    An episode that was over by then earned nothing more. Its own is left out, or the mean would
    depend on the action and the gradient would be too small.
    """
    others = len(rolled.lengths) - 1
    if not others:
        return np.zeros(len(to_go))
    total = np.bincount(rolled.times, to_go)
    return (total[rolled.times] - to_go) / others
