"""Finite Markov decision processes as tables, and what follows from the tables alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from mlcore.decisions import _kernels
from mlcore.decisions.world import Episodic, Fact
from mlcore.evaluation.metrics.metric import Metric
from mlcore.maths.arrays import read_only
from mlcore.spine.errors import DataError
from mlcore.spine.records import function
from mlcore.spine.wording import count

MOST_STATES = 2000  # of a dense solve: 2,000 states take about a second and 32 MB
FULL, MOST_DENSE = 0.25, 4_000_000  # share of a table that is filled, and its numbers: 32 MB
MOST_WORK = 500_000_000  # transitions looked at: some seconds
NOTHING = 1e-16  # of a reward: what comes after a time limit is worth less in double precision
Transition = tuple[float, int, float, bool]  # chance, next state, reward, whether it is the end


class Sign(NamedTuple):
    """What stands in a cell of a map, beside the state."""

    cell: int
    text: str
    is_strong: bool


class Layer(NamedTuple):
    """Some of the states of a world that has several for each cell."""

    name: str
    states: np.ndarray  # (s,) rising; no two in one cell
    signs: tuple[Sign, ...] = ()


class Sides(NamedTuple):
    """What rows and columns stand for, where they are more than places."""

    row_title: str
    rows: tuple[str, ...]  # from the top; empty where only columns have names, and cells are square
    column_title: str
    columns: tuple[str, ...]
    parts: tuple[tuple[float, str], ...] = ()  # middles of parts of the columns, and their names


class Grid(NamedTuple):
    """Where the states of a world lie, for drawing it."""

    shape: tuple[int, int]  # rows, columns
    cells: np.ndarray  # (S,) number of the cell of each state, row by row
    letters: str  # one a cell: "." free, "#" wall, "S" start, "G" goal, "X" pit, " " nothing
    arrows: tuple[str, ...]  # (A,) what each action looks like
    layers: tuple[Layer, ...] = ()  # none: all states lie on one map
    signs: tuple[Sign, ...] = ()  # of a world with one map
    fences: tuple[tuple[int, int], ...] = ()  # neighbouring cells with no way between them
    sides: Sides | None = None


def cell_names(grid: Grid) -> tuple[str, ...]:
    """What to call the states of a grid, (S,)."""
    width = grid.shape[1]
    return tuple(f"row {cell // width + 1}, column {cell % width + 1}" for cell in grid.cells)


class Solution(NamedTuple):
    """The optimum of a world."""

    values: np.ndarray  # (S,)
    q: np.ndarray  # (S, A)
    policy: np.ndarray  # (S,) an optimal action of each state
    is_optimal: np.ndarray  # (S, A) whether an action is as good as the best


@dataclass(frozen=True, eq=False, kw_only=True)
class FiniteMDP(Episodic):
    """States, actions, and for each pair the transitions that may follow.

    The transitions of state s and action a are the entries offsets[s * A + a] to
    offsets[s * A + a + 1] of the lists. An entry that ends the episode adds its reward and nothing
    else, whatever state it leads to.
    """

    n_states: int
    offsets: np.ndarray  # (S * A + 1,)
    successors: np.ndarray  # (E,)
    chances: np.ndarray  # (E,) sum to 1 for each pair of state and action
    rewards: np.ndarray  # (E,)
    ends: np.ndarray  # (E,) bool
    initial: np.ndarray  # (S,) probabilities to begin in each state
    state_names: tuple[str, ...]
    grid: Grid | None = None
    # The other tables, and all that is said of the world, hold from the change on.
    chances_before: np.ndarray | None = None  # (E,) until it changes; None: it never does
    changes_after: int = 0  # moves of an agent

    called = "a world of states that can be counted, such as a grid"
    metric = Metric(
        "return", "Return", "higher", "Discounted reward of an episode under the final policy."
    )
    baseline = "uniform_policy"
    first_agents = ("td_control",)
    pictures = ("mdp",)
    solver = "value_iteration"
    progress = "value of the start"

    @property
    def best(self) -> float:
        """The value of the best policy from the start; NaN where it is not known."""
        return float("nan") if self.unsolvable else float(self.initial @ self.solution.values)

    @cached_property
    def best_within(self) -> float:
        """The value of the start with as many decisions left as an episode has moves.

        By backward recursion; NaN where that would take more than some seconds. It exists where
        values without a limit do not, and no policy whatever earns more in an episode.
        """
        if self.max_steps * len(self.successors) > MOST_WORK:
            return float("nan")
        values = np.zeros(self.n_states)
        for _ in range(self.max_steps):
            before, values = values, backup(self, values).max(axis=1)
            if (values == before).all():
                break
        return float(self.initial @ values)

    @property
    def size(self) -> int:
        """One number for each action of each state."""
        return self.n_states * self.n_actions

    def facts(self) -> tuple[Fact, ...]:
        """Actions, states, the discount, and whether the exact answer is known."""
        states = f"{count(self.n_states, 'state')}, {count(self.n_actions, 'action')}"
        actions = f"Actions: {', '.join(self.action_names)}."
        answer = (
            Fact("No exact answer", "", self.unsolvable)
            if self.unsolvable
            else Fact("Exact answer", "known", self._worth())
        )
        return (
            self.named(f"{actions} An episode is cut after {count(self.max_steps, 'move')}."),
            Fact(states, "", f"{int(self.reachable.sum())} of the states can be reached."),
            Fact(
                "Discount",
                f"{self.gamma:g}",
                "It belongs to the world, so all methods share it.",
            ),
            answer,
            *([] if self.chances_before is None else [self._changing()]),
        )

    def _changing(self) -> Fact:
        return Fact(
            "Changes",
            f"after {count(self.changes_after, 'move')}",
            "Counted over all episodes, and nobody is told. What is said of the world, and every "
            "score, is of how it is from then on.",
        )

    def _worth(self) -> str:
        return (
            f"The best policy is worth {self.best:.4g} from the start, by policy iteration on the "
            "tables of the world."
        )

    @property
    def entries(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Offsets, shape (S * A + 1,), and lists of transitions, shape (E,), for the kernels."""
        return self.offsets, self.successors, self.chances, self.rewards, self.ends

    @property
    def change(self) -> tuple[np.ndarray, int]:
        """Probabilities of the entries until the world changes, (E,), and when, in moves."""
        if self.chances_before is None:
            return self.chances, 0
        return self.chances_before, self.changes_after

    @cached_property
    def pairs(self) -> np.ndarray:
        """The pair s * A + a of each entry, shape (E,)."""
        return np.repeat(np.arange(self.n_states * self.n_actions), np.diff(self.offsets))

    @cached_property
    def expected_rewards(self) -> np.ndarray:
        """Mean reward of each action in each state, shape (S, A)."""
        total = np.bincount(self.pairs, self.chances * self.rewards, self.n_states * self.n_actions)
        return total.reshape(self.n_states, self.n_actions)

    @cached_property
    def dense(self) -> np.ndarray | None:
        """Probabilities to go on from each pair to each state, (S * A, S), where a table that full
        is quicker than the lists; else None."""
        size = self.n_states**2 * self.n_actions
        if len(self.successors) < FULL * size or size > MOST_DENSE:
            return None
        cells = self.pairs * self.n_states + self.successors
        chances = np.where(self.ends, 0.0, self.chances)
        return np.bincount(cells, chances, size).reshape(-1, self.n_states)

    def matrix(self, policy: np.ndarray) -> np.ndarray:
        """Probabilities to go on from state to state under a policy, shape (S, S).

        `policy` holds an action a state, shape (S,), or probabilities of actions, shape (S, A).
        Rows sum to at most 1: what is missing is the probability that the episode ends.
        """
        n = self.n_states
        if policy.ndim == 2 and self.dense is not None:
            each_pair = self.dense.reshape(n, self.n_actions, n)
            return (policy[:, :, None] * each_pair).sum(axis=1)
        if policy.ndim == 2:
            each = (self.matrix(np.full(n, a)) for a in range(self.n_actions))
            return np.sum([policy[:, a, None] * P for a, P in enumerate(each)], axis=0)
        own = np.arange(n) * self.n_actions + policy
        if self.dense is not None:
            return self.dense[own]
        lengths = self.offsets[own + 1] - self.offsets[own]
        sources = np.repeat(np.arange(n), lengths)
        first = np.repeat(self.offsets[own] - np.cumsum(lengths) + lengths, lengths)
        entries = first + np.arange(len(sources))
        cells = sources * n + self.successors[entries]
        chances = np.where(self.ends[entries], 0.0, self.chances[entries])
        return np.bincount(cells, chances, n * n).reshape(n, n)

    @cached_property
    def reachable(self) -> np.ndarray:
        """Whether some policy can come to each state, shape (S,)."""
        reachable = self.initial > 0
        go_on = ~self.ends & (self.chances > 0)
        sources, targets = self.pairs[go_on] // self.n_actions, self.successors[go_on]
        while True:
            more = reachable.copy()
            more[targets[reachable[sources]]] = True
            if (more == reachable).all():
                return reachable
            reachable = more

    @property
    def places(self) -> tuple[str, ...]:
        """Where worlds of its class are shown, and where exact answers are if it has one."""
        return self.pictures if self.unsolvable else (*self.pictures, "solved_mdp")

    @cached_property
    def unsolvable(self) -> str | None:
        """Why there are no finite optimal values, as a sentence, or None."""
        if self.n_states > MOST_STATES:
            return (
                f"{self.name} has {self.n_states} states; the exact answer is computed for at "
                f"most {MOST_STATES}."
            )
        if self.gamma < 1:
            return None
        if (self.expected_rewards[_endless_pairs(self)] >= 0).any():
            return (
                "With a discount of 1 a policy could wander for ever at no cost, so values are "
                "not defined. Use a discount below 1, or make every move cost something."
            )
        if not np.isfinite(_moves_to_end(self)).all():
            return (
                "With a discount of 1 every state must have a way to an end; some have none. "
                "Use a discount below 1, or open the way."
            )
        return None

    @cached_property
    def solution(self) -> Solution:
        """The optimum, by policy iteration with exact evaluation.

        Raises DataError if there is none, or too many states to solve for.
        """
        if self.unsolvable:
            raise DataError(self.unsolvable)
        policy = first_policy(self)
        while True:
            q = backup(self, policy_values(self, policy))
            better = greedy_policy(q, policy)
            if (better == policy).all():
                values = q.max(axis=1)
                slack = 1e-11 * float(np.abs(q).max())
                best = np.isclose(q, values[:, None], rtol=1e-9, atol=slack)
                return Solution(*map(read_only, (values, q, policy, best)))
            policy = better


def from_transitions(
    name: str,
    transitions: Sequence[Sequence[Sequence[Transition]]],
    *,
    gamma: float,
    initial: np.ndarray,
    max_steps: int,
    state_names: tuple[str, ...],
    action_names: tuple[str, ...],
    grid: Grid | None = None,
) -> FiniteMDP:
    """The process of a list of transitions for each action of each state.

    `initial` are the probabilities to begin in each state, shape (S,).
    """
    rows = [_merged(entries) for actions in transitions for entries in actions]
    flat = [entry for row in rows for entry in row]
    chances, successors, rewards, ends = zip(*flat, strict=True)
    return FiniteMDP(
        name=name,
        n_states=len(transitions),
        n_actions=len(transitions[0]),
        offsets=np.cumsum([0, *map(len, rows)], dtype=np.int64),
        successors=np.array(successors, dtype=np.int64),
        chances=np.array(chances, dtype=np.float64),
        rewards=np.array(rewards, dtype=np.float64),
        ends=np.array(ends, dtype=np.bool_),
        gamma=float(gamma),
        initial=np.ascontiguousarray(initial, dtype=np.float64),
        max_steps=max_steps,
        state_names=state_names,
        action_names=action_names,
        grid=grid,
    )


def _merged(entries: Sequence[Transition]) -> list[Transition]:
    """Entries that differ in their chance alone, added up."""
    chances: dict[tuple[int, float, bool], float] = {}
    for chance, to, reward, is_end in entries:
        at = (int(to), float(reward), bool(is_end))
        chances[at] = chances.get(at, 0.0) + float(chance)
    return [(chance, *at) for at, chance in chances.items() if chance > 0]


@function("bellman_backup", sources=("cs2:bellman_T_star",))
def backup(mdp: FiniteMDP, values: np.ndarray) -> np.ndarray:
    """Q(s, a) = r(s, a) + gamma E[v(next state)], shape (S, A); the end is worth nothing."""
    if mdp.dense is not None:
        return mdp.expected_rewards + mdp.gamma * (mdp.dense @ values).reshape(-1, mdp.n_actions)
    q = np.empty((mdp.n_states, mdp.n_actions))
    _kernels.backup(*mdp.entries, mdp.gamma, read_only(values), q)
    return q


@function("greedy_policy", sources=("cs2:greedy_policy", "epfl:rl_greedy"))
def greedy_policy(q: np.ndarray, current: np.ndarray | None = None) -> np.ndarray:
    """A best action of each state, shape (S,).

    The `current` one where it is among the best up to rounding, or policies that are equally good
    would follow each other for ever; else the first.
    """
    best = q.argmax(axis=1)
    if current is None:
        return best
    rows = np.arange(len(q))
    slack = 1e-12 * np.abs(q).max()  # errors of a table go by its largest values
    return np.where(q[rows, current] >= q[rows, best] - slack, current, best)


def policy_values(mdp: FiniteMDP, policy: np.ndarray) -> np.ndarray:
    """v = (I - gamma P)^-1 r of a policy, one action a state, shape (S,)."""
    rewards = mdp.expected_rewards[np.arange(mdp.n_states), policy]
    return np.linalg.solve(np.eye(mdp.n_states) - mdp.gamma * mdp.matrix(policy), rewards)


def values_of(mdp: FiniteMDP, policy: np.ndarray) -> np.ndarray:
    """v = (I - gamma P)^-1 r of a policy with probabilities of actions, (S, A), shape (S,).

    Rewards after the time limit count. Without a discount the policy must come to an end.
    """
    rewards = (policy * mdp.expected_rewards).sum(axis=1)
    return np.linalg.solve(np.eye(mdp.n_states) - mdp.gamma * mdp.matrix(policy), rewards)


def return_of(mdp: FiniteMDP, policy: np.ndarray, values: np.ndarray | None = None) -> float:
    """Mean discounted return of an episode with its time limit, exactly.

    `policy` holds an action a state, shape (S,), or probabilities of actions, shape (S, A);
    `values` are those of the policy without a limit, where they are known already.
    """
    if policy.ndim == 1:
        if mdp.gamma**mdp.max_steps < NOTHING * (1 - mdp.gamma):
            return float(mdp.initial @ (policy_values(mdp, policy) if values is None else values))
        policy = np.eye(mdp.n_actions)[policy]
    within = np.empty(mdp.n_states)
    _kernels.values_within(*mdp.entries, mdp.gamma, read_only(policy), mdp.max_steps, within)
    return float(mdp.initial @ within)


def restless(mdp: FiniteMDP, who: str) -> str | None:
    """Why an agent that needs a world that stays as it is cannot act in this one, or None."""
    if mdp.chances_before is None:
        return None
    return (
        f"{who} needs a world that stays as it is; the {mdp.name} changes after "
        f"{count(mdp.changes_after, 'move')}. Choose another world, or a learner of action values."
    )


def changes(count: int) -> str:
    """How many actions of a policy changed, inside a sentence."""
    if count == 1:
        return "one action changed"
    return f"{count} actions changed" if count else "no action changed"


def first_policy(mdp: FiniteMDP) -> np.ndarray:
    """Where policy iteration begins, shape (S,): the best action by the next reward alone.

    Without discounting it must end with certainty: then one that may come nearer to an end.
    """
    if mdp.gamma < 1:
        return mdp.expected_rewards.argmax(axis=1)
    moves = _moves_to_end(mdp)
    nearest = np.full(mdp.n_states * mdp.n_actions, np.inf)
    after = np.where(mdp.ends, 0.0, moves[mdp.successors])
    np.minimum.at(nearest, mdp.pairs, np.where(mdp.chances > 0, after, np.inf))
    return nearest.reshape(mdp.n_states, mdp.n_actions).argmin(axis=1)


def has_ends(mdp: FiniteMDP, policy: np.ndarray) -> bool:
    """Whether an episode under a policy, (S, A), comes to an end from every state."""
    return bool(np.isfinite(_moves_to_end(mdp, policy.ravel() > 0)).all())


def _moves_to_end(mdp: FiniteMDP, is_taken: np.ndarray | None = None) -> np.ndarray:
    """The fewest moves after which an episode can end, from each state, shape (S,).

    Only by the pairs of a state and an action that are taken, `is_taken` of shape (S * A,).
    """
    moves = np.full(mdp.n_states, np.inf)
    is_possible = mdp.chances > 0
    if is_taken is not None:
        is_possible = is_possible & is_taken[mdp.pairs]
    while True:
        before = moves.copy()
        after = np.where(mdp.ends, 0.0, moves[mdp.successors]) + 1.0
        after = np.where(is_possible, after, np.inf)
        np.minimum.at(moves, mdp.pairs // mdp.n_actions, after)
        if (moves == before).all():
            return moves


def _endless_pairs(mdp: FiniteMDP) -> np.ndarray:
    """Whether an episode can be kept from ending by a pair of state and action, shape (S, A).

    These are the end components: states and actions that lead with certainty into one strongly
    connected part. Pairs that may leave their part are taken out until none is left.
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    sources = mdp.pairs // mdp.n_actions
    endless = np.ones(mdp.n_states * mdp.n_actions, dtype=bool)
    while True:
        within = endless[mdp.pairs] & ~mdp.ends & (mdp.chances > 0)
        graph = coo_matrix(
            (np.ones(within.sum()), (sources[within], mdp.successors[within])),
            shape=(mdp.n_states, mdp.n_states),
        )
        part = connected_components(graph, connection="strong")[1]
        leaves = (mdp.chances > 0) & (mdp.ends | (part[sources] != part[mdp.successors]))
        remaining = endless.copy()
        remaining[mdp.pairs[leaves]] = False
        if (remaining == endless).all():
            return endless.reshape(mdp.n_states, mdp.n_actions)
        endless = remaining
