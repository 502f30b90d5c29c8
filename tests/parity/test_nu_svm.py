"""Support vector machines of a chosen share against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import NuSVC as Reference
from sklearn.svm import NuSVR as PeerRegressor

from mlcore.kernels.rbf import RBF
from mlcore.spine.errors import DataError
from mlcore.svm.nu_svc import NuSVC
from mlcore.svm.nu_svr import NuSVR
from mlcore.svm.smo import SMO
from tests.parity.test_svm import DATA, KERNELS, unbalanced
from tests.parity.test_svr import rows


def fitted(method, X, y):
    """The fit, or the sentence that says why there is none."""
    try:
        return method.fit(X, y)
    except DataError as error:
        return str(error)


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("nu", [0.15, 0.45])
@pytest.mark.parametrize("name", KERNELS)
def test_decisions_are_those_of_scikit_learn(name, nu, data):
    X, y = DATA[data]()
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    kernel, settings = KERNELS[name]
    peer = Reference(nu=nu, tol=1e-9, decision_function_shape="ovr", **settings)
    fit = fitted(NuSVC(nu=nu, kernel=kernel), X, y)
    if isinstance(fit, str):
        # With no margin theirs divides by what rounding leaves of zero, after millions of pairs.
        assert "has no solution" in fit or name in ("linear", "polynomial")
        if "has no solution" in fit:
            with pytest.raises(ValueError, match="infeasible"):
                peer.fit(X, y)
        return
    # Theirs keeps the kernel in single precision, whose rounding every multiplier carries on; both
    # divide by rho. Where no row is free, both take the middle of the offsets that are as good.
    rounding = 2e-7 * np.abs(fit.duals).sum() * np.abs(kernel.resolve(X).diag(X)).max()
    np.testing.assert_allclose(
        fit.decision(X), peer.fit(X, y).decision_function(X), rtol=0, atol=1e-6 + rounding
    )


def test_many_rows_stop_near_the_same_decisions():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(1500, 3))
    y = (X[:, 0] + X[:, 1] ** 2 + 0.3 * rng.normal(size=1500) > 0.5).astype(int)
    fit = NuSVC(nu=0.3, kernel=RBF(gamma=1.0), solver=SMO(working_set=128)).fit(X, y)
    peer = Reference(nu=0.3, gamma=1.0).fit(X, y)
    # Both stop where no pair violates the conditions by more than 1e-3.
    np.testing.assert_allclose(fit.decision(X), peer.decision_function(X), atol=2e-2)


def test_weights_are_those_of_scikit_learn():
    X, y = unbalanced()
    w = np.random.default_rng(0).uniform(0.2, 2.0, len(X))
    fit = NuSVC(nu=0.1, kernel=RBF(gamma=0.3)).fit(X, y, weights=w)
    peer = Reference(nu=0.1, gamma=0.3, tol=1e-9).fit(X, y, sample_weight=w)
    np.testing.assert_allclose(fit.decision(X), peer.decision_function(X), atol=1e-5)


@pytest.mark.parametrize("data", ["diabetes", "friedman", "wide"])
@pytest.mark.parametrize("nu", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("name", ["rbf", "linear", "scale"])
def test_predictions_are_those_of_scikit_learn(name, nu, data):
    X, y = rows(data)
    kernel, settings = KERNELS[name]
    fit = NuSVR(nu=nu, kernel=kernel).fit(X, y)
    peer = PeerRegressor(nu=nu, tol=1e-9, **settings).fit(X, y)
    # As above: ours is exact, theirs carries the rounding of single precision on.
    rounding = 1e-6 * np.abs(fit.duals).sum() * np.abs(kernel.resolve(X).diag(X)).max()
    np.testing.assert_allclose(fit.predict(X), peer.predict(X), rtol=0, atol=1e-6 + rounding)
