"""The acrobot: two links that swing up by a torque between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlcore.decisions.continuous import _kernels
from mlcore.decisions.continuous.world import Body, ContinuousWorld, Scene, along
from mlcore.decisions.horizon import discount, most_moves
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import real

MASS, LENGTH, MIDDLE, INERTIA, SECONDS = 1.0, 1.0, 0.5, 1.0, 0.2
FASTEST = np.array([4 * np.pi, 9 * np.pi])


@enter(
    Card(
        "acrobot",
        "Acrobot",
        ("problem",),
        "Sutton (1996), Advances in Neural Information Processing Systems 8",
        sources=("epfl:rl_agent_env", "cs2:stochastic chain / continuous tasks"),
        synonyms=("double pendulum",),
        kind="data",
    )
)
@dataclass(frozen=True, kw_only=True)
class Acrobot(Component):
    """Two links hang from a hook; a torque between them, and only there, must swing the tip up.

    Every move costs 1 until the tip is one link above the hook. The actions are a torque to one
    side, none, or to the other. The state is the angle of the first link from straight down, that
    of the second against the first, and both angular velocities. Like a gymnast one has to swing in
    time with the links. The moves are those of Gymnasium's Acrobot, five a second.
    """

    gravity: float = real(
        9.8, low=0.0, high=100.0, soft=(1.6, 25.0), doc="In metres a second squared: 1.6 is the "
        "Moon."
    )  # fmt: skip
    gamma: float = discount(1.0)
    max_steps: int = most_moves(500)

    def world(self) -> ContinuousWorld:
        """The links as agents meet them."""
        highs = np.array([np.pi, np.pi, *FASTEST])
        return ContinuousWorld(
            name="acrobot",
            code=_kernels.ACROBOT,
            constants=np.array([self.gravity, MASS, LENGTH, MIDDLE, INERTIA, SECONDS, *FASTEST]),
            start_lows=np.full(4, -0.1),
            start_highs=np.full(4, 0.1),
            state_names=("first angle", "second angle", "first velocity", "second velocity"),
            lows=-highs,
            highs=highs,
            wraps=np.array([True, True, False, False]),
            n_actions=3,
            action_names=("torque right", "no torque", "torque left"),
            gamma=self.gamma,
            max_steps=self.max_steps,
            solved_at=-100.0,
            reward="-1 a move until the tip is up",
            plane=(0, 1),
            scene=scene,
            rule=along(3, 4),
        )


def scene(states: np.ndarray) -> Scene:
    """Both links below their hook; states have shape (T, 4)."""
    first, second = states[:, 0], states[:, 0] + states[:, 1]
    hook = np.zeros((len(states), 2))
    joint = LENGTH * np.column_stack([np.sin(first), -np.cos(first)])
    tip = joint + LENGTH * np.column_stack([np.sin(second), -np.cos(second)])
    return Scene(
        bodies=(
            Body("first link", np.stack([hook, joint], axis=1), 10),
            Body("second link", np.stack([joint, tip], axis=1), 8),
        ),
        ground=np.array([[-0.25, 0.0], [0.25, 0.0]]),
        goal=np.array([[-2.1, LENGTH], [2.1, LENGTH]]),
        x_range=(-2.2, 2.2),
        y_range=(-2.2, 2.2),
    )
