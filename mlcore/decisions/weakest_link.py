"""The weakest link: when to bank what a row of right answers has earned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.decisions.mdp import Transition
from mlcore.decisions.table_worlds import MOST_STATES, TableWorld
from mlcore.spine.component import Card, enter
from mlcore.spine.params import many, real
from mlcore.spine.records import function

PRIZES = (20.0, 50.0, 100.0, 200.0, 300.0, 450.0, 600.0, 800.0, 1000.0)


@enter(
    Card(
        "weakest_link",
        "Weakest link",
        ("problem",),
        sources=("cs1:weakest_link_mdp", "cs1:d_weakest_link"),
        kind="data",
        formula=r"V_k(q_0) = \frac{a R_k}{1 - \gamma a - \gamma (1-p) \frac{1-a}{1-\gamma p}},"
        r"\quad a = (\gamma p)^k",
    )
)
@dataclass(frozen=True, kw_only=True)
class WeakestLink(TableWorld):
    """A game of questions: each right answer in a row raises the prize, a wrong one loses it all.

    In the state after k right answers one may bank the k-th prize or answer on; either way back to
    none, but for a right answer. After the last prize an answer leads back to none for certain.
    One less the discount is the probability that the game ends with a move: who expects to play on,
    and to answer well, banks late.
    """

    p: float = real(
        0.7, low=0.0, high=1.0, soft=(0.1, 0.99), symbol="p", label="Probability of a right answer",
        doc="Probability that an answer is right.",
    )  # fmt: skip
    prizes: tuple[float, ...] = many(
        PRIZES, symbol="R", doc="Reward of banking after 1, 2, ... right answers; at least one.",
        most=MOST_STATES - 1,
    )  # fmt: skip

    def conflict(self) -> str | None:
        """There must be something to bank."""
        return None if self.prizes else "A game needs at least 1 prize. Add one."

    def tables(self) -> list[list[list[Transition]]]:
        """Answer and bank, after each number of right answers."""
        last = len(self.prizes)
        wrong = (1 - self.p, 0, 0.0, False)
        answers = [[(self.p, k + 1, 0.0, False), wrong] for k in range(last)]
        banks = [[(1.0, 0, prize, False)] for prize in (0.0, *self.prizes)]
        return [list(both) for both in zip([*answers, [(1.0, 0, 0.0, False)]], banks, strict=True)]

    def actions(self) -> tuple[tuple[str, str], ...]:
        """To go on, or to take the money."""
        return ("answer", "→"), ("bank", "↓")

    def state_names(self, n_states: int) -> tuple[str, ...]:
        """By the right answers so far."""
        return tuple(f"q{k}" for k in range(n_states))


class Banking(NamedTuple):
    """The best number of right answers to bank after."""

    level: int
    values: np.ndarray  # (levels,) of the start when banking after 1, 2, ... right answers


@function("weakest_link_level", sources=("cs1:weakest_link_mdp",))
def weakest_link_level(gamma: float, p: float, prizes: tuple[float, ...] = PRIZES) -> Banking:
    """When to bank, by a discount below 1 and probability p of a right answer; first on ties."""
    k = np.arange(1, len(prizes) + 1)
    a = (gamma * p) ** k
    lost = gamma * (1 - p) * (1 - a) / (1 - gamma * p)  # what a wrong answer on the way leaves
    values = a * np.array(prizes) / (1 - gamma * a - lost)
    return Banking(int(np.argmax(values)) + 1, values)
