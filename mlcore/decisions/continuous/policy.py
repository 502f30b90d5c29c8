"""What learners of a policy share: preferences, a critic, and worlds of vectors or of tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mlcore.decisions.agent import PolicyFit, PolicyState, marks, stream
from mlcore.decisions.continuous import _kernels
from mlcore.decisions.continuous.agent import MARKS, ControlFit, Controller, Course
from mlcore.decisions.continuous.features import Encoded, one_hot
from mlcore.decisions.continuous.world import ContinuousWorld, table_numbers
from mlcore.decisions.mdp import FiniteMDP, restless, return_of, values_of
from mlcore.decisions.policy_gradients import softmax
from mlcore.decisions.world import Episodic
from mlcore.spine import random
from mlcore.spine.errors import DataError
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.params import choice, part
from mlcore.spine.wording import count

MOST_JUDGED = 200  # states: of 500 the exact values took six times as long as the learning


@dataclass(frozen=True, eq=False, kw_only=True)
class ActorFit(ControlFit):
    """One replicate in a world of vectors: a policy, and a critic."""

    made_by: PolicySearch

    critic: np.ndarray  # (n,) weights of the values of the states; zeros where none is learned

    def state_values(self, states: Any) -> np.ndarray:
        """What the critic takes each of the states, shape (m, d), to be worth, shape (m,)."""
        return self.encoded.scores(self.critic[None], self._states(states))[:, 0]

    def probabilities(self, states: Any) -> np.ndarray:
        """Probability of each action in each of the states, shape (m, d) to (m, A)."""
        return softmax(self.action_scores(states))


@dataclass(frozen=True, eq=False, kw_only=True)
class GaussianActorFit(ActorFit):
    """One replicate whose policy draws any amount between the first action, -1, and the last, 1."""

    def action_moments(self, states: Any) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation in each of the states, shape (m, d) to (m,) and (m,)."""
        mean, log_spread = self.action_scores(states).T
        bounded = np.clip(log_spread, -_kernels.WIDEST, _kernels.WIDEST)
        return mean, self.made_by.policy.numbers[0] * np.exp(bounded)

    def predict(self, states: Any) -> np.ndarray:
        """Of the actions that are counted the nearest to the mean, shape (m, d) to (m,)."""
        return np.rint(np.clip(self.action_moments(states)[0], -1, 1) + 1).astype(np.int64)

    def probabilities(self, states: Any) -> np.ndarray:
        """Raises DataError: actions are not counted."""
        raise DataError("A Gaussian policy has densities and no probabilities of actions.")


@dataclass(frozen=True, eq=False, kw_only=True)
class TableActorFit(PolicyFit):
    """One replicate in a world of tables; `policy` is the likeliest action of each state."""

    preferences: np.ndarray  # (S, A) of which the probabilities are the softmax
    chances: np.ndarray  # (S, A) probabilities of the actions
    episodes: np.ndarray  # (m,) episodes after which the policy was judged
    online: np.ndarray  # (m,) mean return since the last of these
    lengths: np.ndarray  # (m,) mean number of moves of these episodes
    greedy: np.ndarray  # (m,) mean return of the likeliest actions, exactly
    # Of the critic; None where there is none, without a discount, and with many states.
    exact: np.ndarray | None = None  # (S,) values of the last policy, NaN of what cannot be reached
    rms: np.ndarray | None = None  # (m,) its error, by the policy of that moment

    @property
    def predicted(self) -> np.ndarray:
        """What the critic takes each state to be worth, shape (S,)."""
        return self.values


class TableCourse(NamedTuple):
    """What a learner of a policy meets and fills in a world of tables: as `Course` elsewhere."""

    world: FiniteMDP  # by which policies are judged
    taught_in: FiniteMDP  # the same, perhaps with other starts of the episodes
    encoded: Encoded
    nature: np.random.Generator
    own: np.random.Generator
    weights: np.ndarray  # (A, S)
    visits: np.ndarray  # of pairs of coordinates: none
    until: np.ndarray  # (m,)
    online: np.ndarray  # (m,)
    lengths: np.ndarray  # (m,)
    greedy: np.ndarray  # (m,)

    @property
    def numbers(self) -> tuple[Any, ...]:
        """The world as compiled loops take it."""
        return table_numbers(self.taught_in)

    @property
    def counting(self) -> float:
        """What a reward one move later counts in a return: scores of tables are discounted."""
        return self.world.gamma

    def pieces(self) -> Iterator[tuple[int, int, int]]:
        """Number, first episode and end of each piece of learning between two marks."""
        ends = [0, *map(int, self.until)]
        return zip(range(len(self.until)), ends, ends[1:], strict=False)

    def note(self, k: int, returns: np.ndarray, lengths: np.ndarray) -> None:
        """Judge the weights after piece k, whose e episodes had these returns and lengths, (e,)."""
        self.online[k], self.lengths[k] = returns.mean(), lengths.mean()
        self.greedy[k] = return_of(self.world, self.weights.argmax(axis=0))

    def exact(self) -> np.ndarray:
        """Values of the policy as it stands, (S,), NaN of what cannot be reached."""
        values = values_of(self.world, softmax(self.weights.T))
        return np.where(self.world.reachable, values, np.nan)

    def critic_error(self, critic: np.ndarray) -> float:
        """Root mean square error of a critic, (S,), of the values of the policy as it stands."""
        return float(np.sqrt(np.nanmean((critic - self.exact()) ** 2)))


@dataclass(frozen=True, kw_only=True)
class PolicySearch(Controller):
    """Learns the scores of a policy, in worlds of vectors and in worlds of tables.

    A state of a table is its own feature.
    """

    acts_in = Episodic
    chanceless: ClassVar[tuple[str, ...]] = ("start",)

    policy: Any = part(
        "softmax_policy", slot="policy",
        doc="How an action is drawn: one of those that are counted, or any amount between them.",
    )  # fmt: skip
    start: str = choice(
        "world", "world", "anywhere", symbol=r"\nu", label="Start of the episodes",
        doc="Where the episodes begin that it learns from, and what their mean return is of: where "
        "those of the world do, or in any state that can be reached. Policies are judged from the "
        "start of the world.",
        advanced=True,
    )  # fmt: skip

    def applies(self, world: Any) -> str | None:
        """A world of states; of vectors with features that fit into memory."""
        if isinstance(world, FiniteMDP):
            refused = restless(world, self.title()) or self.policy.refuses(world)
            return refused or self._counting()
        return super().applies(world) or self.policy.refuses(world) or self._beginning(world)

    def _beginning(self, world: ContinuousWorld) -> str | None:
        if self.start == "world":
            return None
        return (
            f"Episodes can begin in any state only where states can be counted; those of "
            f"{world.name} are vectors. Let them begin where the world does."
        )

    def _scored(self, world: ContinuousWorld) -> tuple[tuple[str, ...], float]:
        return self.policy.scores(world), self.policy.numbers[0]

    def fit(self, world: Any, budget: int = 500, *, seed: int = 0, replicate: int = 0) -> Any:
        """Learn over `budget` episodes, as far as they make whole steps of learning.

        Raises DataError if the world does not suit, or if the values grow without bounds.
        """
        self._check(world, budget, seed)
        each = min(self._each, budget)
        course = self._begun(world, budget // each, each, seed, replicate)
        critic = np.zeros(course.encoded.n)
        errors = []
        for _ in self._learning(course, critic, each):
            if self._has_critic and isinstance(course, TableCourse) and _is_judged(world):
                errors.append(course.critic_error(critic))
        return self._fitted(course, critic, np.array(errors))

    def steps(
        self, world: Any, budget: int = 500, *, seed: int = 0, replicate: int = 0
    ) -> Iterator[Step]:
        """What it knows after some of the episodes, in a world of tables, about 20 times.

        Raises DataError at once if the world does not suit or has no tables.
        """
        self._check(world, budget, seed)
        if not isinstance(world, FiniteMDP):
            raise DataError(
                f"{self.title()} is played as an episode in {world.name}: only in worlds whose "
                "states can be counted are its steps tables."
            )
        each = min(self._each, budget)
        return self._snapshots(self._begun(world, budget // each, each, seed, replicate), each)

    def _snapshots(self, course: Course | TableCourse, each: int) -> Iterator[Step]:
        critic, n = np.zeros(course.encoded.n), int(course.until[-1])
        former: np.ndarray | None = None
        for k in self._learning(course, critic, each):
            episode = int(course.until[k])
            stop = (
                Stop("limit", f"Stopped after {count(n, 'episode')}, as asked.")
                if episode == n
                else None
            )
            policy = course.weights.argmax(axis=0)
            note = f"Episode {episode}: a return of {course.online[k]:.3g} on the way here."
            is_other = None if former is None else policy != former
            chances = softmax(course.weights.T)
            state = PolicyState(critic.copy(), policy, chances=chances, changed=is_other)
            yield Step(k, float(course.greedy[k]), state, stop, note)
            former = policy

    @property
    def _has_critic(self) -> bool:
        """Whether it learns what states are worth."""
        return True

    @property
    def _each(self) -> int:
        """Episodes of a step of learning."""
        return 1

    def _learning(
        self, course: Course | TableCourse, critic: np.ndarray, each: int
    ) -> Iterator[int]:
        """Learn piece by piece, the critic, shape (n,), too; yields the number of each piece."""
        # How it learns is all in which learners of a policy differ.
        raise NotImplementedError(f"{type(self).__name__} declares no learning")

    def _begun(
        self, world: Any, steps: int, each: int, seed: int, replicate: int
    ) -> Course | TableCourse:
        """All that is there before the first of `steps` times `each` episodes."""
        if isinstance(world, ContinuousWorld):
            return self._course(world, steps * each, seed, replicate, each)
        until = each * marks(steps, MARKS)
        m, encoded = len(until), one_hot(world)
        return TableCourse(
            world, _begun_anywhere(world) if self.start == "anywhere" else world, encoded,
            random.generator(seed, f"world {replicate}"),
            stream(self, seed, replicate), np.zeros((world.n_actions, world.n_states)),
            np.zeros((0, 1, 1), dtype=np.int64), until, np.zeros(m), np.zeros(m), np.zeros(m),
        )  # fmt: skip

    def _fitted(self, course: Course | TableCourse, critic: np.ndarray, errors: np.ndarray) -> Any:
        """The fit of the last weights; `errors` of the critic, (m,) in a world of tables."""
        if isinstance(course, Course):
            fit = GaussianActorFit if self.policy.numbers[0] else ActorFit
            return fit(critic=critic, **self._known(course))
        chances = softmax(course.weights.T)
        is_judged = len(errors) == len(course.until)
        return TableActorFit(
            made_by=self, n_iter=int(course.until[-1]), values=critic,
            preferences=course.weights.T.copy(), policy=chances.argmax(axis=1),
            score=float(course.greedy[-1]), chances=chances,
            episodes=course.until, online=course.online, lengths=course.lengths,
            greedy=course.greedy,
            exact=course.exact() if is_judged else None, rms=errors if is_judged else None,
        )  # fmt: skip


def _is_judged(mdp: FiniteMDP) -> bool:
    """Whether a critic is laid beside exact values, which take S^3 operations at each mark."""
    # Without a discount a policy that never ends has no values.
    return mdp.gamma < 1.0 and mdp.n_states <= MOST_JUDGED


def _begun_anywhere(mdp: FiniteMDP) -> FiniteMDP:
    """The same world with episodes that begin in each state that can be reached as often."""
    return replace(mdp, initial=mdp.reachable / mdp.reachable.sum())
