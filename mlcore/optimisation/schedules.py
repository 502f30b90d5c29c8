"""Schedules: numbers that change from step to step, such as step lengths and shares of chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlcore.maths.arrays import read_only
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import integer, many, real


@dataclass(frozen=True, kw_only=True)
class Schedule(Component):
    """A number a step, divided by a count of visits to the power `exponent`.

    The count is the user's: how often this state, or this pair of state and action, was met.
    """

    @property
    def exponent(self) -> float:
        """The power of the count by which a value is divided."""
        return 0.0

    def values(self, n: int) -> np.ndarray:
        """The numbers of n steps, shape (n,), read-only."""
        raise NotImplementedError(f"{type(self).__name__} declares no values")


@enter(
    Card("constant_schedule", "Constant", ("schedule",), sources=("cs2:lr_constant",), kind="part")
)
@dataclass(frozen=True, kw_only=True)
class ConstantSchedule(Schedule):
    """The same number at every step."""

    value: float = real(0.1, low=0.0, soft=(0.0, 1.0), doc="The number, from 0.")

    def values(self, n: int) -> np.ndarray:
        """The value n times, shape (n,)."""
        return read_only(np.full(n, self.value))


@enter(Card("linear_schedule", "Linear", ("schedule",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class LinearSchedule(Schedule):
    """In equal steps from a start to an end, where it stays."""

    start: float = real(1.0, low=0.0, soft=(0.0, 1.0), doc="Number at the first step.")
    end: float = real(0.0, low=0.0, soft=(0.0, 1.0), doc="Number from the last step on.")
    steps: int = integer(200, low=1, soft=(10, 1000), log=True, doc="Steps until the end.")

    def values(self, n: int) -> np.ndarray:
        """start + (end - start) min(t / steps, 1), shape (n,)."""
        share = np.minimum(np.arange(n) / self.steps, 1.0)
        return read_only(self.start + (self.end - self.start) * share)


@enter(
    Card(
        "exponential_schedule",
        "Exponential",
        ("schedule",),
        sources=("cs2:lr_exponential",),
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class ExponentialSchedule(Schedule):
    """Falls from a start towards an end, a fixed share of the way at every step."""

    start: float = real(1.0, low=0.0, soft=(0.0, 1.0), doc="Number at the first step.")
    end: float = real(0.05, low=0.0, soft=(0.0, 1.0), doc="Number that it falls towards.")
    rate: float = real(
        0.01, above=0.0, soft=(0.001, 0.1), log=True, doc="Share of the way at each step."
    )

    def values(self, n: int) -> np.ndarray:
        """end + (start - end) exp(-rate t), shape (n,)."""
        return read_only(self.end + (self.start - self.end) * np.exp(-self.rate * np.arange(n)))


@enter(Card("visit_power_schedule", "Power of the visit count", ("schedule",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class VisitPowerSchedule(Schedule):
    """1 over the number of visits to a power: large where little is known yet.

    The sum of all steps is infinite and that of their squares finite for powers above 0.5 and up
    to 1. With power 1 a learner keeps its first, wrong values for very long.
    """

    power: float = real(0.7, above=0.0, high=1.0, soft=(0.5, 1.0), symbol="p", doc="The power.")

    @property
    def exponent(self) -> float:
        """The power of the count by which 1 is divided."""
        return self.power

    def values(self, n: int) -> np.ndarray:
        """Ones, shape (n,): the count does the rest."""
        return read_only(np.ones(n))


@enter(
    Card(
        "geometric_schedule",
        "From start to end",
        ("schedule",),
        kind="part",
        synonyms=("exponential decay", "geometric decay", "annealing"),
    )
)
@dataclass(frozen=True, kw_only=True)
class GeometricSchedule(Schedule):
    """From a start to an end by the same factor at every step, however many steps there are."""

    start: float = real(
        0.5, above=0.0, soft=(0.01, 1.0), log=True, doc="Number at the first step, above 0."
    )
    end: float = real(
        0.01, above=0.0, soft=(0.001, 1.0), log=True, doc="Number at the last step, above 0."
    )

    def values(self, n: int) -> np.ndarray:
        """start (end / start)^(t / (n - 1)), shape (n,)."""
        share = np.arange(n) / max(n - 1, 1)
        return read_only(self.start * (self.end / self.start) ** share)


@enter(
    Card(
        "inverse_time_schedule",
        "Inverse time",
        ("schedule",),
        paper="Robbins and Monro (1951), Annals of Mathematical Statistics 22(3)",
        sources=("mi2:lr_robbins_monro",),
        kind="part",
        synonyms=("Robbins-Monro", "harmonic decay"),
    )
)
@dataclass(frozen=True, kw_only=True)
class InverseTimeSchedule(Schedule):
    """Falls with one over the number of steps: slowly enough to arrive, whatever the noise.

    The sum of all steps is infinite, that of their squares is finite.
    """

    start: float = real(0.5, low=0.0, soft=(0.0, 1.0), doc="Number at the first step, from 0.")
    half: float = real(
        100.0,
        above=0.0,
        soft=(1.0, 10_000.0),
        log=True,
        symbol="t_0",
        label="Half after",
        doc="Steps after which half of it is left.",
    )

    def values(self, n: int) -> np.ndarray:
        """start / (1 + t / t_0), shape (n,)."""
        return read_only(self.start / (1.0 + np.arange(n) / self.half))


@enter(
    Card(
        "stages_schedule",
        "Stages",
        ("schedule",),
        sources=("cs1:kmeans_online", "cs2:kmeans_online"),
        kind="part",
        synonyms=("step decay", "piecewise constant"),
    )
)
@dataclass(frozen=True, kw_only=True)
class StagesSchedule(Schedule):
    """A few numbers one after the other, each for the same share of all steps."""

    stages: tuple = many(
        (0.1, 0.005), most=100, doc="The numbers, from 0; each is held equally long."
    )

    def conflict(self) -> str | None:
        """Refuse no stage, and numbers below 0."""
        return stages_wrong(self.title(), self.stages)

    def values(self, n: int) -> np.ndarray:
        """The number of the stage that each of n steps is in, shape (n,)."""
        return read_only(staged(self.stages, n))


def stages_wrong(who: str, stages: tuple[float, ...]) -> str | None:
    """What is wrong with the numbers of stages, as a sentence, or None."""
    if not stages:
        return f"{who}: give at least one number; there is none."
    if min(stages) < 0:
        return f"{who}: numbers must not be below 0; the least is {min(stages):g}."
    return None


def staged(stages: tuple[float, ...], n: int) -> np.ndarray:
    """Numbers one after the other, each for the same share of n steps, shape (n,)."""
    return np.array(stages, dtype=np.float64)[np.arange(n) * len(stages) // max(n, 1)]
