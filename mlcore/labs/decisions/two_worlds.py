"""The smallest world in which it pays to look ahead: a poor state, and a rich one beyond it."""

from __future__ import annotations

import numpy as np

from mlcore.decisions.mdp import FiniteMDP, from_transitions

STAY, GO = 0, 1  # the actions
POOR, RICH = 1.0, 2.0  # rewards of staying


def two_worlds(gamma: float) -> FiniteMDP:
    """Staying pays 1 in the first state and 2 in the second; going leads to the other and pays 0.

    One begins in the first; there is no end.
    """
    return from_transitions(
        "poor and rich state",
        [[[(1.0, s, pay, False)], [(1.0, 1 - s, 0.0, False)]] for s, pay in ((0, POOR), (1, RICH))],
        gamma=gamma,
        initial=np.array([1.0, 0.0]),
        max_steps=1000,
        state_names=("poor", "rich"),
        action_names=("stay", "go"),
    )
