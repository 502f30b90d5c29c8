"""Scores that more coordinates or centers improve by themselves, and methods of unequal many."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from mlcore.evaluation.metrics.metric import Metric
from mlcore.runs.comparing.outcome import ComparisonOutcome, Entrant
from mlcore.runs.run import Pipeline
from mlcore.spine.asking import can
from mlcore.spine.capabilities import HasCenters, HasEmbedding, Transforms
from mlcore.spine.params import params_of

TOLD = {"coordinates": "n_components", "centers": "n_clusters"}  # by which setting


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
    sizes = _sizes(entrants, metric)
    own = sizes.get(best)
    if own is None or own == min(sizes.values()):
        return ""
    return (
        f"More {metric.improved_by} improve this score by themselves, and the best has {own} where "
        f"another has {min(sizes.values())}: a fair comparison gives all the same number."
    )


class Equal(NamedTuple):
    """The methods of a comparison with the same number of coordinates or centers."""

    n: int
    methods: tuple[Any, ...]


def made_equal(outcome: ComparisonOutcome, metric: Metric) -> Equal | None:
    """All methods with as many coordinates or centers as the one that has the fewest.

    None where nothing is unequal, a method that has more cannot be told how many, or two would be
    the same then: the number itself is what is compared.
    """
    sizes = _sizes(outcome.scored, metric)
    n = min(sizes.values(), default=0)
    methods = list(outcome.run.methods)
    for which, size in sizes.items():
        if size > n:
            if (fewer := _with(methods[which], TOLD[metric.improved_by], n)) is None:
                return None
            methods[which] = fewer
    repeats = any(method in methods[:k] for k, method in enumerate(methods))
    is_changed = methods != list(outcome.run.methods)
    return Equal(n, tuple(methods)) if is_changed and not repeats else None


def as_many(method: Any, others: tuple[Any, ...]) -> Any:
    """A method with as many coordinates or centers as all others, if they are told one number."""
    for name in TOLD.values():
        inner = [each.method if isinstance(each, Pipeline) else each for each in others]
        told = {getattr(each, name) for each in inner if name in params_of(type(each))}
        n = told.pop() if len(told) == 1 else None
        # A share of the variance is no number, and not every method can have a single one.
        if isinstance(n, int) and n > 1:
            method = _with(method, name, n) or method
    return method


def _with(method: Any, name: str, n: int) -> Any:
    """A method, or the one of a pipeline, with n at this parameter; None where it has no such."""
    if isinstance(method, Pipeline):
        inner = _with(method.method, name, n)
        return None if inner is None else replace(method, method=inner)
    return replace(method, **{name: n}) if name in params_of(type(method)) else None


def _sizes(entrants: tuple[Entrant, ...], metric: Metric) -> dict[int, int]:
    """How many each method has, by its position, where the score is improved by that."""
    if not metric.improved_by:
        return {}
    fits = {each.which: each.outcome.whole.fit for each in entrants if each.outcome is not None}
    sizes = {which: size_of(fit, metric.improved_by) for which, fit in fits.items()}
    return {which: size for which, size in sizes.items() if size is not None}
