"""Worlds whose states are vectors of numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mlcore.decisions.continuous import _kernels
from mlcore.decisions.mdp import FiniteMDP
from mlcore.decisions.world import Episodic, Fact
from mlcore.evaluation.metrics.metric import Metric
from mlcore.maths.arrays import read_only
from mlcore.spine.wording import count, rough

NO_STATES = read_only(np.zeros(0, dtype=np.int64))
NO_NUMBERS = read_only(np.zeros(0))
NO_ENDS = read_only(np.zeros(0, dtype=np.bool_))


class Body(NamedTuple):
    """What moves in the picture of a world: a line through k points, at each of T moments."""

    name: str
    points: np.ndarray  # (T, k, 2)
    width: int  # of the line, in pixels


class Scene(NamedTuple):
    """How a world looks at T moments, in units of its own plane."""

    bodies: tuple[Body, ...]
    ground: np.ndarray  # (g, 2) a line that never moves
    goal: np.ndarray  # (2, 2) a line where episodes end well; NaN where there is none
    x_range: tuple[float, float]
    y_range: tuple[float, float]


@dataclass(frozen=True, eq=False, kw_only=True)
class ContinuousWorld(Episodic):
    """A state is a vector of d numbers, each with a usual range; one of some actions moves it.

    What lies beyond a range is seen as its end; a coordinate that wraps, such as an angle, begins
    anew there.
    """

    code: int  # of its moves, in the compiled loops
    constants: np.ndarray
    start_lows: np.ndarray  # (d,) episodes begin evenly in this box
    start_highs: np.ndarray  # (d,)
    state_names: tuple[str, ...]
    lows: np.ndarray  # (d,)
    highs: np.ndarray  # (d,)
    wraps: np.ndarray  # (d,) bool
    solved_at: float  # the mean sum of rewards that Gymnasium asks for
    reward: str  # inside a sentence: "-1 a move"
    plane: tuple[int, int]  # the two coordinates that tell most
    scene: Callable[[np.ndarray], Scene]  # of states, shape (T, d)
    rule: np.ndarray  # (A, d + 1) scores of the actions by a simple policy: constant, coordinates
    # What the first and the last of three actions push, in the unit of the world; NaN where
    # nothing lies between actions.
    push: tuple[float, float] = (float("nan"), float("nan"))
    push_name: str = ""  # "torque"

    called = "a world whose states are vectors, such as a cart with a pole"
    metric = Metric(
        "return",
        "Return",
        "higher",
        "Sum of the rewards of an episode under the final policy, without discount.",
    )
    baseline = "uniform_motion"
    first_agents = ("semi_gradient_control",)
    example = "mountain_car"
    pictures = ("continuous_states",)

    @property
    def threshold(self) -> float:
        """The mean sum of rewards at which Gymnasium calls it solved."""
        return self.solved_at

    @property
    def is_pushed(self) -> bool:
        """Whether any amount between the first and the last action can be done."""
        return bool(np.isfinite(self.push).all())

    def pushes(self, actions: np.ndarray) -> np.ndarray:
        """What actions push, shape (T,), in the unit of the world; what lies between them too."""
        low, high = self.push
        return low + (high - low) * np.asarray(actions) / (self.n_actions - 1)

    @property
    def d(self) -> int:
        """How many numbers a state is."""
        return len(self.state_names)

    @property
    def size(self) -> int:
        """Coordinates of a state: what features grow with."""
        return self.d

    @property
    def numbers(self) -> tuple[Any, ...]:
        """The world as compiled loops take it."""
        nothing = NO_STATES, NO_STATES, NO_NUMBERS, NO_NUMBERS, NO_ENDS
        own = (self.constants, self.start_lows, self.start_highs)
        return self.code, *map(read_only, own), *nothing

    def facts(self) -> tuple[Fact, ...]:
        """The coordinates of a state, actions, rewards, the discount."""
        ranges = "; ".join(
            f"{name} from {rough(low)} to {rough(high)}"
            for name, low, high in zip(self.state_names, self.lows, self.highs, strict=True)
        )
        return (
            self.named(
                f"Reward {self.reward}. An episode is cut after {count(self.max_steps, 'move')}."
            ),
            Fact("State", ", ".join(self.state_names), f"{ranges}."),
            self._acting(),
            Fact(
                "Discount",
                f"{self.gamma:g}",
                "It belongs to the world, so all methods share it. Scores are not discounted.",
            ),
            *([] if np.isnan(self.threshold) else [self._asked()]),
            Fact(
                "No exact answer",
                "",
                "There are no tables to solve; returns are means over twenty greedy episodes, "
                "which begin alike for all methods.",
            ),
        )

    def _asked(self) -> Fact:
        return Fact("Solved at", rough(self.threshold), "The mean return that Gymnasium asks for.")

    def _acting(self) -> Fact:
        names = ", ".join(self.action_names)
        if not self.is_pushed:
            return Fact(count(self.n_actions, "action"), "", f"{names}.")
        low, high = self.push
        return Fact(
            self.push_name.capitalize(),
            f"{rough(low)} to {rough(high)}",
            f"A Gaussian policy takes any of them; methods that count actions have {names}.",
        )

    def followed(self, start: Any, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """States, shape (T + 1, d), rewards and ends, (T,), of T actions from a start, (d,)."""
        actions = read_only(np.asarray(actions, dtype=np.float64))
        states, rewards = np.empty((len(actions) + 1, self.d)), np.empty(len(actions))
        ends = np.empty(len(actions), dtype=np.bool_)
        start = read_only(np.asarray(start, dtype=np.float64))
        rng = np.random.default_rng(0)  # nothing is drawn: these worlds leave nothing to chance
        _kernels.follow(self.numbers, start, actions, rng, states, rewards, ends)
        return states, rewards, ends


def along(velocity: int, d: int) -> np.ndarray:
    """The rule that pushes along with a velocity, one of d coordinates, by the first or the last of
    three actions; shape (3, d + 1)."""
    rule = np.zeros((3, d + 1))
    rule[0, velocity + 1], rule[2, velocity + 1] = -1.0, 1.0
    rule[1, 0] = -np.inf  # between them is never done
    return rule


def table_numbers(mdp: FiniteMDP) -> tuple[Any, ...]:
    """A world of tables as the compiled loops of this package take it."""
    own = mdp.offsets, mdp.successors, mdp.chances, mdp.rewards, mdp.ends
    start = read_only(mdp.initial)
    return _kernels.TABLE, NO_NUMBERS, start, NO_NUMBERS, *map(read_only, own)
