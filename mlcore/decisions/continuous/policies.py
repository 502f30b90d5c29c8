"""Policies with parameters: which action is drawn, and what its chance has to do with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.decisions.continuous.world import ContinuousWorld
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import flag, real


@dataclass(frozen=True, kw_only=True)
class Policy(Component):
    """Draws an action by scores of it that are linear in the features of the state."""

    def refuses(self, world: Any) -> str | None:
        """Why it cannot act in a world, as a sentence, or None."""
        return None

    def scores(self, world: ContinuousWorld) -> tuple[str, ...]:
        """What each of the R scores is of."""
        return world.action_names

    @property
    def numbers(self) -> tuple[float, bool]:
        """Its spread at the beginning, 0 where actions are counted, and whether it is learned."""
        return 0.0, False

    def informed(self, told: np.ndarray, change: np.ndarray) -> np.ndarray:
        """Its Fisher information by the scores times a change of these, both shape (T, R).

        `told`, (T, R), is what the compiled loops tell of it at each move.
        """
        raise NotImplementedError(f"{type(self).__name__} declares no Fisher information")


@enter(Card("softmax_policy", "Softmax", ("policy",), kind="part",
            sources=("cs2:policy_softmax",),
            synonyms=("softmax policy", "Gibbs policy", "Boltzmann policy"),
            formula=r"\pi(a \mid s) \propto e^{\theta_a \cdot \phi(s)}"))  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class SoftmaxPolicy(Policy):
    """Draws one of the actions, the likelier the larger the power of its score."""

    def informed(self, told: np.ndarray, change: np.ndarray) -> np.ndarray:
        """(diag(p) - p p') times the change."""
        return told * (change - (told * change).sum(axis=1, keepdims=True))


@enter(Card("gaussian_policy", "Gaussian", ("policy",), kind="part",
            paper="Williams (1992), Machine Learning 8; Sutton and Barto (2018), Reinforcement "
            "Learning, section 13.7",
            sources=("cs2:policy_gaussian",),
            synonyms=("Gaussian policy", "continuous actions", "normal policy"),
            formula=r"a \sim \mathcal N(\theta_\mu \cdot \phi(s), \sigma^2), \quad "
            r"\sigma = \sigma_0\, e^{\theta_\sigma \cdot \phi(s)}"))  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class GaussianPolicy(Policy):
    r"""Draws any amount between the first and the last action, normally about a mean.

    The mean is linear in the features of the state, from -1 for the first action to 1 for the last;
    the logarithm of the standard deviation is, too, where it is learned. What lies beyond the ends
    is cut off by the world and not by the density, whose score is $(a - \mu) / \sigma^2$ for the
    mean.
    """

    spread: float = real(
        0.5, above=0.0, high=5.0, soft=(0.05, 2.0), log=True, symbol=r"\sigma_0", label="Spread",
        doc="Standard deviation of the actions at the beginning; from the middle to an end is 1.",
    )  # fmt: skip
    learn_spread: bool = flag(
        True, label="Learn the spread", doc="Whether each state may have a spread of its own."
    )

    def refuses(self, world: Any) -> str | None:
        """Worlds whose actions are counted, with nothing between them."""
        if isinstance(world, ContinuousWorld) and world.is_pushed:
            return None
        return (
            "A Gaussian policy needs actions between which any amount can be done, as of a torque; "
            f"{world.name} has {world.n_actions} that are counted. Choose the softmax policy, the "
            "pendulum or the continuous mountain car."
        )

    def scores(self, world: ContinuousWorld) -> tuple[str, ...]:
        """Mean and logarithm of the spread."""
        return "mean", "log of the spread"

    @property
    def numbers(self) -> tuple[float, bool]:
        """Its spread at the beginning, and whether it is learned."""
        return self.spread, self.learn_spread

    def informed(self, told: np.ndarray, change: np.ndarray) -> np.ndarray:
        """1 / sigma^2 of the mean, 2 of the logarithm of sigma, times the change."""
        own = np.ones_like(told) * (2.0 if self.learn_spread else 0.0)
        own[:, 0] = told[:, 1] ** -2.0
        return own * change
