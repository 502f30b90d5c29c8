"""Sets of labels that hold the true one as often as promised, from rows that were left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mlcore.evaluation.conformal.quantile import DIGITS
from mlcore.spine.records import function

LEAST_AMBIGUOUS, ADAPTIVE = "least_ambiguous", "adaptive"
WAYS = (LEAST_AMBIGUOUS, ADAPTIVE)


@function(
    "label_errors",
    title="Nonconformity scores of labels",
    synonyms=("APS", "LAC", "least ambiguous sets", "adaptive prediction sets"),
)
def label_errors(P: Any, way: str = LEAST_AMBIGUOUS, u: Any = None) -> np.ndarray:
    """How strange each label would be for each row, shape (m, K), from probabilities P, (m, K).

    Least ambiguous: 1 - p (Sadinle, Lei and Wasserman 2019), which makes the smallest sets on
    average. Adaptive: the sum of all larger probabilities plus u times its own, with `u`, (m,),
    drawn evenly from [0, 1]: the last label of a set is in it at random, without which sets would
    hold more than is promised (Romano, Sesia and Candès 2020); sets are larger for harder rows.
    """
    P = np.asarray(P, dtype=np.float64)
    if way == LEAST_AMBIGUOUS:
        return 1.0 - P
    order = np.argsort(-P, axis=1, kind="stable")
    larger = np.take_along_axis(P, order, axis=1)
    before = np.cumsum(larger, axis=1) - larger
    errors = np.empty_like(P)
    lot = np.zeros(len(P)) if u is None else np.asarray(u, dtype=np.float64)
    np.put_along_axis(errors, order, before + lot[:, None] * larger, axis=1)
    return errors


@function(
    "label_p_values",
    title="Conformal p-values of labels",
    synonyms=("transductive confidence", "cross-conformal prediction"),
)
def label_p_values(
    own: Sequence[np.ndarray],
    new: Sequence[np.ndarray],
    weights: Sequence[np.ndarray] | None = None,
) -> np.ndarray:
    """(#{rows left out at least as strange} + 1) / (n + 1) of each label, shape (m, K).

    `own` has for each of k parts the errors (`label_errors`) of the true labels of the rows that
    its model left out, each (n_k,), `new` those of all labels of the new rows, each (m, K), and
    `weights` how much a row left out counts (`shares_of_groups`), each (n_k,); 1 without.

    Vovk (2015), Annals of Mathematics and Artificial Intelligence 74: cross-conformal predictors.
    """
    n, counts = 0.0, np.zeros(new[0].shape)
    each = [np.ones(len(errors)) for errors in own] if weights is None else weights
    for errors, strange, counted in zip(own, new, each, strict=True):
        order = np.argsort(errors, kind="stable")
        left = np.append(counted[order][::-1].cumsum()[::-1], 0.0)
        counts += left[np.searchsorted(errors[order], strange, side="left")]
        n += float(counted.sum())
    return np.where(np.isnan(new[0]), np.nan, (counts + 1) / (n + 1))


@function(
    "label_sets",
    title="Conformal sets of labels",
    synonyms=("prediction sets", "cross-conformal prediction", "APS", "LAC"),
)
def label_sets(p_values: Any, n: int, coverage: float = 0.95) -> np.ndarray:
    """The labels that each new row may have, true where one may, shape (m, K).

    Those whose p-value (`label_p_values`, of n rows or groups left out) is above 1 - coverage: the
    true one is among them with the probability that is promised if one model left all rows out, and
    with 1 - 2 (1 - coverage) for certain if there were several.
    """
    at_least = np.round(np.nan_to_num(np.asarray(p_values)) * (n + 1), DIGITS)
    return at_least > round((1 - coverage) * (n + 1), DIGITS)
