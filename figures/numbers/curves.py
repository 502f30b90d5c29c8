"""Curves of rates over all cuts, one class against the rest, pooled and by fold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from figures.numbers.interest import class_of_interest
from figures.numbers.left_out import by_fold, left_out, probabilities
from figures.numbers.target import target_of
from figures.options import Options
from mlcore.data.dataset import Dataset
from mlcore.evaluation.metrics.ranking import ThresholdCurve
from mlcore.runs.carry import Outcome
from mlcore.spine.errors import DataError

MOST_CORNERS = 800  # of a drawn curve; a screen shows no more
APART = 0.05  # between an area and that of the curve that is seen, above which it is told


@dataclass(frozen=True, kw_only=True)
class OfClass(Options):
    """The class that a curve is of."""

    positive: str | None = class_of_interest(
        "The class that is to be found; all others together are the rest.",
        of_more="each", unnamed="Each against the rest",
    )  # fmt: skip


class ClassCurve(NamedTuple):
    """The curve of one class against the rest."""

    k: int  # code of the class
    name: str
    curve: ThresholdCurve  # over the rows of all folds together
    folds: tuple[ThresholdCurve, ...]  # empty unless asked for
    area: float  # mean over the folds, as every score; of the pooled curve where none has one
    is_pooled: bool  # whether it is that of the pooled curve
    share: float  # of the rows that are of this class
    drawn: float  # area of the pooled curve


def class_curves(
    dataset: Dataset,
    outcome: Outcome,
    curve: Callable[..., ThresholdCurve],
    area: Callable[..., float],
    positive: str = "",
) -> tuple[ClassCurve, ...]:
    """The curve of the class called `positive` with its folds, else of every class.

    Of two classes the second is the positive one where none is named: the curve of the other says
    the same.
    """
    outside = left_out(outcome, "classification")
    P = probabilities(outside, outcome.run.method.title())
    y = target_of(dataset)[outside.rows]
    chosen = _chosen(dataset.classes, positive)

    def one(k: int) -> ClassCurve:
        is_k, scores = y == k, P[:, k]
        inside = [outside.folds == fold for fold in np.unique(outside.folds)]
        inside = [rows for rows in inside if is_k[rows].any() and not is_k[rows].all()]
        folds = [thinned(curve(is_k[rows], scores[rows])) for rows in inside]
        whole = thinned(curve(is_k, scores))
        # A fold without rows of both has no area, and would count as a perfect or a useless one.
        both = np.logical_or.reduce(inside) if inside else np.ones(len(y), dtype=bool)
        where = outside.folds[both] if inside else np.zeros(len(y), dtype=np.int64)
        return ClassCurve(
            k,
            dataset.classes[k],
            whole,
            tuple(folds) if len(chosen) == 1 else (),
            by_fold(area, is_k[both], scores[both], where).mean,
            not inside,
            float(is_k.mean()),
            float(area(is_k, scores)),
        )

    return tuple(one(k) for k in chosen if (y == k).any() and not (y == k).all())


def _chosen(classes: tuple[str, ...], positive: str) -> list[int]:
    if positive and positive not in classes:
        raise DataError(f"There is no class {positive!r}; choose one of {', '.join(classes)}.")
    if positive:
        return [classes.index(positive)]
    return [1] if len(classes) == 2 else list(range(len(classes)))


def thinned(curve: ThresholdCurve) -> ThresholdCurve:
    """The curve without the corners that a screen cannot show; its ends stay."""
    if len(curve.x) <= MOST_CORNERS:
        return curve
    kept = np.unique(np.linspace(0, len(curve.x) - 1, MOST_CORNERS).round().astype(np.int64))
    return ThresholdCurve(*(values[kept] for values in curve))


def beside_drawn(c: ClassCurve) -> str:
    """A sentence to follow the area, where the curve that is seen has another one."""
    if abs(c.area - c.drawn) <= APART:
        return ""
    text = f" The curve for {c.name} is that of the rows of all folds together, {c.drawn:.3f}"
    if c.drawn > c.area:
        return f"{text}."
    return f"{text}: probabilities of different folds do not rank as well as those of one."


def lines(curves: tuple[ClassCurve, ...], x: str, y: str) -> tuple[Any, ...]:
    """Name, values pairs of all curves below one another: class, x, y, cut."""
    return (
        ("class", tuple(c.name for c in curves for _ in c.curve.x)),
        (x, _joined(curves, "x")),
        (y, _joined(curves, "y")),
        ("cut", _joined(curves, "cuts")),
    )


def _joined(curves: tuple[ClassCurve, ...], field: str) -> np.ndarray:
    parts = [getattr(c.curve, field) for c in curves]
    return np.concatenate(parts) if parts else np.empty(0)
