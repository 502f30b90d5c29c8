"""How far TD(lambda) is off by lambda and step size, on the random walk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.decisions.random_walk import RandomWalk
from mlcore.decisions.td_prediction import TDPrediction
from mlcore.labs.lab import Lab
from mlcore.optimisation.schedules import ConstantSchedule
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.params import choice, integer

DECAYS = (0.0, 0.4, 0.8, 0.9, 0.95, 0.99, 1.0)
RATES = (0.01, 0.02, 0.05, *(round(0.1 * k, 1) for k in range(1, 11)))


class LambdaErrors(NamedTuple):
    """RMS errors over the states, the first episodes and the replicates."""

    decays: np.ndarray  # (l,) lambda
    rates: np.ndarray  # (a,) step sizes
    errors: np.ndarray  # (l, a); NaN where a replicate diverged
    first: float  # of the values that all begin with
    episodes: int

    @property
    def best(self) -> np.ndarray:
        """Where the step size of each lambda is best, (l,)."""
        return np.where(np.isnan(self.errors), np.inf, self.errors).argmin(axis=1)

    @property
    def lowest(self) -> np.ndarray:
        """The error of each lambda there, (l,)."""
        return self.errors[np.arange(len(self.decays)), self.best]


def _cost(n: int, p: int, it: TDLambdaLab) -> tuple[float, float]:
    moves = it.episodes * (it.n_states / 2) ** 2
    fits = len(DECAYS) * len(RATES) * it.replicates
    return fits * (3e-4 + 1e-9 * moves * it.n_states), 1e6


@enter(
    Card(
        "td_lambda",
        "Lambda and the step size",
        ("lab",),
        "Sutton and Barto (2018), Reinforcement Learning, figures 7.2, 12.3 and 12.6",
        sources=("epfl:rl_td",),
        random=True,
        cost=_cost,
        formula=r"v \leftarrow v + \alpha\,[\,r + \gamma v(s') - v(s)\,]\,e, \quad"
        r"e \leftarrow \gamma\lambda\, e + \mathbf{1}_s",
        kind="lab",
        pages=("sequential_decision_making",),
        synonyms=("TD(lambda)", "eligibility traces", "n-step TD", "19-state random walk"),
        line="how far back a step of learning reaches",
    )
)
@dataclass(frozen=True, kw_only=True)
class TDLambdaLab(Lab):
    r"""Between one move ahead and whole episodes lies something better than both.

    A random walk that pays -1 at its left end and 1 at its right one, values that begin at 0, and
    the RMS error of the states, in the mean over the first episodes and over replicates. Each
    curve is a $\lambda$: 0 corrects by the next value, 1 by all that the episode paid.
    """

    tasks = (
        "Find the step size that is best for a lambda of 0, of 0.8 and of 1.",
        "Compare how low the curves come there, in the second picture.",
        "Give them a hundred episodes in place of ten, then take a walk of 5 states.",
    )
    seen = (
        "With ten episodes of 19 states the lowest error belongs to a lambda between, about 0.8, "
        "with a step of 0.3. Whole episodes need a step ten times as small and end nearly twice as "
        "high. With many episodes small steps pay, and small lambdas do nearly as well; on a walk "
        "of 5 states, where news has not far to go, one move ahead is best."
    )

    n_states: int = integer(
        19, low=3, high=31, soft=(3, 31), label="States", doc="Length of the walk."
    )
    episodes: int = integer(
        10, low=1, high=100, soft=(1, 100), log=True, label="Episodes",
        doc="Over how many first episodes the error is averaged.",
    )  # fmt: skip
    replicates: int = integer(
        20, low=1, high=50, soft=(1, 50), label="Replicates", doc="Walks of which it is the mean."
    )
    traces: str = choice(
        "accumulating", "accumulating", "replacing",
        doc="Whether eligibility adds up where a state is met again, or begins anew at 1.",
    )  # fmt: skip

    def compute(self, seed: int = 0) -> LambdaErrors:
        """The same walks for every lambda and step size."""
        world = RandomWalk(n_states=self.n_states, left_reward=-1.0).world()
        errors = np.array([[self._error(world, d, a, seed) for a in RATES] for d in DECAYS])
        first = float(np.sqrt((world.solution.values**2).mean()))
        return LambdaErrors(np.array(DECAYS), np.array(RATES), errors, first, self.episodes)

    def _error(self, world: object, decay: float, rate: float, seed: int) -> float:
        agent = TDPrediction(
            decay=decay, traces=self.traces, learning_rate=ConstantSchedule(value=rate)
        )
        each = []
        for replicate in range(self.replicates):
            try:
                # pyrefly: ignore[bad-argument-type]  # a walk
                fit = agent.fit(world, self.episodes, seed=seed, replicate=replicate)
            except DataError:  # it diverged, and says so
                return np.nan
            each.append(fit.rms.mean())
        return float(np.mean(each))
