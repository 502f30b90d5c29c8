"""The error of rows left out, and a curve taken apart."""

import numpy as np
import pytest

from figures.views.regression import kernel_bumps, left_out_curve
from mlcore.data.dataset import TableData
from mlcore.data.generators.quantities.curve import Curve
from mlcore.gaussian_process.kernel_ridge import KernelRidge
from mlcore.regression.ridge import Ridge
from mlcore.runs.carry import carried_out
from mlcore.runs.run import Run
from mlcore.spine.asking import can
from mlcore.spine.capabilities import HasTried

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2))
Y = X[:, 0] ** 2 + 0.3 * RNG.normal(size=40)


@pytest.mark.parametrize("method", [KernelRidge, Ridge])
@pytest.mark.parametrize("rule", ["loo", "gcv"])
def test_the_chosen_value_has_the_least_error(method, rule):
    found = left_out_curve.numbers(method(alpha_rule=rule).fit(X, Y))
    assert (np.diff(found.values) > 0).all()
    assert found.chosen == found.values[np.nanargmin(found.errors)]
    assert (np.diff(found.df) <= 1e-9).all()


@pytest.mark.parametrize("method", [KernelRidge, Ridge])
def test_a_given_value_is_no_curve(method):
    assert not can(method().fit(X, Y), HasTried)


def test_bumps_and_intercept_add_up_to_the_curve():
    run = Run(data=TableData(source=Curve(n_samples=60)), method=KernelRidge(alpha=0.1))
    out = carried_out(run)
    found = kernel_bumps.numbers(run.data.dataset({}), out.whole)
    total = found.intercept + found.parts.sum(axis=1) + found.rest
    np.testing.assert_allclose(total, found.fit.curve, atol=1e-10)
    assert "60 rows add to the curve" in kernel_bumps.reading(found)
    assert "The 40 largest bumps are drawn." in kernel_bumps.reading(found)
