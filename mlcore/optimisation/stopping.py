"""When an iterative method stops: after all its iterations, or by rows that it does not learn from.

A method declares `stopping: Stopping = part("none", slot="stopping")`, asks it once which rows to
learn from (`parted`), and tells a `Watch` the losses after each iteration.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlcore.maths import dealing
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.errors import ClassError, DataError
from mlcore.spine.fit import freeze
from mlcore.spine.iterate import Stop
from mlcore.spine.method import Given
from mlcore.spine.params import integer, real
from mlcore.spine.wording import count


class Parted(NamedTuple):
    """Positions of the given rows that teach, and of those that judge; of no weight in neither."""

    learn: np.ndarray  # ascending
    judge: np.ndarray  # ascending, empty where none are held out


@dataclass(frozen=True, eq=False)
class HeldOutLosses:
    """The mean loss after each iteration on both kinds of rows, and what was kept of them."""

    rows: np.ndarray  # (h,) positions of the given rows that were held out
    training: np.ndarray  # (k,) on the rows that taught
    held_out: np.ndarray  # (k,)
    best: int  # iterations kept, from 1: the first minimum of `held_out`

    def __post_init__(self) -> None:
        freeze(self)

    def __setstate__(self, state: dict) -> None:
        self.__dict__.update(state)
        freeze(self)


@dataclass(frozen=True, kw_only=True)
class Stopping(Component):
    """How it is decided which iteration is the last."""

    def parted(self, given: Given, who: str) -> Parted:
        """Which rows teach and which judge; raises DataError where there are too few."""
        return Parted(np.flatnonzero(given.w > 0), np.empty(0, dtype=np.int64))

    def verdict(self, held_out: list[float]) -> Stop | None:
        """Whether it is time to stop after these losses on rows held out."""
        return None


@enter(Card("none", "All iterations", ("stopping",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class AllIterations(Stopping):
    """Every row teaches, and the method runs to its last iteration."""


@enter(
    Card(
        "held_out_rows",
        "Held-out rows",
        ("stopping",),
        paper="Prechelt (1998), Neural Networks 11(4)",
        sources=("s841:early_stopping_time",),
        kind="part",
        synonyms=("early stopping", "validation_fraction", "n_iter_no_change", "patience"),
    )
)
@dataclass(frozen=True, kw_only=True)
class HeldOutRows(Stopping):
    """Some training rows judge each iteration, and the best iteration is kept.

    They are drawn from the training rows alone and teach nothing. Classes keep their shares, and
    rows of a group stay together; where the rows have a time, they are the latest. The fit
    is the iteration of the least loss on them.
    """

    share: float = real(
        0.1,
        above=0.0,
        high=0.5,
        soft=(0.05, 0.5),
        label="Held-out share",
        doc="Share of the training rows that judge and do not teach.",
    )
    patience: int = integer(
        10,
        low=1,
        soft=(1, 50),
        doc="Stop after so many iterations in which the loss on these rows fell no further.",
    )
    tolerance: float = real(
        0.0,
        low=0.0,
        soft=(0.0, 0.01),
        advanced=True,
        doc="A smaller fall of the loss does not count, in units of the loss.",
    )

    def parted(self, given: Given, who: str) -> Parted:
        """The latest rows, whole groups, or random rows; raises DataError for too few rows."""
        here = np.flatnonzero(given.w > 0)
        if given.groups is not None:
            out = self._at_random(given, here, who)
        elif given.order is not None:
            out = self._latest(given.order[here], who)
        else:
            out = self._at_random(given, here, who)
        learn, judge = here[~out], here[out]
        _refuse_lost_classes(given, learn, who)
        return Parted(learn, judge)

    def _at_random(self, given: Given, here: np.ndarray, who: str) -> np.ndarray:
        """A mask of random rows, with all of their groups, shape (len(here),)."""
        y = None if given.classes is None else given.target[here]
        groups = None if given.groups is None else given.groups[here]
        may = np.ones(len(here), dtype=bool)
        if groups is None and y is not None:
            may = np.bincount(y)[y] > 1  # the only row of a class has to teach
        rows = dealing.RowsToSplit(int(may.sum()), None if y is None else y[may], groups)
        if rows.n_groups < 2:
            unit = "row" if groups is None else "group"
            there = "there is 1" if rows.n_groups == 1 else "there are none"
            raise DataError(
                f"{who} holds out a part of its training rows and needs at least 2 {unit}s for "
                f"that; {there}. Set stopping to none, or use more rows."
            )
        out = np.zeros(len(here), dtype=bool)
        strata = rows.y if groups is None else None
        out[may] = dealing.part(rows, strata, self.share, given.rng("held-out rows"))
        return out

    def _latest(self, order: np.ndarray, who: str) -> np.ndarray:
        """A mask of about the share with the latest times; rows of one time stay together."""
        if (order != order).any():  # neither a missing number nor a missing date equals itself
            raise DataError(
                f"{who} holds out the latest of its training rows and needs a time for each. "
                "Leave out rows without one, or set stopping to none."
            )
        times = np.sort(order)
        starts = np.flatnonzero(times[1:] > times[:-1]) + 1
        if not len(starts):
            raise DataError(
                f"{who} holds out the latest of its training rows, and all of them have the same "
                "time. Set stopping to none, or give the column of the order another role."
            )
        wanted = len(order) * (1 - self.share)
        first = starts[np.abs(starts - wanted).argmin()]
        return order >= times[first]

    def verdict(self, held_out: list[float]) -> Stop | None:
        """Stop where none of the last `patience` losses lies clearly below all before them."""
        if len(held_out) <= self.patience:
            return None
        before, since = held_out[: -self.patience], held_out[-self.patience :]
        if min(since) < min(before) - self.tolerance:
            return None
        best = int(np.argmin(held_out)) + 1
        return Stop(
            "converged",
            f"Stopped early: the loss on the held-out rows fell no further in {self.patience} "
            f"iterations. Iteration {best} was the best and is kept.",
        )


class Watch:
    """The losses of an iterative method so far, and the verdict on them."""

    def __init__(self, stopping: Stopping, judge: np.ndarray, max_iter: int, unit: str) -> None:
        """`judge` as `Parted` has it; `unit` is the plural of what an iteration is called."""
        self.stopping, self.judge, self.max_iter, self.unit = stopping, judge, max_iter, unit
        self.training: list[float] = []
        self.held_out: list[float] = []

    def seen(self, training: float, held_out: float | None) -> Stop | None:
        """Note the losses after an iteration; whether it was the last, and why."""
        self.training.append(training)
        if held_out is not None:
            self.held_out.append(held_out)
        if not np.isfinite(training) or (held_out is not None and not np.isfinite(held_out)):
            return Stop("diverged", "Stopped: the loss is no longer a finite number.")
        if stop := self.stopping.verdict(self.held_out):
            return stop
        return self._end() if len(self.training) >= self.max_iter else None

    @property
    def best(self) -> int:
        """How many iterations are kept: up to the least loss on the rows held out, else all."""
        return int(np.argmin(self.held_out)) + 1 if self.held_out else len(self.training)

    def losses(self) -> HeldOutLosses | None:
        """The record for the fit; None where no rows are held out."""
        if not self.held_out:
            return None
        both = np.array(self.training), np.array(self.held_out)
        return HeldOutLosses(self.judge, *both, best=self.best)

    def _end(self) -> Stop:
        sentence = f"Ran all {count(self.max_iter, self.unit[:-1], self.unit)}."
        if not self.held_out:
            return Stop("converged", sentence)
        if self.best == self.max_iter:
            more = "The loss on the held-out rows fell to the end: more may be better."
            return Stop("limit", f"{sentence} {more}")
        return Stop("converged", f"{sentence} Iteration {self.best} was the best and is kept.")


def _refuse_lost_classes(given: Given, learn: np.ndarray, who: str) -> None:
    """Every class that has weight must be taught."""
    if given.classes is None:
        return
    lost = np.setdiff1d(np.unique(given.target[given.w > 0]), given.target[learn])
    if len(lost):
        raise ClassError(
            f"{who} would hold out all rows of ",
            [given.classes[lost[0]]],
            " and could not learn it. Hold out fewer rows, or set stopping to none.",
        )
