"""How far a mean may be off: the exact probability, Hoeffding's bound, and its intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import bdtr, bdtrc

from mlcore.labs.lab import Lab
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer, real
from mlcore.spine.random import generator

SHOWN = 100  # intervals that are drawn
SIMULATED = 5000  # means behind the measured coverage
POINTS = 60


class Hoeffding(NamedTuple):
    """Probabilities that the mean of n rewards is off, and intervals around such means."""

    off: np.ndarray  # (POINTS,) how far
    exact: np.ndarray  # (POINTS,) probability that |mean - p| > off
    bound: np.ndarray  # (POINTS,) 2 exp(-2 n off^2), at most 1
    radius: float  # of the interval
    means: np.ndarray  # (SHOWN,)
    is_hit: np.ndarray  # (SHOWN,) whether the interval holds p
    coverage: float  # of all simulated intervals
    p: float
    delta: float


@enter(
    Card(
        "hoeffding",
        "Hoeffding's inequality",
        ("lab",),
        paper="Hoeffding (1963), JASA 58",
        sources=("cs2:hoeffding_lemma",),
        random=True,
        cost=lambda n, p, it: (5e-3, 1e6),
        formula=r"P(|\bar X_n - p| > \varepsilon) \le 2 e^{-2 n \varepsilon^2},\qquad"
        r"\varepsilon_\delta = \sqrt{\frac{\ln(2 / \delta)}{2 n}}",
        kind="lab",
        pages=("sequential_decision_making",),
        synonyms=("Hoeffding bound", "concentration inequality", "PAC", "confidence interval"),
        line="a bound for every arm with rewards in 0 to 1",
    )
)
@dataclass(frozen=True, kw_only=True)
class HoeffdingLab(Lab):
    r"""A bound that holds for every arm whose rewards lie between 0 and 1.

    An arm pays 1 with probability $p$, else 0, and is pulled $n$ times. The exact probability that
    the mean is off is known here; Hoeffding's bound needs no knowledge of the arm at all. UCB
    builds its optimism on the interval that follows from it.
    """

    tasks = (
        "Compare the bound with the exact probability at p = 0.5, then at p = 0.05.",
        "Multiply the pulls by four, and see what happens to the width of the intervals.",
        "Choose delta, and count how many of the hundred intervals miss.",
    )
    seen = (
        "The bound always lies above the exact probability, least so at p = 0.5, and far above it "
        "for an arm that nearly always pays the same. Intervals halve with four times the pulls, "
        "and hold the truth more often than the promised 1 - delta."
    )

    p: float = real(
        0.5,
        low=0.0,
        high=1.0,
        soft=(0.0, 1.0),
        symbol="p",
        label="Success probability",
        doc="That the arm pays.",
    )
    n: int = integer(
        50, low=1, high=5000, soft=(1, 1000), log=True, label="Pulls", doc="Rewards in each mean."
    )
    delta: float = real(
        0.1, low=0.001, high=0.9, soft=(0.001, 0.5), log=True, symbol=r"\delta",
        doc="Probability of a miss that is allowed.",
    )  # fmt: skip

    def compute(self, seed: int = 0) -> Hoeffding:
        """The exact tail and its bound; intervals and how often they hold p."""
        off = np.linspace(0.0, min(1.0, 2.2 / np.sqrt(self.n)), POINTS)
        bound = np.minimum(1.0, 2 * np.exp(-2 * self.n * off**2))
        radius = float(np.sqrt(np.log(2 / self.delta) / (2 * self.n)))
        means = generator(seed, "pulls").binomial(self.n, self.p, SIMULATED) / self.n
        hits = np.abs(means - self.p) <= radius
        return Hoeffding(
            off, self._exact(off), bound, radius, means[:SHOWN], hits[:SHOWN],
            float(hits.mean()), self.p, self.delta,
        )  # fmt: skip

    def _exact(self, off: np.ndarray) -> np.ndarray:
        """By the binomial distribution; a rounding error must not move a count over an edge."""
        high = np.floor(self.n * (self.p + off) + 1e-9)
        low = np.ceil(self.n * (self.p - off) - 1e-9) - 1
        above = np.where(high >= self.n, 0.0, bdtrc(np.minimum(high, self.n), self.n, self.p))
        below = np.where(low < 0, 0.0, bdtr(np.maximum(low, 0), self.n, self.p))
        return above + below
