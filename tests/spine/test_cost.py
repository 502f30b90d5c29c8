"""What a run is said to take before it begins."""

from __future__ import annotations

import pytest

from mlcore.evaluation.splits import KFold
from mlcore.runs.cost import estimate
from mlcore.runs.run import Run


def test_the_fit_to_all_rows_counts_beside_the_folds():
    def seconds(folds: int) -> float:
        run = Run(data="iris", method="lda", evaluation=KFold(n_splits=folds))
        return estimate(run, run.data.dataset({}))[0]

    assert seconds(2) / 3 == pytest.approx(seconds(5) / 6)
