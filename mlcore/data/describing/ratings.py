"""Several ratings of the same rows made into one."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore import checks
from mlcore.errors import DataError, ParamError
from mlcore.listing import function

WAYS = ("mean", "majority")


class Consensus(NamedTuple):
    """One label a row, and how much the raters disagree on it."""

    labels: np.ndarray  # (n,)
    disagreement: np.ndarray  # (n,) standard deviation, or share of the ratings that differ


@function("consensus_labels", sources=("epfl:rater_average",))
def consensus_labels(ratings: Any, how: str = "mean") -> Consensus:
    """The mean or the most frequent of the ratings of each row, shape (n, raters), NaN for none.

    The spread of a mean has the divisor m of the row's m ratings; of equally frequent ratings the
    lowest is taken. DataError for a row that nobody rated.
    """
    if how not in WAYS:
        raise ParamError(f"Ratings are put together by {' or '.join(WAYS)}; got {how!r}.")
    R = checks.matrix(ratings, "A consensus", missing=True)
    given = ~np.isnan(R)
    if not given.any(axis=1).all():
        row = int((~given.any(axis=1)).argmax()) + 1
        raise DataError(f"A consensus needs a rating for every row; row {row} has none. Drop it.")
    if how == "mean":
        return Consensus(np.nanmean(R, axis=1), np.nanstd(R, axis=1))
    found = np.unique(R[given])
    votes = np.column_stack([(rating == R).sum(axis=1) for rating in found])
    return Consensus(found[votes.argmax(axis=1)], 1 - votes.max(axis=1) / given.sum(axis=1))
