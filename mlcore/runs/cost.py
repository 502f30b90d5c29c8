"""What carrying out a run will take, before it begins."""

from __future__ import annotations

from typing import Any

from mlcore.data.dataset import Dataset
from mlcore.runs.carry import judge_of, splits_of
from mlcore.runs.run import Run
from mlcore.spine.asking import can
from mlcore.spine.capabilities import Announces


def estimate(run: Run, dataset: Dataset) -> tuple[float, float]:
    """What carrying out a run will take: (seconds, bytes), from the cost on the card."""
    n, p = dataset.n, sum(max(len(c.levels), 1) for c in dataset.columns)
    seconds = 0.0
    for step in run.preparation:
        # Most steps are quick, but a search for variables may take longer than the method.
        seconds += step.card.cost(n, p, step)[0] if step.card.cost else 0.0
        n = step.rows_made(n, dataset.y)
    cost = run.method.card.cost
    own, size = cost(n, p, run.method) if cost else (0.001, 0.0)
    seconds, table = seconds + own, 8.0 * n * p
    # Preparing and scoring pass over the table a few times at about 1 GB/s.
    folds = len(splits_of(run, dataset))
    drawing, drawn = run.data.source.takes()
    again = folds * judge_of(run).refits * own  # judged by refits, which prepare nothing anew
    seconds = drawing + again + (folds + 1) * (seconds + 10 * table / 1e9 + 0.002)
    return seconds, max(drawn, size + 6 * table)


def announced(steps: tuple[Any, ...], dataset: Dataset) -> tuple[str, ...]:
    """What steps that fit methods of their own will take, a few words each."""
    d = len(dataset.columns)
    asked = (step.announced(dataset.n, d) for step in steps if can(step, Announces))
    return tuple(words for words in asked if words)
