"""How often what was promised was kept, on rows left out: each fold is judged by the others."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import bdtrik

from mlcore.evaluation.conformal.quantile import conformal_quantile, shares_of_groups
from mlcore.spine.records import function


@function("limits_by_other_folds", title="Conformal quantiles without the fold itself")
def limits_by_other_folds(errors: Any, folds: Any, levels: Any, groups: Any = None) -> np.ndarray:
    """The conformal quantile of the errors of the other folds, for each row, shape (n, a).

    `errors` and `folds` have shape (n,), `levels` (a,): a row never judges itself, nor those that
    were left out with it. Where there is one fold alone, the rows of its one half judge the other.
    Rows with the same code in `groups`, (n,), which lie in one fold, count as one together.
    """
    errors, folds = np.asarray(errors, dtype=np.float64), np.asarray(folds)
    if len(np.unique(folds)) == 1:
        unit = (
            np.arange(len(folds)) if groups is None else np.unique(groups, return_inverse=True)[1]
        )
        folds = unit % 2
    w = None if groups is None else shares_of_groups(groups)
    limits = np.empty((len(errors), len(levels)))
    for fold in np.unique(folds):
        others = folds != fold
        counted = None if w is None else w[others]
        limits[~others] = [conformal_quantile(errors[others], level, counted) for level in levels]
    return limits


@function("binomial_band", title="Where a share of hits lies by chance")
def binomial_band(n: int, levels: Any, within: float = 0.95) -> np.ndarray:
    """Between which shares of n rows the hits lie `within` of all times, shape (a, 2).

    For the probabilities `levels`, (a,), of a hit: quantiles of the binomial distribution.
    """
    p = np.asarray(levels, dtype=np.float64)[:, None]
    tails = np.array([(1 - within) / 2, (1 + within) / 2])
    return np.clip(np.ceil(bdtrik(tails, n, p)), 0, n) / n
