"""Preparation steps in a row: fitted on training rows, applied to any rows."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mlcore.capabilities import Resamples, Transforms
from mlcore.fit import Column


class StepSummary(NamedTuple):
    """What one step learned from the training rows, for the fold ribbon."""

    step: str  # title of the step
    values: tuple[tuple[str, str, float], ...]  # (column, what, value), as short as it can be
    note: str = ""


@dataclass(frozen=True, eq=False)
class Prepared:
    """Fitted steps, and the training rows as the method gets them."""

    fits: tuple[Any, ...]
    X: np.ndarray  # (n, q) training rows, transformed and resampled
    y: np.ndarray | None  # (n,)
    columns: tuple[Column, ...]
    seconds: float = 0.0  # that fitting the steps took

    def transform(self, X: np.ndarray) -> np.ndarray:
        """Rows in the coordinates of the method, shape (m, q); never resampled."""
        for fit in self.fits:
            if isinstance(fit, Transforms):
                X = fit.transform(X)
        return X

    def summary(self) -> tuple[StepSummary, ...]:
        """What each step learned."""
        return tuple(fit.summary() for fit in self.fits)


def prepare(
    steps: tuple[Any, ...],
    X: np.ndarray,
    y: np.ndarray | None,
    columns: tuple[Column, ...],
    seed: int = 0,
    groups: np.ndarray | None = None,
) -> Prepared:
    """Fit the steps one after the other to the training rows X, shape (n, p).

    Steps that draw folds of their own are told which rows belong together, by `groups`, (n,).
    """
    began, fits = time.perf_counter(), []
    for step in steps:
        takes = step.card.takes
        more = {"groups": groups} if groups is not None and "groups" in takes else {}
        fit = step.fit(X, y if "target" in takes else None, columns=columns, seed=seed, **more)
        fits.append(fit)
        if isinstance(fit, Transforms):
            X, columns = fit.transform(X), fit.out_columns
        if isinstance(fit, Resamples):
            X, y = fit.resample(X, y)
            groups = None  # the rows are others now
    return Prepared(tuple(fits), X, y, columns, time.perf_counter() - began)
