"""How much to explore: returns and what was tried, over the strength of exploration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mlcore.decisions.explorers import EpsilonGreedy, Softmax
from mlcore.decisions.learner import LearnedFit
from mlcore.decisions.table_worlds import RandomMDP
from mlcore.decisions.td_control import TDControl
from mlcore.labs.lab import Lab
from mlcore.optimisation.schedules import ConstantSchedule, LinearSchedule
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, flag, integer

EPSILONS = (0.0, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0)
TEMPERATURES = (0.0, 0.03, 0.1, 0.2, 0.4, 0.8, 1.5, 3.0, 10.0)
SELDOM = 10  # times: an action that was taken less often is hardly known
EPISODE = 50  # moves


class Explorations(NamedTuple):
    """Returns by strength of exploration, each in the mean over an episode's moves."""

    strengths: np.ndarray  # (e,) epsilon or temperature
    online: np.ndarray  # (e, R) of all episodes, while exploring
    greedy: np.ndarray  # (e, R) of the greedy policy at the end
    seldom: np.ndarray  # (e, R) share of the actions that were taken less than `SELDOM` times
    best: float
    rule: str
    is_falling: bool


@enter(
    Card(
        "exploration",
        "Exploration and exploitation",
        ("lab",),
        "Sutton and Barto (2018), Reinforcement Learning, section 2.10",
        sources=("epfl:rl_exploration", "cs2:explore_eps_greedy", "cs2:explore_softmax"),
        random=True,
        cost=lambda n, p, it: (0.02 + 9 * it.replicates * (4e-3 + 6e-6 * it.episodes), 1e7),
        formula=r"\pi(a \mid s) = \tfrac{\epsilon}{A} + (1 - \epsilon)\,\mathbf{1}[a = "
        r"\arg\max Q]\quad\text{or}\quad \pi(a \mid s) \propto e^{Q(s, a) / \tau}",
        kind="lab",
        pages=("sequential_decision_making",),
        synonyms=("epsilon-greedy", "Boltzmann exploration", "exploration-exploitation dilemma"),
        line="too little is stuck, too much never earns",
    )
)
@dataclass(frozen=True, kw_only=True)
class ExplorationLab(Lab):
    r"""Who never tries anything new keeps a bad habit; who always does never uses what it knows.

    Q-learning in a world where all is drawn: 16 states, three actions, rewards from 0 to 1. Values
    begin at 0, so whatever was tried first looks better than what was not. $\epsilon$ is the
    probability of a random action; under softmax $\tau$ says how far a worse one is taken.
    """

    tasks = (
        "Find the epsilon with the highest return while exploring, and the one whose greedy policy "
        "is best.",
        "Look in the second picture at what is never tried with an epsilon of 0.",
        "Let exploration fall to nothing, and see what becomes of the right end of the curve.",
        "Give it ten times the episodes: which epsilon is best now?",
    )
    seen = (
        "Without exploration many actions are never taken, and the learner stays with the first "
        "habit that pays. The policy that is learned gets better with every bit of exploration; "
        "what is earned meanwhile is highest at an epsilon of about 0.1 to 0.3 and falls on either "
        "side. Where exploration falls to nothing the right end rises: first look, then use it. "
        "With more episodes a smaller epsilon is enough."
    )

    rule: str = choice(
        "epsilon_greedy", "epsilon_greedy", "softmax", label="Exploration",
        doc="Now and then any action, or better ones more often.",
    )  # fmt: skip
    is_falling: bool = flag(
        False, label="Falls to nothing",
        doc="Whether the strength falls evenly to 0 over the episodes.",
    )  # fmt: skip
    episodes: int = integer(
        100, low=5, high=5000, soft=(5, 2000), log=True, label="Episodes",
        doc="Of 50 moves each.",
    )  # fmt: skip
    replicates: int = integer(
        10, low=2, high=50, soft=(2, 50), label="Replicates", doc="Learners for each strength."
    )

    def compute(self, seed: int = 0) -> Explorations:
        """The same world for every strength."""
        world = RandomMDP(gamma=0.95, max_steps=EPISODE, draw=seed).world()
        strengths = EPSILONS if self.rule == "epsilon_greedy" else TEMPERATURES
        agents = [TDControl(explorer=self._explorer(s), learning_rate=RATE) for s in strengths]
        replicates = range(self.replicates)
        fits = [
            [agent.fit(world, self.episodes, seed=seed, replicate=k) for k in replicates]
            for agent in agents
        ]
        unit = (1 - world.gamma**EPISODE) / (1 - world.gamma)  # the return of a reward of 1 a move
        return Explorations(
            np.array(strengths),
            np.array([[_online(fit) for fit in own] for own in fits]) / unit,
            np.array([[fit.greedy[-1] for fit in own] for own in fits]) / unit,
            np.array([[(fit.visits < SELDOM).mean() for fit in own] for own in fits]),
            world.best * (1 - world.gamma), self.rule, self.is_falling,
        )  # fmt: skip

    def _explorer(self, strength: float) -> Any:
        schedule: Any = ConstantSchedule(value=strength)
        if self.is_falling:
            schedule = LinearSchedule(start=strength, end=0.0, steps=self.episodes)
        if self.rule == "softmax":
            return Softmax(temperature=schedule)
        return EpsilonGreedy(epsilon=schedule)


RATE = ConstantSchedule(value=0.2)


def _online(fit: LearnedFit) -> float:
    return float(np.average(fit.online, weights=np.diff(fit.episodes, prepend=0)))
