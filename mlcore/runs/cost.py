"""What carrying out a run will take, before it begins."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.evaluation.conformal.own_intervals import LEVELS
from mlcore.runs.carry import judge_of, splits_of
from mlcore.runs.run import Run
from mlcore.spine.asking import can
from mlcore.spine.capabilities import Announces, CostsByGaps

A_FOLD, A_COLUMN = 4500.0, 430.0  # bytes: its scores, and what is said of a column; measured


def estimate(run: Run, dataset: Dataset) -> tuple[float, float]:
    """What carrying out a run will take: (seconds, bytes), from the cost on the card."""
    n, p = dataset.n, sum(max(len(c.levels), 1) for c in dataset.columns)
    seconds = 0.0
    for step in run.preparation:
        # Most steps are quick, but a search for variables may take longer than the method.
        seconds += step.card.cost(n, p, step)[0] if step.card.cost else 0.0
        n = step.rows_made(n, dataset.y)
    own, size = of_fit(run.method, n, p, gap_sets(run, dataset))
    seconds, table = seconds + own, 8.0 * n * p
    # Preparing and scoring pass over the table a few times at about 1 GB/s.
    folds = len(splits_of(run, dataset))
    drawing, drawn = run.data.source.takes()
    again = folds * judge_of(run).refits * own  # judged by refits, which prepare nothing anew
    seconds = drawing + again + (folds + 1) * (seconds + 10 * table / 1e9 + 0.002)
    return seconds, max(drawn, size + 6 * table)


def kept(run: Run, dataset: Dataset) -> float:
    """Bytes that the scored folds take in whoever keeps the outcome.

    Each fold keeps the positions of its rows and what was predicted of those left out, and says of
    every column how it was prepared.
    """
    splits, p = splits_of(run, dataset), len(dataset.columns)
    ends = splits[0], splits[-1]  # in time the rows that are fitted become more from split to split
    # A class has a probability; a number may have intervals of its own, and a deviation.
    width = len(dataset.classes) or 2 * len(LEVELS) + 1
    fitted = np.mean(
        [split.fitted.size if isinstance(split.fitted, np.ndarray) else 0 for split in ends]
    )
    numbers = float(fitted) + (2 + width) * len(ends[0].test)
    return len(splits) * (A_FOLD + A_COLUMN * p + 8.0 * numbers)


def of_fit(method: Any, n: int, p: int, gap_sets: int) -> tuple[float, float]:
    """What a fit to n prepared rows of p columns takes: (seconds, bytes), from its card.

    `gap_sets`: in how many sets of columns rows lack values.
    """
    cost = method.card.cost
    seconds, size = cost(n, p, method) if cost else (0.001, 0.0)
    if gap_sets and can(method, CostsByGaps):
        seconds += method.cost_of_gaps(gap_sets, n, p)
    return seconds, size


def gap_sets(run: Run, dataset: Dataset) -> int:
    """In how many sets of columns rows lack values when they come to the method."""
    is_filled = any(step.card.stage == "fill" for step in run.preparation)
    return 0 if is_filled or not can(run.method, CostsByGaps) else dataset.gap_sets


def announced(steps: tuple[Any, ...], dataset: Dataset) -> tuple[str, ...]:
    """What steps that fit methods of their own will take, a few words each."""
    d = len(dataset.columns)
    asked = (step.announced(dataset.n, d) for step in steps if can(step, Announces))
    return tuple(words for words in asked if words)
