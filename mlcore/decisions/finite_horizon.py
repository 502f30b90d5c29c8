"""Planning for a given number of decisions: backward recursion, stage by stage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mlcore.decisions.agent import ActionValueFit, Planner, PolicyState
from mlcore.decisions.mdp import FiniteMDP, backup, changes, greedy_policy
from mlcore.spine.component import Card, enter
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.params import integer
from mlcore.spine.wording import count


@dataclass(frozen=True, eq=False, kw_only=True)
class StagedFit(ActionValueFit):
    """A plan whose actions depend on how many decisions are left; `policy` is its first action."""

    stage_values: np.ndarray  # (H + 1, S) with 0 ... H decisions left
    stage_policies: np.ndarray  # (H, S) with 1 ... H decisions left


@dataclass(frozen=True)
class StageState(PolicyState):
    """Values and actions of one stage."""


@enter(
    Card(
        "finite_horizon_dp",
        "Finite-horizon planning",
        ("planning",),
        "Puterman (1994), Markov Decision Processes, chapter 4",
        sources=("cs2:finite_horizon_dp",),
        cost=lambda n, p, self: (2e-8 * p * (self.horizon or 200) + 1e-3, 30.0 * p * 200),
        formula=r"v_k(s) = \max_a \sum_{s'} P(s' \mid s, a)\,[\,r + \gamma\, v_{k-1}(s')\,],"
        r"\quad v_0 = 0",
        synonyms=("backward induction", "dynamic programming", "time-dependent policy"),
        line="the best actions with n decisions left",
    )
)
@dataclass(frozen=True, kw_only=True)
class FiniteHorizonDP(Planner):
    r"""The best values and actions with 1, 2, ... decisions left, each from the one before.

    With no decision left nothing can be earned, $v_0 = 0$; with $k$ left the best action is that of
    $v_k(s) = \max_a \sum_{s'} P(s' \mid s, a) [r + \gamma v_{k-1}(s')]$. So the best action depends
    on the time: far from the end it pays to walk to a goal, near the end only what is at hand
    counts.

    Exact after as many stages as there are decisions, O(transitions) each, and it needs no
    discount: values are finite whatever the world. An episode that lasts longer than the horizon is
    played as if that many decisions were always left, until it is true. Fails by being
    short-sighted, where a reward lies further away than the horizon.
    """

    horizon: int | None = integer(
        20, low=1, high=1000, soft=(1, 200), log=True, symbol="H", label="Horizon",
        or_none="the length of an episode",
        doc="Decisions that are planned for, at most as many as an episode has.",
    )  # fmt: skip

    def _stages(self, world: FiniteMDP) -> int:
        return min(self.horizon or world.max_steps, world.max_steps)

    def _steps(self, world: FiniteMDP) -> Iterator[Step]:
        values, policy = np.zeros(world.n_states), None
        n = self._stages(world)
        for k in range(n):
            former, q = policy, backup(world, values)
            policy, values = greedy_policy(q, former), q.max(axis=1)
            is_other = None if former is None else policy != former
            changed = 0 if is_other is None else int(is_other.sum())
            left = f"With {count(k + 1, 'decision')} left"
            note = f"{left}: {'the first actions' if former is None else changes(changed)}."
            why = f"Done: all {count(n, 'stage')} are exact."
            stop = Stop("converged", why) if k + 1 == n else None
            state = StageState(values, policy, q=q, changed=is_other)
            yield Step(k, float(world.initial @ values), state, stop, note)

    def _finished(self, world: FiniteMDP, steps: Iterator[Step]) -> StagedFit:
        stages = list(steps)
        end: StageState = stages[-1].state
        values = np.array([np.zeros(world.n_states), *(step.state.values for step in stages)])
        return StagedFit(
            made_by=self, n_iter=len(stages), stop=stages[-1].stop, values=end.values,
            q=backup(world, values[-2]), policy=end.policy,
            score=_return(world, end, world.max_steps - len(stages)),
            stage_values=values, stage_policies=np.array([step.state.policy for step in stages]),
        )  # fmt: skip


def _return(world: FiniteMDP, end: StageState, earlier: int) -> float:
    """Mean return of an episode with so many moves before the stages, by the last actions."""
    rows, values = np.arange(world.n_states), end.values
    for _ in range(earlier):
        before, values = values, backup(world, values)[rows, end.policy]
        if (values == before).all():
            break
    return float(world.initial @ values)
