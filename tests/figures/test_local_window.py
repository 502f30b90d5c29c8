"""The window of a local regression at one place."""

import numpy as np

from figures.views.regression import local_window
from mlcore.data.dataset import TableData
from mlcore.data.generators.quantities.curve import Curve
from mlcore.regression.local_regression import LocalRegression
from mlcore.runs.carry import carried_out
from mlcore.runs.run import Run


def test_the_polynomial_meets_the_curve_at_the_place_and_ends_with_the_window():
    method = LocalRegression(width="fixed", bandwidth=0.05, window="epanechnikov")
    run = Run(data=TableData(source=Curve(n_samples=60)), method=method, preparation=())
    dataset, whole = run.data.dataset({}), carried_out(run).whole
    found = local_window.numbers(dataset, whole, place=0.5)
    at = found.fit.at[found.k]
    np.testing.assert_allclose(found.model[found.k], found.fit.curve[found.k])
    assert np.isnan(found.model[np.abs(found.fit.at - at) > 0.05]).all()
    np.testing.assert_array_equal(found.weights > 0, np.abs(found.x - at) < 0.05)
    n = int((found.weights >= 0.01).sum())
    assert f"{n} rows of 60 count there" in local_window.reading(found)
    assert (np.diff(local_window.table(found)[3].values) <= 0).all()
