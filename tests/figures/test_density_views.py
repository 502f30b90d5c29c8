"""The density map and the bandwidth curve: their numbers, and what the player changes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from figures.numbers import projections
from figures.numbers.recordings import recording_of
from figures.numbers.regions import cells_of, mass_inside
from figures.view import views
from figures.views.classification import class_ellipses
from figures.views.clustering import density_map
from mlcore.classification.lda import LDA
from mlcore.clustering.density.bandwidths import FixedWidth as Width
from mlcore.clustering.kernel_density import KernelDensity
from mlcore.data.dataset import TableData
from mlcore.data.generators.quantities.curve import Curve
from mlcore.runs.carry import recording
from mlcore.runs.run import Run
from mlcore.spine.registry import lookup
from tests.figures import made as by_hand
from tests.figures.made import whole as whole_of


@pytest.fixture(scope="module")
def run():
    """A density of two columns, its steps and its data."""
    made = Run(data="moons", method=KernelDensity())
    whole, steps = recording(made)
    return whole, steps, made.data.dataset({})


def test_each_cell_has_the_density_of_its_place(run):
    whole, _, data = run
    d = density_map.numbers(data, whole)
    expected = np.exp(whole.fit.log_density(d.shown.cells)).reshape(d.shown.plane.shape)
    np.testing.assert_array_equal(d.z, expected)
    logs = density_map.numbers(data, whole, is_log=True)
    assert np.ptp(logs.z) <= density_map.DECADES + 1e-9
    assert 10 ** logs.z.max() == pytest.approx(d.z.max())


def test_the_player_shows_each_bandwidth_and_ends_where_the_fit_stands(run):
    whole, steps, data = run
    offered = {"dataset": data, "whole": whole, "fit": whole.fit}
    drawn = views()["density_map"].drawn(offered)
    at = {trace.uid: i for i, trace in enumerate(drawn.figure.data) if trace.uid}
    frames = recording_of(drawn, whole, steps, data).frames
    tops = [float(np.asarray(frame[at["cells"]]["z"]).max()) for frame in frames]
    assert tops[0] > tops[len(tops) // 2] > tops[-2]  # narrow kernels are spikes
    np.testing.assert_array_equal(frames[-1][at["cells"]]["z"], drawn.figure.data[at["cells"]].z)
    curve = views()["bandwidth_curve"].drawn(offered)
    moved = recording_of(curve, whole, steps, data).frames
    (now,) = (i for i, trace in enumerate(curve.figure.data) if trace.uid == "now")
    assert [float(frame[now]["x"][0]) for frame in moved[:-1]] == whole.fit.bandwidths.tolist()
    assert float(moved[-1][now]["x"][0]) == whole.fit.bandwidth


def test_a_single_column_is_a_curve():
    made = Run(data=TableData(source=Curve(n_samples=40)), method=KernelDensity())
    whole, _ = recording(made)
    drawn = views()["density_map"].drawn(
        {"dataset": made.data.dataset({}), "whole": whole, "fit": whole.fit}
    )
    assert drawn.figure.data[0].mode == "lines"


def test_a_bandwidth_that_was_given_has_no_curve():
    made = Run(data="moons", method=KernelDensity(bandwidth=Width(h=0.3)))
    assert not views()["bandwidth_curve"].allowed_by(recording(made)[0].fit)
    searched = replace(made, method=KernelDensity())
    assert views()["bandwidth_curve"].allowed_by(recording(searched)[0].fit)


def test_a_kernel_narrower_than_a_cell_leaves_a_spike_at_every_row():
    made = Run(data="moons", method=KernelDensity(bandwidth=Width(h=0.005)))
    whole, _ = recording(made)
    data = made.data.dataset({})
    drawn = density_map.density_map(data, whole)
    d = drawn.numbers
    up, across = cells_of(d.shown.plane, d.shown.x, d.shown.y)
    assert (d.z[up, across] >= 0.49 * np.exp(d.at_rows)).all()
    assert 0 < d.spikes <= data.n and f"{d.spikes} rows are spikes" in drawn.reading


@pytest.mark.parametrize(("h", "size"), [(0.02, 2), (0.2, 5)])
def test_marks_do_not_hide_the_hills_of_a_narrow_kernel(h, size):
    made = Run(data="moons", method=KernelDensity(bandwidth=Width(h=h)))
    whole, _ = recording(made)
    drawn = density_map.density_map(made.data.dataset({}), whole)
    assert drawn.figure.data[1].marker.size == size


def test_level_lines_are_circles_of_the_radii_that_theory_gives():
    """Of a standard normal plane the share within r is 1 - exp(-r^2 / 2), Rayleigh's."""
    x, y = np.meshgrid(np.linspace(-6, 6, 241), np.linspace(-6, 6, 241))
    squares = x**2 + y**2
    # A ring of cells is as dense all around, and its own mass is within it: half a cell more.
    np.testing.assert_allclose(mass_inside(-squares / 2), 1 - np.exp(-squares / 2), atol=0.01)


def test_cells_that_are_equally_dense_have_one_share():
    logs = np.log([[1.0, 2.0], [2.0, 5.0]])
    np.testing.assert_allclose(mass_inside(logs), [[1.0, 0.9], [0.9, 0.5]])


@pytest.mark.parametrize("scale", ["plain", "logarithm"])
def test_lines_hold_half_and_nine_tenths_in_any_scale(run, scale):
    whole, _, data = run
    d = density_map.numbers(data, whole, is_log=scale == "logarithm")
    (lines,) = (trace for trace in density_map.draw(d).data if trace.uid == "lines")
    assert (lines.contours.start, lines.contours.end) == (0.5, 0.9)
    np.testing.assert_array_equal(lines.z, d.inside[::2, ::2].astype(np.float32))
    mass = np.exp(whole.fit.log_density(d.shown.cells)).reshape(d.shown.plane.shape)
    assert mass[d.inside <= 0.9].sum() / mass.sum() == pytest.approx(0.9, abs=1e-3)
    assert "around half and nine tenths of the density" in density_map.reading(d)


def test_the_player_moves_the_lines(run):
    whole, steps, data = run
    drawn = views()["density_map"].drawn({"dataset": data, "whole": whole, "fit": whole.fit})
    at = [trace.uid for trace in drawn.figure.data].index("lines")
    frames = recording_of(drawn, whole, steps, data).frames
    np.testing.assert_array_equal(frames[-1][at]["z"], drawn.figure.data[at].z)
    assert not np.array_equal(frames[0][at]["z"], frames[-1][at]["z"])


def test_spikes_have_no_lines(run):
    _, _, data = run
    whole, _ = recording(Run(data="moons", method=KernelDensity(bandwidth=Width(h=0.005))))
    d = density_map.numbers(data, whole)
    assert d.spikes and not d.has_lines
    assert "lines" not in [trace.uid for trace in density_map.draw(d).data]


def test_linear_discriminants_have_the_density_of_their_gaussians():
    data = Run(data="iris").data.dataset({})
    whole = whole_of(data, LDA())
    fit = whole.fit
    rows = whole.prepared.transform(data.X)
    each = zip(fit.weights, fit.means, strict=True)
    expected = np.log(sum(w * multivariate_normal(m, fit.covariance).pdf(rows) for w, m in each))
    np.testing.assert_allclose(fit.log_density(rows), expected, atol=1e-10)
    assert density_map.numbers(data, whole).of_all


SQUARES = np.array([[a + c, b] for c in (0.0, 9.0) for a in (-1.0, 1.0) for b in (-1.0, 1.0)])


@pytest.mark.parametrize("n_columns", [2, 3])
def test_ellipses_that_reach_beyond_the_rows_are_not_cut(n_columns):
    """Four rows at the corners of a square lie within one standard deviation of their Gaussian."""
    X = np.hstack([SQUARES, 0.1 * SQUARES[:, :1] * SQUARES[:, 1:]])[:, :n_columns]
    data = by_hand.dataset(X, np.repeat([0, 1], 4), classes=("a", "b"))
    whole = by_hand.whole(data, lookup("classification", "qda")(shrinkage=0.1))
    e = class_ellipses.numbers(data, whole)
    drawn = np.concatenate(e.outlines)
    for at, axis in zip(drawn.T, (e.shown.plane.x, e.shown.plane.y), strict=True):
        assert axis.cells[0] < np.nanmin(at)
        assert np.nanmax(at) < axis.cells[-1]


def test_level_lines_of_gaussians_close_within_the_picture():
    data = by_hand.dataset(SQUARES)
    whole = by_hand.whole(data, lookup("clustering", "gaussian_mixture")(n_components=2))
    d = density_map.numbers(data, whole)
    border = np.concatenate([d.inside[0], d.inside[-1], d.inside[:, 0], d.inside[:, -1]])
    assert border.min() > max(density_map.SHARES)


def test_a_gaussian_far_wider_than_the_rows_leaves_them_in_sight():
    data = by_hand.dataset(SQUARES, np.repeat([0, 1], 4), classes=("a", "b"))

    def around(shown):
        return np.array([[-1e6, -1e6], [1e6, 1e6]])

    whole = by_hand.whole(data, lookup("classification", "qda")())
    x = projections.spread_projection(data, whole, around=around).plane.x.cells
    assert np.ptp(x) < 8 * np.ptp(SQUARES[:, 0])
