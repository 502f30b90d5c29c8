"""One label from the ratings of several people."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.spine import checks
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.records import function

WAYS = ("mean", "majority")


class Consensus(NamedTuple):
    """One label a row, and how much the raters disagree on it."""

    labels: np.ndarray  # (n,)
    disagreement: np.ndarray  # (n,) standard deviation, or share of the ratings that differ


@function("consensus_labels", sources=("epfl:rater_average",))
def consensus_labels(ratings: Any, how: str = "mean") -> Consensus:
    """The mean or the most frequent of the ratings of each row, shape (n, raters), NaN for none.

    Ratings may be names, None for none, of which there is no mean. The spread of a mean has the
    divisor m of the row's m ratings; of equally frequent ratings the lowest or first is taken.
    Raises DataError for a row that nobody rated, ParamError unless `how` is mean or majority.
    """
    if how not in WAYS:
        raise ParamError(f"Ratings are put together by {' or '.join(WAYS)}; got {how!r}.")
    names, R = _by_number(ratings) if how == "majority" else (None, ratings)
    R = checks.matrix(R, "A consensus", missing=True)
    is_rated = ~np.isnan(R)
    if not is_rated.any(axis=1).all():
        row = int((~is_rated.any(axis=1)).argmax()) + 1
        raise DataError(f"A consensus needs a rating for every row; row {row} has none. Drop it.")
    if how == "mean":
        return Consensus(np.nanmean(R, axis=1), np.nanstd(R, axis=1))
    levels = np.unique(R[is_rated])
    votes = np.column_stack([(rating == R).sum(axis=1) for rating in levels])
    labels = levels[votes.argmax(axis=1)]
    labels = labels if names is None else names[labels.astype(np.int64)]
    return Consensus(labels, 1 - votes.max(axis=1) / is_rated.sum(axis=1))


def _by_number(ratings: Any) -> tuple[np.ndarray | None, Any]:
    """The sorted names among the ratings and their numbers; numbers stay as they are."""
    values = np.array(ratings, dtype=object)
    if not any(isinstance(value, str) for value in values.flat):
        return None, np.array(ratings, dtype=np.float64)
    is_rated = (values == values) & (values != None)  # noqa: E711  each entry is asked
    names, codes = np.unique(values[is_rated].astype(str), return_inverse=True)
    numbers = np.full(values.shape, np.nan)
    numbers[is_rated] = codes
    return names, numbers
