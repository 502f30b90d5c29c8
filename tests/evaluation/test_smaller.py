"""A design that costs less, in one step or several."""

from __future__ import annotations

import pytest

from mlcore.evaluation.splits import HoldOut, KFold, LeaveOneOut, ShuffleSplit
from mlcore.runs.counting.cluster_count import ClusterCount
from mlcore.runs.kinds import kind_of
from mlcore.runs.redrawing.map_stability import MapStability
from mlcore.runs.run import Comparison, Run, Trial
from mlcore.runs.tuning.tuning import Tuning
from mlcore.spine.registry import entries


@pytest.mark.parametrize("name", entries("splits"))
def test_smaller_designs_come_to_an_end(name):
    rows, design = 60, entries("splits")[name]()
    fits = len(design.splits(rows, order=range(rows)))
    while (less := design.smaller()) is not None:
        now = len(less.splits(rows, order=range(rows)))
        assert now < fits
        design, fits = less, now
    assert fits == 1


def test_repeats_go_first():
    assert KFold(n_splits=10, n_repeats=10).smaller() == KFold(n_splits=5)
    assert KFold(n_splits=5).smaller() == KFold(n_splits=3)
    assert KFold(n_splits=3).smaller() == HoldOut()
    assert KFold(n_splits=3, n_repeats=4).smaller() in (KFold(n_splits=3), HoldOut())
    assert LeaveOneOut().smaller() == KFold(n_splits=5)
    assert ShuffleSplit(n_splits=100).smaller() == ShuffleSplit(n_splits=5)


@pytest.mark.parametrize(
    "run",
    [
        Run(),
        Comparison(),
        ClusterCount(data="iris"),
        MapStability(data="iris"),
        Tuning(method="knn", data="iris"),
        Trial(replicates=40),
    ],
    ids=lambda run: run.card.name,
)
def test_every_kind_with_a_design_has_a_smaller_one(run):
    kind = kind_of(run)
    datasets = [data.dataset() for data in kind.data(run)[:1]]
    less = kind.smaller(run)
    assert type(less) is type(run)
    assert kind.cost(less, datasets).seconds < kind.cost(run, datasets).seconds
