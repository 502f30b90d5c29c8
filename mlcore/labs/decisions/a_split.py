"""A coin that decides: why the squared temporal difference is the wrong thing to minimise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.decisions.mdp import FiniteMDP, policy_values
from mlcore.decisions.table_worlds import ASplitWorld
from mlcore.labs.lab import Lab
from mlcore.spine.component import Card, enter
from mlcore.spine.params import real

METHODS = ("LSTD", "Bellman residual", "Bellman residual, two samples")


class Split(NamedTuple):
    """Values of the three states by three ways of least squares, and their errors by the coin."""

    values: np.ndarray  # (3, 3) by method and state
    true: np.ndarray  # (3,)
    losses: np.ndarray  # (3,) mean squared temporal difference of each method, per move
    coins: np.ndarray  # (m,) probabilities of the good outcome
    errors: np.ndarray  # (3, m) mean absolute error of each method over the moves
    good: float
    gamma: float


@enter(
    Card(
        "a_split",
        "A split, and its residual",
        ("lab",),
        "Sutton and Barto (2018), Reinforcement Learning, section 11.5",
        sources=("cs2:bellman_residual",),
        cost=lambda n, p, it: (0.05, 1e5),
        formula=r"\min_v \sum_i (r_i + \gamma v(s_i') - v(s_i))^2\quad\text{or}\quad"
        r"\sum_i \phi(s_i)\,(r_i + \gamma v(s_i') - v(s_i)) = 0",
        kind="lab",
        pages=("sequential_decision_making",),
        synonyms=("Bellman residual minimisation", "LSTD", "double sampling", "A-split"),
        line="small temporal differences, wrong values",
    )
)
@dataclass(frozen=True, kw_only=True)
class ASplitLab(Lab):
    r"""The first state leads by the toss of a coin to one that ends with 1, or to one with nothing.

    All values are tables, and as many walks as one likes were seen. LSTD makes the temporal
    differences of each state vanish in the mean. Minimising their squares, the Bellman residual,
    also makes them scatter less: it pulls the two states after the coin together, since one sample
    of what follows stands for its mean. With two independent samples after each move the product of
    both differences has the right mean.
    """

    tasks = (
        "Compare the values of the states after the coin: what is each of them surely worth?",
        "Read below the first picture who has the smaller temporal differences.",
        "Make the coin sure of one side, then set the discount to 0: when is the residual right?",
    )
    seen = (
        "With a fair coin and a discount of 0.9 the residual gives 0.776 and 0.224 to states that "
        "are worth 1 and 0, off by gamma^2 / 2 (1 + gamma^2), though its squared differences are "
        "the smaller ones. The error is gone "
        "where nothing is random, or where nothing later counts. A second sample of what follows "
        "cures it, but only a simulator can give one."
    )

    good: float = real(
        0.5, low=0.0, high=1.0, soft=(0.0, 1.0), symbol="p", label="Good outcome",
        doc="Probability that the first state leads to the one that pays.",
    )  # fmt: skip
    gamma: float = real(
        0.9, low=0.0, high=1.0, soft=(0.0, 1.0), symbol=r"\gamma", label="Discount",
        doc="What a reward is worth one move later.",
    )  # fmt: skip

    def compute(self, seed: int = 0) -> Split:
        """Least squares on the moves in the shares that they have in the end."""
        world = ASplitWorld(good=self.good, gamma=self.gamma).world()
        values, coins = evaluated(world), np.linspace(0.0, 1.0, 51)
        errors = [_errors(ASplitWorld(good=p, gamma=self.gamma).world()) for p in coins]
        return Split(
            values, policy_values(world, _only(world)), _losses(world, values), coins,
            np.transpose(errors), self.good, self.gamma,
        )  # fmt: skip


def _only(world: FiniteMDP) -> np.ndarray:
    return np.zeros(world.n_states, dtype=np.int64)


def _moves(world: FiniteMDP) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sources, (E, S), differences to gamma times what follows, (E, S), and shares, (E,)."""
    each = np.eye(world.n_states)
    sources = each[world.pairs]
    later = np.where(world.ends[:, None], 0.0, each[world.successors])
    visits = np.linalg.solve(each - world.matrix(_only(world)).T, world.initial)
    shares = (visits / visits.sum())[world.pairs] * world.chances
    return sources, sources - world.gamma * later, shares


def evaluated(world: FiniteMDP) -> np.ndarray:
    """Values of a world with one action that comes to an end, (3, S), in the order of METHODS.

    A state that is never seen is worth 0 to all. Digits beyond the twelfth are rounding, and go.
    """
    sources, differences, shares = _moves(world)
    seen = sources.T @ shares
    mean = sources.T @ (shares[:, None] * differences) / np.where(seen > 0, seen, 1.0)[:, None]
    pays = sources.T @ (shares * world.rewards) / np.where(seen > 0, seen, 1.0)
    squares = differences.T @ (shares[:, None] * differences)
    systems = (
        (seen[:, None] * mean, seen * pays),
        (squares, differences.T @ (shares * world.rewards)),
        (mean.T @ (seen[:, None] * mean), mean.T @ (seen * pays)),
    )
    solved = [np.linalg.lstsq(A, b, rcond=1e-12)[0] for A, b in systems]
    return np.round(solved, 12)


def _losses(world: FiniteMDP, values: np.ndarray) -> np.ndarray:
    """Mean squared temporal difference of each row of values, (3,)."""
    _, differences, shares = _moves(world)
    return (differences @ values.T - world.rewards[:, None]).T ** 2 @ shares


def _errors(world: FiniteMDP) -> np.ndarray:
    """Mean absolute error of each method over the moves, (3,)."""
    sources, _, shares = _moves(world)
    off = evaluated(world) - policy_values(world, _only(world))
    return np.abs(np.round(off, 12)) @ (sources.T @ shares)
