"""New rows meet all rows of a fit some at a time, however many they are."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.clustering.kernel_kmeans import KernelKMeans
from mlcore.kernels import gram
from mlcore.reduction.kernel_pca import KernelPCA
from mlcore.svm.svc import SVC

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = (X[:, 0] > 0).astype(int)
NEW = RNG.normal(size=(200, 3))
METHODS = {
    "kernel_pca": (KernelPCA(n_components=2), lambda fit: fit.transform(NEW)),
    "back": (KernelPCA(n_components=2), lambda fit: fit.inverse_transform(NEW[:, :2])),
    "kernel_kmeans": (KernelKMeans(n_clusters=3), lambda fit: fit.predict(NEW)),
    "svc": (SVC(), lambda fit: fit.decision(NEW)),
}


@pytest.mark.parametrize("name", METHODS)
def test_no_more_values_are_there_at_a_time_than_may_be(name, monkeypatch):
    """A Gram matrix of all at once took gigabytes of the server for a picture of 10,000 rows."""
    method, asked = METHODS[name]
    fit = method.fit(X, Y if name == "svc" else None)
    whole = asked(fit)
    sizes, kernel = [], type(fit.kernel)
    against = kernel.against

    def noted(self, Z, *more):
        block = against(self, Z, *more)

        def counted(rows, *room):
            K = block(rows, *room)
            sizes.append(K.size)
            return K

        return counted

    monkeypatch.setattr(kernel, "against", noted)
    monkeypatch.setattr(gram, "VALUES", 700)
    np.testing.assert_allclose(asked(fit), whole, rtol=1e-12, atol=1e-12)
    if name != "back":  # of this kernel by iterations, which have no matrix
        assert len(sizes) > 5
        assert max(sizes) <= 700
