"""What follows from the tables of a world for a softmax policy: occupancy, objective, gradients."""

from __future__ import annotations

import numpy as np

from mlcore.decisions.mdp import NOTHING, FiniteMDP, backup, values_of
from mlcore.spine.records import function


def softmax(preferences: np.ndarray) -> np.ndarray:
    """Probabilities of the actions by their preferences, both shape (S, A)."""
    # The largest is taken away first: a power of a large number is infinite.
    powers = np.exp(preferences - preferences.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


@function("discounted_occupancy", sources=("cs2:policy_gradient_exact",))
def discounted_occupancy(mdp: FiniteMDP, policy: np.ndarray) -> np.ndarray:
    """Expected discounted visits of each state under a policy, (S, A), from the start, shape (S,).

    They sum to 1 / (1 - gamma) where no episode ends.
    """
    P = mdp.matrix(policy)
    return np.linalg.solve(np.eye(mdp.n_states) - mdp.gamma * P.T, mdp.initial)


@function("visits_within", sources=("cs2:policy_gradient_exact",))
def visits_within(mdp: FiniteMDP, policies: np.ndarray) -> np.ndarray:
    """Expected discounted visits of each state in an episode with its time limit, shape (S,).

    `policies` are the actions with 1 ... H decisions left, shape (H, S), or their probabilities,
    (H, S, A), the last ones those with more; a policy that does not look at the time is one of
    them. Without a limit, or where it is too far away to count, these are the
    `discounted_occupancy`.
    """
    matrices = [mdp.matrix(policy) for policy in policies]
    here, total = mdp.initial.copy(), np.zeros(mdp.n_states)
    for left in range(mdp.max_steps, 0, -1):
        total += here
        here = mdp.gamma * here @ matrices[min(left, len(matrices)) - 1]
        if here.sum() < NOTHING * total.sum():
            break
    return total


@function("policy_objective", sources=("cs2:policy_gradient_exact",))
def policy_objective(mdp: FiniteMDP, preferences: np.ndarray) -> float:
    """J: the value of the start under the softmax of preferences, shape (S, A)."""
    return float(mdp.initial @ values_of(mdp, softmax(preferences)))


@function("exact_policy_gradient", sources=("cs2:policy_gradient_exact",))
def exact_policy_gradient(mdp: FiniteMDP, preferences: np.ndarray) -> np.ndarray:
    """The gradient of J by preferences, shape (S, A): visits times pi (Q - v)."""
    policy = softmax(preferences)
    values = values_of(mdp, policy)
    advantage = backup(mdp, values) - values[:, None]
    return discounted_occupancy(mdp, policy)[:, None] * policy * advantage


@function("fisher_information", sources=("cs2:fisher_matrix",))
def fisher_information(mdp: FiniteMDP, preferences: np.ndarray) -> np.ndarray:
    """The Fisher information of a softmax policy over discounted visits, shape (S, A, A).

    One block a state, visits times (diag(pi) - pi pi'): the score of an action in one state does
    not depend on the preferences in another. `preferences` have shape (S, A).
    """
    policy = softmax(preferences)
    blocks = np.eye(mdp.n_actions) * policy[:, None] - policy[:, :, None] * policy[:, None]
    return discounted_occupancy(mdp, policy)[:, None, None] * blocks


@function("natural_policy_gradient", sources=("cs2:natural_actor_critic",))
def natural_policy_gradient(mdp: FiniteMDP, preferences: np.ndarray) -> np.ndarray:
    """The pseudo-inverse of the Fisher information times the gradient of J, shape (S, A).

    In a state that is reached that is the advantage of each action less the mean over actions, by
    whatever probability the state is reached and the action taken; elsewhere it is zero.
    """
    gradient = exact_policy_gradient(mdp, preferences)
    inverses = np.linalg.pinv(fisher_information(mdp, preferences), rcond=1e-9, hermitian=True)
    return np.einsum("sab,sb->sa", inverses, gradient)
