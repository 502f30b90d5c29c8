"""How usual the rows of a table are, and which lie outside."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.maths.class_scores import the_rarest
from mlcore.runs.carry import Whole
from mlcore.spine.wording import count, percent, plural


class Judged(NamedTuple):
    """Every row with its score."""

    usualness: np.ndarray  # (n,) of fitted rows that by the others
    outside: np.ndarray  # (n,) whether it is below the threshold
    threshold: float
    share_asked: float  # NaN where none was
    name: str  # of the score
    rare: np.ndarray | None  # (n,) whether a row is of the rarest class; None without classes
    rare_name: str


def judged(dataset: Dataset, whole: Whole) -> Judged:
    """The scores of the rows of a data set by the fit to all of them."""
    fit: Any = whole.fit
    if whole.prepared.rows is None:
        scores = np.asarray(fit.own_usualness)
    else:  # the fitted rows are others than those of the table
        scores = fit.usualness(whole.prepared.transform(dataset.X))
    rare, name = None, ""
    if dataset.task == "classification" and len(dataset.classes) > 1:
        y = np.asarray(dataset.y)
        code = the_rarest(np.bincount(y, minlength=len(dataset.classes)))
        if code is not None:
            rare, name = y == code, dataset.classes[code]
    outside = scores < fit.threshold
    return Judged(scores, outside, fit.threshold, fit.share_asked, fit.score_name, rare, name)


def how_many(j: Judged) -> str:
    """How many rows lie outside beside what was asked, and how many of those are rare."""
    n, out = len(j.outside), int(j.outside.sum())
    text = f"{count(out, 'row')} of {n} ({percent(out / n)}) {plural(out, 'lies', 'lie')} outside"
    text += f"; {percent(j.share_asked)} were asked for." if np.isfinite(j.share_asked) else "."
    if j.rare is not None and out:
        both = int((j.rare & j.outside).sum())
        text += f" Of {count(int(j.rare.sum()), 'row')} of {j.rare_name}, the rarest class, {both} "
        text += f"{plural(both, 'does', 'do')}."
    return text
