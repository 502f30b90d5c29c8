"""Novelty detection: what every method says of rows that learns, without a target, what is usual.

Methods of any family stand on it: their fits give scores, and this draws the line between them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mlcore.spine.fit import Fit
from mlcore.spine.params import real

INSIDE, OUTSIDE = 1, -1
VERDICTS = {INSIDE: "inside", OUTSIDE: "outside"}


@dataclass(frozen=True, eq=False, kw_only=True)
class NoveltyFit(Fit):
    """Scores of the fitted rows, and from which score on a row lies inside."""

    own_usualness: np.ndarray  # (n,) by the others where a row can be left out
    threshold: float  # the least score of a row inside
    share_asked: float  # of usual rows outside; NaN where none was asked
    score_name: ClassVar[str] = "score"

    def usualness(self, X: Any) -> np.ndarray:
        """How usual each row is, shape (m,), high is usual, in units of the method."""
        raise NotImplementedError(f"{type(self).__name__} declares no score")

    def predict(self, X: Any) -> np.ndarray:
        """1 for rows inside, -1 for rows outside, shape (m,)."""
        return np.where(self.usualness(X) < self.threshold, OUTSIDE, INSIDE)


def contamination(word: str) -> Any:
    """The setting of the share of rows outside; `word` says what holds where none is given."""
    return real(
        0.05,
        above=0.0,
        high=0.5,
        soft=(0.01, 0.2),
        log=True,
        or_none=word,
        label="Share outside",
        doc="Share of the fitted rows that lie outside; of rows like them about as many will.",
    )


class Line(NamedTuple):
    """What parts inside from outside."""

    threshold: float
    share_asked: float  # NaN where none was


def line_at(own_usualness: np.ndarray, share: float | None, otherwise: float) -> Line:
    """The threshold below which this share of the fitted rows lies.

    The scores have shape (n,). `otherwise` is the threshold where no share is asked.
    """
    if share is None:
        return Line(otherwise, nan)
    return Line(float(np.quantile(own_usualness, share)), share)


def verdicts(predicted: np.ndarray) -> np.ndarray:
    """1 and -1, shape (m,), as words: inside and outside."""
    return np.where(np.asarray(predicted) == OUTSIDE, VERDICTS[OUTSIDE], VERDICTS[INSIDE]).astype(
        object
    )
