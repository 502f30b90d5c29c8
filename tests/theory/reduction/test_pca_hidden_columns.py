"""PCA names the columns whose variance is rounding beside that of the first axis."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.reduction.pca import PCA


@pytest.mark.parametrize(("small", "is_named"), [(1e-9, True), (1.0, False)])
def test_a_column_that_varies_late_is_judged_by_all_of_its_rows(small: float, is_named: bool):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2)) * [1e3, 0.0]
    X[100:, 1] = small * rng.normal(size=100)  # the first rows say nothing of it
    notes = " ".join(PCA().fit(X).notes)
    assert ("The variance of x2 is no more than rounding" in notes) == is_named
