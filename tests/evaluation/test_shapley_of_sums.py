"""The short ways to Shapley values: they are those over all sets of variables."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.evaluation.explaining.shapley import shapley_exact
from mlcore.evaluation.splits import KFold
from mlcore.runs.carry import splits_of
from mlcore.runs.explaining.model import model_of
from mlcore.runs.explaining.short_ways import in_short
from mlcore.runs.run import Run


@pytest.mark.parametrize(
    ("data", "method"),
    [
        ("cars", "ridge"),
        ("cars", "regression_tree"),
        ("penguins", "decision_tree"),
        ("penguins", "random_forest"),
    ],
)
def test_they_are_those_over_all_sets_of_variables(data, method):
    run = Run(data=data, method=method, evaluation=KFold(n_splits=3))
    dataset = run.data.dataset()
    model = model_of(run, dataset, splits_of(run, dataset)[0])
    background = dataset.X[model.split.train[:12]]
    for at in model.split.test[:2]:
        found = in_short(model, dataset.X[at], background)
        wanted = shapley_exact(model.outputs, dataset.X[at], background)
        assert found is not None
        np.testing.assert_allclose(found.values, wanted.values, atol=1e-10, rtol=1e-9)
        np.testing.assert_allclose(found.prediction, wanted.prediction, atol=1e-10, rtol=1e-9)


def test_there_is_none_for_a_model_that_is_no_sum():
    run = Run(data="penguins", method="lda", evaluation=KFold(n_splits=3))
    dataset = run.data.dataset()
    model = model_of(run, dataset, splits_of(run, dataset)[0])
    assert in_short(model, dataset.X[0], dataset.X[1:4]) is None
