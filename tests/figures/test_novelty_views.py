"""Pictures of novelty detection: what they count, and where no class is known."""

from __future__ import annotations

import numpy as np
import pytest

from figures.numbers.verdicts import how_many, judged
from figures.view import views
from figures.views.kernels import alpha_bars
from figures.views.novelty import novelty_map, usualness_bars
from mlcore.kernels.rbf import RBF
from mlcore.novelty.novelty_detector import NoveltyDetector
from mlcore.spine.registry import lookup
from mlcore.svm.one_class_svm import OneClassSVM
from tests.figures import made

LINE = np.array([[0.0], [1.0], [3.0], [7.0]])
QUARTER = NoveltyDetector(contamination=0.25)


def test_rows_are_judged_without_themselves_beside_a_rarest_class():
    data = made.dataset(LINE, [0, 0, 0, 1], classes=("usual", "odd"))
    j = judged(data, made.whole(data, QUARTER))
    np.testing.assert_allclose(j.usualness, [-2.0, -1.5, -2.5, -5.0])
    assert j.outside.tolist() == [False, False, False, True]
    assert (j.rare.tolist(), j.rare_name) == ([False, False, False, True], "odd")
    assert how_many(j) == (
        "1 row of 4 (25 %) lies outside; 25 % were asked for. Of 1 row of odd, the rarest class, 1 "
        "does."
    )


def test_of_equally_common_classes_none_is_rare():
    data = made.dataset(LINE, [0, 0, 1, 1], classes=("a", "b"))
    assert judged(data, made.whole(data, QUARTER)).rare is None


def test_every_row_is_in_a_bar():
    data = made.dataset(np.vstack([LINE, [[900.0]]]))
    u = usualness_bars.numbers(data, made.whole(data, NoveltyDetector(contamination=0.2)))
    counts = np.bincount(u.bins, minlength=usualness_bars.BINS)
    assert counts.sum() == 5
    assert counts[0] >= u.n_below == 1  # the far row would squeeze all others into one bar


def test_shades_end_at_the_threshold_and_at_the_quartiles_of_the_rows_inside():
    data = made.dataset(np.random.default_rng(0).normal(size=(60, 2)))
    m = novelty_map.numbers(data, made.whole(data, NoveltyDetector(contamination=0.1)))
    at = novelty_map.levels(m.judged)
    np.testing.assert_allclose(novelty_map.shades(at, at), [1.0, 2.0, 3.0, 4.0, 5.0])
    inside = m.judged.usualness[~m.judged.outside]
    assert at[0] == m.judged.threshold
    assert at[2] == np.median(inside)
    assert novelty_map.shades(np.array([-1e9]), at)[0] == 0.0


def test_multipliers_of_a_region_need_no_target():
    data = made.dataset(np.random.default_rng(1).normal(size=(40, 2)))
    a = alpha_bars.numbers(data, made.whole(data, OneClassSVM(nu=0.25)))
    assert a.names == alpha_bars.BORDER
    at_bound = a.alpha >= 1 - 1e-9
    np.testing.assert_array_equal(a.klass == 0, at_bound)


@pytest.mark.parametrize(("width", "is_parted"), [(1.0, True), (1e-4, False)])
def test_a_threshold_is_named_where_it_is_drawn(width, is_parted):
    """Of far too narrow hills no place of the grid is inside, so there is no line."""
    data = made.dataset(np.random.default_rng(0).normal(size=(60, 2)))
    drawn = views()["novelty_map"].make(
        data, made.whole(data, OneClassSVM(kernel=RBF(gamma=1 / width**2)))
    )
    lines = [trace for trace in drawn.figure.data if trace.name == "threshold"]
    assert [trace.showlegend for trace in lines] == [is_parted]
    assert ("so no line is drawn" in drawn.reading) != is_parted
    assert ("Shades" in drawn.reading or "shades" in drawn.reading) == is_parted


@pytest.mark.parametrize("name", ["novelty_map", "isolation_cuts"])
def test_the_axes_of_a_filled_picture_end_where_its_cells_end(name):
    """Else bands that nothing fills would stand for places where nothing is asked."""
    data = made.dataset(np.random.default_rng(0).normal(size=(60, 2)))
    whole = made.whole(data, lookup("novelty", "isolation_forest")(n_trees=3))
    fig = views()[name].make(data, whole).figure
    assert fig.layout.yaxis.scaleanchor == "x"
    assert (fig.layout.xaxis.constrain, fig.layout.yaxis.constrain) == ("domain", "domain")
