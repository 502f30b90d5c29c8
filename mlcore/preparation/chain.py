"""Preparation steps in a row: fitted on training rows, applied to any rows."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from mlcore.spine.capabilities import Resamples, Transforms
from mlcore.spine.fit import Column


class Met(NamedTuple):
    """How many values of new rows lie outside what a step saw in its training rows."""

    count: int
    of: int  # how many there could have been
    what: str  # "values outside 0 to 1", say


class StepSummary(NamedTuple):
    """What one step learned from the training rows, for the fold ribbon."""

    step: str  # title of the step
    # (column, or code of a class of the target; what; value), as short as it can be
    values: tuple[tuple[Any, str, float], ...]
    note: str = ""
    trained_on: str = ""  # what the rows are that the method learns from, if other than those given


def named(column: str | int, classes: tuple[str, ...]) -> str:
    """The column, or the class, that a learned value is about."""
    return column if isinstance(column, str) else classes[column]


def trained(summary: Iterable[StepSummary]) -> str:
    """What a method learned from where that is not the rows as they came, a sentence, or ""."""
    parts = [step.trained_on for step in summary if step.trained_on]
    return f"Trained {' and '.join(parts)}; scored on rows as they came." if parts else ""


@dataclass(frozen=True, eq=False)
class Prepared:
    """Fitted steps, and the training rows as the method gets them."""

    fits: tuple[Any, ...]
    X: np.ndarray  # (m, q) training rows, transformed and resampled
    y: np.ndarray | None  # (m,)
    columns: tuple[Column, ...]
    seconds: float = 0.0  # that fitting the steps took
    rows: np.ndarray | None = None  # (m,) training row that each came from; None if none was moved

    def transform(self, X: np.ndarray, steps: int | None = None) -> np.ndarray:
        """Rows in the coordinates of the method, shape (m, q); never resampled.

        With `steps`, as that many of the first steps leave them.
        """
        for fit in self.fits[:steps]:
            if isinstance(fit, Transforms):
                X = fit.transform(X)
        return X

    def as_they_came(self, X: np.ndarray, y: np.ndarray | None) -> Prepared:
        """The same of the training rows X, y, shape (n, p) and (n,), with none more or less.

        A fit is judged on these, also where it learned from resampled rows, and its baseline
        learns from them.
        """
        return self if self.rows is None else replace(self, X=self.transform(X), y=y, rows=None)

    def follow(self, values: np.ndarray) -> np.ndarray:
        """One value a training row, shape (n,): the same for each row of `X`, shape (m,)."""
        return values if self.rows is None else values[self.rows]

    def summary(self) -> tuple[StepSummary, ...]:
        """What each step learned."""
        return tuple(fit.summary() for fit in self.fits)

    def met(self, X: np.ndarray) -> tuple[Met | None, ...]:
        """What test rows, shape (m, p), bring to each step that its training rows did not."""
        counts = []
        for fit in self.fits:
            counts.append(fit.met(X))
            if isinstance(fit, Transforms):
                X = fit.transform(X)
        return tuple(counts)


def prepare(
    steps: tuple[Any, ...],
    X: np.ndarray,
    y: np.ndarray | None,
    columns: tuple[Column, ...],
    seed: int = 0,
    groups: np.ndarray | None = None,
) -> Prepared:
    """Fit the steps one after the other to the training rows X, shape (n, p).

    Steps that draw folds of their own get the rows that belong together, `groups`, (n,);
    copies that an earlier step made of a row always do.
    """
    began, fits, rows = time.perf_counter(), [], None
    for step in steps:
        takes = step.card.takes
        more = {"groups": groups} if groups is not None and "groups" in takes else {}
        fit = step.fit(X, y if "target" in takes else None, columns=columns, seed=seed, **more)
        fits.append(fit)
        if isinstance(fit, Transforms):
            X, columns = fit.transform(X), fit.out_columns
        if isinstance(fit, Resamples):
            X, taken = fit.resample(X, y)
            y = None if y is None else y[taken]
            rows = taken if rows is None else rows[taken]
            groups = _together(taken) if groups is None else groups[taken]
    return Prepared(tuple(fits), X, y, columns, time.perf_counter() - began, rows)


def _together(rows: np.ndarray) -> np.ndarray | None:
    """Groups of the copies of a row, shape (m,); None where there are no copies."""
    return rows if np.bincount(rows).max() > 1 else None
