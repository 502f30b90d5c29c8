"""The pendulum: a motor too weak to lift it swings it up and holds it there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlcore.decisions.continuous import _kernels
from mlcore.decisions.continuous.world import Body, ContinuousWorld, Scene, along
from mlcore.decisions.horizon import discount, most_moves
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import real

SECONDS, FASTEST = 0.05, 8.0  # of a move; radians a second


@enter(
    Card(
        "pendulum",
        "Pendulum",
        ("problem",),
        "Doya (2000), Neural Computation 12; Gymnasium, Pendulum-v1",
        sources=("epfl:rl_agent_env", "cs2:stochastic chain / continuous tasks"),
        formula=r"\ddot\theta = \frac{3g}{2l}\sin\theta + \frac{3u}{ml^2}, \quad "
        r"r = -(\theta^2 + 0.1\,\dot\theta^2 + 0.001\,u^2)",
        synonyms=("continuous actions", "swing-up"),
        kind="data",
    )
)
@dataclass(frozen=True, kw_only=True)
class Pendulum(Component):
    """A rod on an axle with a motor that can give any torque, but too little to lift it at once.

    It begins anywhere, and every move costs the square of the angle from upright, a tenth of that
    of the velocity and a little for the torque, so the best is to swing it up and hold it. Nothing
    ends an episode but the limit of moves. The state is angle, 0 upright, and angular velocity.
    The moves are those of Gymnasium's Pendulum; methods that count actions have both full torques
    and none.
    """

    gravity: float = real(
        10.0, low=0.0, high=50.0, soft=(0.0, 20.0), symbol="g", doc="Pull of gravity, in m/s²."
    )
    torque: float = real(
        2.0, above=0.0, high=50.0, soft=(0.5, 10.0), symbol="u",
        doc="Largest torque of the motor in Nm; above 5 it lifts the rod at once.",
    )  # fmt: skip
    mass: float = real(
        1.0, above=0.0, high=10.0, soft=(0.2, 3.0), symbol="m", doc="Mass of the rod, in kg."
    )
    length: float = real(
        1.0, above=0.0, high=10.0, soft=(0.2, 3.0), symbol="l", doc="Length of the rod, in m."
    )
    gamma: float = discount(0.95)
    max_steps: int = most_moves(200)

    def world(self) -> ContinuousWorld:
        """The rod as agents meet it."""
        return ContinuousWorld(
            name="pendulum",
            code=_kernels.PENDULUM,
            constants=np.array(
                [self.gravity, self.mass, self.length, SECONDS, FASTEST, self.torque]
            ),
            start_lows=np.array([-np.pi, -1.0]),
            start_highs=np.array([np.pi, 1.0]),
            state_names=("angle", "velocity"),
            lows=np.array([-np.pi, -FASTEST]),
            highs=np.array([np.pi, FASTEST]),
            wraps=np.array([True, False]),
            n_actions=3,
            action_names=("torque right", "no torque", "torque left"),
            gamma=self.gamma,
            max_steps=self.max_steps,
            solved_at=float("nan"),  # Gymnasium asks for nothing
            reward="minus angle², velocity² / 10 and torque² / 1000",
            plane=(0, 1),
            scene=scene,
            rule=along(1, 2),
            push=(-self.torque, self.torque),
            push_name="torque",
        )


def scene(states: np.ndarray) -> Scene:
    """The rod on its axle; states have shape (T, 2)."""
    hook = np.zeros((len(states), 2))
    tip = np.column_stack([-np.sin(states[:, 0]), np.cos(states[:, 0])])
    return Scene(
        bodies=(Body("rod", np.stack([hook, tip], axis=1), 10),),
        ground=np.array([[-0.25, 0.0], [0.25, 0.0]]),
        goal=np.array([[0.0, 1.05], [0.0, 1.2]]),
        x_range=(-1.3, 1.3),
        y_range=(-1.3, 1.3),
    )
