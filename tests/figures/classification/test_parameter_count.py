"""The picture of the numbers that discriminants learn."""

from __future__ import annotations

import numpy as np

from figures.views.classification import parameter_count as view
from mlcore.classification.qda import QDA
from tests.figures import made

RNG = np.random.default_rng(1)


def test_the_counts_are_those_of_free_entries_and_rows_may_be_fewer():
    data = made.dataset(RNG.normal(size=(60, 3)), np.arange(60) % 3, classes=("a", "b", "c"))
    c = view.numbers(made.whole(data, QDA()))
    assert (c.p, c.K, c.n) == (3, 3, 60)
    free = 1 + 3 + len(np.triu_indices(3)[0])  # of one border: constant, linear, quadratic
    np.testing.assert_array_equal(c.here, [2 * free, 2 * (1 + 3), 3 * 3 + 6 + 2])
    text = view.reading(c)
    assert "QDA with full covariances depend on 20 numbers, those of LDA on 8" in text
    first = c.columns[c.counts[:, 0] > 60][0]
    assert f"From {first} columns on" in text and c.counts[first - 2, 0] <= 60
    assert "From" not in view.reading(c._replace(n=10_000))
