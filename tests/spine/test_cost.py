"""What a run is said to take before it begins."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mlcore.evaluation.splits import KFold
from mlcore.runs.cost import estimate
from mlcore.runs.run import Run


def test_the_fit_to_all_rows_counts_beside_the_folds():
    def seconds(folds: int) -> float:
        run = Run(data="iris", method="lda", evaluation=KFold(n_splits=folds))
        return estimate(run, run.data.dataset({}))[0]

    assert seconds(2) / 3 == pytest.approx(seconds(5) / 6)


def test_rows_with_gaps_cost_by_the_sets_of_columns_they_lack():
    run = Run(data="iris", method="gaussian_mixture", preparation=())
    whole = run.data.dataset({})
    X = whole.X.copy()
    X[:3, 1] = X[3, 1:3] = np.nan
    few = replace(whole, X=X.copy())
    X[range(10, 14), range(4)] = np.nan
    more = replace(whole, X=X.copy())
    assert (whole.gap_sets, few.gap_sets, more.gap_sets) == (0, 2, 5)
    took = [estimate(run, rows)[0] for rows in (whole, few, more)]
    assert took[0] < took[1] < took[2]
    filled = replace(run, preparation=("impute",))
    assert estimate(filled, more) == estimate(filled, whole)
