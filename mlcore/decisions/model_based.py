"""Model-based reinforcement learning: count what follows what, and plan on the counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from mlcore.decisions import _kernels
from mlcore.decisions.agent import SNAPSHOTS, Agent, stream
from mlcore.decisions.explorers import Chances, Greedy
from mlcore.decisions.learner import LearnedFit, TableLearner, Trace, empty_trace
from mlcore.decisions.mdp import FiniteMDP
from mlcore.decisions.model_uses import (
    CertaintyEquivalence,
    DynaQPlus,
    PosteriorSampling,
    RMax,
    Use,
)
from mlcore.spine import random
from mlcore.spine.component import Card, enter
from mlcore.spine.params import part

TOLERANCE = 1e-9  # of a value, in units of the largest reward: below it sweeps stop


@dataclass(frozen=True, eq=False, kw_only=True)
class ModelFit(LearnedFit):
    """One replicate of a learner of models."""

    counts: np.ndarray  # (E,) how often each transition of the world was seen
    model_errors: np.ndarray  # (m,) mean distance of learned and true probabilities


@enter(
    Card(
        "model_based_rl",
        "Model-based reinforcement learning",
        ("learning",),
        "Sutton (1990), Integrated architectures for learning, planning and reacting, ICML 7",
        sources=("cs2:rmax", "cs2:bayesian_rl"),
        random=True,
        cost=lambda n, p, self: (
            n * (2e-5 + 5e-6 * self.model_use.updates(p))
            + 1e-6 * SNAPSHOTS * p,
            32.0 * SNAPSHOTS * p,
        ),
        formula=r"\hat P(s' \mid s, a) = \frac{n(s, a, s')}{n(s, a)}, \quad"
        r"Q(s,a) = \hat r(s,a) + \gamma \sum_{s'} \hat P(s' \mid s,a) \max_{a'} Q(s',a')",
        synonyms=("Dyna-Q", "Dyna", "Dyna-Q+", "R-max", "certainty equivalence",
                  "planning and learning", "maximum likelihood model", "posterior sampling", "PSRL",
                  "Bayesian reinforcement learning"),
        line="counts what follows, and plans on the counts",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class ModelBasedRL(TableLearner):
    r"""Learns what follows an action by counting, and finds values by planning on the counts.

    The model is the share of visits after which each transition was seen,
    $\hat P(s' \mid s, a) = n(s, a, s') / n(s, a)$. It is used between moves (Dyna-Q, and Dyna-Q+
    where worlds change), as if it were the truth (certainty equivalence), with optimism for what it
    does not know yet (R-max), or as a posterior that a world is drawn from before each episode
    (posterior sampling).

    For worlds where moves are dear and thinking is cheap: one visit of the goal is carried through
    the whole table at once, where Q-learning needs an episode for each state on the way. O(n) more
    a move for n planning steps, O(E) a sweep over E transitions. Fails where the first model is
    wrong and nothing makes the agent look again, and where states are too many to be counted.
    """

    model_use: Any = part(
        "dyna_planning", slot="model_use", label="Use of the model", doc="How values come from it."
    )
    explorer: Any = part("epsilon_greedy_explorer", slot="explorer", doc="How it chooses actions.")

    @property
    def label(self) -> str:
        """The name that its use of the model has in books."""
        return self.model_use.title()

    @classmethod
    def forms(cls) -> tuple[Agent, ...]:
        """Each use of the model; optimism and drawn worlds explore by themselves."""
        return (
            cls(),
            cls(model_use=DynaQPlus()),
            cls(model_use=CertaintyEquivalence()),
            cls(model_use=RMax(), explorer=Greedy()),
            cls(model_use=PosteriorSampling(), explorer=Greedy()),
        )

    def fit(
        self, world: FiniteMDP, budget: int = 500, *, seed: int = 0, replicate: int = 0
    ) -> ModelFit:
        """Learn over `budget` episodes. Raises DataError if the world does not suit."""
        return cast("ModelFit", super().fit(world, budget, seed=seed, replicate=replicate))

    def _made(self, world: FiniteMDP, trace: Trace) -> ModelFit:
        noted = zip(trace.counts, trace.visits, strict=True)
        errors = [model_errors(world, *both)[world.reachable].mean() for both in noted]
        return ModelFit(
            **self._known(world, trace),
            counts=trace.counts[-1].copy(), model_errors=np.array(errors),
        )  # fmt: skip

    def _learned(self, world: FiniteMDP, budget: int, seed: int, replicate: int) -> Trace:
        n_entries, shape = len(world.successors), (world.n_states, world.n_actions)
        trace = empty_trace(world, budget, n_counted=n_entries)
        use: Use = self.model_use.use(world, budget)
        chances: Chances = self.explorer.chances(budget)
        # The smallest double where nothing pays: sweeps that change nothing end then, too.
        tol = max(TOLERANCE * float(np.abs(world.rewards).max()), np.finfo(float).tiny)
        _kernels.model_control(
            *world.entries, *world.change, world.gamma, world.initial, use.n_planned, use.least,
            use.first, use.prior, use.bonus, use.is_forgetting, tol, use.rates,
            use.exponent, *chances, world.max_steps, trace.episodes,
            random.generator(seed, f"world {replicate}"),
            stream(self, seed, replicate), random.generator(seed, f"planning {replicate}"),
            np.full(shape, use.first), np.zeros(shape, dtype=np.int64),
            np.zeros(world.n_states, dtype=np.int64), np.zeros(n_entries, dtype=np.int64),
            trace.online, trace.lengths, trace.gained, trace.q, trace.visits, trace.counts,
        )  # fmt: skip
        return trace


def estimated(world: FiniteMDP, counts: np.ndarray) -> np.ndarray:
    """The learned probability of each transition, shape (E,); NaN of actions never taken.

    `counts`, shape (E,), are those that the model keeps of the transitions.
    """
    taken = np.bincount(world.pairs, counts, world.size)[world.pairs]
    return np.divide(counts, taken, out=np.full(len(counts), np.nan), where=taken > 0)


def model_errors(world: FiniteMDP, counts: np.ndarray, visits: np.ndarray) -> np.ndarray:
    """Half the sum of |learned - true probability| over what may follow, shape (S, A).

    That is the total variation distance, from 0 to 1; 1 for an action that was never taken.
    """
    off = np.abs(estimated(world, counts) - world.chances)
    sums = np.bincount(world.pairs, off, world.size).reshape(visits.shape)
    return np.where(visits > 0, sums / 2, 1.0)
