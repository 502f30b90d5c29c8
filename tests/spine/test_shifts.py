"""How far new rows are from those learned from: beside scipy, and in words."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2_contingency, ks_2samp

from mlcore.data import bundled
from mlcore.data.table import Table
from mlcore.evaluation.comparing.holm import holm
from mlcore.runs.predicting.matching import matched
from mlcore.runs.predicting.shifts import shifts
from mlcore.runs.predicting.wanted import wanted_of
from mlcore.runs.run import Run
from ui.predict.changed import reading

PENGUINS = bundled.load("penguins")
DATASET = Run(data="penguins", method="lda").data.dataset()


def found(table: Table):
    return shifts(matched(wanted_of(DATASET, False), table), DATASET)


def test_distances_and_p_values_are_those_of_scipy():
    rows = np.r_[100:180, 300:344]
    new = PENGUINS.take(rows)
    told = {one.column.name: one for one in found(new)}
    names = [column.name for column in DATASET.columns]
    p = {}
    for name, one in told.items():
        old = DATASET.X[:, names.index(name)]
        old, now = old[~np.isnan(old)], new.column(name).values
        now = now[~np.isnan(now)]
        if one.column.levels:
            counts = np.stack([np.bincount(v.astype(int), minlength=len(one.column.levels))
                               for v in (old, now)])  # fmt: skip
            p[name] = chi2_contingency(counts, correction=False).pvalue
            continue
        theirs = ks_2samp(old, now, method="asymp")
        assert one.distance == pytest.approx(theirs.statistic)
        p[name] = theirs.pvalue
    corrected = dict(zip(p, holm(list(p.values())), strict=True))
    for name, one in told.items():  # theirs rounds the number of rows of the limit
        assert one.p == pytest.approx(corrected[name], rel=0.2, abs=1e-6)
    assert [one.distance for one in told.values()] == sorted(
        (one.distance for one in told.values()), reverse=True
    )


def test_the_rows_learned_from_have_not_changed():
    same = found(PENGUINS)
    assert len(same) == len(DATASET.columns)
    assert all(one.distance == 0 and one.p == pytest.approx(1) for one in same)
    assert reading(same).startswith("None of 6 columns")


def test_one_island_alone_is_told_and_what_was_filled_is_no_change():
    lacks = PENGUINS.take(np.flatnonzero(PENGUINS.column("island").values == 0))
    lacks = lacks.select(*(name for name in lacks.names if name != "body_mass_g"))
    told = {one.column.name: one for one in found(lacks)}
    assert "body_mass_g" not in told  # every cell is the median
    island = told["island"]
    assert (
        island.is_sure and island.now == 1.0 and island.distance == pytest.approx(1 - island.before)
    )
    assert "island" in reading(tuple(told.values()))
