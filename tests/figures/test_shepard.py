"""The Shepard diagram: distances before and after, by pairs of rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

from figures.views.reduction.shepard import MOST_PAIRS, draw, numbers, reading
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


@pytest.mark.parametrize(
    ("metric", "where"),
    [
        ("precomputed", "in the table"),
        ("euclidean", "in the columns"),
        ("manhattan", "in the columns (Manhattan)"),
    ],
)
def test_the_axis_says_how_distances_before_are_measured(metric, where):
    run = Run(data="cities", preparation=(), method=lookup("reduction", "mds")(metric=metric))
    dataset = run.data.dataset({})
    whole = carried_out(run).whole
    s = numbers(dataset, whole)
    assert draw(s).layout.xaxis.title.text == f"Distance {where}"
    assert f"as {where}, the farthest" in reading(s)
    if metric == "precomputed":
        table = whole.prepared.transform(dataset.X)
        assert s.before[0] == table[tuple(s.rows[0])]
