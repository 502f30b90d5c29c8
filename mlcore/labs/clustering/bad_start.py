"""A bad start: k-means ends in the best place that is near, not in the best there is."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from mlcore.clustering.kmeans import KMeans
from mlcore.clustering.starts import GivenPoints
from mlcore.labs.lab import Lab
from mlcore.spine.component import Card, enter
from mlcore.spine.iterate import record
from mlcore.spine.params import real


class BadStart(NamedTuple):
    """The run from one start, and where every start among the rows ends."""

    rows: np.ndarray  # (n,) places on the line
    path: np.ndarray  # (T, 3) centers before the first iteration and after each
    labels: np.ndarray  # (n,) at the end
    rss: float  # sum of squared distances at the end
    best: float  # the least of all starts
    ends: np.ndarray  # (M,) the sum at the end of each start that is three of the rows
    starts: np.ndarray  # (M, 3) these starts


@enter(
    Card(
        "bad_start",
        "Initialisation of k-means",
        ("lab",),
        sources=("epfl:kmeans_failure",),
        cost=lambda n, p, it: (0.02, 1e5),
        formula=r"\mathrm{RSS} = \sum_i \min_k \|x_i - c_k\|^2",
        kind="lab",
        pages=("clustering",),
        synonyms=("k-means++", "local minimum", "random initialisation"),
        line="where centers begin decides where they end",
    )
)
@dataclass(frozen=True, kw_only=True)
class BadStartLab(Lab):
    """Six rows on a line, three centers: where they begin decides where they end.

    The rows are three pairs, two near 0, two near a place that you choose, two near 20. Each
    iteration gives every row to its nearest center and moves each center to the mean of its rows.
    The sum of squared distances never rises, but that is no promise that it becomes the least
    possible.
    """

    tasks = (
        "Begin with centers at 0, 1 and 10, and see which pairs end up with a single center.",
        "Move one of the three centers until the run finds the three pairs.",
        "Move the middle pair towards an outer one, and look at the share of starts that fail.",
    )
    seen = (
        "From 0, 1 and 10 the centers stop at 0, 1 and 15.5 with a sum of 101; from 0, 10 and 20 "
        "they find the pairs with a sum of 1.5. Two centers in one pair never give one back, so "
        "several starts are tried and the best is kept."
    )

    first: float = real(
        0.0, low=-5.0, high=26.0, soft=(-5.0, 26.0), symbol="c_1", doc="Where center 1 begins."
    )
    second: float = real(
        1.0, low=-5.0, high=26.0, soft=(-5.0, 26.0), symbol="c_2", doc="Where center 2 begins."
    )
    third: float = real(
        10.0, low=-5.0, high=26.0, soft=(-5.0, 26.0), symbol="c_3", doc="Where center 3 begins."
    )
    middle: float = real(
        10.0, low=2.0, high=18.0, soft=(2.0, 18.0), label="Middle pair", doc="Where it lies."
    )

    def compute(self, seed: int = 0) -> BadStart:
        """The run from the chosen start, and the end of all twenty starts among the rows."""
        rows = np.array([0.0, 1.0, self.middle, self.middle + 1, 20.0, 21.0])
        path, labels, rss = _run(rows, (self.first, self.second, self.third))
        starts = np.array(list(combinations(rows, 3)))
        ends = np.array([_run(rows, tuple(start))[2] for start in starts])
        return BadStart(rows, path, labels, rss, float(min(ends.min(), rss)), ends, starts)


def _run(rows: np.ndarray, start: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray, float]:
    """Centers of every iteration, labels and sum at the end."""
    begin = GivenPoints(values=tuple(float(value) for value in start))
    method = KMeans(n_clusters=3, init=begin, n_init=1, empty_cluster="keep")
    steps = record(method.steps(rows[:, None]))
    states = [step.state for step in steps]
    moved = [state.centers[:, 0] for state in states if state.phase == "move"]
    end = states[-1]
    rss = float(((rows - end.centers[end.labels, 0]) ** 2).sum())
    return np.array([start, *moved]), end.labels, rss
