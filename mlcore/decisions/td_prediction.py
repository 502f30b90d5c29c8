"""Temporal-difference prediction: what a fixed policy is worth, learned with eligibility traces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from mlcore.decisions import _kernels
from mlcore.decisions.agent import DIVERGED, SNAPSHOTS, Agent, diverged, marks, stream
from mlcore.decisions.followed_pairs import followed_pairs
from mlcore.decisions.given_policy import (
    EXPLORING,
    ONE,
    followed_policy,
    no_such_action,
    predicted_of,
    random_share,
    single_action,
)
from mlcore.decisions.lookahead import moves_ahead, step_count, trace_decay, trace_kind
from mlcore.decisions.mdp import FiniteMDP, backup, has_ends, restless, return_of, values_of
from mlcore.maths.arrays import read_only
from mlcore.spine import random
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Column, Fit
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.params import part, real
from mlcore.spine.wording import count


@dataclass(frozen=True, eq=False, kw_only=True)
class PredictionFit(Fit):
    """One replicate: the values at the end, and their error on the way."""

    columns: tuple[Column, ...] = ()
    predicted: np.ndarray  # (S,), or (S, A) of actions
    exact: np.ndarray  # alike, of the policy; NaN of what it never comes to
    episodes: np.ndarray  # (m,) the episodes after which the error was noted
    rms: np.ndarray  # (m,) root mean square error over what the policy comes to
    score: float  # mean return of an episode under the policy, exactly: it does not change


@dataclass(frozen=True)
class PredictionState:
    """Values after some of the episodes."""

    values: np.ndarray  # (S,), or (S, A) of actions


@enter(
    Card(
        "td_prediction",
        "Temporal-difference prediction",
        ("learning",),
        "Sutton (1988), Machine Learning 3",
        sources=("cs2:sarsa_policy_evaluation", "epfl:rl_mc"),
        random=True,
        cost=lambda n, p, self: (2e-6 * n + 1e-7 * n * p * (self.decay > 0), 16.0 * SNAPSHOTS * p),
        formula=r"v \leftarrow v + \alpha\,[\,r + \gamma v(s') - v(s)\,]\,e, \quad"
        r"e \leftarrow \gamma\lambda\, e + \mathbf{1}_s",
        synonyms=(
            "TD(0)",
            "TD(lambda)",
            "n-step TD",
            "Monte Carlo prediction",
            "eligibility traces",
            "policy evaluation by sampling",
            "SARSA policy evaluation",
            "state-action values",
        ),
        line="what states are worth under a policy",
    )
)
@dataclass(frozen=True, kw_only=True)
class TDPrediction(Agent):
    r"""Learns what the states are worth under a policy that is given, by following it.

    After each move the error of prediction, $\delta = r + \gamma v(s') - v(s)$, corrects not only
    the state that was left but all those before it, by their eligibility $e$: it is 1 where one has
    just been and fades by $\gamma \lambda$ a move. With $\lambda = 0$ this is TD(0), which looks
    one move ahead; with $\lambda = 1$ every state learns of all rewards of its episode, as in Monte
    Carlo methods.

    The values of actions, $Q(s, a)$, are learned alike, from each action to the one that is taken
    next: SARSA without improving the policy. Who knows them can do better than the policy without a
    model; those of actions that it never takes stay unknown, and so do those of states that it
    never comes to.

    For asking what a policy is worth without a model. Something between the two ends learns fastest
    in most worlds. O(1) a move, and O(1) for each state with a trace; O(n) with n steps. Fails, by
    diverging, with large steps and accumulating traces where states are met again and again. It
    improves no policy, so its return is that of the policy.
    """

    acts_in = FiniteMDP
    chanceless: ClassVar[tuple[str, ...]] = ("n_steps", "value", "epsilon", "action")

    policy: str = followed_policy("uniform", "optimal", "the best")
    epsilon: float = random_share("the best one")
    action: int = single_action()
    value: str = predicted_of()
    decay: float = trace_decay(
        0.0, "How slowly the eligibility of a state fades: 0 is TD(0), 1 is Monte Carlo."
    )
    traces: str = trace_kind("accumulating", "a state is met")
    n_steps: int = step_count()
    learning_rate: Any = part(
        "constant_schedule", slot="schedule", symbol=r"\alpha", label="Learning rate",
        doc="How far a value moves towards its target, from 0 to 1.",
    )  # fmt: skip
    initial_value: float = real(
        0.0, soft=(-1.0, 1.0), label="Initial value", doc="Value of every state at the beginning."
    )

    @property
    def label(self) -> str:
        """TD with its lambda or its steps, as books call it."""
        ahead = moves_ahead(self.decay, self.n_steps)
        name = f"{ahead}-step TD" if ahead > 1 else f"TD({self.decay:g})"
        return f"{name} of actions" if self.value == "q" else name

    @classmethod
    def forms(cls) -> tuple[Agent, ...]:
        """One move ahead, in between, and whole episodes."""
        return tuple(cls(decay=decay) for decay in (0.0, 0.8, 1.0))

    def applies(self, world: Any) -> str | None:
        """A world of states that stays as it is, in which the values of the policy are finite."""
        reason = super().applies(world) or restless(world, self.title()) or world.unsolvable
        return reason or self._unfollowable(world)

    def _unfollowable(self, world: FiniteMDP) -> str | None:
        """Why one action always cannot be followed, or has no finite values, or None."""
        if self.policy != ONE:
            return None
        if reason := no_such_action(self.title(), world, self.action):
            return reason
        if world.gamma < 1 or has_ends(world, self._followed(world)):
            return None
        return (
            f"Who only takes the action {world.action_names[self.action - 1]} comes to no end from "
            "some state, so that without a discount its value is not defined. Use a discount below "
            "1, or another policy."
        )

    def fit(
        self, world: FiniteMDP, budget: int = 500, *, seed: int = 0, replicate: int = 0
    ) -> PredictionFit:
        """Learn over `budget` episodes. Raises DataError if the world does not suit."""
        self._check(world, budget, seed)
        until, tables = self._learned(world, budget, seed, replicate)
        exact, score = _known(world, self.policy, self.epsilon, self.action, self.value)
        rms = np.sqrt(np.nanmean((tables.reshape(len(tables), -1) - exact.ravel()) ** 2, axis=1))
        return PredictionFit(
            made_by=self, n_iter=budget, predicted=tables[-1].copy(), exact=exact, episodes=until,
            rms=rms, score=score,
        )  # fmt: skip

    def steps(
        self, world: FiniteMDP, budget: int = 500, *, seed: int = 0, replicate: int = 0
    ) -> Iterator[Step]:
        """What it knows after some of the episodes, at most about 60 times."""
        self._check(world, budget, seed)
        until, tables = self._learned(world, budget, seed, replicate)
        # What the start is worth by the values of actions is their mean by the policy.
        policy = self._followed(world) if self.value == "q" else np.ones(1)
        return (
            Step(
                k, float(world.initial @ _meant(values, policy)), PredictionState(values),
                Stop("limit", f"Stopped after {count(episode, 'episode')}, as asked.")
                if k + 1 == len(until) else None,
                f"After {count(int(episode), 'episode')}.",
            )
            for k, (episode, values) in enumerate(zip(until, tables, strict=True))
        )  # fmt: skip

    def _followed(self, world: FiniteMDP) -> np.ndarray:
        """Probability of each action in each state, shape (S, A)."""
        A, every = world.n_actions, np.eye(world.n_actions)
        if self.policy == ONE:
            return np.tile(every[self.action - 1], (world.n_states, 1))
        share = {"uniform": 1.0, "optimal": 0.0, EXPLORING: self.epsilon}[self.policy]
        return share / A + (1 - share) * every[world.solution.policy]

    def _exact(self, world: FiniteMDP) -> np.ndarray:
        """Values of the policy, (S,) or of actions (S, A), NaN of what it never comes to."""
        policy = self._followed(world)
        values = values_of(world, policy)
        reachable = followed_pairs(world, policy).reachable.reshape(policy.shape)
        if self.value == "v":
            return np.where(reachable.any(axis=1), values, np.nan)
        return np.where(reachable, backup(world, values), np.nan)

    def _learned(
        self, world: FiniteMDP, budget: int, seed: int, replicate: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """The episodes that are noted, shape (m,), and the values after them, (m, S[, A])."""
        until, policy, S = marks(budget, SNAPSHOTS), self._followed(world), world.n_states
        shape, met = (S,), world
        if self.value == "q":
            shape, met = policy.shape, followed_pairs(world, policy)
            policy = np.ones((met.n_states, 1))
        values, tables = np.full(met.n_states, self.initial_value), np.zeros((len(until), *shape))
        rate = self.learning_rate
        _kernels.td_prediction(
            *met.entries, met.gamma, met.initial, read_only(policy),
            rate.values(budget), float(rate.exponent), self.decay, self.traces == "replacing",
            moves_ahead(self.decay, self.n_steps), world.max_steps, until,
            random.generator(seed, f"world {replicate}"), stream(self, seed, replicate), values,
            np.zeros(met.n_states, dtype=np.int64), tables.reshape(len(until), -1),
        )  # fmt: skip
        largest = float(np.abs(tables).max())
        if not largest < DIVERGED * max(1.0, float(np.abs(world.solution.values).max())):
            raise diverged(self.label)
        return until, tables


# All replicates and step sizes in a world are judged by the same, which takes longer than a fit.
@lru_cache(maxsize=8)
def _known(
    world: FiniteMDP, policy: str, epsilon: float, action: int, value: str
) -> tuple[np.ndarray, float]:
    """Exact values and the return of a policy, from the tables of the world."""
    agent = TDPrediction(policy=policy, epsilon=epsilon, action=action, value=value)
    return read_only(agent._exact(world)), return_of(world, agent._followed(world))


def _meant(values: np.ndarray, policy: np.ndarray) -> np.ndarray:
    """Values of the states, (S,), of those of actions by the policy, both (S, A), or as given."""
    return values if values.ndim == 1 else (policy * values).sum(axis=1)
