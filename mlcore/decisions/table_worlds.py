"""Small worlds that are written down as tables: chains, splits, random ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from mlcore.decisions.horizon import discount, most_moves
from mlcore.decisions.mdp import FiniteMDP, Grid, Transition, from_transitions
from mlcore.spine import random
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import integer, many, real

MOST_STATES = 400
LONGEST_ROW = 20  # states of a row on a map
MOST_CACHED = 32  # worlds that are kept: one of many states holds some megabytes


@dataclass(frozen=True, kw_only=True)
class TableWorld(Component):
    """States in a row or a block, what may follow each action, and the discount."""

    gamma: float = discount(0.9)
    max_steps: int = most_moves()

    def world(self) -> FiniteMDP:
        """The tables; equal settings give the same object."""
        return _built(self)

    def tables(self) -> list[list[list[Transition]]]:
        """What may follow each action of each state."""
        raise NotImplementedError(f"{type(self).__name__} declares no tables")

    def actions(self) -> tuple[tuple[str, str], ...]:
        """The name of each action, and the sign by which a map shows it."""
        raise NotImplementedError(f"{type(self).__name__} declares no actions")

    def start_weights(self, n_states: int) -> np.ndarray:
        """Weights to begin in each state, shape (S,): here all in the first."""
        return 1.0 * (np.arange(n_states) == 0)

    def state_names(self, n_states: int) -> tuple[str, ...]:
        """What the states are called."""
        return tuple(f"state {s + 1}" for s in range(n_states))

    def width(self, n_states: int) -> int:
        """How many states stand beside one another on a map: all, as far as that can be read."""
        return n_states if n_states <= LONGEST_ROW else _side(n_states)

    def map(self, start_weights: np.ndarray, signs: tuple[str, ...]) -> Grid:
        """Where the states lie, by their weights to begin, shape (S,), and a sign an action."""
        return _rows(self.width(len(start_weights)), start_weights, signs)


@lru_cache(maxsize=MOST_CACHED)
def _built(problem: TableWorld) -> FiniteMDP:
    transitions = problem.tables()
    n = len(transitions)
    start_weights = problem.start_weights(n)
    names, signs = zip(*problem.actions(), strict=True)
    return from_transitions(
        problem.title().lower(),
        transitions,
        gamma=problem.gamma,
        initial=start_weights / start_weights.sum(),
        max_steps=problem.max_steps,
        state_names=problem.state_names(n),
        action_names=names,
        grid=problem.map(start_weights, signs),
    )


def _side(n: int) -> int:
    """Of the smallest square with room for n."""
    return int(np.ceil(np.sqrt(n)))


def _rows(width: int, start_weights: np.ndarray, signs: tuple[str, ...]) -> Grid:
    """The states in rows of this width, the last one filled up with walls."""
    n = len(start_weights)
    height = -(-n // width)
    is_start = start_weights > 0 if not start_weights.all() else np.zeros(n, bool)
    letters = "".join("S" if start else "." for start in is_start)
    return Grid((height, width), np.arange(n), letters.ljust(height * width, "#"), signs)


@enter(
    Card(
        "chain_walk",
        "Chain walk",
        ("problem",),
        "Lagoudakis and Parr (2003), Journal of Machine Learning Research 4",
        sources=("cs2:stochastic chain / continuous tasks",),
        kind="data",
    )
)
@dataclass(frozen=True, kw_only=True)
class ChainWalk(TableWorld):
    """A row of states, a step to the left or the right, and steps that go wrong.

    A move goes the other way with the probability of a slip, and stays where the row ends. Every
    move that ends in a rewarded state pays 1. There is no end: an episode is cut.
    """

    n_states: int = integer(
        20, low=2, high=MOST_STATES, soft=(2, 60), label="States", doc="Length of the row."
    )
    slip: float = real(
        0.1,
        low=0.0,
        high=0.5,
        soft=(0.0, 0.5),
        label="Slip probability",
        doc="Probability that a move goes the other way.",
    )
    rewarded: tuple[float, ...] = many(
        (1.0,), doc="Numbers of the states that pay, counted from 1 at the left; at least one.",
        most=MOST_STATES,
    )  # fmt: skip

    def conflict(self) -> str | None:
        """States that pay must be states of the row."""
        wrong = [s for s in self.rewarded if s != int(s) or not 1 <= s <= self.n_states]
        if wrong or not self.rewarded:
            got = f"{wrong[0]:g}" if wrong else "none"
            return f"The states that pay are whole numbers from 1 to {self.n_states}; got {got}."
        return None

    def tables(self) -> list[list[list[Transition]]]:
        """Left and right, for each state."""
        return [[self._moved(s, step) for step in (-1, 1)] for s in range(self.n_states)]

    def _moved(self, s: int, step: int) -> list[Transition]:
        last = self.n_states - 1
        ways = ((1 - self.slip, step), (self.slip, -step))
        nexts = [(chance, min(max(s + way, 0), last)) for chance, way in ways]
        return [(chance, to, float(to + 1 in self.rewarded), False) for chance, to in nexts]

    def actions(self) -> tuple[tuple[str, str], ...]:
        """One step to the left or to the right."""
        return ("left", "←"), ("right", "→")

    def start_weights(self, n_states: int) -> np.ndarray:
        """All states alike, shape (S,)."""
        return np.ones(n_states)


@enter(
    Card(
        "random_mdp",
        "Random world",
        ("problem",),
        "Archibald, McKinnon and Thomas (1995), Journal of the Operational Research Society 46",
        sources=("cs2:random MDP",),
        kind="data",
    )
)
@dataclass(frozen=True, kw_only=True)
class RandomMDP(TableWorld):
    """A world without any structure: what follows an action, and what it pays, is drawn.

    Each action of each state leads to some states, drawn without repetition, with probabilities
    that are uniform among all that sum to 1; its reward is uniform on [0, 1]. On a map its states
    stand in the order of their numbers, which means nothing.
    """

    n_states: int = integer(
        16, low=2, high=MOST_STATES, soft=(2, 100), log=True, label="States",
        doc="Number of states.",
    )  # fmt: skip
    n_actions: int = integer(
        3, low=1, high=8, soft=(1, 6), label="Actions", doc="Number of actions of each state."
    )
    branches: int = integer(
        3, low=1, high=20, soft=(1, 10), label="Branches",
        doc="How many states may follow an action; at most all.",
    )  # fmt: skip
    draw: int = integer(
        0, low=0, high=2**31 - 1, soft=(0, 99), label="Which one", doc="Which world is drawn."
    )

    def tables(self) -> list[list[list[Transition]]]:
        """As drawn, state by state and action by action."""
        rng = random.generator(self.draw, "random world")
        return [[self._drawn(rng) for _ in range(self.n_actions)] for _ in range(self.n_states)]

    def _drawn(self, rng: np.random.Generator) -> list[Transition]:
        branches, reward = min(self.branches, self.n_states), float(rng.uniform())
        nexts = rng.choice(self.n_states, branches, replace=False)
        chances = rng.dirichlet(np.ones(branches))
        return [(p, int(s), reward, False) for p, s in zip(chances, nexts, strict=True)]

    def actions(self) -> tuple[tuple[str, str], ...]:
        """Named by letters."""
        return tuple((f"action {letter}", letter) for letter in "abcdefgh"[: self.n_actions])

    def width(self, n_states: int) -> int:
        """A square: there is no order that a row would show."""
        return _side(n_states)


@enter(
    Card(
        "a_split_world",
        "A split",
        ("problem",),
        "Sutton and Barto (2018), Reinforcement Learning, section 11.5",
        sources=("cs2:A-split, 2-state divergence MDP",),
        kind="data",
    )
)
@dataclass(frozen=True, kw_only=True)
class ASplitWorld(TableWorld):
    """One action, and a coin that decides: the first state leads to the second or to the third.

    The second ends with a reward of 1, the third with 0, so with a fair coin the values are
    gamma / 2, 1 and 0. Who minimises the squared difference between a value and what was seen to
    follow it finds other values, (gamma / 2, 1 - d, d) with d = gamma^2 / 2 (1 + gamma^2), because
    one sample of what follows stands for its mean.
    """

    good: float = real(
        0.5, low=0.0, high=1.0, soft=(0.0, 1.0), symbol="p",
        label="Probability of the good outcome",
        doc="Probability to come to the state that pays.",
    )  # fmt: skip

    def tables(self) -> list[list[list[Transition]]]:
        """Two moves to the end."""
        split = [(self.good, 1, 0.0, False), (1 - self.good, 2, 0.0, False)]
        return [[split], [[(1.0, 1, 1.0, True)]], [[(1.0, 2, 0.0, True)]]]

    def actions(self) -> tuple[tuple[str, str], ...]:
        """The only action, to go on."""
        return (("go on", "→"),)


@enter(
    Card(
        "divergence_world",
        "Two states that diverge",
        ("problem",),
        "Tsitsiklis and Van Roy (1996), Machine Learning 22",
        sources=("cs2:A-split, 2-state divergence MDP",),
        kind="data",
    )
)
@dataclass(frozen=True, kw_only=True)
class DivergenceWorld(TableWorld):
    """One action that leads to the second state and pays nothing: every value is 0.

    Tables of values converge from wherever they begin. A value that is w times the number of the
    state, refitted by least squares to both states alike, grows by 6 gamma / 5 an iteration
    instead, and so without bound for gamma above 5/6.
    """

    def tables(self) -> list[list[list[Transition]]]:
        """Both states lead to the second."""
        return [[[(1.0, 1, 0.0, False)]]] * 2

    def actions(self) -> tuple[tuple[str, str], ...]:
        """The only action, to go on."""
        return (("go on", "→"),)
