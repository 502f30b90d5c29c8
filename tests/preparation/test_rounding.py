"""Steps before a method: what is equal but for rounding, and ranges that vanish."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from mlcore.preparation.min_max import MinMax
from mlcore.preparation.quantile import QuantileTransformer
from mlcore.preparation.selection.closed_form import LeastSquares
from mlcore.preparation.selection.filters import best_first
from mlcore.preparation.selection.selector import SubsetSelector
from mlcore.preparation.selection.wrapper import Wrapper

RNG = np.random.default_rng(0)


def test_a_range_that_nothing_can_be_divided_by_stays_finite():
    X = np.array([[0.0], [1e-310]])
    np.testing.assert_allclose(MinMax().fit(X).transform(X), X)


def test_a_column_without_values_leaves_new_ones_finite():
    fit = MinMax().fit(np.array([[np.nan, 0.0], [np.nan, 4.0]]))
    np.testing.assert_array_equal(fit.transform([[3.0, 1.0]]), [[3.0, 0.25]])


@pytest.mark.parametrize("seen", [(0.1, 0.1 + np.spacing(0.1), 7.0), (-1e9, 0.3, 0.7, 1e9)])
def test_many_quantiles_of_few_values_rise(seen):
    X = np.full((400, 1), np.nan)
    X[: len(seen), 0] = seen
    quantiles = QuantileTransformer(n_quantiles=400).fit(X).quantiles[0]
    assert (np.diff(quantiles) >= 0).all()
    assert (quantiles[0], quantiles[-1]) == (seen[0], seen[-1])


def test_variables_that_tie_but_for_rounding_stay_in_the_order_of_the_table():
    tied = np.array([0.3, 0.1 + 0.2, 0.2, 0.9])
    assert tied[1] > tied[0]
    np.testing.assert_array_equal(best_first(tied), [3, 0, 1, 2])


@pytest.mark.parametrize("twin", [np.full(20, 0.1), None], ids=["constant", "dependent"])
def test_the_closed_form_leaves_columns_that_cost_digits_to_the_method(twin):
    X = RNG.normal(size=(20, 2))
    X[:, 1] = X[:, 0] + 1e-5 * X[:, 1] if twin is None else twin
    y = RNG.normal(size=20)
    fold = SimpleNamespace(X=X[:12], y=y[:12], X_out=X[12:], y_out=y[12:])
    form = LeastSquares([fold])
    assert form.loss(np.array([0])) is not None
    assert form.loss(np.array([0, 1])) is None


def test_a_loss_of_nothing_has_no_minus():
    X = np.repeat([[0.0, 1], [90, 2]], 10, axis=0) + RNG.normal(size=(20, 2))
    method = SubsetSelector(score=Wrapper(learner="lda"), search="sfs", n_features=1)
    notes = [step.note for step in method.steps(X, np.repeat([0, 1], 10))]
    assert any(note.endswith("J = 0.") for note in notes)
    assert not any(note.endswith("J = -0.") for note in notes)
