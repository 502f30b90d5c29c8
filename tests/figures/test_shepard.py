"""The Shepard diagram: distances before and after, by pairs of rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

from figures.views.reduction import embedding_scatter
from figures.views.reduction.shepard import MOST_PAIRS, numbers
from mlcore.runs.carry import carried_out
from mlcore.runs.run import Run
from mlcore.spine.registry import lookup


def drawn(method, data):
    run = Run(data=data, preparation=("impute", "one_hot", "standardise"), method=method)
    out = carried_out(run)
    return numbers(run.data.dataset({}), out.whole), out.whole, run.data.dataset({})


def test_a_turn_of_all_columns_keeps_every_distance():
    s, _, _ = drawn(lookup("reduction", "pca")(n_components=4), "iris")
    np.testing.assert_allclose(s.after, s.before, atol=1e-9)
    assert s.agreement == pytest.approx(1.0, abs=1e-6)
    np.testing.assert_allclose(s.quartiles[:, 1], s.middles, atol=1e-9)


def test_pairs_are_those_rows_and_no_row_is_its_own_partner():
    s, whole, dataset = drawn(lookup("reduction", "pca")(n_components=1), "iris")
    assert s.n_pairs == 150 * 149 // 2 > MOST_PAIRS == len(s.before)
    assert (s.rows[:, 0] != s.rows[:, 1]).all()
    X = whole.prepared.transform(dataset.X)
    Z = whole.fit.transform(X)
    np.testing.assert_allclose(s.before, np.linalg.norm(X[s.rows[:, 0]] - X[s.rows[:, 1]], axis=1))
    np.testing.assert_allclose(s.after, np.abs(Z[s.rows[:, 0], 0] - Z[s.rows[:, 1], 0]))
    assert s.agreement == pytest.approx(spearmanr(s.before, s.after).statistic)


def test_rows_whose_columns_are_distances_have_the_names_of_the_columns():
    method = lookup("reduction", "mds")(metric=lookup("metric", "precomputed")())
    out = carried_out(Run(data="cities", preparation=(), method=method))
    dataset = Run(data="cities", method=method).data.dataset({})
    e = embedding_scatter.numbers(dataset, out.whole)
    assert e.objects == tuple(c.name.removeprefix("to_") for c in dataset.columns)
    assert "athens" in e.objects
    (trace,) = embedding_scatter.draw(e).data
    assert trace.mode == "markers+text" and tuple(trace.text) == e.objects
    _, whole, table = drawn(lookup("reduction", "mds")(), "longley")
    assert not embedding_scatter.numbers(table, whole).objects
