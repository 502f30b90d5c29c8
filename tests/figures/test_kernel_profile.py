"""The kernel by distance, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from figures.views.kernels import kernel_profile as view
from mlcore.kernels.products import Linear
from mlcore.kernels.rbf import RBF
from mlcore.svm.svc import SVC
from tests.figures import made

X, Y = np.array([[0.0, 0], [3, 4], [0, 1], [6, 8]]), [0, 1, 0, 1]


def profile(kernel, row=None, X=X):
    data = made.dataset(X, Y, classes=("a", "b"), rows=range(10, 14))
    return view.numbers(data, made.whole(data, SVC(kernel=kernel)), row=row)


def test_a_gaussian_falls_with_the_distance_alone():
    p = profile(RBF(gamma=0.1), row=11)
    assert p.row == 10
    np.testing.assert_allclose(p.away, [0, 5, 1, 10])
    np.testing.assert_allclose(p.alike, np.exp(-0.1 * p.away**2), atol=1e-12)
    np.testing.assert_allclose(p.curve, np.exp(-0.1 * p.at**2), atol=1e-12)
    # exp(-gamma r^2) is one half at the root of log 2 / gamma.
    assert p.half == pytest.approx(np.sqrt(np.log(2) / 0.1), abs=1e-3)
    assert "Likeness has halved at a distance of 2.63, within which 50 % of the rows" in (
        view.reading(p)
    )


def test_a_product_is_no_matter_of_distance():
    p = profile(Linear(), row=12)
    assert len(p.at) == 0
    np.testing.assert_allclose(p.alike, X @ [3, 4])
    assert "The most alike is row 14, 50" in view.reading(p)
    assert len(view.draw(p).data) == 2  # the classes, and no curve


def test_by_default_it_is_the_row_nearest_to_the_mean():
    assert profile(RBF(gamma=0.1)).row == 11  # (3, 4), of the mean (2.25, 3.25)
    assert profile(RBF(gamma=0.1), row=999).row == 13  # the nearest number that there is


def test_a_kernel_so_wide_that_it_never_halves_says_so():
    p = profile(RBF(gamma=1e-6))
    assert np.isnan(p.half)
    assert "does not fall to half" in view.reading(p)


def test_rows_that_are_all_alike_have_no_curve():
    assert len(profile(RBF(gamma=1.0), X=np.ones((4, 2))).at) == 0
