"""The largest of several estimates is too large: the bias of sampled backups, and two ways out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from mlcore.labs.lab import Lab
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer, real
from mlcore.spine.random import generator

N_DRAWS = 4000  # of the maximum: its mean is then right to a hundredth of the noise
MOST_ACTIONS = 20
GRID = np.linspace(-9.0, 9.0, 3601)  # standard deviations over which densities are integrated


class SampledMaxima(NamedTuple):
    """Draws of one backup, and its bias for every number of actions."""

    maxima: np.ndarray  # (N_DRAWS,) the largest of the sampled actions
    doubled: np.ndarray  # (N_DRAWS,) a second sample of the action that was largest in the first
    true: float  # the largest of the true values
    actions: np.ndarray  # (K,) 1, 2, ...
    bias: np.ndarray  # (K,) expected maximum less the true one
    double_bias: np.ndarray  # (K,) the same of second samples
    n_actions: int
    gamma: float

    @property
    def own_bias(self) -> float:
        """The expected bias with the actions of this lab."""
        return float(self.bias[self.n_actions - 1])

    @property
    def in_the_end(self) -> float:
        """What it adds up to where every backup has it: bias (1 + gamma + gamma^2 + ...)."""
        return self.own_bias / (1 - self.gamma)


@enter(
    Card(
        "sampled_backup_bias",
        "Bias of sampled backups",
        ("lab",),
        paper="van Hasselt (2010), Advances in Neural Information Processing Systems 23",
        sources=("cs2:sampled_T_star_v", "cs2:sampled_T_q"),
        random=True,
        cost=lambda n, p, self: (0.02, 2e6),
        formula=r"\mathbb{E}\,\max_a \hat q_a \;\ge\; \max_a \mathbb{E}\,\hat q_a",
        kind="lab",
        pages=("sequential_decision_making",),
        synonyms=("maximisation bias", "overestimation", "double Q-learning", "optimiser's curse"),
        line="the largest of estimates is too large",
    )
)
@dataclass(frozen=True, kw_only=True)
class SampledBackupBiasLab(Lab):
    r"""Takes the best of actions whose values were sampled, many times over.

    One action is worth 0, the others less by a gap. Of each the sum of a reward and what follows,
    $\hat q_a = r + \gamma v(s')$, is sampled, with normal noise. The backup of a state value takes
    $\max_a \hat q_a$: whoever was lucky wins, so it is too large on average. A backup of action
    values takes no maximum of samples and is right on average; a second sample of the winner is not
    too large either.
    """

    tasks = (
        "Compare the mean of the maxima with the true value, for 2 and for 20 actions.",
        "Widen the gap until the bias is gone, and say why.",
        "Average more samples an action: how many halve the bias?",
        "Raise the discount, and read what the bias adds up to.",
    )
    seen = (
        "Where actions are about equally good the maximum is too large by a good part of the "
        "noise, the more so the more actions there are; four times as many samples halve it. A "
        "second sample of the winner is never too large, and too small where the winner is often "
        "a worse action."
    )

    n_actions: int = integer(
        4, low=1, high=MOST_ACTIONS, soft=(1, MOST_ACTIONS), symbol="A", label="Actions",
        doc="Of which the largest sample is taken.",
    )  # fmt: skip
    gap: float = real(
        0.0, low=0.0, high=5.0, soft=(0.0, 3.0), label="Gap",
        doc="What the other actions are worth less than the best.",
    )  # fmt: skip
    noise: float = real(
        1.0, above=0.0, high=10.0, soft=(0.1, 3.0), symbol=r"\sigma", label="Noise",
        doc="Standard deviation of one sample of an action.",
    )  # fmt: skip
    n_samples: int = integer(
        1, low=1, high=1000, soft=(1, 100), log=True, symbol="m", label="Samples an action",
        doc="That are averaged before the largest is taken.",
    )  # fmt: skip
    gamma: float = real(
        0.9, low=0.0, high=0.99, soft=(0.0, 0.99), symbol=r"\gamma", label="Discount",
        doc="What of a bias each backup passes on to the next.",
    )  # fmt: skip

    def compute(self, seed: int = 0) -> SampledMaxima:
        """Draws of the backup, and expectations by integration."""
        spread = self.noise / np.sqrt(self.n_samples)
        means = np.where(np.arange(self.n_actions) == 0, 0.0, -self.gap)
        first, second = means + spread * generator(seed, "samples").normal(
            size=(2, N_DRAWS, self.n_actions)
        )
        winner = first.argmax(axis=1)
        actions = np.arange(1, MOST_ACTIONS + 1)
        expected = np.array([expected_maximum(int(A), self.gap / spread) for A in actions])
        wrong = np.array([1 - chance_of_the_best(int(A), self.gap / spread) for A in actions])
        return SampledMaxima(
            first.max(axis=1), second[np.arange(N_DRAWS), winner], 0.0, actions,
            spread * expected, -self.gap * wrong, self.n_actions, self.gamma,
        )  # fmt: skip


def _density(x: np.ndarray) -> np.ndarray:
    return np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)


def chance_of_the_best(A: int, gap: float) -> float:
    """How likely the best of A actions has the largest sample; the gap is in units of the noise."""
    return float(np.trapezoid(_density(GRID) * ndtr(GRID + gap) ** (A - 1), GRID))


def expected_maximum(A: int, gap: float) -> float:
    """The mean of the largest of A normal samples, one about 0 and the others about -gap."""
    best = _density(GRID) * ndtr(GRID + gap) ** (A - 1)
    if A == 1:
        return float(np.trapezoid(GRID * best, GRID))
    lower = (A - 1) * _density(GRID + gap) * ndtr(GRID) * ndtr(GRID + gap) ** (A - 2)
    return float(np.trapezoid(GRID * (best + lower), GRID))
