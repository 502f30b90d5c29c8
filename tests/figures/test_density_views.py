"""The density map and the bandwidth curve: their numbers, and what the player changes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from figures.numbers.recordings import recording_of
from figures.numbers.regions import cells_of
from figures.view import views
from figures.views.clustering import density_map
from mlcore.clustering.density.bandwidths import FixedWidth as Width
from mlcore.clustering.kernel_density import KernelDensity
from mlcore.data.dataset import TableData
from mlcore.data.generators.quantities.curve import Curve
from mlcore.runs.carry import recording
from mlcore.runs.run import Run


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
