"""What the theory says of Fisher's axes, and that they are learned inside the fold."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh
from sklearn.datasets import load_iris, load_wine

from mlcore.classification.fisher import Fisher
from mlcore.classification.scatter import scatter_matrices
from mlcore.reduction.pca import PCA
from mlcore.runs.carry import carried_out
from mlcore.runs.presets import presets
from mlcore.spine.errors import DataError

X, Y = load_iris(return_X_y=True)


def test_the_worked_values_of_iris():
    """Ratios of the scatters, as sums; the first two together are the trace ratio of the plane."""
    fit = Fisher().fit(X, Y)
    np.testing.assert_allclose(fit.variances, [32.191929, 0.285391], atol=5e-7)
    Z = fit.transform(X)
    means = np.array([Z[k == Y].mean(axis=0) for k in range(3)])
    nearest = ((Z[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)
    assert (nearest == Y).sum() == 147


def test_the_plane_separates_twice_as_well_as_that_of_the_largest_variance():
    """Traces of the projected scatters between and within: 16.23866, of two components 7.83411."""
    within, between, _ = scatter_matrices(X, Y)

    def ratio(axes):
        return np.trace(axes @ between @ axes.T) / np.trace(axes @ within @ axes.T)

    assert ratio(Fisher().fit(X, Y).axes) == pytest.approx(16.23866, abs=5e-6)
    assert ratio(PCA(n_components=2).fit(X).axes) == pytest.approx(7.83411, abs=5e-6)


def test_axes_solve_the_generalised_eigenproblem():
    """W' S_w W = n I and W' S_b W = n diag(values)."""
    rows, y = load_wine(return_X_y=True)
    fit = Fisher().fit(rows, y)
    within, between, _ = scatter_matrices(rows, y)
    W = fit.axes / np.sqrt(len(rows))
    np.testing.assert_allclose(W @ within @ W.T, np.eye(2), atol=1e-9)
    np.testing.assert_allclose(W @ between @ W.T, np.diag(fit.variances), atol=1e-8)
    np.testing.assert_allclose(fit.variances, eigh(between, within)[0][:-3:-1], rtol=1e-9)


def test_two_classes_by_hand():
    """Means (1, 1) and (5, 3), S_w = 2 [[1, 1.5], [1.5, 3]]: the axis is along (6, -8/3)."""
    spread = np.array([[1.0, 1.5], [1.5, 3.0]])
    L = np.linalg.cholesky(spread)
    cross = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]) * np.sqrt(0.5)
    rows = np.vstack([cross @ L.T + (1, 1), cross @ L.T + (5, 3)])
    fit = Fisher().fit(rows, np.repeat([0, 1], 4))
    axis = fit.axes[0]
    # Between sums over rows: 4 * 4 / 8 of the squared distance of the means.
    assert fit.variances[0] / 2 == pytest.approx(18.6667, abs=5e-5)
    assert axis[0] / axis[1] == pytest.approx(6 / (-8 / 3))
    assert axis @ (4, 2) > 0  # the second class projects higher


def test_measured_by_the_total_spread_axes_are_the_same_and_values_are_shares():
    within, total = Fisher().fit(X, Y), Fisher(within="total").fit(X, Y)
    np.testing.assert_allclose(total.variances, within.variances / (1 + within.variances))
    cosines = np.einsum("qp,qp->q", within.axes, total.axes)
    cosines /= np.linalg.norm(within.axes, axis=1) * np.linalg.norm(total.axes, axis=1)
    np.testing.assert_allclose(cosines, 1.0)


def test_with_each_class_counting_alike_copies_of_a_class_change_nothing():
    more = np.concatenate([np.arange(150), np.arange(50), np.arange(50)])
    once, thrice = (Fisher(within="equal").fit(X[at], Y[at]) for at in (np.arange(150), more))
    np.testing.assert_allclose(once.axes, thrice.axes, rtol=1e-8)
    assert np.abs(Fisher().fit(X[more], Y[more]).axes - Fisher().fit(X, Y).axes).max() > 0.05


def test_labels_that_were_drawn_part_the_fitted_rows_and_not_those_left_out():
    """Were the axes learned before the folds are dealt, rows left out would be parted as well."""
    preset = next(p for p in presets("reduction") if p.name == "as_many_columns_as_rows")
    folds = carried_out(preset.run()).done
    assert min(fold.fitted_scores["same_class"] for fold in folds) > 0.99
    assert np.mean([fold.scores["same_class"] for fold in folds]) < 0.5


def test_more_axes_than_class_means_span_are_refused():
    with pytest.raises(DataError, match="3 classes have at most 2 axes; n_components is 3"):
        Fisher(n_components=3).fit(X, Y)
