"""What the theory says of projections, without a reference."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.data import bundled
from mlcore.maths.curves import knee
from mlcore.maths.linear import signed
from mlcore.reduction.pca import PCA
from mlcore.reduction.solvers import Auto, Covariance, Gram, Power, SingularValues
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column
from mlcore.spine.iterate import last
from mlcore.spine.registry import entries

SOLVERS = list(entries("pca_solver"))
SIX = np.array([(2, 0), (0, 2), (-2, 0), (0, -2), (1, 1), (-1, -1)], float)
CROSS = np.array([(2, 0), (0, 1), (-2, 0), (0, -1)], float)


def iris():
    """The four measurements, shape (150, 4)."""
    table = bundled.load("iris")
    names = [name for name in table.names if table.column(name).kind == "number"]
    return np.column_stack([table.column(name).values for name in names])


def stretched(n=120, p=6, seed=0):
    """Rows with a well separated spectrum about a mean far from zero."""
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(p, p)))[0]
    return rng.normal(size=(n, p)) * 2.0 ** -np.arange(p) @ turn + 50


def test_six_points_vary_along_the_diagonal():
    fit = PCA(divisor="n").fit(SIX)
    np.testing.assert_allclose(fit.variances, [2, 4 / 3], rtol=1e-14)
    np.testing.assert_allclose(fit.axes, np.array([[1, 1], [1, -1]]) / np.sqrt(2), rtol=1e-14)
    np.testing.assert_allclose(fit.shares, [0.6, 0.4], rtol=1e-14)


@pytest.mark.parametrize("solver", SOLVERS)
def test_scatter_of_a_cross(solver):
    fit = PCA(solver=solver, divisor="n").fit(CROSS)
    np.testing.assert_allclose(fit.variances * 4, [8, 2], rtol=1e-12)
    np.testing.assert_allclose(fit.singular_values**2, [8, 2], rtol=1e-12)
    np.testing.assert_allclose(np.abs(fit.axes), np.eye(2), atol=1e-6)


def test_variances_of_a_covariance_matrix():
    root = np.linalg.cholesky([[13.0, 7], [7, 5]])
    X = np.vstack([root.T, -root.T])  # its scatter is twice the matrix
    fit = PCA(divisor="n").fit(X)
    np.testing.assert_allclose(fit.variances * 4 / 2, [17.062258, 0.937742], atol=5e-7)


@pytest.mark.parametrize("solver", SOLVERS)
def test_iris(solver):
    fit = PCA(solver=solver).fit(iris())
    np.testing.assert_allclose(fit.variances, [4.228242, 0.242671, 0.078210, 0.023835], atol=5e-7)
    np.testing.assert_allclose(fit.shares, [0.924619, 0.053066, 0.017103, 0.005212], atol=5e-7)
    np.testing.assert_allclose(fit.hotelling_t2(iris()).sum(), 596, rtol=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
def test_all_solvers_find_the_same_scores(solver):
    X = stretched()
    # Power iteration ends when 1 - cosine is 1e-12: an angle of about 1e-6.
    tolerance = 2e-5 if solver == "power" else 1e-9
    scores = PCA(solver="svd").fit(X).transform(X)
    np.testing.assert_allclose(PCA(solver=solver).fit(X).transform(X), scores, atol=tolerance)


def test_what_is_left_out_is_the_error_even_far_from_zero():
    X = stretched() + 1e6
    for k in range(1, 6):
        fit = PCA(n_components=k).fit(X)
        lost = fit.spectrum[k:].sum() * (len(X) - 1)
        np.testing.assert_allclose(fit.reconstruction_error(X).sum(), lost, rtol=1e-8)
        np.testing.assert_allclose(1 - fit.shares.sum(), lost / fit.spectrum.sum() / 119, rtol=1e-7)
        np.testing.assert_allclose(fit.noise_variance, fit.spectrum[k:].mean(), rtol=1e-7)


def test_no_other_plane_keeps_more():
    X, rng = stretched(), np.random.default_rng(1)
    about = X - X.mean(axis=0)
    best = PCA(n_components=2).fit(X).reconstruction_error(X).sum()
    for _ in range(50):
        plane = np.linalg.qr(rng.normal(size=(6, 2)))[0]
        assert ((about - about @ plane @ plane.T) ** 2).sum() >= best


def test_coordinates_are_uncorrelated_and_white_when_asked():
    X = stretched()
    Z = PCA().fit(X).transform(X)
    np.testing.assert_allclose(np.cov(Z.T), np.diag(Z.var(axis=0, ddof=1)), atol=1e-10)
    fit = PCA(whiten=True).fit(X)
    np.testing.assert_allclose(np.cov(fit.transform(X).T), np.eye(6), atol=1e-10)
    np.testing.assert_allclose(fit.inverse_transform(fit.transform(X)), X, rtol=1e-12)


def test_the_largest_entry_of_an_axis_is_positive():
    fit = PCA().fit(stretched())
    assert (fit.axes.max(axis=1) == np.abs(fit.axes).max(axis=1)).all()
    turned = signed(np.array([[-0.6, 0.8], [-0.6, -0.8], [-1.0, 1.0 + 1e-15]]))
    np.testing.assert_array_equal(turned[:, 0] > 0, [False, True, True])


def test_moving_and_permuting_rows_changes_no_axis():
    X = stretched()
    fit, rng = PCA().fit(X), np.random.default_rng(2)
    np.testing.assert_allclose(PCA().fit(X + 3.5).axes, fit.axes, atol=1e-9)
    np.testing.assert_allclose(PCA().fit(rng.permutation(X)).axes, fit.axes, atol=1e-9)


def test_without_centering_the_axis_points_to_the_cloud():
    X = stretched()
    mean = X.mean(axis=0)
    first = PCA(center=False).fit(X).axes[0]
    assert abs(first @ mean) / np.linalg.norm(mean) > 0.9999
    np.testing.assert_array_equal(PCA(center=False).fit(X).mean, np.zeros(6))


def test_measured_from_zero_the_first_axis_turns_towards_the_mean():
    """Two clouds about (1, 1) and (5, 3): a slope of .867 from the mean, of .733 from zero."""
    cross = np.vstack([np.eye(2), -np.eye(2)]) * np.sqrt(2)
    cloud = cross @ np.linalg.cholesky([[1.0, 1.5], [1.5, 3.0]]).T
    rows = np.vstack([cloud + np.array(mean) for mean in ((1, 1), (5, 3))])
    np.testing.assert_allclose(np.cov(rows.T, bias=True), [[5, 3.5], [3.5, 4]], atol=1e-12)
    fits = [PCA(center=center, divisor="n").fit(rows) for center in (True, False)]
    slopes = [fit.axes[0, 1] / fit.axes[0, 0] for fit in fits]
    np.testing.assert_allclose(slopes, [0.867, 0.733], atol=5e-4)
    np.testing.assert_allclose(fits[0].variances, [8.0355, 0.9645], atol=5e-5)


@pytest.mark.parametrize(("share", "count"), [(0.5, 1), (0.6, 1), (0.61, 2), (1.0, 2)])
def test_a_share_keeps_as_few_axes_as_hold_it(share, count):
    assert len(PCA(share=share, divisor="n").fit(SIX).axes) == count


def test_the_knee_of_a_scree_plot():
    assert knee(np.array([10.0, 1, 0.9, 0.8])) == 1
    assert knee(np.array([4.0, 3, 2, 1])) == 0
    assert knee(np.array([5.0, 1])) == 0
    for noise in (
        0.1,
        0.5,
    ):  # three directions of standard deviation 5, 3, 2 in 20 columns
        rng = np.random.default_rng(0)
        turn = np.linalg.qr(rng.normal(size=(20, 20)))[0]
        X = rng.normal(size=(500, 3)) * [5, 3, 2] @ turn[:3] + noise * rng.normal(size=(500, 20))
        assert len(PCA(n_components="knee").fit(X).axes) == 3


def test_columns_that_never_change_are_told_in_one_sentence():
    X = np.full((30, 300), 2.0)
    X[:, 7] = np.arange(30)
    first = PCA(n_components=2).fit(X).notes[0]
    assert first == "Columns x1, x2, x3, x4 and 295 more never change; they cannot carry variance."


@pytest.mark.parametrize("solver", SOLVERS)
def test_more_columns_than_rows(solver):
    X = np.random.default_rng(0).normal(size=(7, 40))
    X[:, 3] = 2.0
    columns = tuple(Column(f"c{j}") for j in range(40))
    fit = PCA(n_components=12, solver=solver).fit(X, columns=columns)
    assert (len(fit.axes), fit.rank) == (6, 6)
    assert fit.notes == (
        "Column c3 never changes; it cannot carry variance.",
        "Only 6 directions have any variance; showing 6.",
        "7 rows span at most 6 axes, however many columns.",
    )
    np.testing.assert_allclose(fit.axes @ fit.axes.T, np.eye(6), atol=1e-9)
    np.testing.assert_allclose(fit.inverse_transform(fit.transform(X)), X, atol=1e-5)


def test_whitening_leaves_out_what_is_nearly_rounding():
    X = np.random.default_rng(0).normal(size=(50, 3)) * [1, 1, 1e-6]
    assert len(PCA(whiten=True).fit(X).axes) == 2
    assert len(PCA().fit(X).axes) == 3


def test_few_axes_of_many_are_those_of_all():
    X = np.random.default_rng(0).normal(size=(900, 600)) * np.linspace(3, 1, 600)
    few, every = PCA(n_components=5).fit(X), PCA().fit(X)
    assert len(few.spectrum) == 5
    np.testing.assert_allclose(few.axes, every.axes[:5], atol=1e-9)
    np.testing.assert_allclose(few.shares, every.shares[:5], rtol=1e-10)
    np.testing.assert_allclose(few.noise_variance, every.spectrum[5:].mean(), rtol=1e-9)


def test_the_automatic_solver_follows_the_shape():
    assert isinstance(Auto().chosen(40, 300), Gram)
    assert isinstance(Auto().chosen(50, 40), SingularValues)
    assert Auto().chosen(1000, 40).card.name == "eigh"
    assert isinstance(Auto().chosen(900, 600, most=5), Covariance)
    assert isinstance(Auto().chosen(900, 600, most=100), SingularValues)


@pytest.mark.parametrize("least", [1e-2, 1e-5])
def test_the_automatic_solver_keeps_the_digits_of_the_least_variance(least):
    # Products lose those of variances that are tiny beside the first: singular values keep them.
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(50, 40))
    rows = np.linalg.qr(rows - rows.mean(axis=0))[0]
    spread = np.geomspace(1.0, least, 40)
    X = (rows * spread) @ np.linalg.qr(rng.normal(size=(40, 40)))[0]
    fit = PCA().fit(X)
    np.testing.assert_allclose(fit.singular_values, spread, rtol=1e-10)
    note = next(iter(Auto().iterations(X, fit.mean, None))).note
    assert ("covariance" in note) == (least == 1e-2)


def test_power_iteration_plays_and_rises():
    method = PCA(solver=Power(), n_components=3)
    steps = list(method.steps(stretched()))
    assert len(steps) > 10
    assert np.diff([step.objective for step in steps]).min() > -1e-12
    assert steps[0].note.startswith("Axis 1, iteration 1: it turned by ")
    assert steps[-1].stop.kind == "converged"
    fit, end = method.fit(stretched()), last(method.steps(stretched()))
    np.testing.assert_array_equal(fit.axes, signed(end.state.axes))


def test_power_iteration_names_axes_that_still_turn():
    fit = PCA(solver=Power(max_iter=3)).fit(iris())
    assert fit.stop.kind == "limit"
    assert fit.stop.why.startswith("Axes 1, 2, 3 were still turning after 3 iterations")


@pytest.mark.parametrize(
    ("X", "sentence"),
    [
        (np.ones((1, 3)), "PCA needs at least two rows; there is 1"),
        (np.ones((4, 3)), "PCA needs rows that differ; here all of them are equal"),
        (np.array([[1e200], [0]]), "column number 1 has 1e.200, too large to square"),
        (np.array([[1e-200], [0]]), "here the largest is 1e-200"),
    ],
)
def test_what_cannot_be_done_is_a_sentence_at_once(X, sentence):
    with pytest.raises(DataError, match=sentence):
        PCA().steps(X)


def test_coordinates_of_another_length_are_refused():
    with pytest.raises(DataError, match="PCA kept 2 components; got rows of 3 coordinates"):
        PCA().fit(SIX).inverse_transform(np.ones((1, 3)))


@pytest.mark.parametrize("shape", [(60, 25), (25, 60)])
def test_lanczos_gives_the_first_axes_without_the_others(shape):
    X = np.random.default_rng(0).normal(size=shape) * np.linspace(4, 1, shape[1]) + 1e3
    few, every = (PCA(n_components=3, solver=solver).fit(X) for solver in ("arpack", "svd"))
    np.testing.assert_allclose(few.axes, every.axes, atol=1e-8)
    np.testing.assert_allclose(few.variances, every.variances, rtol=1e-10)
    np.testing.assert_allclose(few.shares, every.shares, rtol=1e-10)
    assert (len(few.spectrum), len(every.spectrum)) == (3, 25)
