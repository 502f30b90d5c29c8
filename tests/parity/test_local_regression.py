"""Local regression against statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.nonparametric.kernel_regression import KernelReg
from statsmodels.nonparametric.smoothers_lowess import lowess

from mlcore.regression.local_regression import LocalRegression

RNG = np.random.default_rng(0)
X = RNG.uniform(size=(80, 1))
Y = np.sin(6 * X[:, 0]) + 0.3 * RNG.normal(size=80)
Y[3] += 5.0  # for the robust passes


@pytest.mark.parametrize("passes", [0, 1, 3])
def test_loess(passes):
    method = LocalRegression(window="tricube", width="span", span=0.3, robust_iter=passes)
    theirs = lowess(Y, X[:, 0], frac=0.3, it=passes, return_sorted=False)
    # They take weights next to 0 and 1 for these, and we add rounding to slopes.
    np.testing.assert_allclose(method.fit(X, Y).predict(X), theirs, atol=1e-9)


@pytest.mark.filterwarnings("ignore:After 0.17:FutureWarning")  # of lots that none are drawn of
@pytest.mark.parametrize(("degree", "kind"), [(0, "lc"), (1, "ll")])
def test_a_gaussian_window_in_one_and_two_columns(degree, kind):
    rows = np.column_stack([X, RNG.uniform(size=80)])
    for table in (X, rows):
        p = table.shape[1]
        theirs = KernelReg(Y, table, "c" * p, reg_type=kind, bw=[0.2] * p).fit(table)[0]
        ours = LocalRegression(degree=degree, width="fixed", bandwidth=0.2).fit(table, Y)
        np.testing.assert_allclose(ours.predict(table), theirs, atol=1e-8)
