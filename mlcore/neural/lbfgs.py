"""Limited-memory BFGS for networks: all rows at once, along gradients bent by past steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.neural.optimizers import Optimizer
from mlcore.neural.training import Training
from mlcore.optimisation.lbfgs import ENOUGH, FLATTER, MOST_TRIALS, Bend, Bracket
from mlcore.spine.component import Card, enter
from mlcore.spine.params import integer, real


@enter(
    Card(
        "lbfgs",
        "L-BFGS",
        ("optimizer",),
        paper="Liu and Nocedal (1989), Mathematical Programming 45",
        kind="part",
        sources=("s841:nn_batch_optimisers",),
        synonyms=("quasi-Newton", "BFGS"),
    )
)
@dataclass(frozen=True, kw_only=True)
class LBFGS(Optimizer):
    """A line search an epoch, along the gradient bent by the curvature seen in the last ones.

    Takes all rows at once and no noise. On few rows it needs far fewer epochs than others do.
    """

    takes_batches = False

    memory: int = integer(
        10, low=1, high=100, soft=(3, 30), doc="How many past steps are remembered.", advanced=True
    )
    flat: float = real(
        1e-6,
        low=0.0,
        soft=(1e-9, 1e-2),
        log=True,
        label="Flat enough",
        doc="Stop where no slope of the objective is steeper than this.",
        advanced=True,
    )

    def epochs(self, task: Training) -> Iterator[str]:
        """Steps until the ground is flat, or rounding hides any further fall."""
        bend = Bend(self.memory, np.ones(len(task.theta)))
        at = _Point(task.theta.copy(), *task.at(task.theta))
        while np.abs(at.gradient).max() > self.flat:
            by = -bend.times(at.gradient)
            if not bend.pairs:  # nothing is known of the curvature: start with a short step
                by /= max(float(np.abs(by).sum()), 1.0)
            new, length = _searched(task, at, by)
            if new.value >= at.value:
                if not bend.pairs:
                    return
                bend = Bend(self.memory, np.ones(len(at.theta)))  # what was seen misleads here
                continue
            bend.learn(new.theta - at.theta, new.gradient - at.gradient)
            at = new
            task.theta[:] = at.theta
            yield f"A step of length {length:.3g}; the steepest slope is {_steepest(at):.2g}."


class _Point(NamedTuple):
    """Weights with objective and gradient."""

    theta: np.ndarray  # (P,)
    value: float
    gradient: np.ndarray  # (P,)


def _steepest(at: _Point) -> float:
    return float(np.abs(at.gradient).max())


def _searched(task: Training, at: _Point, by: np.ndarray) -> tuple[_Point, float]:
    """A lower and flatter point along `by`, by the weak Wolfe conditions, and how far it is."""
    downhill = float(at.gradient @ by)
    line, t = Bracket(downhill), 1.0
    for _ in range(MOST_TRIALS):
        theta = at.theta + t * by
        new = _Point(theta, *task.at(theta))
        # Written so that a value that is not a number counts as too high.
        if not new.value <= at.value + ENOUGH * t * downhill:
            t = line.below(t, None)
            continue
        if (rise := float(new.gradient @ by)) >= FLATTER * downhill:
            return new, t
        t = line.above(t, rise)
    return at, 0.0
