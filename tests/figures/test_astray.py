"""Pictures that are a slice through more columns say where they contradict the rows."""

from __future__ import annotations

import numpy as np
import pytest

from figures.view import views
from mlcore.clustering.density.bandwidths import FixedWidth
from mlcore.clustering.gaussian_mixture import GaussianMixture
from mlcore.clustering.kernel_density import KernelDensity
from mlcore.novelty.local_outlier_factor import LocalOutlierFactor
from tests.figures import made

SIGNS = np.array([[1, 1, 1, 1], [-1, -1, 1, 1], [1, -1, -1, 1], [-1, 1, -1, -1]])


@pytest.fixture(scope="module")
def beside():
    """Six columns: the two of largest spread are drawn, four groups lie off their plane."""
    rng = np.random.default_rng(0)
    plane = rng.normal(size=(120, 2)) * 5.0
    return made.dataset(
        np.hstack([plane, np.repeat(4.0 * SIGNS, 30, axis=0) + 0.3 * rng.normal(size=(120, 4))])
    )


def made_of(name, data, method):
    return views()[name].drawn({"dataset": data, "whole": made.whole(data, method)})


def test_a_map_of_clusters_that_contradicts_its_rows_warns(beside):
    drawn = made_of("cluster_map", beside, GaussianMixture(n_components=4))
    assert drawn.numbers.astray == pytest.approx(0.5, abs=0.2)  # all of the plane is one cluster's
    assert "of the rows lie in the region of another cluster than their own" in drawn.reading


def test_a_map_of_shares_warns_as_well(beside):
    drawn = made_of("soft_map", beside, GaussianMixture(n_components=4))
    assert drawn.numbers.astray > 0.2
    assert "Careful: " in drawn.reading and "No row of 120 is shared" in drawn.reading


def test_a_threshold_that_is_drawn_elsewhere_than_it_counts_warns(beside):
    drawn = made_of("novelty_map", beside, LocalOutlierFactor(n_neighbors=5))
    assert drawn.numbers.astray > 0.3
    assert "on the other side of the drawn threshold" in drawn.reading


@pytest.mark.parametrize("name", ["cluster_map", "soft_map", "density_map"])
def test_of_two_columns_nothing_is_hidden(beside, name):
    data = made.dataset(beside.X[:, [0, 2]])
    drawn = made_of(name, data, GaussianMixture(n_components=4))
    assert "Careful" not in drawn.reading


def test_the_density_of_a_mixture_is_that_of_all_that_falls_on_the_plane(beside):
    drawn = made_of("density_map", beside, GaussianMixture(n_components=4))
    d = drawn.numbers
    area = np.ptp(d.shown.plane.x.cells[:2]) * np.ptp(d.shown.plane.y.cells[:2])
    assert d.z.sum() * area == pytest.approx(1.0, abs=0.05)  # all but the tails are in the picture
    assert "all that falls on the plane" in drawn.reading


def test_a_slice_through_empty_space_warns(beside):
    drawn = made_of("density_map", beside, KernelDensity(bandwidth=FixedWidth(h=1.0)))
    assert drawn.numbers.astray > 0.5
    assert "of the rows have less than a tenth of their density here" in drawn.reading
