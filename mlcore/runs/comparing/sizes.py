"""Scores that more coordinates or centers improve by themselves, and methods of unequal many."""

from __future__ import annotations

from typing import Any

from mlcore.evaluation.metrics.metric import Metric
from mlcore.runs.comparing.outcome import Entrant
from mlcore.spine.asking import can
from mlcore.spine.capabilities import HasCenters, HasEmbedding, Transforms


def size_of(fit: Any, what: str) -> int | None:
    """How many coordinates or centers a fit has; None where it has none."""
    if what == "centers":
        return len(fit.centers) if can(fit, HasCenters) else None
    if can(fit, HasEmbedding):
        return fit.embedding.shape[1]
    return len(fit.out_columns) if can(fit, Transforms) else None


def unequal(entrants: tuple[Entrant, ...], best: int, metric: Metric) -> str:
    """Why the score is no fair comparison, a sentence: the best has more than others have.

    `best` is the position of the method with the best mean. Empty where nothing is unequal.
    """
    sizes = {
        each.which: size_of(each.outcome.whole.fit, metric.improved_by)
        for each in entrants
        if metric.improved_by and each.outcome is not None
    }
    known = [size for size in sizes.values() if size is not None]
    own = sizes.get(best)
    if own is None or own == min(known):
        return ""
    return (
        f"More {metric.improved_by} improve this score by themselves, and the best has {own} where "
        f"another has {min(known)}: a fair comparison gives all the same number."
    )
