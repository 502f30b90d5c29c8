"""Summaries, correlations and draws of the largest numbers, and of columns that vary late."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.data.describing.moments import correlation
from mlcore.data.sampling import resampling
from mlcore.data.sampling.resampling import weighted_resample
from mlcore.data.table import ColumnData


def test_the_mean_of_the_largest_numbers_does_not_overflow():
    held = ColumnData("a", "number", np.array([1.7e308, 1.7e308, 1.6e308])).summary
    assert 1.6e308 < held.mean < 1.7e308


def test_weights_whose_sum_overflows_draw_every_row():
    for scheme in ("independent", "systematic"):
        drawn = weighted_resample(np.full(3, 1.7e308), 90, scheme)
        assert np.bincount(drawn.rows, minlength=3).min() > 10


@pytest.mark.parametrize("size", [3, 7])
def test_a_mark_that_rounding_puts_at_the_end_draws_the_last_row_with_a_weight(monkeypatch, size):
    class Last:
        def uniform(self, size):
            return np.full(size, np.nextafter(1.0, 0.0))

    monkeypatch.setattr(resampling.random, "generator", lambda *_: Last())
    drawn = weighted_resample([1.0, 1, 1, 0], size, "systematic")
    assert drawn.rows.max() == 2


def test_a_column_that_varies_in_its_last_row_alone_has_a_correlation():
    X = np.column_stack([np.arange(100.0), np.arange(100) == 99])
    assert 0 < correlation(X)[0, 1] < 1


def test_no_correlation_lies_beyond_one():
    x = np.random.default_rng(0).normal(size=(50, 1))
    found = correlation(x * np.linspace(-3, 3, 40))
    assert np.abs(found).max() == 1.0
