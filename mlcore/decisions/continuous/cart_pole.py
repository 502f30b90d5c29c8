"""The cart with a pole: keep it upright by pushing the cart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlcore.decisions.continuous import _kernels
from mlcore.decisions.continuous.world import Body, ContinuousWorld, Scene
from mlcore.decisions.horizon import discount, most_moves
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import real

GRAVITY, CART, POLE, SECONDS = 9.8, 1.0, 0.1, 0.02
EDGE, TILT = 2.4, 12 * 2 * np.pi / 360  # where an episode ends
WIDE = 0.25  # half the cart, in the picture


@enter(
    Card(
        "cart_pole",
        "Cart and pole",
        ("problem",),
        "Barto, Sutton and Anderson (1983), IEEE Transactions on Systems, Man and Cybernetics 13",
        sources=("epfl:rl_agent_env", "cs2:stochastic chain / continuous tasks"),
        synonyms=("inverted pendulum", "pole balancing"),
        formula=r"\ddot\theta = \frac{g \sin\theta - \cos\theta\,(F + m l \dot\theta^2 \sin\theta)"
        r"/ M}{l\,(4/3 - m \cos^2\theta / M)}",
        kind="data",
    )
)
@dataclass(frozen=True, kw_only=True)
class CartPole(Component):
    """A pole stands on a cart that is pushed left or right; it falls unless the cart follows.

    Every move earns 1 until the pole leans 12 degrees or the cart is 2.4 from the middle, so a
    return is the number of moves for which the pole was kept up. The state is the position and the
    velocity of the cart, the angle of the pole and its angular velocity. The moves are those of
    Gymnasium's CartPole, fifty a second.
    """

    half_length: float = real(
        0.5, above=0.0, high=10.0, soft=(0.1, 2.0), label="Half length",
        doc="Half the length of the pole, in metres: a short one falls sooner.",
    )  # fmt: skip
    force: float = real(
        10.0, above=0.0, high=100.0, soft=(2.0, 20.0), symbol="F", doc="Of a push, in newtons."
    )
    gamma: float = discount(0.99)
    max_steps: int = most_moves(500)

    def world(self) -> ContinuousWorld:
        """The cart as agents meet it."""
        constants = (GRAVITY, CART, POLE, self.half_length, self.force, SECONDS, EDGE, TILT)
        highs = np.array([EDGE, 3.0, TILT, 3.5])
        return ContinuousWorld(
            name="cart and pole",
            code=_kernels.CART_POLE,
            constants=np.array(constants),
            start_lows=np.full(4, -0.05),
            start_highs=np.full(4, 0.05),
            state_names=("position", "velocity", "angle", "angular velocity"),
            lows=-highs,
            highs=highs,
            wraps=np.zeros(4, dtype=np.bool_),
            n_actions=2,
            action_names=("push left", "push right"),
            gamma=self.gamma,
            max_steps=self.max_steps,
            solved_at=475.0,
            reward="1 a move",
            plane=(2, 3),
            scene=scene,
            rule=np.array([[0.0, 0.0, 0.0, -1.0, -1.0], [0.0, 0.0, 0.0, 1.0, 1.0]]),
        )


def scene(states: np.ndarray) -> Scene:
    """The cart on its track and the pole on the cart; states have shape (T, 4)."""
    x, angle = states[:, 0], states[:, 2]
    zero = np.zeros_like(x)
    cart = np.stack([np.column_stack([x + s, zero]) for s in (-WIDE, WIDE)], axis=1)
    tip = np.column_stack([x + np.sin(angle), np.cos(angle)])
    pole = np.stack([np.column_stack([x, zero]), tip], axis=1)
    return Scene(
        bodies=(Body("cart", cart, 22), Body("pole", pole, 8)),
        ground=np.array([[-EDGE, -0.1], [EDGE, -0.1]]),
        goal=np.full((2, 2), np.nan),
        x_range=(-EDGE - 0.2, EDGE + 0.2),
        y_range=(-0.4, 1.4),
    )
