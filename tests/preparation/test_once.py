"""Rows that several methods are fitted to are prepared once: what is held, and for how long."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace

import numpy as np

from mlcore.data.dataset import TableData
from mlcore.preparation.chain import prepare
from mlcore.preparation.once import _CACHE, MOST, prepared_once
from mlcore.spine.registry import made

STEPS = tuple(made("preparation", name) for name in ("impute", "one_hot", "standardise"))
ROWS = np.arange(0, 300, 2)


def penguins():
    """A data set of its own, of which nothing is held yet."""
    return replace(TableData(source="penguins").dataset())  # which others may be using


def test_equal_questions_have_one_answer():
    data = penguins()
    first = prepared_once(STEPS, data, ROWS, 0)
    assert prepared_once(STEPS, data, ROWS.copy(), 0) is first
    plain = prepare(STEPS, data.X[ROWS], data.y[ROWS], data.columns, 0)
    np.testing.assert_array_equal(first.X, plain.X)
    assert first.columns == plain.columns
    assert first.seconds > 0
    assert not first.X.flags.writeable


def test_other_steps_rows_seeds_and_data_are_other_questions():
    data = penguins()
    first = prepared_once(STEPS, data, ROWS, 0)
    others = [
        prepared_once(STEPS[:2], data, ROWS, 0),
        prepared_once(STEPS, data, ROWS + 1, 0),
        prepared_once(STEPS, data, ROWS, 1),
        prepared_once(STEPS, penguins(), ROWS, 0),
    ]
    assert all(other is not first for other in others)


def test_little_is_held_and_it_goes_with_the_data():
    data = penguins()
    first = prepared_once(STEPS, data, ROWS, 0)
    for seed in range(1, MOST + 1):
        prepared_once(STEPS, data, ROWS, seed)
    assert len(_CACHE[data]) == MOST
    assert prepared_once(STEPS, data, ROWS, 0) is not first
    held = weakref.ref(prepared_once(STEPS, data, ROWS, 5))
    del data
    gc.collect()
    assert held() is None
