"""Raters: the mean of many is free of their noise, and not of what they share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.data.describing.ratings import consensus_labels
from mlcore.labs.lab import Lab, row_count
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer, real
from mlcore.spine.random import generator

MOST = 50  # raters that are asked


class Raters(NamedTuple):
    """What many raters said of the same things, and how right their mean is."""

    truth: np.ndarray  # (n,)
    ratings: np.ndarray  # (n, m) of the raters that are shown
    consensus: np.ndarray  # (n,) their mean
    disagreement: np.ndarray  # (n,) their standard deviation
    counts: np.ndarray  # (MOST,) 1, 2, ...
    errors: np.ndarray  # (MOST,) root mean squared error of the mean of so many raters
    expected: np.ndarray  # (MOST,) the same over all tables that could have been drawn
    bias: float


@enter(
    Card(
        "raters",
        "Averaging raters: bias and variance",
        ("lab",),
        sources=("epfl:rater_average",),
        random=True,
        cost=lambda n, p, it: (5e-3 + 2e-5 * it.n_rows, 2e3 * it.n_rows),
        formula=r"\operatorname{E}(\bar r_m - y)^2 = b^2 + \frac{\tau^2 + \sigma^2}{m}",
        kind="lab",
        pages=("data",),
        synonyms=("annotator agreement", "label noise", "crowd labels", "inter-rater"),
        line="what averaging helps against, and what not",
    )
)
@dataclass(frozen=True, kw_only=True)
class RatersLab(Lab):
    r"""Averaging helps against what each rater errs alone, not against what all err together.

    Things with a true value $y$ are rated. A rating is the truth, plus a bias $b$ that all raters
    share, plus a habit of the rater with standard deviation $\tau$, plus noise with standard
    deviation $\sigma$. The label is the mean of $m$ raters.
    """

    tasks = (
        "Raise the number of raters from 1 to 50 without a bias, and follow the error.",
        "Let all raters share a bias of 1: see where the error stops falling.",
        "Compare the disagreement with and without the bias.",
    )
    seen = (
        "The error of the mean falls like one over the root of the number of raters, down to the "
        "bias that they share and no further. The disagreement of raters tells of their noise and "
        "habits, but nothing of the bias: raters may agree and all be wrong."
    )

    n_raters: int = integer(5, low=1, high=MOST, soft=(1, MOST), symbol="m", label="Raters",
                            doc="Whose ratings are averaged.")  # fmt: skip
    noise: float = real(
        1.0, low=0.0, high=5.0, soft=(0.0, 3.0), symbol=r"\sigma", doc="Spread of each rating."
    )
    habit: float = real(
        0.5, low=0.0, high=5.0, soft=(0.0, 3.0), symbol=r"\tau",
        doc="Spread of what a rater adds to all ratings.",
    )  # fmt: skip
    bias: float = real(
        0.5, low=-5.0, high=5.0, soft=(-2.0, 2.0), symbol="b", doc="What all raters add."
    )
    n_rows: int = row_count(100, (10, 1000), doc="Things that are rated.")

    def compute(self, seed: int = 0) -> Raters:
        """Ratings, their consensus, and its error for each number of raters."""
        truth = generator(seed, "truth").uniform(0.0, 10.0, self.n_rows)
        habits = self.habit * generator(seed, "habits").normal(size=MOST)
        noise = self.noise * generator(seed, "noise").normal(size=(MOST, self.n_rows)).T
        ratings = truth[:, None] + self.bias + habits + noise
        counts = np.arange(1, MOST + 1)
        errors = [_rmse(consensus_labels(ratings[:, :m]).labels, truth) for m in counts]
        shown = ratings[:, : self.n_raters]
        return Raters(
            truth, shown, *consensus_labels(shown), counts, np.array(errors),
            np.sqrt(self.bias**2 + (self.habit**2 + self.noise**2) / counts), self.bias,
        )  # fmt: skip


def _rmse(labels: np.ndarray, truth: np.ndarray) -> float:
    return float(np.sqrt(((labels - truth) ** 2).mean()))
