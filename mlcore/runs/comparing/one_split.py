"""One split: two fitted methods on the same test rows, which says nothing of other fits."""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from mlcore.evaluation.comparing.mcnemar import mcnemar, mcnemar_of_groups, one_right
from mlcore.evaluation.intervals import LEVEL, placements
from mlcore.runs.carry import FoldResult
from mlcore.spine.errors import DataError
from mlcore.spine.records import function
from mlcore.spine.wording import number, p_value


class PairedAuc(NamedTuple):
    """The difference of two areas under the ROC curve on the same rows."""

    difference: float
    low: float
    high: float
    z: float
    p: float


@function(
    "paired_delong",
    title="DeLong's test of two areas under the ROC curve",
    sources=("s841:error_rate_comparison",),
)
def paired_delong(y: Any, first: Any, second: Any, *, level: float = LEVEL) -> PairedAuc:
    """Whether two rankings of the same rows have the same area under the ROC curve.

    The variance of the difference comes from the differences of the placements of every row:
    var(V10 - V10') / n1 + var(V01 - V01') / n0 (DeLong, DeLong and Clarke-Pearson 1988). `y`,
    shape (n,), is true or 1 for positive, the scores have shape (n,). Rankings that place every
    row alike differ by nothing, with p = 1. Raises DataError if a class has fewer than two rows.
    """
    y = np.asarray(y).astype(bool)
    a, b = (placements(np.asarray(s, float)[y], np.asarray(s, float)[~y]) for s in (first, second))
    if min(y.sum(), (~y).sum()) < 2:
        raise DataError("DeLong's test needs two rows of either class; leave more rows out.")
    of_positives, of_negatives = a[0] - b[0], a[1] - b[1]
    difference = float(of_positives.mean())
    variance = of_positives.var(ddof=1) / y.sum() + of_negatives.var(ddof=1) / (~y).sum()
    if variance == 0:
        return PairedAuc(difference, difference, difference, 0.0, 1.0)
    sd = sqrt(float(variance))
    z, half = difference / sd, float(ndtri((1 + level) / 2)) * sd
    return PairedAuc(difference, difference - half, difference + half, z, float(2 * ndtr(-abs(z))))


class Known(NamedTuple):
    """What is known of all rows of a table of classes."""

    truth: np.ndarray  # (n,) codes
    groups: np.ndarray | None = None  # (n,) codes, where rows are of groups


def as_fitted(mine: FoldResult, theirs: FoldResult, known: Known | None, score: str) -> str:
    """What may be said of two classifiers as they are fitted on this split, or an empty text.

    `score` is the name of the measure.
    """
    if known is None:
        return ""
    y = known.truth[mine.test]
    if score == "accuracy":
        return _by_rows(mine, theirs, known)
    if score == "roc_auc" and _ranks(mine) is not None and _ranks(theirs) is not None:
        if known.groups is not None:
            return (
                "DeLong's test takes rows for independent, and these are of groups within which "
                "they are alike."
            )
        test = paired_delong(y, _ranks(mine), _ranks(theirs))
        return _sentence("DeLong's test", (test.difference, test.p), len(y))
    return ""


def _by_rows(mine: FoldResult, theirs: FoldResult, known: Known) -> str:
    y, groups = known.truth[mine.test], known.groups
    rows = one_right(mine.test, y, mine.predictions, theirs.predictions)
    b, c = len(rows.first), len(rows.second)
    if groups is None:
        return _sentence("McNemar's test", ((b - c) / len(y), mcnemar(b, c).p), len(y))
    p = mcnemar_of_groups(groups[rows.first], groups[rows.second])
    name = f"McNemar's test with the signs of {len(np.unique(groups[mine.test]))} groups"
    return _sentence(name, ((b - c) / len(y), p), len(y))


def _ranks(fold: FoldResult) -> np.ndarray | None:
    """The probabilities of the second of two classes."""
    P = fold.probabilities
    return P[:, 1] if P is not None and P.shape[1] == 2 else None


def _sentence(name: str, result: tuple[float, float], n: int) -> str:
    difference, p = result
    return (
        f"As they are fitted here, on these {n} rows, they differ by {number(difference)}, "
        f"{p_value(p)} by {name}; other training rows would give others."
    )
