"""Semi-gradient prediction: what a given policy is worth, linear in features of the state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, log
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mlcore.decisions.agent import SNAPSHOTS, Agent, marks, stream
from mlcore.decisions.continuous import _kernels
from mlcore.decisions.continuous.agent import CELLS, FeatureAgent
from mlcore.decisions.continuous.features import Encoded
from mlcore.decisions.continuous.world import ContinuousWorld
from mlcore.decisions.given_policy import (
    EXPLORING,
    ONE,
    followed_policy,
    no_such_action,
    predicted_of,
    random_share,
    single_action,
)
from mlcore.decisions.lookahead import trace_decay
from mlcore.maths.arrays import read_only
from mlcore.spine import random
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column, Fit
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.params import choice, part
from mlcore.spine.wording import count

JUDGED, APART = 60, 20  # states whose values are judged, each so many moves after the one before
ROLLS = 32  # returns of each of them, where anything is left to chance
LONGEST = 20_000  # moves within which an episode without a discount must end
FAINT = 1e-4  # of a reward: what is discounted to less is left out of a return


class LinearValues(NamedTuple):
    """Values under a policy that are linear in features of the state."""

    encoded: Encoded
    weights: np.ndarray  # (1, n) of states, or (A, n) of their actions
    rule: np.ndarray  # (A, d + 1) scores by which the policy acts
    epsilon: float  # its share of actions at random

    def of(self, states: np.ndarray) -> np.ndarray:
        """Of states, shape (m, d) to (m,): those of actions in the mean over the policy."""
        values = self.encoded.scores(self.weights, states)
        if values.shape[1] == 1:
            return values[:, 0]
        steady = np.take_along_axis(values, self.acts(states)[:, None], axis=1)[:, 0]
        return self.epsilon * values.mean(axis=1) + (1 - self.epsilon) * steady

    def of_pairs(self, states: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """Of states (m, d), or of the `actions` (m,) in them where these are valued; (m,)."""
        values = self.encoded.scores(self.weights, states)
        at = actions if values.shape[1] > 1 else np.zeros(len(states), dtype=np.int64)
        return values[np.arange(len(states)), at]

    def acts(self, states: np.ndarray) -> np.ndarray:
        """What the policy does in the states, shape (m, d) to (m,), where it does not draw."""
        return (self.rule[:, 0] + states @ self.rule[:, 1:].T).argmax(axis=1)


@dataclass(frozen=True, eq=False, kw_only=True)
class LinearPredictionFit(Fit):
    """One replicate: weights at the end, and the error on the way where the policy leads."""

    columns: tuple[Column, ...] = ()
    learned: LinearValues
    visits: np.ndarray  # (pairs, CELLS, CELLS) states met while learning, by pairs of coordinates
    judged: np.ndarray  # (m, d) states that other episodes of the policy came to
    predicted: np.ndarray  # (m,) their values, or those of the actions taken there
    exact: np.ndarray  # (m,) mean returns that were earned from there on
    episodes: np.ndarray  # (k,) the episodes after which the error was noted
    rms: np.ndarray  # (k,) root mean square error of what is judged, less the scatter of `exact`
    score: float  # mean return of twenty episodes under the policy: it does not change

    def state_values(self, states: Any) -> np.ndarray:
        """What each of the states, shape (m, d), is worth under the policy, shape (m,)."""
        return self.learned.of(np.asarray(states, dtype=np.float64))


@dataclass(frozen=True)
class LinearPredictionState:
    """Values after some of the episodes."""

    learned: LinearValues
    predicted: np.ndarray  # (m,) of what is judged


class Judgement(NamedTuple):
    """States that the policy comes to, and what it earned from there on."""

    states: np.ndarray  # (m, d)
    actions: np.ndarray  # (m,) taken there
    means: np.ndarray  # (m,) of discounted returns
    scatter: float  # mean variance of these means

    def error(self, values: np.ndarray) -> float:
        """Root mean square error of values (m,), without what the scatter of the returns adds."""
        return float(np.sqrt(max(((values - self.means) ** 2).mean() - self.scatter, 0.0)))


@enter(
    Card(
        "semi_gradient_prediction",
        "Semi-gradient prediction",
        ("learning",),
        "Tsitsiklis and Van Roy (1997), IEEE Transactions on Automatic Control 42",
        sources=("cs2:sarsa_policy_evaluation", "cs2:linear_value", "epfl:rl_mc"),
        random=True,
        cost=lambda n, p, self: (self._seconds(n, p) + self._fading(n, p) + self._judging(), 2e6),
        formula=r"w \leftarrow w + \alpha\,[\,r + \gamma\, \hat v(s') - \hat v(s)\,]\,e, \quad"
        r"e \leftarrow \gamma\lambda\, e + \phi(s), \quad \hat v(s) = w \cdot \phi(s)",
        synonyms=(
            "TD(lambda)",
            "linear TD",
            "gradient Monte Carlo",
            "linear function approximation",
            "policy evaluation by sampling",
            "state aggregation",
        ),
        line="what a policy is worth, by features",
    )
)
@dataclass(frozen=True, kw_only=True)
class SemiGradientPrediction(FeatureAgent):
    r"""Learns what states that are vectors are worth under a policy that is given, by following it.

    $\hat v(s) = w \cdot \phi(s)$. The error of prediction after each move,
    $\delta = r + \gamma \hat v(s') - \hat v(s)$, corrects all weights whose features were on
    lately, by their eligibility $e$. With $\lambda = 0$ this is TD(0), which ends at the fixed
    point $A w = b$ with $A = E[\phi\,(\phi - \gamma \phi')^\top]$ and $b = E[r\, \phi]$; with
    $\lambda = 1$ and updates at the end of an episode it is gradient Monte Carlo, which ends at
    the nearest values that are linear in the features, by least squares.

    The policy is a simple rule of the world, such as pushing along with the velocity, with or
    without actions at random. One tiling is state aggregation. The error is measured at states of
    other episodes, against returns that are earned from there on, since no exact values are known.

    For judging a policy in worlds that no table can hold. A move costs O(1) a feature that is on,
    and O(1) a trace. Cannot come nearer than its features allow: states that they do not tell
    apart are worth the same. Fails by diverging with large steps and long traces.
    """

    chanceless: ClassVar[tuple[str, ...]] = ("value", "epsilon", "action")

    policy: str = followed_policy("rule", "rule", "a simple rule of the world")
    epsilon: float = random_share("that of the rule")
    action: int = single_action()
    value: str = predicted_of()
    decay: float = trace_decay(
        0.0, "How slowly the eligibility of a feature fades: 0 is TD(0), 1 is Monte Carlo."
    )
    updates: str = choice(
        "move", "move", "episode", label="Updates",
        doc="Whether weights move after each move, or at the end of an episode by all its errors.",
        advanced=True,
    )  # fmt: skip
    learning_rate: Any = part(
        "constant_schedule", slot="schedule", symbol=r"\alpha",
        label="Learning rate", doc="Share of an error that one update removes, from 0 to 1.",
    )  # fmt: skip

    def _fading(self, n: int, d: int) -> float:
        """What the traces of n episodes take: those of the moves before which have not faded."""
        moves = min(200.0, 18.0 / (1.01 - self.decay)) if self.decay else 0.0
        return n * 200 * 2e-9 * moves * self.features.active(d)

    def _judging(self) -> float:
        """What the returns take from the states that are judged, of some hundred moves each."""
        return JUDGED * (1 if self.policy in ("rule", ONE) else ROLLS) * 500 * 1.2e-7

    @property
    def label(self) -> str:
        """TD with its lambda, or Monte Carlo, as books call it."""
        is_whole = self.decay == 1 and self.updates == "episode"
        name = "gradient Monte Carlo" if is_whole else f"semi-gradient TD({self.decay:g})"
        name = name[0].upper() + name[1:]
        return f"{name} of actions" if self.value == "q" else name

    @classmethod
    def forms(cls) -> tuple[Agent, ...]:
        """One move ahead, in between, and whole episodes."""
        return cls(), cls(decay=0.8), cls(decay=1.0, updates="episode")

    def applies(self, world: Any) -> str | None:
        """A world of vectors in which the policy can be followed."""
        if (reason := super().applies(world)) or self.policy != ONE:
            return reason
        return no_such_action(self.title(), world, self.action)

    def fit(
        self, world: ContinuousWorld, budget: int = 300, *, seed: int = 0, replicate: int = 0
    ) -> LinearPredictionFit:
        """Learn over `budget` episodes.

        Raises DataError if the world does not suit, if the values grow without bounds, or if
        episodes without a discount come to no end.
        """
        self._check(world, budget, seed)
        judged = self._judged(world, seed, replicate)
        visits = np.zeros((world.d * (world.d - 1) // 2, CELLS, CELLS), dtype=np.int64)
        until, errors, values = marks(budget, SNAPSHOTS), [], np.empty(0)
        for learned in self._learned(world, until, seed, replicate, visits):
            values = learned.of_pairs(judged.states, judged.actions)
            errors.append(judged.error(values))
        return LinearPredictionFit(
            made_by=self, n_iter=budget, learned=learned, visits=visits, judged=judged.states,
            predicted=values, exact=judged.means, episodes=until, rms=np.array(errors),
            score=self._return(world, seed, replicate),
        )  # fmt: skip

    def steps(
        self, world: ContinuousWorld, budget: int = 300, *, seed: int = 0, replicate: int = 0
    ) -> Iterator[Step]:
        """What it knows after some of the episodes, at most about 60 times."""
        self._check(world, budget, seed)
        judged = self._judged(world, seed, replicate)
        visits = np.zeros((world.d * (world.d - 1) // 2, CELLS, CELLS), dtype=np.int64)
        until = marks(budget, SNAPSHOTS)
        return (
            Step(
                k, judged.error(values := learned.of_pairs(judged.states, judged.actions)),
                LinearPredictionState(learned, values),
                Stop("limit", f"Stopped after {count(budget, 'episode')}, as asked.")
                if k + 1 == len(until) else None,
                f"After {count(int(until[k]), 'episode')}.",
            )
            for k, learned in enumerate(self._learned(world, until, seed, replicate, visits))
        )  # fmt: skip

    def followed(self, world: ContinuousWorld) -> tuple[np.ndarray, float]:
        """Scores by which the policy acts, shape (A, d + 1), and its share of actions at random."""
        if self.policy in ("rule", EXPLORING):
            return read_only(world.rule), self.epsilon if self.policy == EXPLORING else 0.0
        rule = np.zeros((world.n_actions, world.d + 1))
        if self.policy == ONE:
            rule[self.action - 1, 0] = 1.0
            return read_only(rule), 0.0
        return read_only(rule), 1.0

    def _learned(
        self, world: ContinuousWorld, until: np.ndarray, seed: int, replicate: int,
        visits: np.ndarray,
    ) -> Iterator[LinearValues]:  # fmt: skip
        """The values after each of the episodes `until`; `visits` are counted on the way."""
        encoded, (rule, epsilon) = self.features.of(world), self.followed(world)
        nature, own = random.generator(seed, f"world {replicate}"), stream(self, seed, replicate)
        weights = np.zeros((world.n_actions if self.value == "q" else 1, encoded.n))
        rates, first = self.learning_rate.values(int(until[-1])), 0
        for end in until:
            is_finite = _kernels.predict_values(
                world.numbers, encoded.basis, encoded.n_active, encoded.scale, world.gamma,
                self.decay, self.value == "q", self.updates == "episode", rule, epsilon,
                rates[first:end], world.max_steps, nature, own, weights, visits,
            )  # fmt: skip
            if not is_finite:
                raise self._diverged()
            yield LinearValues(encoded, weights.copy(), rule, epsilon)
            first = int(end)

    def _judged(self, world: ContinuousWorld, seed: int, replicate: int) -> Judgement:
        """States of other episodes of the policy, and the returns from there on."""
        rule, epsilon = self.followed(world)
        nature = random.generator(seed, f"judged world {replicate}")
        own = random.generator(seed, f"judged policy {replicate}")
        states, actions = np.empty((JUDGED * APART, world.d)), np.empty(JUDGED * APART, np.int64)
        _kernels.walk(world.numbers, rule, epsilon, world.max_steps, nature, own, states, actions)
        states, actions = states[APART - 1 :: APART].copy(), actions[APART - 1 :: APART].copy()
        given = actions if self.value == "q" else np.full(JUDGED, -1)
        totals = np.empty((JUDGED, ROLLS if epsilon else 1))
        is_whole = _kernels.earn(
            world.numbers, rule, epsilon, world.gamma, read_only(states), read_only(given),
            _longest(world.gamma), nature, own, totals,
        )  # fmt: skip
        if world.gamma == 1 and not is_whole:
            raise DataError(
                f"{self.title()} cannot judge this policy: from some state it comes to no end "
                f"within {LONGEST:,} moves, so that without a discount its value is not known. "
                "Use a discount below 1, or another policy."
            )
        spread = totals.var(axis=1, ddof=1).mean() / ROLLS if epsilon else 0.0
        return Judgement(states, actions, totals.mean(axis=1), float(spread))

    def _return(self, world: ContinuousWorld, seed: int, replicate: int) -> float:
        """Mean return of twenty episodes under the policy, cut as the world cuts them."""
        rule, epsilon = self.followed(world)
        starts = random.generator(seed, f"tests {replicate}").random((20, world.d))
        starts = world.start_lows + (world.start_highs - world.start_lows) * starts
        totals = np.empty((len(starts), 1))
        _kernels.earn(
            world.numbers, rule, epsilon, 1.0, read_only(starts),
            read_only(np.full(len(starts), -1)), world.max_steps,
            random.generator(seed, f"judged world {replicate}"),
            random.generator(seed, f"judged return {replicate}"), totals,
        )  # fmt: skip
        return float(totals.mean())


def _longest(gamma: float) -> int:
    """The moves whose rewards a return adds up."""
    if gamma == 1:
        return LONGEST
    return 1 if gamma == 0 else ceil(log(FAINT) / log(gamma))
