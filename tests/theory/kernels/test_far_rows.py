"""Kernels at rows so far away that powers of their products are no numbers."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.gaussian_process.gp_classification import GPClassifier
from mlcore.gaussian_process.gp_regression import GPRegressor
from mlcore.gaussian_process.kernel_ridge import KernelRidge
from mlcore.kernels.composed import Normalised
from mlcore.kernels.products import Linear, Polynomial, Sigmoid
from mlcore.spine.errors import DataError
from mlcore.svm.nu_svc import NuSVC
from mlcore.svm.nu_svr import NuSVR
from mlcore.svm.one_class_svm import OneClassSVM
from mlcore.svm.svc import SVC
from mlcore.svm.svr import SVR

X = np.random.default_rng(0).normal(size=(12, 2))
CLASSES = (X[:, 0] > 0).astype(int)
FAR = np.array([[0.1, 0.2], [-1e120, 1.0]])


def fitted(method, kernel):
    kind = method(kernel=kernel)
    if method is OneClassSVM:
        return kind.fit(X)
    return kind.fit(X, CLASSES if method in (SVC, NuSVC, GPClassifier) else X[:, 0])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "method", [SVC, NuSVC, SVR, NuSVR, OneClassSVM, GPRegressor, GPClassifier, KernelRidge]
)
def test_a_method_says_which_value_its_kernel_cannot_bear(method):
    fit = fitted(method, Polynomial())
    assert np.isfinite(fit.predict(FAR[:1])).all()
    with pytest.raises(DataError, match=r"overflows for the row that holds 1e\+120"):
        fit.predict(FAR)


@pytest.mark.filterwarnings("error")
def test_a_kernel_has_a_number_for_every_row_that_it_does_not_refuse():
    for kernel in (Linear(), Polynomial(), Polynomial(degree=10), Sigmoid()):
        block = kernel.against(X)
        for power in range(0, 300, 5):
            try:
                values = block(FAR * 10.0 ** (power - 120))
            except DataError:
                assert not kernel.bounded or power > 140
                assert power > 12  # |x z| < 1e15 has a tenth power
                break
            assert np.isfinite(values**2).all()


@pytest.mark.filterwarnings("error")
def test_angles_of_rows_far_away_are_still_those_of_rows_nearby():
    kernel = Normalised(kernel=Polynomial(coef0=0.0))
    np.testing.assert_allclose(kernel(1e30 * X, X), kernel(X, X), atol=1e-12)
