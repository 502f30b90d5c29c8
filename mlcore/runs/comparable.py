"""Which methods may stand beside each other on some data, and what they are called there."""

from __future__ import annotations

from typing import Any

from mlcore.data.dataset import Dataset
from mlcore.runs import carry
from mlcore.runs.labels import told_apart
from mlcore.runs.run import Comparison, Pipeline, Run


def reasons(run: Comparison, dataset: Dataset) -> tuple[str, ...]:
    """Why each method cannot be compared on this data; an empty text where it can."""
    runs = run.runs()
    found = [carry.does_not_apply(one, dataset) or "" for one in runs]
    first = next((one for one, why in zip(runs, found) if not why), runs[0])
    return tuple(why or _not_comparable(one, first) for one, why in zip(runs, found))


def _not_comparable(run: Run, first: Run) -> str:
    """Why the scores of one method say nothing beside those of the first, or an empty text."""
    mine, title, other = _judged(run), run.method.title(), first.method.title()
    if mine != _judged(first):
        return f"{title} is judged by other measures than {other}; compare it with its own kind."
    if not run.method.card.task and run.preparation != first.preparation:
        # Such scores are distances between rows as they are prepared.
        return (
            f"{title} is judged in its prepared coordinates, and these are others than those of "
            f"{other}; give both the same preparation."
        )
    return ""


def _judged(run: Run) -> Any:
    card = run.method.card
    return card.score or carry.DEFAULT_SCORING.get(card.task)


def labels(run: Comparison) -> tuple[str, ...]:
    """What to call the methods: those of one name by the settings that differ."""
    return told_apart([_name(method) for method in run.methods], run.methods)


def _name(method: Any) -> str:
    if not isinstance(method, Pipeline):
        return method.title()
    steps = ", ".join(step.title().lower() for step in method.preparation)
    return f"{method.method.title()} after {steps or 'no preparation'}"
