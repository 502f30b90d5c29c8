"""Two policies with the same reward a move in the long run: what comes before it decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.decisions.mdp import FiniteMDP, from_transitions, policy_values
from mlcore.labs.lab import Lab
from mlcore.spine.component import Card, enter
from mlcore.spine.params import real

POLICIES = ("office", "market")
MOVES = 1000
PAST_ALL = 2**16  # moves after which a market has long forgotten where it began
GAMMAS = 1 - np.geomspace(0.5, 1e-3, 40)


class EqualGain(NamedTuple):
    """Both policies from the start, in the order of POLICIES."""

    rewards: np.ndarray  # (2, MOVES) expected reward of each move
    gains: np.ndarray  # (2,) reward a move in the long run
    biases: np.ndarray  # (2,) what the start is worth beyond that
    gammas: np.ndarray  # (m,)
    discounted: np.ndarray  # (2, m) values of the start by discount
    bonus: float


@enter(
    Card(
        "equal_gain",
        "Equal gain, unequal bias",
        ("lab",),
        "Puterman (1994), Markov Decision Processes, chapters 8 and 10",
        sources=("epfl:return_bias_optimal",),
        cost=lambda n, p, it: (0.05, 1e5),
        formula=r"g = \lim_{n \to \infty} \tfrac{1}{n}\, \mathrm{E} \sum_{t < n} r_t,\qquad"
        r"h = \lim_{n \to \infty} \mathrm{E} \sum_{t < n} (r_t - g)",
        kind="lab",
        pages=("sequential_decision_making",),
        synonyms=("average reward", "bias optimality", "gain", "Blackwell optimality"),
        line="the same for ever, but not at first",
    )
)
@dataclass(frozen=True, kw_only=True)
class EqualGainLab(Lab):
    """An office pays 1 a move. A market pays 2 or nothing, half of the time each.

    On the way to the office one earns nothing, on the way to the market a bonus; but a market is
    poor when one comes. In the long run both pay 1 a move, and that average cannot tell them apart:
    whatever happens in finitely many moves is lost in it. The bias, what is earned beyond the
    average from the start, can.
    """

    tasks = (
        "Look at the running averages after 10 moves and after 1,000.",
        "Find the bonus that makes both alike, then read the biases.",
        "Let the market change less often: what is it worth now that one comes when it is poor?",
    )
    seen = (
        "The averages meet, whatever the bonus. The sums do not: beyond 1 a move the office leaves "
        "one with -1, for the move to it, and the market with the bonus less 1 and less half of "
        "the number of moves until it changes. With a chance of change of 0.25 both are alike for "
        "a bonus of 2. With a bonus of 1 a discount of 0.5 takes the market for it, and one near 1 "
        "the office, as the bias does."
    )

    bonus: float = real(
        1.0, low=-5.0, high=20.0, soft=(0.0, 10.0), label="Bonus",
        doc="What is paid once, on the way to the market.",
    )  # fmt: skip
    change: float = real(
        0.25, low=0.02, high=0.98, soft=(0.05, 0.5), label="Chance of change",
        doc="Probability that the market turns from poor to rich, or back, after a move.",
    )  # fmt: skip

    def compute(self, seed: int = 0) -> EqualGain:
        """Expected rewards move by move, gains and biases; nothing is drawn."""
        world = self._world(0.0)
        policies = [np.full(world.n_states, k) for k in range(len(POLICIES))]
        both = [gain_and_bias(world, policy) for policy in policies]
        worlds = [self._world(gamma) for gamma in GAMMAS]
        return EqualGain(
            np.array([_expected(world, policy) for policy in policies]),
            np.array([gain[0] for gain, _ in both]), np.array([bias[0] for _, bias in both]),
            GAMMAS, np.array([[policy_values(w, own)[0] for w in worlds] for own in policies]),
            self.bonus,
        )  # fmt: skip

    def _world(self, gamma: float) -> FiniteMDP:
        """Start, office, poor market, rich market; only at the start there is a choice."""
        stay, move = 1 - self.change, self.change
        start = [[(1.0, 1, 0.0, False)], [(1.0, 2, self.bonus, False)]]
        office = [(1.0, 1, 1.0, False)]
        poor = [(stay, 2, 0.0, False), (move, 3, 0.0, False)]
        rich = [(stay, 3, 2.0, False), (move, 2, 2.0, False)]
        return from_transitions(
            "office and market", [start, *([own] * 2 for own in (office, poor, rich))],
            gamma=gamma, initial=np.array([1.0, 0.0, 0.0, 0.0]), max_steps=MOVES,
            state_names=("start", "office", "poor market", "rich market"), action_names=POLICIES,
        )  # fmt: skip


def _pays(world: FiniteMDP, policy: np.ndarray) -> np.ndarray:
    return world.expected_rewards[np.arange(world.n_states), policy]


def gain_and_bias(world: FiniteMDP, policy: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """g = P* r and h = (I - P + P*)^-1 (I - P*) r of a policy that never ends, (S,) each.

    P* is the limit of the powers of P, which must have one: no state may come back in turns.
    """
    P, r = world.matrix(policy), _pays(world, policy)
    limit, each = np.linalg.matrix_power(P, PAST_ALL), np.eye(len(P))
    return limit @ r, np.linalg.solve(each - P + limit, r - limit @ r)


def _expected(world: FiniteMDP, policy: np.ndarray) -> np.ndarray:
    """Mean reward of each move from the first state, (MOVES,)."""
    at, P, r = world.initial, world.matrix(policy), _pays(world, policy)
    rewards = np.empty(MOVES)
    for t in range(MOVES):
        rewards[t] = at @ r
        at = at @ P
    return rewards
