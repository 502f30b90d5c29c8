"""Variables that say the same, and rows that are alike in all others."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import rankdata, spearmanr

from mlcore.data.dataset import TableData
from mlcore.data.table import Table, numeric
from mlcore.data.upload import Upload
from mlcore.evaluation.splits import KFold
from mlcore.runs.carry_explanation import carried_out
from mlcore.runs.explaining.alike import associations
from mlcore.runs.explaining.explanation import Explanation
from mlcore.runs.explaining.importance import Importance
from mlcore.runs.run import Run
from mlcore.spine.registry import lookup


def twins() -> tuple[Table, Run]:
    """y is a sum of a and b, and c says nearly what a says: alone, c takes half of its place."""
    rng = np.random.default_rng(4)
    a, b = rng.normal(size=(2, 400))
    columns = {"a": a, "b": b, "c": a + 0.1 * rng.normal(size=400), "noise": rng.normal(size=400)}
    columns["y"] = a + columns["c"] + 0.5 * b
    table = Table.of(*(numeric(name, values) for name, values in columns.items()))
    return table, Run(
        data=TableData(source=Upload.of(table.digest(), "twins"), target="y"),
        method=lookup("regression", "linear_regression")(), evaluation=KFold(n_splits=4),
    )  # fmt: skip


def test_what_says_the_same_is_worth_little_beyond_the_other_and_much_together():
    table, run = twins()
    found = {
        way: carried_out(
            Explanation.of(run, Importance(shuffles=4, way=way)), {table.digest(): table}
        ).joined
        for way in ("alone", "conditional", "together")
    }
    alone, beyond = found["alone"].mean, found["conditional"].mean
    assert beyond[0] < 0.5 * alone[0] and beyond[2] < 0.5 * alone[2]
    assert beyond[1] == pytest.approx(alone[1], rel=0.25)  # nothing else says what b says
    assert abs(beyond[3]) < 0.01
    both = found["together"]
    assert both.variables == ("a + c", "b", "noise") and both.members == ((0, 2), (1,), (3,))
    assert both.mean[0] > 1.5 * alone[0]
    assert found["alone"].same == (("a", "c"),)


def test_associations_are_spearmans_and_the_root_of_eta_squared():
    dataset = Run(data="penguins").data.dataset()
    found, names = associations(dataset), [c.name for c in dataset.columns]
    at = {name: names.index(name) for name in names}
    i, j = at["bill_length_mm"], at["flipper_length_mm"]
    known = ~np.isnan(dataset.X[:, [i, j]]).any(axis=1)
    rho = abs(spearmanr(dataset.X[known, i], dataset.X[known, j]).statistic)
    assert found[i, j] == pytest.approx(rho, abs=0.01)  # two rows lack both values
    assert (found == found.T).all() and (np.diag(found) == 1).all()
    ranked = rankdata(dataset.X[known, j])
    island = dataset.X[known, at["island"]]
    means = np.array([ranked[island == k].mean() for k in np.unique(island)])
    share = np.bincount(island.astype(int)) @ (means - ranked.mean()) ** 2 / ranked.var()
    share /= len(ranked)
    adjusted = 1 - (1 - share) * (len(ranked) - 1) / (len(ranked) - 3)
    assert found[at["island"], j] == pytest.approx(np.sqrt(adjusted), abs=0.01)
