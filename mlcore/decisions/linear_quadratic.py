"""The linear-quadratic regulator on a grid of states and actions: keep a state at zero."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from mlcore.decisions.horizon import discount
from mlcore.decisions.mdp import Transition
from mlcore.decisions.table_worlds import TableWorld
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer, real

RARE = 1e-12  # probabilities below are left out: such a move is never seen


class Regulator(NamedTuple):
    """A linear policy and what it is worth where states and actions are any numbers."""

    gain: float  # the action is -gain s
    curvature: float  # the value of a state is -(curvature s^2 + floor)
    floor: float  # what noise costs; infinite without a discount


@enter(
    Card(
        "linear_quadratic",
        "Hold a state at zero",
        ("problem",),
        "Bertsekas (2017), Dynamic Programming and Optimal Control, volume 1, section 3.1",
        sources=("cs2:stochastic chain / continuous tasks",),
        formula=r"s' = s + a + w,\; w \sim N(0, \sigma^2),\quad r = -(s^2 + \rho a^2),"
        r"\quad a^* = -\frac{\gamma P}{\rho + \gamma P}\, s",
        kind="data",
    )
)
@dataclass(frozen=True, kw_only=True)
class LinearQuadratic(TableWorld):
    r"""A number drifts by chance; every move pays for how far it is from zero and for its effort.

    $s' = s + a + w$ with $w \sim N(0, \sigma^2)$ and the reward $-(s^2 + \rho a^2)$. For any real
    numbers the best action is $-K s$ with $K = \gamma P / (\rho + \gamma P)$, where $P$ solves
    $\gamma P^2 + (\rho - \gamma - \gamma \rho) P = \rho$, and a state is worth
    $-(P s^2 + \gamma P \sigma^2 / (1 - \gamma))$. With $\rho$ and $\gamma$ at 1, $P$ is the golden
    ratio.

    Here states and actions are the points of a grid, so that tables hold the world: the noise goes
    to the nearest point, and whoever leaves the grid is put back to its end. The best policy is the
    line above, in steps, away from the ends.
    """

    gamma: float = discount(0.95)
    n_states: int = integer(
        17, low=3, high=81, soft=(9, 41), label="States",
        doc="Points of the grid, odd so that zero is one; an even number gets one more.",
    )  # fmt: skip
    reach: float = real(
        2.0, above=0.0, high=100.0, soft=(1.0, 5.0), doc="The grid goes from minus this to this."
    )
    effort: float = real(
        1.0, low=0.0, high=1000.0, soft=(0.0, 10.0), symbol=r"\rho", doc="Cost of an action of 1."
    )
    noise: float = real(
        0.2, low=0.0, high=100.0, soft=(0.0, 1.0), symbol=r"\sigma",
        doc="Standard deviation of the drift, in the unit of the states.",
    )  # fmt: skip

    def optimum(self) -> Regulator:
        """The best policy and its value where states and actions are not cut to a grid."""
        gamma, rho = self.gamma, self.effort
        b = rho - gamma - gamma * rho
        # The positive root, in the form that keeps its digits where gamma is near 0.
        P = 2 * rho / (b + np.sqrt(b * b + 4 * gamma * rho)) if rho else 1.0
        gain = gamma * P / (rho + gamma * P) if gamma else 0.0
        return self.linear_policy(float(gain))._replace(curvature=float(P))

    def linear_policy(self, gain: float, spread: float = 0.0) -> Regulator:
        r"""What the policy $a \sim N(-k s, \sigma_a^2)$ is worth where nothing is cut to a grid.

        $P = (1 + \rho k^2) / (1 - \gamma (1 - k)^2)$ with the gain k; the noise of the world and
        the spread $\sigma_a$ of the actions cost
        $(\rho \sigma_a^2 + \gamma P (\sigma^2 + \sigma_a^2)) / (1 - \gamma)$, infinite without a
        discount. All is infinite where $\gamma (1 - k)^2 \ge 1$: such a gain holds no state.
        """
        left = 1 - self.gamma * (1 - gain) ** 2
        if left <= 0:
            return Regulator(gain, np.inf, np.inf)
        P = (1 + self.effort * gain**2) / left
        lost = self.effort * spread**2 + self.gamma * P * (self.noise**2 + spread**2)
        floor = lost / (1 - self.gamma) if self.gamma < 1 else (np.inf if lost else 0.0)
        return Regulator(gain, float(P), float(floor))

    def grid(self) -> np.ndarray:
        """The states, which are the actions too, shape (S,)."""
        half = self.n_states // 2
        return self.reach * np.arange(-half, half + 1) / half

    def tables(self) -> list[list[list[Transition]]]:
        """What may follow each action of each state."""
        at = self.grid()
        reached = at[:, None] + at
        chances = self._landing(np.clip(reached, at[0], at[-1]), at)
        pays = -(at[:, None] ** 2 + self.effort * at**2)
        return [
            [_listed(chances[s, a], float(pays[s, a])) for a in range(len(at))]
            for s in range(len(at))
        ]

    def _landing(self, aims: np.ndarray, at: np.ndarray) -> np.ndarray:
        """Probability to land on each point of the grid from each aim, shape (S, A, S)."""
        if self.noise == 0.0:
            nearest = np.abs(aims[:, :, None] - at).argmin(axis=2)
            return np.eye(len(at))[nearest]
        ends = (at[1:] + at[:-1]) / 2
        below = ndtr((ends - aims[:, :, None]) / self.noise)
        return np.diff(below, axis=2, prepend=0.0, append=1.0)

    def actions(self) -> tuple[tuple[str, str], ...]:
        """Named by what they add to the state; the sign counts the steps of the grid."""
        half = self.n_states // 2
        return tuple(
            (f"add {a:.3g}", f"{k:+d}" if k else "0")
            for k, a in zip(range(-half, half + 1), self.grid(), strict=True)
        )

    def state_names(self, n_states: int) -> tuple[str, ...]:
        """Each state by its number."""
        return tuple(f"state {s:.3g}" for s in self.grid())

    def start_weights(self, n_states: int) -> np.ndarray:
        """All states alike, shape (S,)."""
        return np.ones(n_states)


def _listed(chances: np.ndarray, reward: float) -> list[Transition]:
    successors = np.flatnonzero(chances > RARE)
    renormalised = chances[successors] / chances[successors].sum()
    return [
        (float(c), int(s), reward, False) for c, s in zip(renormalised, successors, strict=True)
    ]
