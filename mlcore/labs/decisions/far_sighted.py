"""What the discount decides: to stay with little, or to give it up for more later."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.labs.decisions.two_worlds import GO, POOR, STAY, two_worlds
from mlcore.labs.lab import Lab
from mlcore.spine.component import Card, enter
from mlcore.spine.params import real

MOST = 0.99  # of the discount
MOVES = 30  # of which the weights are drawn


class FarSight(NamedTuple):
    """Both actions of the poor state by discount, and the weights of rewards."""

    gammas: np.ndarray  # (m,)
    stay: np.ndarray  # (m,) value of staying once, and best from then on
    go: np.ndarray  # (m,) of going
    gamma: float
    values: np.ndarray  # (2,) of the states with this discount
    goes: bool  # whether going is best with it
    weights: np.ndarray  # (MOVES,) of a reward after so many moves


@enter(
    Card(
        "far_sighted",
        "Short and far sight",
        ("lab",),
        sources=("epfl:return_discounted",),
        cost=lambda n, p, it: (0.05, 1e5),
        formula=r"R = \sum_{k \ge 1} \gamma^{k-1} r_{t+k},\qquad"
        r"1 + \gamma + \gamma^2 + \dots = \frac{1}{1 - \gamma}",
        kind="lab",
        pages=("sequential_decision_making",),
        synonyms=("discount factor", "myopic", "discounted return"),
        line="the discount says how far one looks",
    )
)
@dataclass(frozen=True, kw_only=True)
class FarSightedLab(Lab):
    """In the poor state staying pays 1 a move; going pays nothing, but leads to 2 a move for ever.

    Whether one goes is a matter of the discount: what a reward is worth one move later. With 0 only
    the next reward counts, near 1 all of them nearly alike.
    """

    tasks = (
        "Find the discount at which staying and going are worth the same.",
        "Check it by hand: staying for ever is worth 1 / (1 - gamma), going gamma 2 / (1 - gamma).",
        "Look how many moves count at all with a discount of 0.5, of 0.9 and of 0.99.",
    )
    seen = (
        "Below a discount of 0.5 one stays, above it one goes: gamma times 2 must be more than 1. "
        "With 0.3 the states are worth 1.43 and 2.86, with 0.9 they are worth 18 and 20. A reward "
        "of 1 for ever is worth 1 / (1 - gamma), which is also about how many moves one looks "
        "ahead: 2, 10 and 100."
    )

    gamma: float = real(
        0.9, low=0.0, high=MOST, soft=(0.0, MOST), symbol=r"\gamma", label="Discount",
        doc="What a reward is worth one move later.",
    )  # fmt: skip

    def compute(self, seed: int = 0) -> FarSight:
        """Values of both actions over the discount; nothing is drawn."""
        gammas = np.linspace(0.0, MOST, 100)
        q = np.array([two_worlds(gamma).solution.q[0] for gamma in gammas])
        best = two_worlds(self.gamma).solution
        return FarSight(
            gammas, q[:, STAY], q[:, GO], self.gamma, best.values,
            bool(best.q[0, GO] > best.q[0, STAY]), self.gamma ** np.arange(MOVES),
        )  # fmt: skip


def stay_for_ever(gammas: np.ndarray) -> np.ndarray:
    """What it is worth never to leave the poor state, by discount, shape (m,)."""
    return POOR / (1 - gammas)
