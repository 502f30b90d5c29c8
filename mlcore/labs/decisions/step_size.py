"""How steps must shrink: the error of Q-learning by the power of the visits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.decisions.explorers import EpsilonGreedy
from mlcore.decisions.table_worlds import RandomMDP
from mlcore.decisions.td_control import TDControl
from mlcore.labs.lab import Lab
from mlcore.optimisation.schedules import ConstantSchedule, Schedule, VisitPowerSchedule
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer, real

POWERS = (0.5, 0.6, 0.7, 0.85, 1.0)
EPISODE = 500  # moves after which an agent is put back to the start; the values do not end there


class StepSizes(NamedTuple):
    """Largest error of a value, in units of the largest value, by move and rule."""

    rules: tuple[str, ...]  # one a power, then the constant step
    moves: np.ndarray  # (m,)
    errors: np.ndarray  # (rules, m)
    gamma: float
    power: float  # that was chosen; the last but one of the rules


@enter(
    Card(
        "step_size",
        "Step sizes of Q-learning",
        ("lab",),
        "Even-Dar and Mansour (2003), Journal of Machine Learning Research 5",
        sources=("cs2:q_learning",),
        random=True,
        cost=lambda n, p, it: (0.03 + 3.5e-6 * it.moves, 1e6),
        formula=r"Q \leftarrow Q + \frac{1}{n(s, a)^p}\,"
        r"[\,r + \gamma \max_{a'} Q(s', a') - Q\,]",
        kind="lab",
        pages=("sequential_decision_making",),
        synonyms=("learning rate", "Robbins-Monro", "polynomial learning rate"),
        line="steps of one over n never arrive",
    )
)
@dataclass(frozen=True, kw_only=True)
class StepSizeLab(Lab):
    r"""A mean of what was seen is no mean of what will be.

    Ten states, three actions, everything drawn, and an agent that moves at random, so that all is
    seen equally often. After $n$ visits a value goes $n^{-p}$ of the way to its target. For $p$
    above 1/2 and up to 1 theory promises the right values in the end; it does not say when.
    """

    tasks = (
        "Compare the error of p = 1, which averages all targets, with that of p = 0.7.",
        "Set the discount to 0.5, then to 0.97: where does p = 1 still arrive?",
        "Look where the constant step comes to rest, and halve it.",
    )
    seen = (
        "At a discount of 0.9 the mean (p = 1) is still a third off after two hundred thousand "
        "moves and more than a quarter after a million, where p = 0.7 is off by less than one in a "
        "hundred: early targets were made of wrong values, and a mean forgets none of them. It "
        "crawls like n to the power of gamma - 1, so a discount of 0.5 makes it bearable. A "
        "constant step is quick and then rests at an error that shrinks with the step."
    )

    gamma: float = real(
        0.9, low=0.0, high=0.98, soft=(0.0, 0.98), symbol=r"\gamma", label="Discount",
        doc="What a reward is worth one move later.",
    )  # fmt: skip
    power: float = real(
        0.8, above=0.0, high=1.0, soft=(0.3, 1.0), symbol="p", label="Power",
        doc="Of the visits, beside those that are always drawn.",
    )  # fmt: skip
    constant: float = real(
        0.1, above=0.0, high=1.0, soft=(0.01, 0.5), log=True, symbol=r"\alpha",
        label="Constant step", doc="A step that does not shrink, beside them.",
    )  # fmt: skip
    moves: int = integer(
        200_000, low=5000, high=2_000_000, soft=(5000, 2_000_000), log=True, label="Moves",
        doc="That each learner makes.",
    )  # fmt: skip

    def compute(self, seed: int = 0) -> StepSizes:
        """The same moves under every rule: none looks at what it has learned."""
        world = RandomMDP(
            n_states=10, n_actions=3, gamma=self.gamma, max_steps=EPISODE, draw=seed
        ).world()
        powers = sorted({*POWERS, self.power})
        rules: dict[str, Schedule] = {f"p = {p:g}": VisitPowerSchedule(power=p) for p in powers}
        rules[f"constant {self.constant:g}"] = ConstantSchedule(value=self.constant)
        random_moves = EpsilonGreedy(epsilon=ConstantSchedule(value=1.0))
        fits = [
            TDControl(explorer=random_moves, learning_rate=rule).fit(
                world, self.moves // EPISODE, seed=seed
            )
            for rule in rules.values()
        ]
        errors = np.array([fit.errors for fit in fits]) / world.solution.values.max()
        return StepSizes(tuple(rules), fits[0].moves, errors, self.gamma, self.power)
