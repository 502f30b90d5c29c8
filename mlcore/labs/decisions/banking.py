"""When to bank: the weakest link over all discounts and abilities."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np

from mlcore.decisions.weakest_link import PRIZES, weakest_link_level
from mlcore.labs.lab import Lab
from mlcore.spine.component import Card, enter
from mlcore.spine.params import real

LOW, HIGH, SIDE = 0.02, 0.98, 49  # of both, and points along each


class Levels(NamedTuple):
    """The best number of right answers to bank after."""

    axis: np.ndarray  # (SIDE,) of discount and probability alike
    levels: np.ndarray  # (SIDE, SIDE) rows by the probability of a right answer
    gamma: float
    p: float
    values: np.ndarray  # (9,) of the start when banking after 1 ... 9 answers
    best: int
    never: tuple[int, ...]  # levels that are nowhere best


@enter(
    Card(
        "banking",
        "When to bank",
        ("lab",),
        sources=("cs1:weakest_link_mdp", "cs1:d_weakest_link"),
        cost=lambda n, p, it: (0.15, 1e6),
        formula=r"V_k = \frac{a R_k}{1 - \gamma a - \gamma (1-p) \frac{1-a}{1-\gamma p}},"
        r"\quad a = (\gamma p)^k",
        kind="lab",
        pages=("sequential_decision_making",),
        synonyms=("weakest link", "optimal stopping", "threshold policy"),
        line="how far one dares to go on",
    )
)
@dataclass(frozen=True, kw_only=True)
class BankingLab(Lab):
    """Each right answer in a row raises the prize, a wrong one loses it: after how many to bank?

    One less the discount is the probability that the game ends with a move. The map has the best
    number of answers for every discount and every probability of being right. Click it to look at
    one of them.
    """

    tasks = (
        "Find a discount and a probability for which it is best to bank after 1, after 6 and after "
        "9 right answers.",
        "Look for places on the map where 3, 5 or 7 is best.",
        "At a border of the map, compare the two bars on either side.",
    )
    seen = (
        "The better one answers and the longer the game lasts, the later one banks. Banking after "
        "3, 5 or 7 answers is nowhere best: the prizes 20, 50, 100, 200, 300, 450, 600, 800 and "
        "1000 rise more before the levels around them. At a border both levels are worth the same."
    )

    gamma: float = real(
        0.9, low=LOW, high=HIGH, soft=(LOW, HIGH), symbol=r"\gamma", label="Discount",
        doc="Probability that the game goes on after a move.",
    )  # fmt: skip
    p: float = real(
        0.7, low=LOW, high=HIGH, soft=(LOW, HIGH), symbol="p",
        label="Probability of a right answer", doc="Of every answer.",
    )  # fmt: skip

    def clicked(self, marks: tuple[int, ...]) -> Self:
        """The discount and the probability of the point that was clicked."""
        inside = [mark for mark in marks if 0 <= mark < SIDE**2]
        if not inside:
            return self
        row, column = divmod(inside[-1], SIDE)
        axis = np.linspace(LOW, HIGH, SIDE)
        return replace(self, p=round(float(axis[row]), 6), gamma=round(float(axis[column]), 6))

    def compute(self, seed: int = 0) -> Levels:
        """By the closed form; nothing is drawn."""
        axis = np.linspace(LOW, HIGH, SIDE)
        levels = np.array([[weakest_link_level(g, p).level for g in axis] for p in axis])
        here = weakest_link_level(self.gamma, self.p)
        never = sorted(set(range(1, len(PRIZES) + 1)) - set(levels.ravel().tolist()))
        return Levels(axis, levels, self.gamma, self.p, here.values, here.level, tuple(never))
