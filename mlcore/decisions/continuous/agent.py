"""What agents of worlds with vectors for states share: features, episodes that judge, the fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mlcore.decisions.agent import Agent, marks, stream
from mlcore.decisions.continuous import _kernels
from mlcore.decisions.continuous.features import Encoded
from mlcore.decisions.continuous.world import ContinuousWorld
from mlcore.maths.arrays import read_only
from mlcore.optimisation.schedules import Schedule
from mlcore.spine import checks, random
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column, Fit
from mlcore.spine.params import part

TESTS = 20  # greedy episodes that judge a policy; they begin alike for all methods
MARKS = 20  # episodes after which a policy is judged, about
STAGES = 4  # of them after which a greedy episode is kept, to be played
CELLS = 40  # of a map of what was visited, a side


class Paths(NamedTuple):
    """A greedy episode after each of k stages of learning, all from the same start."""

    after: np.ndarray  # (k,) episodes that had been learned from
    states: np.ndarray  # (k, T + 1, d)
    actions: np.ndarray  # (k, T) numbers of actions; between them where any amount can be done
    scores: np.ndarray  # (k, T, R) by which the action is taken, such as one for each action
    lengths: np.ndarray  # (k,) moves
    names: tuple[str, ...]  # (R,) of the scores


class Course(NamedTuple):
    """What a learner meets and fills while it learns."""

    world: ContinuousWorld
    encoded: Encoded
    nature: np.random.Generator  # of the world
    own: np.random.Generator  # of the agent
    tests: np.ndarray  # (TESTS, d) starts of the episodes that judge
    weights: np.ndarray  # (R, n)
    spread: float  # at the beginning, of a Gaussian policy; 0 where actions have scores
    visits: np.ndarray  # (pairs, CELLS, CELLS)
    until: np.ndarray  # (m,) episodes after which the policy is judged
    online: np.ndarray  # (m,)
    lengths: np.ndarray  # (m,)
    greedy: np.ndarray  # (m,)
    paths: Paths

    @property
    def numbers(self) -> tuple[Any, ...]:
        """The world as compiled loops take it."""
        return self.world.numbers

    @property
    def counting(self) -> float:
        """What a reward one move later counts in a return: scores have no discount here."""
        return 1.0

    def pieces(self) -> Iterator[tuple[int, int, int]]:
        """Number, first episode and end of each piece of learning between two marks."""
        first = 0
        for k, end in enumerate(self.until):
            yield k, first, int(end)
            first = int(end)

    def note(self, k: int, returns: np.ndarray, lengths: np.ndarray) -> None:
        """Judge the weights after piece k, whose e episodes had these returns and lengths, (e,)."""
        self.online[k], self.lengths[k] = returns.mean(), lengths.mean()
        weights, world = read_only(self.weights), self.world
        T, names = world.max_steps, self.paths.names
        room = np.empty((T + 1, world.d)), np.empty(T), np.empty((T, len(names)))
        judged = world.numbers, self.encoded.basis, weights, self.spread, self.encoded.n_active
        tests = [_kernels.recorded(*judged, s, self.nature, *room)[1] for s in self.tests]
        self.greedy[k] = sum(tests) / len(tests)
        for stage in np.flatnonzero(self.paths.after == self.until[k]):
            p = self.paths
            p.lengths[stage], _ = _kernels.recorded(
                *judged, self.tests[0], self.nature, p.states[stage], p.actions[stage],
                p.scores[stage],
            )  # fmt: skip


@dataclass(frozen=True, eq=False, kw_only=True)
class ControlFit(Fit):
    """One replicate: linear scores of the actions, and how they came to be."""

    columns: tuple[Column, ...] = ()
    encoded: Encoded
    weights: np.ndarray  # (R, n) of the scores by which an action is taken, one each or two of all
    visits: np.ndarray  # (pairs, CELLS, CELLS) states met while learning, by pairs of coordinates
    episodes: np.ndarray  # (m,) episodes after which the policy was judged
    online: np.ndarray  # (m,) mean return since the last of these, while learning
    lengths: np.ndarray  # (m,) mean number of moves of these episodes
    greedy: np.ndarray  # (m,) mean return of greedy episodes
    paths: Paths

    @property
    def score(self) -> float:
        """Mean return of the greedy episodes at the end."""
        return float(self.greedy[-1])

    def action_scores(self, states: Any) -> np.ndarray:
        """The scores by which the action is taken in each of the states, shape (m, d) to (m, R)."""
        return self.encoded.scores(self.weights, self._states(states))

    def state_values(self, states: Any) -> np.ndarray:
        """What each of the states, shape (m, d), is worth: of its best action, shape (m,)."""
        return self.action_scores(states).max(axis=1)

    def predict(self, states: Any) -> np.ndarray:
        """The best action in each of the states, shape (m, d) to (m,); of several, the first."""
        return self.action_scores(states).argmax(axis=1)

    def _states(self, states: Any) -> np.ndarray:
        d, who = len(self.encoded.basis[4]), self.made_by.title()
        states = checks.matrix(states, who)
        if states.shape[1] != d:
            raise DataError(f"{who} knows states of {d} numbers; got rows of {states.shape[1]}.")
        return states


@dataclass(frozen=True, kw_only=True)
class FeatureAgent(Agent):
    """Learns what is linear in features of states that are vectors."""

    acts_in = ContinuousWorld

    features: Any = part(
        "tile_coding", slot="features", doc="Numbers of a state, of which all is a linear function."
    )

    def applies(self, world: Any) -> str | None:
        """A world of vectors, features that fit into memory, schedules without visit counts."""
        if reason := super().applies(world):
            return reason
        return self.features.refuses(world) or self._counting()

    def _counting(self) -> str | None:
        """Why a schedule among the settings cannot be had: no state is met twice."""
        parts = [p for p in _parts_within(self) if isinstance(p, Schedule) and p.exponent]
        if not parts:
            return None
        return (
            f"{self.title()} cannot count visits, because hardly any state is met twice; "
            f"{parts[0].title().lower()} needs such counts. Choose another schedule."
        )

    def _seconds(self, n: int, d: int) -> float:
        """What learning from n episodes takes, where they last some hundred moves."""
        active = self.features.active(d)
        return (n + TESTS * MARKS) * 200 * (2e-7 + 2e-8 * active)

    def _diverged(self) -> DataError:
        return DataError(
            f"{self.label} diverged: its errors of prediction grew beyond all bounds. Lower the "
            "learning rate or the trace decay."
        )


@dataclass(frozen=True, kw_only=True)
class Controller(FeatureAgent):
    """Learns to act, and is judged by greedy episodes."""

    def _scored(self, world: ContinuousWorld) -> tuple[tuple[str, ...], float]:
        """The names of the scores, and the spread of a Gaussian policy of them, else 0."""
        return world.action_names, 0.0

    def _course(
        self, world: ContinuousWorld, budget: int, seed: int, replicate: int, each: int = 1
    ) -> Course:
        """All that is there before the first episode; `each` of them make a step of learning."""
        encoded = self.features.of(world)
        until = each * marks(budget // each, MARKS)
        names, spread = self._scored(world)
        m, T, R, d = len(until), world.max_steps, len(names), world.d
        wanted = np.unique(np.geomspace(each, budget, STAGES).round())
        after = np.unique(until[np.abs(until[:, None] - wanted).argmin(axis=0)])
        k = len(after)
        paths = Paths(
            after, np.zeros((k, T + 1, d)), np.zeros((k, T)), np.zeros((k, T, R)),
            np.zeros(k, dtype=np.int64), names,
        )  # fmt: skip
        starts = random.generator(seed, f"tests {replicate}").random((TESTS, d))
        tests = world.start_lows + (world.start_highs - world.start_lows) * starts
        return Course(
            world, encoded, random.generator(seed, f"world {replicate}"),
            stream(self, seed, replicate), read_only(tests),
            np.zeros((R, encoded.n)), spread,
            np.zeros((d * (d - 1) // 2, CELLS, CELLS), dtype=np.int64),
            until, np.zeros(m), np.zeros(m), np.zeros(m), paths,
        )  # fmt: skip

    def _known(self, course: Course) -> dict[str, Any]:
        """The fields that the fits of all of them share."""
        p, longest = course.paths, int(course.paths.lengths.max())
        paths = Paths(
            p.after, p.states[:, : longest + 1].copy(), p.actions[:, :longest].copy(),
            p.scores[:, :longest].copy(), p.lengths, p.names,
        )  # fmt: skip
        return {
            "made_by": self, "n_iter": int(course.until[-1]), "encoded": course.encoded,
            "weights": course.weights, "visits": course.visits, "episodes": course.until,
            "online": course.online, "lengths": course.lengths, "greedy": course.greedy,
            "paths": paths,
        }  # fmt: skip


def _parts_within(component: Any) -> Iterator[Any]:
    for inner in component.parts():
        yield inner
        yield from _parts_within(inner)


@enter(Card("uniform_motion", "Random policy", ("baseline",), random=True, kind="part"))
@dataclass(frozen=True, kw_only=True)
class UniformMotion(Agent):
    """Takes any action with equal probability, in twenty episodes."""

    acts_in = ContinuousWorld

    def fit(
        self, world: ContinuousWorld, budget: int = 1, *, seed: int = 0, replicate: int = 0
    ) -> UniformFit:
        """Nothing is learned. Raises DataError if states are no vectors."""
        self._check(world, budget, seed)
        T, own = world.max_steps, stream(self, seed, replicate)
        # Softmax of weights that are all zero, on one feature that is always 1.
        none = read_only(np.zeros((1, world.d)))
        ones = tuple(map(read_only, (world.lows, world.highs - world.lows, world.wraps)))
        basis = (_kernels.POLYNOMIAL, none, 1, 1, *ones)
        A, most = world.n_actions, TESTS * T
        rewards, lengths = np.zeros(most), np.zeros(TESTS, dtype=np.int64)
        _kernels.roll(
            world.numbers, basis, read_only(np.zeros((A, 1))), 0.0, False, T,
            random.generator(seed, f"tests {replicate}"), own,
            np.zeros((world.d * (world.d - 1) // 2, 1, 1), dtype=np.int64),
            np.zeros((most, 1), dtype=np.int64), np.zeros((most, 1)), np.zeros((most, A)),
            np.zeros((most, A)), rewards, lengths,
        )  # fmt: skip
        return UniformFit(made_by=self, score=float(rewards.sum() / TESTS))


@dataclass(frozen=True, eq=False, kw_only=True)
class UniformFit(Fit):
    """What moves at random earn."""

    columns: tuple[Column, ...] = ()
    score: float  # mean return of twenty episodes
