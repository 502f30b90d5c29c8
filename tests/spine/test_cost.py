"""What a run is said to take before it begins."""

from __future__ import annotations

import pickle
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from mlcore.data.dataset import TableData
from mlcore.evaluation.bootstrap_split import BootstrapSplit
from mlcore.evaluation.splits import KFold, LeaveOneOut
from mlcore.evaluation.time_series_split import TimeSeriesSplit
from mlcore.runs.carry import carried_out
from mlcore.runs.cost import estimate, kept
from mlcore.runs.run import Run
from mlcore.spine.registry import lookup

MOONS = TableData(source=lookup("source", "moons")(n_samples=4000))


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


@pytest.mark.parametrize(
    "run",
    [
        Run(data="iris", method="lda", evaluation=LeaveOneOut()),
        Run(data="digits8", method="lda", evaluation=KFold(n_splits=2, n_repeats=5)),
        Run(data="longley", method="bayesian_linear", evaluation=LeaveOneOut()),
        Run(data="iris", method="nearest_mean", evaluation=BootstrapSplit(n_splits=50)),
        Run(data=MOONS, method="nearest_mean", evaluation=TimeSeriesSplit(n_splits=50)),
    ],
    ids=lambda run: f"{run.method.card.name} {run.evaluation.card.name}",
)
def test_what_an_outcome_keeps_is_known_before(run):
    folds = [pickle.dumps(fold) for fold in carried_out(run).folds]  # as they come from a worker
    tracemalloc.start()
    try:
        received = [pickle.loads(fold) for fold in folds]
        size = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert len(received) == len(folds)
    assert 0.5 < kept(run, run.data.dataset({})) / size < 2
