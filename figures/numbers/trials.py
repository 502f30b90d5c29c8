"""Curves, scores and steps of a trial: means over replicates and how sure they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.special import stdtrit

from figures.options import Options
from figures.recording import Recording, traces_by_name
from figures.view import View
from mlcore.decisions.agent import Seen
from mlcore.decisions.world import World
from mlcore.evaluation.spread import spreads
from mlcore.runs.carry_trial import LEAST_FOR_INTERVAL, MethodResult, TrialOutcome
from mlcore.spine.errors import DataError
from mlcore.spine.iterate import Step
from mlcore.spine.params import choice
from mlcore.spine.wording import count, rough

LEVEL = 0.95
MOST_LINES = 20  # replicates drawn one by one
MOST_LIE_IN = (0.1, 0.9)  # quantiles of replicates about their median
MEAN, MEDIAN = "mean", "median"
MOST_ROUNDS = 200_000  # that are played again for a picture


class ReplicateCurve(NamedTuple):
    """A curve a replicate, and their mean with its interval."""

    label: str
    x: np.ndarray  # (m,)
    each: np.ndarray  # (R, m)
    mean: np.ndarray  # (m,)
    half: np.ndarray  # (m,) half the width of the interval; NaN where there is none
    is_median: bool = False  # whether the median stands for all replicates

    @property
    def line(self) -> np.ndarray:
        """The mean, or the median, of the replicates, (m,)."""
        return np.median(self.each, axis=0) if self.is_median else self.mean

    @property
    def band(self) -> tuple[np.ndarray, np.ndarray]:
        """The interval of the mean, or what 80 % of the replicates lie in, (m,) each.

        NaN for fewer than ten replicates.
        """
        if not self.is_median:
            return self.mean - self.half, self.mean + self.half
        if len(self.each) < LEAST_FOR_INTERVAL:
            return np.full_like(self.mean, np.nan), np.full_like(self.mean, np.nan)
        low, high = np.quantile(self.each, MOST_LIE_IN, axis=0)
        return low, high

    @property
    def end(self) -> float:
        """The mean, or the median, at the end."""
        return float(self.line[-1])

    @property
    def end_words(self) -> str:
        """That in words, a mean with its interval."""
        return rough(self.end) if self.is_median else with_interval(self.end, float(self.half[-1]))

    @property
    def of_all(self) -> str:
        """What the line is of the replicates, for sentences."""
        return MEDIAN if self.is_median else MEAN


@dataclass(frozen=True, kw_only=True)
class CurveOptions(Options):
    """What may be chosen of curves over replicates: the same for all such pictures."""

    is_common: ClassVar[bool] = True
    line: str = choice(
        MEAN, MEAN, MEDIAN, label="Line and band",
        doc="The mean of the replicates in its 95 % interval, or their median among 80 % of them.",
    )  # fmt: skip

    def shown(self, curve: ReplicateCurve) -> ReplicateCurve:
        """The curve with the line that was chosen."""
        return curve._replace(is_median=self.line == MEDIAN)


def replicate_curve(row: MethodResult, x: str, field: str) -> ReplicateCurve:
    """The curves in `field` of every replicate of a method."""
    return replicated(row.label, getattr(row.fits[0], x), row.stacked(field))


def replicated(label: str, x: np.ndarray, each: np.ndarray) -> ReplicateCurve:
    """The curve of replicates, shape (R, m), over x, shape (m,)."""
    return ReplicateCurve(label, x, each, each.mean(axis=0), half_width(each))


def half_width(each: np.ndarray) -> np.ndarray:
    """Half the 95 % t-interval of the mean over replicates, shape (R, ...) to (...).

    NaN for fewer than ten replicates: then the dots say more than an interval would.
    """
    n = len(each)
    if n < LEAST_FOR_INTERVAL:
        return np.full(each.shape[1:], np.nan)
    return stdtrit(n - 1, (1 + LEVEL) / 2) * spreads(each, axis=0) / np.sqrt(n)


def one_of(row: MethodResult) -> str:
    """What a picture of one replicate is of: the method, and that it is the first of several."""
    n = len(row.fits)
    return f"{row.label}, first of {count(n, 'replicate')}" if n > 1 else row.label


def with_interval(mean: float, half: float) -> str:
    """A mean with the interval of this half width, if there is one.

    Never with ±, which stands before standard deviations everywhere else.
    """
    if not np.isfinite(half) or half == 0:
        return rough(mean)
    ends = f"{rough(mean - half, half)} to {rough(mean + half, half)}"
    return f"{rough(mean, half)} (95 % interval {ends})"


def is_lopsided(values: np.ndarray, half: float) -> bool:
    """Whether mean and median differ by more than the interval is wide."""
    return bool(np.isfinite(half) and abs(values.mean() - np.median(values)) > 2 * half)


def played(world: World, drawn: View, steps: Sequence[Step], *, follows: str = "") -> Recording:
    """What changes in a picture while a method acts or plans, as its view says beside the drawing.

    `step` of such a view is given the state that a step holds, and the world. `follows` names what
    is played: the pictures of one method go together.
    """
    at = traces_by_name(drawn.figure)
    change: Any = drawn.step
    return Recording(
        frames=[change(drawn.numbers, at, step.state, world) for step in steps],
        objective=np.array([step.objective for step in steps]),
        sentences=[f"{s.note} {s.stop.why if s.stop else ''}".strip() for s in steps],
        steps=np.array([step.k + 1 for step in steps]),
        label=world.progress,
        follows=follows,
    )


def seen_of(trial: TrialOutcome, which: int) -> Seen:
    """What a strategy saw of the arms in its first replicate, which is played again.

    Raises DataError for more than 200,000 rounds, for which a page would wait.
    """
    run = trial.run
    if run.budget > MOST_ROUNDS:
        raise DataError(
            f"The rounds of a replicate are played again for this picture, at most "
            f"{MOST_ROUNDS:,}; there are {run.budget:,}. Lower the budget to see it."
        )
    return trial.results[which].method.seen(trial.world, run.budget, seed=run.seed)
