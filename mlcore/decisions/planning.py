"""Planners: value iteration and policy iteration on the tables of a world."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.decisions import _kernels
from mlcore.decisions.agent import ActionValueFit, Planner, PolicyState
from mlcore.decisions.mdp import (
    FiniteMDP,
    backup,
    changes,
    first_policy,
    greedy_policy,
    policy_values,
    return_of,
)
from mlcore.spine.component import Card, enter
from mlcore.spine.iterate import Step, Stop, verdict
from mlcore.spine.params import choice, integer, real
from mlcore.spine.wording import count

WHAT = "the largest change of a value"
GRAIN = 4 * np.finfo(np.float64).eps  # of a value: smaller changes are rounding


@dataclass(frozen=True, eq=False, kw_only=True)
class PlanFit(ActionValueFit):
    """A plan and how far it can be from the best one."""

    bound: float  # largest error of a value; infinite where nothing can be said
    changes: np.ndarray  # (k,) the largest change of a value in each iteration
    is_exact: bool  # whether its values are the best ones, up to rounding


@dataclass(frozen=True)
class PlanState(PolicyState):
    """Values, policy and the largest change of a value."""

    change: float = 0.0


@dataclass(frozen=True, kw_only=True)
class TablePlanner(Planner):
    """What both planners share: a world that has finite values, and changes that are noted."""

    def applies(self, world: Any) -> str | None:
        """A world of states whose best values are finite."""
        return super().applies(world) or world.unsolvable

    def _is_exact(self, end: Step) -> bool:
        """Whether the values of the last step are those of its policy, up to rounding."""
        return False

    def _finished(self, world: FiniteMDP, steps: Iterator[Step]) -> PlanFit:
        end = next(steps)
        changes = [end.state.change]
        for end in steps:
            changes.append(end.state.change)
        state: PlanState = end.state
        gamma = world.gamma
        # Exact values of a policy that nothing improves are the best ones, however far they came.
        is_exact = self._is_exact(end)
        change = 0.0 if is_exact else state.change
        return PlanFit(
            made_by=self,
            n_iter=end.k + 1,
            stop=end.stop,
            values=state.values,
            q=backup(world, state.values),
            policy=state.policy,
            score=return_of(world, state.policy, state.values if is_exact else None),
            bound=gamma / (1 - gamma) * change if gamma < 1 else np.inf,
            changes=np.array(changes),
            is_exact=is_exact,
        )


@enter(
    Card(
        "value_iteration",
        "Value iteration",
        ("planning",),
        "Bellman (1957), Journal of Mathematics and Mechanics 6",
        sources=("cs2:value_iteration", "epfl:rl_dp", "epfl:bellman_optimality"),
        cost=lambda n, p, self: (2e-8 * p * 200 + 1e-3, 100.0 * p),
        formula=r"v_{k+1}(s) = \max_a \sum_{s'} P(s' \mid s, a)\,[\,r + \gamma\, v_k(s')\,]",
        synonyms=("dynamic programming", "Bellman equation", "Bellman optimality", "planning"),
        line="sweeps of the best one-move look-ahead",
    )
)
@dataclass(frozen=True, kw_only=True)
class ValueIteration(TablePlanner):
    """Sweeps over all states, replacing each value by the best one-move look-ahead.

    The operator brings any two tables of values nearer by the factor gamma, so the sweeps converge
    to the best values. If the last change is e, no value is wrong by more than
    gamma e / (1 - gamma).

    Use it when the world is known and not too large. O(transitions) a sweep; the number of sweeps
    grows like 1 / (1 - gamma), so it is slow for far-sighted worlds: policy iteration is not.
    """

    tol: float = real(
        1e-8, above=0.0, soft=(1e-10, 1e-2), log=True, symbol=r"\epsilon", label="Tolerance",
        doc="Stop when no value changes by more, in units of reward.",
    )  # fmt: skip
    target_loss: float | None = real(
        None, above=0.0, soft=(1e-6, 1.0), log=True, or_none="the tolerance decides",
        symbol=r"\eta", label="Loss allowed", advanced=True,
        doc="Reward that the policy may lose in any state; it sets the tolerance.",
    )  # fmt: skip
    update: str = choice(
        "synchronous", "synchronous", "gauss_seidel", advanced=True,
        doc="Whether a sweep looks at the values of the sweep before, or at the newest ones.",
    )  # fmt: skip
    initial_value: float = real(
        0.0, soft=(-1.0, 1.0), label="Initial value", doc="Value of every state at the beginning.",
        advanced=True,
    )  # fmt: skip
    max_iter: int = integer(
        10_000, low=1, soft=(10, 10_000), log=True, label="Maximum sweeps", advanced=True,
        doc="Sweeps after which it stops.",
    )  # fmt: skip

    def _steps(self, world: FiniteMDP) -> Iterator[Step]:
        values = np.full(world.n_states, self.initial_value)
        q = np.empty((world.n_states, world.n_actions))
        policy: np.ndarray | None = None
        for k in range(self.max_iter):
            before = values.copy()
            if self.update == "gauss_seidel":
                _kernels.sweep_in_place(*world.entries, world.gamma, values, q)
            else:
                q = backup(world, values)
                values = q.max(axis=1)
            change = float(np.abs(values - before).max())
            former, policy = policy, greedy_policy(q, policy)
            tol = max(self._tol(world.gamma), GRAIN * float(np.abs(values).max()))
            stop = verdict(k, change, tol=tol, max_iter=self.max_iter, what=WHAT)
            note = f"Sweep {k + 1}: {WHAT} is {change:.3g}{_moved(former, policy)}."
            is_other = None if former is None else policy != former
            state = PlanState(values.copy(), policy, change=change, changed=is_other)
            yield Step(k, float(world.initial @ values), state, stop, note)
            if stop:
                return

    def _tol(self, gamma: float) -> float:
        """The tolerance that the wanted loss asks for: a change e loses 2 gamma e / (1-gamma)^2."""
        if self.target_loss is None or not 0 < gamma < 1:
            return self.tol
        return self.target_loss * (1 - gamma) ** 2 / (2 * gamma)


@enter(
    Card(
        "policy_iteration",
        "Policy iteration",
        ("planning",),
        "Howard (1960), Dynamic Programming and Markov Processes",
        sources=("cs2:policy_iteration", "cs2:modified_policy_iteration", "epfl:rl_dp"),
        cost=lambda n, p, self: (1e-9 * p**2 + 1e-3, 8.0 * p**2),
        formula=r"v_\pi = (I - \gamma P_\pi)^{-1} r_\pi, \quad"
        r"\pi(s) \leftarrow \arg\max_a Q_\pi(s, a)",
        synonyms=(
            "Howard's algorithm",
            "dynamic programming",
            "policy improvement",
            "policy evaluation",
        ),
        line="judge the policy, improve it, repeat",
    )
)
@dataclass(frozen=True, kw_only=True)
class PolicyIteration(TablePlanner):
    """Values of the present policy, then in each state the best action by these values.

    Each iteration evaluates the policy (exactly, or by some sweeps from the values before) and
    improves it. With exact values every policy is at least as good as the one before in every
    state, and the first that repeats is optimal.

    A few iterations suffice, however far-sighted the world is. O(S^3) an iteration with exact
    values, which is too much above some thousand states: then a number of sweeps takes their place,
    and with one sweep it is value iteration.
    """

    n_sweeps: int | None = integer(
        None, low=1, soft=(1, 50), or_none="solved exactly", symbol="m", label="Sweeps",
        doc="Sweeps by which a policy is evaluated.",
    )  # fmt: skip
    tol: float = real(
        1e-8, above=0.0, soft=(1e-10, 1e-2), log=True, label="Tolerance", advanced=True,
        doc="With sweeps: stop when no value changes by more, in units of reward.",
    )  # fmt: skip
    max_iter: int = integer(
        1000, low=1, soft=(10, 1000), log=True, label="Maximum iterations", advanced=True,
        doc="Iterations after which it stops.",
    )  # fmt: skip

    def _steps(self, world: FiniteMDP) -> Iterator[Step]:
        return self._exact(world) if self.n_sweeps is None else self._swept(world, self.n_sweeps)

    def _is_exact(self, end: Step) -> bool:
        """Where they were solved for, and the policy did not change any more."""
        return self.n_sweeps is None and end.stop is not None and end.stop.kind == "converged"

    def _exact(self, world: FiniteMDP) -> Iterator[Step]:
        policy, values = first_policy(world), np.zeros(world.n_states)
        for k in range(self.max_iter):
            before, values = values, policy_values(world, policy)
            better = greedy_policy(backup(world, values), policy)
            is_other = better != policy
            changed = int(is_other.sum())
            stop = _settled(k, changed, self.max_iter)
            change = float(np.abs(values - before).max())
            state = PlanState(values, better, change=change, changed=is_other)
            yield _step(k, world, state, changed, stop)
            if stop:
                return
            policy = better

    def _swept(self, world: FiniteMDP, sweeps: int) -> Iterator[Step]:
        # Values below their own backup only rise, so that the sweeps cannot overshoot.
        least = float(world.expected_rewards.min())
        lowest = least / (1 - world.gamma) if world.gamma < 1 else least * world.n_states
        values, policy = np.full(world.n_states, lowest), None
        for k in range(self.max_iter):
            q = backup(world, values)
            former, policy = policy, greedy_policy(q, policy)
            change = float(np.abs(q.max(axis=1) - values).max())
            values = q.max(axis=1)
            for _ in range(sweeps - 1):
                values = backup(world, values)[np.arange(world.n_states), policy]
            is_other = None if former is None else policy != former
            changed = world.n_states if is_other is None else int(is_other.sum())
            tol = max(self.tol, GRAIN * float(np.abs(values).max()))
            stop = verdict(k, change, tol=tol, max_iter=self.max_iter, what=WHAT)
            state = PlanState(values, policy, change=change, changed=is_other)
            yield _step(k, world, state, changed, stop)
            if stop:
                return


def _settled(k: int, changed: int, max_iter: int) -> Stop | None:
    if changed == 0:
        return Stop("converged", "Converged: no action can be improved, so the policy is optimal.")
    if k + 1 >= max_iter:
        spent = count(max_iter, "iteration")
        return Stop("limit", f"Not converged after {spent}: {count(changed, 'action')} changed.")
    return None


def _step(k: int, world: FiniteMDP, state: PlanState, changed: int, stop: Stop | None) -> Step:
    note = f"Iteration {k + 1}: {changes(changed)}."
    return Step(k, float(world.initial @ state.values), state, stop, note)


def _moved(former: np.ndarray | None, policy: np.ndarray) -> str:
    """How many actions changed, for the end of a sentence."""
    changed = 0 if former is None else int((former != policy).sum())
    return f", and {changes(changed)}" if changed else ""
