"""Two arms that are Markov chains: an index of each alone plays both as well as can be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.decisions.mdp import FiniteMDP, Transition, from_transitions, policy_values
from mlcore.labs.lab import Lab
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer, real
from mlcore.spine.random import generator

POLICIES = ("index", "next reward", "mean reward")
GAMMAS = np.linspace(0.0, 0.98, 15)
FLAT = 0.4  # of the Dirichlet distribution of a row: below 1 most moves lead to few states
Transitions = list[list[list[Transition]]]  # by state and action


class Chain(NamedTuple):
    """An arm: it pays by its state, and moves on only when it is pulled."""

    transitions: np.ndarray  # (n, n)
    rewards: np.ndarray  # (n,)


class MarkovianArms(NamedTuple):
    """Two arms of n states, and what policies that see both states lose."""

    rewards: np.ndarray  # (2, n)
    indices: np.ndarray  # (2, n)
    choices: np.ndarray  # (3, n, n) the arm that each policy pulls, by both states
    values: np.ndarray  # (n, n) of the best policy, in reward a move
    lost: np.ndarray  # (3, n, n) what each policy loses against it, likewise
    gammas: np.ndarray  # (m,)
    losses: np.ndarray  # (3, m) the mean of that over all pairs of states
    gamma: float


@enter(
    Card(
        "markovian_arms",
        "Arms that are Markov chains",
        ("lab",),
        "Gittins (1979), Journal of the Royal Statistical Society B 41",
        sources=("cs2:bandit_markovian",),
        cost=lambda n, p, it: (0.05 + 0.025 * it.n_states**2, 1e6),
        formula=r"G(s) = \sup_{\tau \ge 1} \frac{\mathrm{E} \sum_{t < \tau} \gamma^t r(s_t)}"
        r"{\mathrm{E} \sum_{t < \tau} \gamma^t},\qquad s_0 = s",
        kind="lab",
        pages=("sequential_decision_making",),
        synonyms=("Gittins index", "Markovian bandit", "rested bandit", "index policy"),
        line="one number a state, and nothing is lost",
    )
)
@dataclass(frozen=True, kw_only=True)
class MarkovianArmsLab(Lab):
    """A pull pays by the state of the arm and moves it on; the other arm waits as it is.

    Both states together are a world of as many states as there are pairs, and planning in it gives
    the best policy. The Gittins index looks at one arm alone: the most that it can pay a discounted
    move until one stops pulling it, at a time of one's own choice. Pulling the arm of the higher
    index is the best policy, for any number of arms.
    """

    tasks = (
        "Compare each state's index with its reward: can it be lower?",
        "Look in the second picture where the next reward alone points to the wrong arm.",
        "Draw other chains, and look for some where the next reward is never wrong.",
    )
    seen = (
        "The index is never below the reward of the state, since one may stop after one move, and "
        "far above it where a good state is near. Who pulls by it loses nothing, in no pair of "
        "states and with no discount. Who goes by the next reward is right with a discount of 0 "
        "and loses more the farther one looks; who goes by the mean of a chain in the long run "
        "ignores in which state it is."
    )

    draw: int = integer(
        0, low=0, high=9999, soft=(0, 99), label="Which chains", doc="Which chains are drawn."
    )
    n_states: int = integer(4, low=2, high=6, soft=(2, 6), label="States", doc="Of each arm.")
    gamma: float = real(
        0.9, low=0.0, high=0.98, soft=(0.0, 0.98), symbol=r"\gamma", label="Discount",
        doc="What a reward is worth one move later.",
    )  # fmt: skip

    def compute(self, seed: int = 0) -> MarkovianArms:
        """Indices, and all policies exactly."""
        arms = self._arms()
        rewards = np.array([arm.rewards for arm in arms])
        indices = np.array([gittins(arm, self.gamma) for arm in arms])
        values, choices, lost = _judged(arms, self.gamma)
        losses = [_judged(arms, gamma)[2].mean(axis=(1, 2)) for gamma in GAMMAS]
        return MarkovianArms(
            rewards, indices, choices, values, lost, GAMMAS, np.transpose(losses), self.gamma
        )

    def _arms(self) -> tuple[Chain, Chain]:
        rng, n = generator(self.draw, "chains"), self.n_states
        chains = [Chain(rng.dirichlet(np.full(n, FLAT), n), rng.random(n)) for _ in range(2)]
        return chains[0], chains[1]


def gittins(arm: Chain, gamma: float) -> np.ndarray:
    """The index of each state, (n,), in reward a move.

    (1 - gamma) times the value of a state for who may begin again in it before every move
    (Katehakis and Veinott, 1987).
    """
    n = len(arm.rewards)
    restarted = (_world(_either(arm, s), gamma).solution.values[s] for s in range(n))
    return (1 - gamma) * np.array(list(restarted))


def _moves(chances: np.ndarray, reward: float) -> list[Transition]:
    return [(float(p), to, float(reward), False) for to, p in enumerate(chances)]


def _either(arm: Chain, s: int) -> Transitions:
    """In each state: go on from it, or from state s."""
    each = [_moves(*row) for row in zip(arm.transitions, arm.rewards, strict=True)]
    return [[own, each[s]] for own in each]


def _world(transitions: Transitions, gamma: float) -> FiniteMDP:
    n = len(transitions)
    return from_transitions(
        "arms that are chains", transitions, gamma=gamma, initial=np.full(n, 1 / n),
        max_steps=1000, state_names=tuple(map(str, range(n))), action_names=("first", "second"),
    )  # fmt: skip


def both(arms: tuple[Chain, Chain], gamma: float) -> FiniteMDP:
    """The world of both arms: state i * n + j for i of the first and j of the second."""
    (P, r), (Q, q) = arms
    n = len(r)
    first, second = np.kron(P, np.eye(n)), np.kron(np.eye(n), Q)
    pairs = [(i, j) for i in range(n) for j in range(n)]
    rows = zip(pairs, first, second, strict=True)
    return _world([[_moves(a, r[i]), _moves(b, q[j])] for (i, j), a, b in rows], gamma)


def _in_the_end(arm: Chain) -> float:
    """Mean reward a move of an arm that is pulled for ever, over all states to begin in."""
    n = len(arm.rewards)
    return float((np.linalg.matrix_power(arm.transitions, 2**12) @ arm.rewards).sum() / n)


def _judged(arms: tuple[Chain, Chain], gamma: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Best values, (n, n), choices of all policies and what they lose, (3, n, n) each."""
    n, world = len(arms[0].rewards), both(arms, gamma)
    means = [np.full(n, _in_the_end(arm)) for arm in arms]
    scores = ([gittins(arm, gamma) for arm in arms], [arm.rewards for arm in arms], means)
    choices = np.array([(b[None, :] > a[:, None]).astype(np.int64) for a, b in scores])
    values = [policy_values(world, own.ravel()).reshape(n, n) for own in choices]
    best = world.solution.values.reshape(n, n)
    # What is smaller than the twelfth digit is rounding.
    lost = np.round((1 - gamma) * (best - np.array(values)), 12)
    return (1 - gamma) * best, choices, np.maximum(lost, 0.0)
