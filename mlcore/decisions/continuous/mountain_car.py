"""The mountain car: too weak to drive up, it must first swing back."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from mlcore.decisions.continuous import _kernels
from mlcore.decisions.continuous.world import Body, ContinuousWorld, Scene, along
from mlcore.decisions.horizon import discount, most_moves
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import real

LEFT, RIGHT, FASTEST, GOAL = -1.2, 0.6, 0.07, 0.5
NEARER = 0.45  # where the flag stands for the car with any push
WHEELS, HEIGHT = 0.055, 0.05  # half the distance of the wheels, and of the car above the ground


@enter(
    Card(
        "mountain_car",
        "Mountain car",
        ("problem",),
        "Moore (1990), Efficient memory-based learning for robot control; Sutton and Barto (2018), "
        "Reinforcement Learning, example 10.1",
        sources=("epfl:rl_agent_env", "cs2:stochastic chain / continuous tasks"),
        formula=r"v' = v + f\,(a - 1) - g \cos 3x, \quad x' = x + v'",
        kind="data",
    )
)
@dataclass(frozen=True, kw_only=True)
class MountainCar(Component):
    """A car in a valley, weaker than gravity: it must go back up the other slope to gain speed.

    Every move costs 1 until the car stands at the flag, so a return is minus the number of moves.
    It can push left, not at all, or push right. The state is position and velocity; an episode
    begins at rest near the bottom. Whoever always pushes towards the goal never arrives: what is
    best now leads away from it. The moves are those of Gymnasium's MountainCar.
    """

    force: float = real(
        0.001, above=0.0, high=0.01, soft=(0.0005, 0.003), symbol="f",
        doc="How much a push changes the velocity in one move.",
    )  # fmt: skip
    gravity: float = real(
        0.0025, low=0.0, high=0.01, soft=(0.0, 0.005), symbol="g",
        doc="How much the steepest slope changes the velocity in one move.",
    )  # fmt: skip
    gamma: float = discount(1.0)
    max_steps: int = most_moves(200)

    def world(self) -> ContinuousWorld:
        """The valley as agents meet it."""
        return self._valley(GOAL, name="mountain car", solved_at=-110.0, reward="-1 a move")

    def _valley(self, goal: float, code: int = _kernels.MOUNTAIN_CAR, **more: Any) -> Any:
        """A car in the valley with its flag at this position."""
        return ContinuousWorld(
            code=code,
            constants=np.array([self.force, self.gravity, LEFT, RIGHT, FASTEST, goal]),
            start_lows=np.array([-0.6, 0.0]),
            start_highs=np.array([-0.4, 0.0]),
            state_names=("position", "velocity"),
            lows=np.array([LEFT, -FASTEST]),
            highs=np.array([RIGHT, FASTEST]),
            wraps=np.zeros(2, dtype=np.bool_),
            n_actions=3,
            action_names=("push left", "no push", "push right"),
            gamma=self.gamma,
            max_steps=self.max_steps,
            plane=(0, 1),
            scene=partial(scene, goal=goal),
            rule=along(1, 2),
            **more,
        )


@enter(
    Card(
        "pushed_car",
        "Mountain car, any push",
        ("problem",),
        "Moore (1990), Efficient memory-based learning for robot control; Gymnasium, "
        "MountainCarContinuous-v0",
        sources=("epfl:rl_agent_env", "cs2:stochastic chain / continuous tasks"),
        formula=r"v' = v + f\,u - g \cos 3x, \quad x' = x + v', \quad u \in [-1, 1]",
        synonyms=("MountainCarContinuous", "continuous mountain car", "continuous actions"),
        kind="data",
    )
)
@dataclass(frozen=True, kw_only=True)
class PushedCar(MountainCar):
    """The car in its valley with an engine that can push by any amount, and pays for it.

    Moves cost a tenth of the square of the push, and the flag pays 100. Whoever never reaches it
    learns to push no more, which costs nothing: a policy must find the flag before it has learned
    to save. The moves are those of Gymnasium's MountainCarContinuous; methods that count actions
    have both full pushes and none.
    """

    force: float = real(
        0.0015, above=0.0, high=0.01, soft=(0.0005, 0.003), symbol="f",
        doc="How much a full push changes the velocity in one move.",
    )  # fmt: skip
    gamma: float = discount(0.99)
    max_steps: int = most_moves(999)

    def world(self) -> ContinuousWorld:
        """The valley as agents meet it."""
        return self._valley(
            NEARER, code=_kernels.PUSHED_CAR, name="mountain car with any push",
            solved_at=90.0, reward="100 at the flag, minus push² / 10 a move", push=(-1.0, 1.0),
            push_name="push",
        )  # fmt: skip


def height(x: np.ndarray) -> np.ndarray:
    """Of the ground at each position, in the shape of `x`."""
    return 0.45 * np.sin(3 * x) + 0.55


def scene(states: np.ndarray, goal: float = GOAL) -> Scene:
    """The car on its hill with the flag at `goal`; states have shape (T, 2)."""
    x = states[:, 0]
    at = np.column_stack([x, height(x)])
    slope = np.column_stack([np.ones_like(x), 1.35 * np.cos(3 * x)])
    along = slope / np.linalg.norm(slope, axis=1, keepdims=True)
    up = HEIGHT * np.column_stack([-along[:, 1], along[:, 0]])
    rear, front = at - WHEELS * along + up, at + WHEELS * along + up
    ground = np.linspace(LEFT, RIGHT, 120)
    top = float(height(np.array(goal)))
    return Scene(
        bodies=(Body("car", np.stack([rear, front], axis=1), 12),),
        ground=np.column_stack([ground, height(ground)]),
        goal=np.array([[goal, top], [goal, top + 0.22]]),
        x_range=(LEFT - 0.05, RIGHT + 0.05),
        y_range=(0.0, 1.35),
    )
