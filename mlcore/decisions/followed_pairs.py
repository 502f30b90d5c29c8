"""The chain of states and actions that a policy makes of a world."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mlcore.decisions.mdp import FiniteMDP
from mlcore.spine.records import function


@function("followed_pairs", sources=("cs2:sarsa_policy_evaluation",))
def followed_pairs(mdp: FiniteMDP, policy: np.ndarray) -> FiniteMDP:
    r"""The world whose states are the pairs of a state and an action, under a policy, (S, A).

    Pair s * A + a goes on to pair s' * A + a' with the probability $P(s' \mid s, a)\,
    \pi(a' \mid s')$ and the reward of the move; there is one action. The values of its states are
    $Q^\pi(s, a)$, and a move of TD in it is a move of SARSA: $r + \gamma Q(s', a')$ with the action
    that is taken. Its lists have A times as many entries.
    """
    A = mdp.n_actions
    named = [f"{action} in {state}" for state in mdp.state_names for action in mdp.action_names]
    begins = mdp.initial[:, None] * policy
    return replace(
        mdp,
        n_states=mdp.n_states * A,
        n_actions=1,
        offsets=mdp.offsets * A,
        successors=(mdp.successors[:, None] * A + np.arange(A)).ravel(),
        chances=(mdp.chances[:, None] * policy[mdp.successors]).ravel(),
        rewards=np.repeat(mdp.rewards, A),
        ends=np.repeat(mdp.ends, A),
        initial=begins.ravel() / begins.sum(),
        state_names=tuple(named),
        action_names=("the policy's",),
        grid=None,
    )
