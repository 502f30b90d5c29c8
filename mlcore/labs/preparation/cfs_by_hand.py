"""The merit of two columns, by hand: the right formula beside the one that was printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.labs.lab import Lab
from mlcore.preparation.selection.cfs import MeritJudge
from mlcore.spine.component import Card, enter
from mlcore.spine.params import real

POINTS = 101


class Merits(NamedTuple):
    """Merits of the subsets of two columns; NaN where a formula says nothing."""

    single: np.ndarray  # (2,) of each column alone
    pair: float
    printed_pair: float  # without the k under the root
    overlaps: np.ndarray  # (POINTS,) correlations between the two
    pairs: np.ndarray  # (POINTS,) merit of both at each overlap
    printed_pairs: np.ndarray  # (POINTS,)
    overlap: float


@enter(
    Card(
        "cfs_by_hand",
        "Correlation-based feature selection by hand",
        ("lab",),
        paper="Hall (2000), ICML 17",
        sources=("cs1:vs_cfs",),
        cost=lambda n, p, it: (5e-3, 1e4),
        formula=r"J(S) = \frac{k\, \bar r_{xy}}{\sqrt{k + k (k - 1)\, \bar r_{xx}}}"
        r"\quad\text{and not}\quad \frac{k\, \bar r_{xy}}{\sqrt{k (k - 1)\, \bar r_{xx}}}",
        kind="lab",
        pages=("preprocessing",),
        synonyms=("CFS", "correlation-based feature selection", "merit"),
        line="a pair of columns that repeats little",
    )
)
@dataclass(frozen=True, kw_only=True)
class CFSByHand(Lab):
    """A good pair of columns says much of the target, and as little as possible of it twice.

    Three absolute correlations decide: of each column with the target, and between the two. The
    merit weighs the first two against the third. The notes print it without the k under the root;
    then a single column is divided by zero, and a pair that hardly overlaps has any merit at all.
    """

    tasks = (
        "Make both columns equally good, and raise the overlap until the pair is worth no more "
        "than one of them.",
        "Lower the overlap towards zero, and compare the two formulas.",
        "Make the second column weak: find the overlap above which it is better left out.",
    )
    seen = (
        "Two equally good columns without overlap are worth the root of two of one; copies of each "
        "other are worth exactly one. The printed formula grows beyond all bounds as the overlap "
        "vanishes, and says nothing of a single column."
    )

    first: float = real(
        0.6, low=0.01, high=1.0, soft=(0.01, 1.0), symbol="r_1", doc="Of column 1 with the target."
    )
    second: float = real(
        0.5, low=0.0, high=1.0, soft=(0.0, 1.0), symbol="r_2", doc="Of column 2 with the target."
    )
    overlap: float = real(
        0.3, low=0.0, high=1.0, soft=(0.0, 1.0), symbol="r_{12}", doc="Between the two columns."
    )

    def compute(self, seed: int = 0) -> Merits:
        """The merit of each subset at this overlap, and of the pair at every other."""
        overlaps = np.linspace(0.0, 1.0, POINTS)
        judged = np.array([self._merits(c) for c in overlaps])
        _, second, first, both = self._merits(self.overlap)
        single = np.array([first, second])
        printed = self._printed(np.append(overlaps, self.overlap))
        return Merits(
            single, float(both), float(printed[-1]), overlaps, judged[:, 3], printed[:-1],
            self.overlap,
        )  # fmt: skip

    def _merits(self, overlap: float) -> np.ndarray:
        """Of nothing, the second, the first, and both, shape (4,)."""
        between = np.array([[1.0, overlap], [overlap, 1.0]])
        return MeritJudge(np.array([self.first, self.second]), between).every()

    def _printed(self, overlaps: np.ndarray) -> np.ndarray:
        """(r1 + r2) / sqrt(2 r12); NaN at an overlap of zero."""
        below = np.sqrt(2 * overlaps)
        top = np.full_like(below, self.first + self.second)
        return np.divide(top, below, out=np.full_like(below, np.nan), where=below > 0)
