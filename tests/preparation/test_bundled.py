"""The default steps on every table that comes with MLScope."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.data import bundled
from mlcore.data.dataset import TableData
from mlcore.evaluation.splits import KFold
from mlcore.preparation.chain import prepare
from mlcore.runs.run import Run


@pytest.mark.parametrize("name", bundled.names())
def test_the_default_steps_make_it_finite_numbers(name):
    data = TableData(source=name).dataset()
    y = data.y if data.task == "classification" else None
    for train, test in KFold().splits(data.n, y=y, groups=data.groups):
        prepared = prepare(Run().preparation, data.X[train], None, data.columns)
        assert np.isfinite(prepared.X).all()
        assert np.isfinite(prepared.transform(data.X[test])).all()
        assert {c.variable for c in prepared.columns} == {c.name for c in data.columns}
