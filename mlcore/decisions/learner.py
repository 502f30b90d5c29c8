"""What learners of tables share: what is noted on the way, the fit, its curves and steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mlcore.decisions.agent import SNAPSHOTS, ActionValueFit, Agent, PolicyState, marks
from mlcore.decisions.mdp import FiniteMDP, changes, greedy_policy, return_of
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.wording import count

STAGES = 4  # of learning whose values are kept


@dataclass(frozen=True, eq=False, kw_only=True)
class LearnedFit(ActionValueFit):
    """One replicate of a learner: what it knows at the end, and its learning curves."""

    visits: np.ndarray  # (S, A) how often each action was taken
    episodes: np.ndarray  # (m,) the episodes after which the rest was noted
    online: np.ndarray  # (m,) mean return of the episodes since the note before, while exploring
    lengths: np.ndarray  # (m,) mean number of moves of these
    gained: np.ndarray  # (m,) all rewards until then, without discount
    moves: np.ndarray  # (m,) all moves until then
    greedy: np.ndarray  # (m,) mean return of the greedy policy, exactly
    errors: np.ndarray | None  # (m,) largest error of a value that can be reached, if known
    right: np.ndarray | None  # (m,) share of the states that can be reached with a best action
    stages: np.ndarray  # (k,) some of the episodes
    staged: np.ndarray  # (k, S) the values of the states after these


class Trace(NamedTuple):
    """What a kernel notes of a replicate."""

    episodes: np.ndarray  # (m,)
    online: np.ndarray  # (m,)
    lengths: np.ndarray  # (m,)
    gained: np.ndarray  # (m,)
    q: np.ndarray  # (m, S, A)
    visits: np.ndarray  # (m, S, A)
    counts: np.ndarray  # (m, E) how often each transition was seen; E is 0 where nobody counts


@dataclass(frozen=True, kw_only=True)
class TableLearner(Agent):
    """Learns a value for each action of each state by acting."""

    acts_in = FiniteMDP

    def fit(
        self, world: FiniteMDP, budget: int = 500, *, seed: int = 0, replicate: int = 0
    ) -> LearnedFit:
        """Learn over `budget` episodes. Raises DataError if the world does not suit."""
        self._check(world, budget, seed)
        return self._made(world, self._learned(world, budget, seed, replicate))

    def steps(
        self, world: FiniteMDP, budget: int = 500, *, seed: int = 0, replicate: int = 0
    ) -> Iterator[Step]:
        """What it knows after some of the episodes, at most about 60 times."""
        self._check(world, budget, seed)
        return _snapshots(world, self._learned(world, budget, seed, replicate))

    def _learned(self, world: FiniteMDP, budget: int, seed: int, replicate: int) -> Trace:
        # How it learns from its episodes is all in which learners differ.
        raise NotImplementedError(f"{type(self).__name__} declares no learning")

    def _made(self, world: FiniteMDP, trace: Trace) -> LearnedFit:
        return LearnedFit(**self._known(world, trace))

    def _known(self, world: FiniteMDP, trace: Trace) -> dict[str, Any]:
        """The fields that the fits of all learners share."""
        q = trace.q[-1]
        greedy, kept = _greedy_returns(world, trace.q), _stages(trace.episodes)
        return {
            "made_by": self, "n_iter": int(trace.episodes[-1]), "values": q.max(axis=1),
            "q": q.copy(), "policy": greedy_policy(q), "score": float(greedy[-1]),
            "visits": trace.visits[-1].copy(), "episodes": trace.episodes,
            "online": trace.online, "lengths": trace.lengths, "gained": trace.gained,
            "moves": np.cumsum(np.diff(trace.episodes, prepend=0) * trace.lengths).round(),
            "greedy": greedy, "errors": _errors(world, trace.q),
            "right": _right(world, trace.q), "stages": trace.episodes[kept],
            "staged": trace.q[kept].max(axis=2),
        }  # fmt: skip


def empty_trace(world: FiniteMDP, budget: int, *, n_counted: int = 0) -> Trace:
    """What a learner notes over `budget` episodes, still to be filled."""
    until = marks(budget, SNAPSHOTS)
    m, shape = len(until), (len(until), world.n_states, world.n_actions)
    return Trace(
        until,
        online=np.zeros(m),
        lengths=np.zeros(m),
        gained=np.zeros(m),
        q=np.zeros(shape),
        visits=np.zeros(shape, dtype=np.int64),
        counts=np.zeros((m, n_counted), dtype=np.int64),
    )


def _greedy_returns(world: FiniteMDP, tables: np.ndarray) -> np.ndarray:
    """The exact return of the greedy policy of each table, shape (m,)."""
    return_by_policy: dict[bytes, float] = {}
    returns = []
    for q in tables:
        policy = greedy_policy(q)
        key = policy.tobytes()
        if key not in return_by_policy:  # late tables differ, their policies seldom do
            return_by_policy[key] = return_of(world, policy)
        returns.append(return_by_policy[key])
    return np.array(returns)


def _errors(world: FiniteMDP, tables: np.ndarray) -> np.ndarray | None:
    """Largest error of the value of a state that can be reached, by table, shape (m,).

    None where the exact values are not known.
    """
    if world.unsolvable:
        return None
    here = world.reachable
    values = tables.max(axis=2)[:, here]
    return np.abs(values - world.solution.values[here]).max(axis=1)


def _right(world: FiniteMDP, tables: np.ndarray) -> np.ndarray | None:
    """Share of the states that can be reached whose greedy action is a best one, shape (m,).

    None where the exact values are not known.
    """
    if world.unsolvable:
        return None
    is_best = world.solution.is_optimal
    right = [is_best[np.arange(world.n_states), greedy_policy(q)] for q in tables]
    return np.mean(np.array(right)[:, world.reachable], axis=1)


def _stages(episodes: np.ndarray) -> np.ndarray:
    """Which of the notes stand for all: the last, and others by even factors, shape (k,)."""
    wanted = np.geomspace(1, episodes[-1], STAGES)
    return np.unique(np.abs(episodes[:, None] - wanted).argmin(axis=0))


def _snapshots(world: FiniteMDP, trace: Trace) -> Iterator[Step]:
    greedy = _greedy_returns(world, trace.q)
    before: np.ndarray | None = None
    for k, episode in enumerate(trace.episodes):
        q = trace.q[k]
        policy = greedy_policy(q)
        is_other = None if before is None else policy != before
        changed = 0 if is_other is None else int(is_other.sum())
        is_last = k + 1 == len(trace.episodes)
        stop = (
            Stop("limit", f"Stopped after {count(episode, 'episode')}, as asked.")
            if is_last
            else None
        )
        note = (
            f"Episode {episode}: a return of {trace.online[k]:.3g} in {trace.lengths[k]:.3g} moves "
            f"on the way here; {changes(changed)}."
        )
        visits = trace.visits[k].sum(axis=1)
        state = PolicyState(q.max(axis=1), policy, visits, q, changed=is_other)
        yield Step(k, float(greedy[k]), state, stop, note)
        before = policy
