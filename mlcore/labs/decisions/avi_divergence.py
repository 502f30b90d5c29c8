"""Value iteration with fitted values: a contraction, and a fit that undoes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.decisions.mdp import backup
from mlcore.decisions.table_worlds import DivergenceWorld
from mlcore.labs.lab import Lab
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer, real

FITS = ("linear", "table", "mean")
FEATURE = np.array([1.0, 2.0])  # of the two states
MOST = 1e12  # of a value: what is beyond is cut off, as it grows for ever


class Divergence(NamedTuple):
    """Largest value by iteration under three ways to fit; all should be 0."""

    gamma: float
    sizes: np.ndarray  # (3, K + 1)
    gammas: np.ndarray  # (m,)
    factors: np.ndarray  # (3, m) by which an iteration multiplies the largest value, in the end

    @property
    def factor(self) -> float:
        """Of the linear fit with this discount: what an iteration multiplies it by."""
        return 6 * self.gamma / 5


@enter(
    Card(
        "avi_divergence",
        "Fitted value iteration diverges",
        ("lab",),
        "Tsitsiklis and Van Roy (1996), Machine Learning 22",
        sources=("cs2:avi_linear", "cs2:avi_generic"),
        cost=lambda n, p, it: (0.02, 1e5),
        formula=r"v_{k+1} = \Pi T v_k,\qquad \theta_{k+1} = \frac{6 \gamma}{5}\, \theta_k",
        kind="lab",
        pages=("sequential_decision_making",),
        synonyms=("approximate value iteration", "deadly triad", "averager", "divergence"),
        line="least squares undo a contraction",
    )
)
@dataclass(frozen=True, kw_only=True)
class AVIDivergence(Lab):
    r"""Two states, both lead to the second, nothing is ever paid: every value is 0.

    Each iteration makes targets $\gamma v(s')$ and fits them to both states alike. The linear fit
    $v(s) = \theta s$ with $s = 1, 2$ is by least squares; the table has a number a state, the mean
    one for both, as a leaf of a tree would. All begin with $\theta = 1$.
    """

    tasks = (
        "Check one iteration by hand: targets 2 gamma theta for both states, fitted by theta' and "
        "2 theta'.",
        "Find the discount above which the linear fit grows without bounds.",
        "Compare the three at a discount of 0.9 and of 0.8.",
    )
    seen = (
        "The linear fit multiplies theta by 6 gamma / 5: at 0.9 it is 47 after 50 iterations, at "
        "0.8 it is 0.13, and the border is 5/6. The backup itself shrinks every error by gamma, "
        "but a least squares fit may enlarge the largest error again by more. Averagers, which "
        "only take means of targets, cannot: the table and the mean converge for every discount."
    )

    gamma: float = real(
        0.9, low=0.0, high=0.999, soft=(0.0, 0.99), symbol=r"\gamma", label="Discount",
        doc="What a reward is worth one move later.",
    )  # fmt: skip
    n_iterations: int = integer(
        50, low=1, high=200, soft=(1, 200), symbol="K", label="Iterations", doc="To be made."
    )

    def compute(self, seed: int = 0) -> Divergence:
        """Iterations on the tables of the world; nothing is drawn."""
        gammas = np.linspace(0.0, 0.99, 34)
        factors = [[_sizes(fit, gamma, 2)[-1] / max(_sizes(fit, gamma, 2)[-2], 1e-300)
                    for gamma in gammas] for fit in FITS]  # fmt: skip
        sizes = np.array([_sizes(fit, self.gamma, self.n_iterations) for fit in FITS])
        return Divergence(self.gamma, sizes, gammas, np.array(factors))


def _sizes(fit: str, gamma: float, n: int) -> np.ndarray:
    """The largest value after 0 ... n iterations, (n + 1,)."""
    world, v = DivergenceWorld(gamma=gamma).world(), FEATURE
    sizes = [v.max()]
    for _ in range(n):
        targets = backup(world, v)[:, 0]
        v = np.clip(_fitted(fit, targets), -MOST, MOST)
        sizes.append(np.abs(v).max())
    return np.array(sizes)


def _fitted(fit: str, targets: np.ndarray) -> np.ndarray:
    """Values of both states by the way to fit, (2,)."""
    if fit == "linear":
        return FEATURE * (FEATURE @ targets) / (FEATURE @ FEATURE)
    return targets if fit == "table" else np.full(2, targets.mean())
