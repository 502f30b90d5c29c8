"""What an agent knows after acting, beside `mlcore/spine/capabilities.py`."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np


@runtime_checkable
class HasRegret(Protocol):
    """`regret`: sum of the gaps of the arms pulled, shape (m,), noted at `rounds`, shape (m,)."""

    rounds: np.ndarray
    regret: np.ndarray


@runtime_checkable
class HasArmEstimates(Protocol):
    """`counts`: pulls of each arm, shape (K,); `means`: its mean reward as it is estimated,
    shape (K,), NaN for an arm that was never pulled; after the last of the `rounds`, (m,)."""

    rounds: np.ndarray
    counts: np.ndarray
    means: np.ndarray


@runtime_checkable
class HasUpperMeans(Protocol):
    """`upper`: what each arm could pay at most in the mean, (K,): the largest is pulled next.

    After the last of the `rounds` that were noted, with the `counts` of pulls, (K,), and the
    `means` of rewards, (K,).
    """

    rounds: np.ndarray
    counts: np.ndarray
    means: np.ndarray
    upper: np.ndarray


@runtime_checkable
class BelievesMeans(Protocol):
    """A distribution of the mean of each arm, after the last of the `rounds` that were noted, with
    the `counts` of pulls, (K,).

    `belief(x)` is its density at the means x (m,), shape (K, m).
    """

    rounds: np.ndarray
    counts: np.ndarray

    def belief(self, x: np.ndarray) -> np.ndarray:
        """Means (m,) to densities (K, m)."""
        ...


@runtime_checkable
class HasArmChances(Protocol):
    """`chances`: probability that each arm is pulled, shape (m, K), in each of the `rounds`."""

    rounds: np.ndarray
    chances: np.ndarray


@runtime_checkable
class HasArmWeights(Protocol):
    """`weights` of a context by arm, shape (K, d), with ellipses of confidence about them.

    That of arm a holds theta with (theta - weights[a])' inverses[a]^-1 (theta - weights[a]) at most
    `radius` squared; `inverses` has shape (K, d, d).
    """

    weights: np.ndarray
    inverses: np.ndarray
    radius: float


@runtime_checkable
class HasPolicy(Protocol):
    """`policy`: the action in each state, shape (S,), and the `values` of the states, (S,)."""

    values: np.ndarray
    policy: np.ndarray


@runtime_checkable
class HasActionValues(Protocol):
    """`q`: the value of each action in each state, shape (S, A)."""

    q: np.ndarray


@runtime_checkable
class HasActionChances(Protocol):
    """A policy that draws: `chances` of the actions in each state, shape (S, A), the softmax of
    its `preferences`, shape (S, A)."""

    preferences: np.ndarray
    chances: np.ndarray


@runtime_checkable
class NotesChanges(Protocol):
    """A plan with `changes`: the largest change of a value in each iteration, shape (k,).

    `is_exact`: whether its values are the best ones, however large the last change was.
    """

    changes: np.ndarray
    is_exact: bool


@runtime_checkable
class HasStages(Protocol):
    """A plan whose actions depend on the decisions left.

    `stage_values`: the values of the states with 0 ... H left, shape (H + 1, S);
    `stage_policies`: the actions with 1 ... H left, shape (H, S).
    """

    stage_values: np.ndarray
    stage_policies: np.ndarray


@runtime_checkable
class PredictsValues(Protocol):
    """`predicted` values of a policy beside the `exact` ones: of states, (S,), or (S, A).

    The latter are of actions. The policy is given, or learned beside a critic, which `predicted`
    then are. Exact ones are NaN of what cannot be reached. `rms`: root mean square error over the
    others, shape (m,), noted after `episodes`.
    """

    predicted: np.ndarray
    exact: np.ndarray
    episodes: np.ndarray
    rms: np.ndarray


@runtime_checkable
class JudgesPolicy(Protocol):
    """Values of vectors of d numbers under a policy that is given.

    `state_values` gives them. `predicted` ones, shape (m,), of the states `judged`, (m, d), or of
    actions in them, stand beside `exact`: mean returns earned from there on; `rms` as above.
    `visits` counts the states that were met, as in `ScoresStates`.
    """

    visits: np.ndarray
    judged: np.ndarray
    predicted: np.ndarray
    exact: np.ndarray
    rms: np.ndarray

    def state_values(self, states: np.ndarray) -> np.ndarray:
        """States (m, d) to their values (m,)."""
        ...


@runtime_checkable
class CountsVisits(Protocol):
    """`visits`: how often each action was taken in each state, shape (S, A)."""

    visits: np.ndarray


@runtime_checkable
class HasReturns(Protocol):
    """Mean returns of an episode, shape (m,), noted after `episodes`: `online` while exploring,
    `greedy` of the greedy policy, exactly where the world has tables, else of some episodes."""

    episodes: np.ndarray
    online: np.ndarray
    greedy: np.ndarray


@runtime_checkable
class HasGains(Protocol):
    """`gained`: all rewards until then, without discount, shape (m,), noted after `moves`, (m,)."""

    moves: np.ndarray
    gained: np.ndarray


@runtime_checkable
class HasValueErrors(Protocol):
    """`errors`: largest error of the value of a state, shape (m,), noted after `episodes`.

    `right`: share of the states with a best action, (m,); `greedy`: return of the greedy policy,
    (m,). `staged`: the values of the states, (k, S), after the episodes `stages`, (k,).
    """

    episodes: np.ndarray
    errors: np.ndarray
    right: np.ndarray
    greedy: np.ndarray
    stages: np.ndarray
    staged: np.ndarray


@runtime_checkable
class HasModel(Protocol):
    """A model of the world, learned by counting.

    `counts`: how often each transition of the world was seen, shape (E,); `visits`: how often each
    action was taken in each state, shape (S, A). `model_errors`: mean distance of the learned from
    the true probabilities, shape (m,), noted after `episodes`.
    """

    counts: np.ndarray
    visits: np.ndarray
    episodes: np.ndarray
    model_errors: np.ndarray


@runtime_checkable
class HasPaths(Protocol):
    """`paths`: greedy episodes after some stages of learning, all from the same start.

    They have the episodes learned from, `after` (k,), the `states` (k, T + 1, d), the `actions`
    (k, T), the `scores` of all actions (k, T, A), and the `lengths` (k,) in moves.
    """

    paths: Any


@runtime_checkable
class ScoresStates(Protocol):
    """What vectors of d numbers are worth as states, and what is best done there.

    `state_values` gives the values, `predict` the numbers of the actions. `visits` counts the
    states that were met while learning, in a map of each pair of coordinates: shape
    (d (d - 1) / 2, cells, cells), in the order (0, 1), (0, 2), ..., the later one upwards.
    """

    visits: np.ndarray

    def state_values(self, states: np.ndarray) -> np.ndarray:
        """States (m, d) to their values (m,)."""
        ...

    def predict(self, states: np.ndarray) -> np.ndarray:
        """States (m, d) to the best actions (m,)."""
        ...


@runtime_checkable
class LinearInFeatures(Protocol):
    """Scores of actions that are sums of `weights`, shape (R, n), of the features that are on.

    `encoded` holds the features of a state: which of them are on, and how strong.
    """

    encoded: Any
    weights: np.ndarray


@runtime_checkable
class DrawsAmounts(Protocol):
    """A policy that draws any amount between the first action, -1, and the last, 1, normally.

    `action_moments(states)` gives the mean and the standard deviation of what it draws.
    """

    def action_moments(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """States (m, d) to the means (m,) and the standard deviations (m,) of what is drawn."""
        ...
