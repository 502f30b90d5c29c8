"""Sets of labels and intervals that hold what they promise: conformal, from the folds of a run.

Each row was left out by the model of one fold; how far that model missed it says how far the same
model may miss a new row. The models of the folds are exchangeable with the rows that they left
out, so no distribution is assumed but that new rows come like the fitted ones.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlcore.spine.records import function

MOST_CELLS = 4_000_000  # of new rows times residuals that are held at once
MOST_WORK = 200_000_000  # of them in all: more would take longer than the fit


@function(
    "label_sets",
    title="Conformal sets of labels",
    synonyms=("prediction sets", "cross-conformal prediction", "APS", "LAC"),
)
def label_sets(
    own: Sequence[np.ndarray], new: Sequence[np.ndarray], coverage: float = 0.95
) -> np.ndarray:
    """The labels that each new row may have, true where one may, shape (m, K).

    `own` has for each of k folds the probabilities of the true classes of the rows that it left
    out, each (n_k,); `new` what its model gives the new rows, each (m, K). A label stands in the
    set unless its probability is smaller than that of nearly every row left out had for its own:
    #{rows with a true probability <= its own} + 1 > (1 - coverage) (n + 1).

    Vovk (2015), Annals of Mathematics and Artificial Intelligence 74: cross-conformal predictors.
    """
    n, counts = sum(len(p) for p in own), np.zeros(new[0].shape)
    for true, P in zip(own, new, strict=True):
        counts += np.searchsorted(np.sort(true), P, side="right")
    return counts + 1 > (1 - coverage) * (n + 1)


@function(
    "cross_intervals",
    title="Conformal intervals, CV+",
    synonyms=("CV+", "jackknife+", "prediction interval"),
)
def cross_intervals(
    own: Sequence[np.ndarray], new: Sequence[np.ndarray], coverage: float = 0.95
) -> np.ndarray | None:
    """The interval of each new row, shape (m, 2); None where there are too many rows for it.

    `own` has for each of k folds the absolute errors on the rows that it left out, each (n_k,),
    `new` what its model predicts for the new rows, each (m,). The ends are the quantiles of
    prediction - error and prediction + error over all rows left out; infinite for too few of them.

    Barber, Candès, Ramdas and Tibshirani (2021), Annals of Statistics 49: the jackknife+.
    """
    errors = np.concatenate(own)
    fold = np.repeat(np.arange(len(own)), [len(e) for e in own])
    n, m = len(errors), len(new[0])
    if n * m > MOST_WORK:
        return None
    at = int(np.ceil(coverage * (n + 1))) - 1  # position among the n in order, from below
    ends = np.full((m, 2), (-np.inf, np.inf))
    if at >= n:
        return ends
    predicted = np.stack(new, axis=1)  # (m, k)
    for start in range(0, m, max(1, MOST_CELLS // n)):
        rows = slice(start, start + max(1, MOST_CELLS // n))
        middle = predicted[rows][:, fold]
        ends[rows, 0] = np.partition(middle - errors, n - 1 - at, axis=1)[:, n - 1 - at]
        ends[rows, 1] = np.partition(middle + errors, at, axis=1)[:, at]
    return ends
