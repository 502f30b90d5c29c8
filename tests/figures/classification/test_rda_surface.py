"""The error over pooling and shrinkage."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from figures.numbers import left_out
from figures.theme import INK, RIM
from figures.views.classification import rda_surface
from mlcore.classification.qda import QDA
from mlcore.data.dataset import TableData
from mlcore.data.generators.classes.blobs import Blobs
from mlcore.runs.carry import carried_out
from mlcore.runs.run import Run
from mlcore.spine.errors import DataError


def outcome(method: QDA, data: Any = "iris") -> tuple[Any, Any]:
    run = Run(
        data=data, method=method, preparation=("impute", "standardise"), evaluation="hold_out"
    )
    return run.data.dataset({}), carried_out(run)


def test_each_cell_is_the_error_of_that_method():
    dataset, result = outcome(QDA(pooling=0.25, shrinkage=0.05))
    s = rda_surface.numbers(dataset, result)
    (fold,) = result.done
    assert s.here == (0.25, 0.05)
    at = rda_surface.SHARES.index(0.05), rda_surface.SHARES.index(0.25)
    assert s.errors[at] == pytest.approx(1 - fold.scores["accuracy"])
    other = outcome(QDA(pooling=1.0))[1].done[0]
    assert s.errors[0, -1] == pytest.approx(1 - other.scores["accuracy"])
    assert s.errors[s.best] == s.errors.min()
    assert "LDA" in rda_surface.reading(s)
    best: Any = rda_surface.draw(s).data[1]  # type: ignore[attr-defined]
    assert (best.y[0], best.x[0]) == s.best  # in places along the axes, as the cells are


def test_the_ring_of_the_present_settings_is_set_off_from_cells_of_any_shade():
    """Neither changes on dark, as the cells do not."""
    s = rda_surface.numbers(*outcome(QDA()))
    around, ring = rda_surface.draw(s).data[2:4]
    assert (around.x, around.y) == (ring.x, ring.y)
    assert (around.marker.line.color, ring.marker.line.color) == (RIM, INK)
    assert around.marker.line.width > ring.marker.line.width


def test_a_covariance_without_inverse_leaves_its_cell_empty():
    few = TableData(source=Blobs(n_samples=45, n_features=20, centers=3, seed=1))
    s = rda_surface.numbers(*outcome(QDA(shrinkage=0.5), few))
    assert np.isnan(s.errors[0, 0])  # twenty columns and fifteen rows a class
    assert np.isfinite(s.errors[1:]).all()
    assert "QDA has no fit" in rda_surface.reading(s)


def test_many_rows_are_not_waited_for():
    dataset, result = outcome(QDA())
    with pytest.raises(DataError, match="fewer rows"):
        left_out.refuse_long(QDA(), np.zeros((100_000, 40)), 245)
    assert rda_surface.numbers(dataset, result).errors.shape == (7, 7)
