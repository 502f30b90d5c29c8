"""Maps that are drawn again: the alignment, both numbers, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial import procrustes as reference

from mlcore.data.dataset import TableData
from mlcore.data.generators.classes.blobs import Blobs
from mlcore.evaluation.map_moves import neighbours_shared, procrustes
from mlcore.runs import carry_redrawing
from mlcore.runs.redrawing.map_stability import MapStability
from mlcore.runs.redrawing.parts import MOST_ROWS
from mlcore.runs.redrawing.redrawn import verdict
from mlcore.runs.run import Run
from mlcore.spine.errors import DataError


def turned(Z, angle=0.7):
    """A map turned, reflected, scaled and moved."""
    turn = np.array([[np.cos(angle), np.sin(angle)], [np.sin(angle), -np.cos(angle)]])
    return 3.5 * Z @ turn + [10, -4]


def test_a_map_that_was_turned_lies_on_itself_again():
    Z = np.random.default_rng(0).normal(size=(30, 2))
    found = procrustes(turned(Z), Z)
    assert found.residual < 1e-14
    assert found.scale == pytest.approx(1 / 3.5)
    np.testing.assert_allclose(found.laid(turned(Z)), Z, atol=1e-13)
    assert (neighbours_shared(turned(Z), Z) == 1).all()


@pytest.mark.parametrize("seed", range(4))
def test_the_residual_is_the_root_of_the_disparity_of_scipy(seed):
    rng = np.random.default_rng(seed)
    one, other = rng.normal(size=(2, 25, 3))
    found = procrustes(one, other)
    assert found.residual == pytest.approx(np.sqrt(reference(one, other)[2]), abs=1e-12)
    assert procrustes(other, one).residual == pytest.approx(found.residual, abs=1e-12)
    over = ((found.laid(one) - other) ** 2).sum() / ((other - other.mean(axis=0)) ** 2).sum()
    assert found.residual == pytest.approx(np.sqrt(over), abs=1e-12)


def test_golden_alignments():
    line = np.array([[0.0], [1.0], [2.0]])
    assert procrustes(line, -5 * line).residual == 0
    assert procrustes(line, [[0.0], [2.0], [0.0]]).residual == 1  # uncorrelated
    assert procrustes(line, [[0.0], [1.0], [1.0]]).residual == pytest.approx(0.5)  # r^2 = 3 / 4
    assert procrustes(line, np.zeros((3, 1))).residual == 1
    assert procrustes(np.ones((3, 1)), np.zeros((3, 1))).residual == 0
    with pytest.raises(DataError, match="two maps of the same rows"):
        procrustes(line, line[:2])


def test_neighbours_by_definition():
    one, other = np.random.default_rng(3).normal(size=(2, 20, 2))

    def near(Z, i, k=4):
        order = np.argsort(((Z - Z[i]) ** 2).sum(axis=1), kind="stable")
        return set(order[order != i][:k].tolist())

    wanted = [len(near(one, i) & near(other, i)) / 4 for i in range(20)]
    np.testing.assert_allclose(neighbours_shared(one, other, 4), wanted)
    assert np.isnan(neighbours_shared(one[:1], other[:1])).all()
    swapped = np.vstack([one[10:] + 100, one[:10] - 100])  # groups change places
    apart = np.vstack([one[:10] - 100, one[10:] + 100])
    assert (neighbours_shared(apart, np.roll(swapped, 10, axis=0), 5) == 1).all()


def redrawn(method, data="iris", **design):
    return carry_redrawing.carried_out(
        MapStability.of(Run(data=data, method=method), refits=3, **design)
    )


def test_principal_axes_come_again_and_all_of_them_say_nothing():
    found = redrawn("pca")
    assert found.laid.shape == (3, 150, 2)  # a formula places rows that were not drawn
    assert [int(part.drawn.sum()) for part in found.again] == [120] * 3
    assert 0 < found.residuals.max() < 0.1
    assert found.staying.min() > 0.8
    assert verdict(found).startswith("The map comes again:")
    # All four axes of four columns are a turn of the rows.
    assert redrawn("pca", coordinates=4).residuals.max() < 1e-12


def test_only_rows_that_were_drawn_have_a_place_in_a_map_without_a_formula():
    found = redrawn("tsne", "iris")
    for part, places in zip(found.again, found.laid, strict=True):
        assert (np.isfinite(places).all(axis=1) == part.drawn).all()
    drawn = np.any([part.drawn for part in found.again], axis=0)
    assert not drawn.all()  # three draws leave some row out
    assert (np.isfinite(found.ways) == drawn).all()


def test_ways_add_up_to_the_residuals():
    found = redrawn("umap", again="starts")
    # All rows are drawn, so both are the same sum of squares.
    assert np.sqrt((found.ways**2).mean()) == pytest.approx(
        np.sqrt((found.residuals**2).mean()), rel=1e-9
    )


def test_what_cannot_be_is_a_sentence():
    iris = Run(data="iris", method="pca").data.dataset()
    starts = MapStability(data="iris", method="pca", again="starts")
    assert "draws no random numbers" in str(carry_redrawing.does_not_apply(starts, iris))
    with pytest.raises(DataError, match="no map to draw again"):
        MapStability.of(Run(data="iris", method="kmeans"))
    few = MapStability(data=TableData(source=Blobs(n_samples=9)), method="pca")
    too_few = carry_redrawing.does_not_apply(few, few.data.dataset())
    assert "10 rows or more; there are 9" in str(too_few)
    thin = MapStability(data="iris", method="cca")
    assert carry_redrawing.does_not_apply(thin, iris) is None


def test_of_many_rows_some_are_looked_at():
    data = TableData(source=Blobs(n_samples=MOST_ROWS + 500))
    found = carry_redrawing.carried_out(MapStability(data=data, method="pca", refits=2))
    assert found.laid.shape == (2, MOST_ROWS, 2)
    assert len(found.rows) == len(set(found.rows.tolist())) == MOST_ROWS
    assert (np.diff(found.rows) > 0).all()


def test_what_was_stopped_goes_on_to_the_same_end():
    run = MapStability(data="iris", method="pca", refits=3)
    events = list(carry_redrawing.carry_out(run))
    half = carry_redrawing.so_far(run, events[:2])
    assert half is not None
    assert len(half.again) == 1
    without, alone = (carry_redrawing.so_far(run, e) for e in (events[1:], events[:1]))
    assert without is not None
    assert without.first is None
    assert alone is not None
    assert "nothing to compare" in verdict(alone)
    work = carry_redrawing.carry_out(run, before=[replace(e) for e in events[:2]])
    assert [event.done for event in work] == [1, 2, 3, 4]


def test_maps_that_end_before_the_one_they_are_laid_on_wait_for_it():
    run = MapStability.of(Run(data=TableData(source=Blobs(n_samples=40)), method="pca"), refits=3)
    done = carry_redrawing.carried_out(run)
    early = carry_redrawing.so_far(run, [p for p in done.parts if p.places is not done.first])
    assert early is not None and len(early.parts) == len(done.parts) - 1
    assert early.again == () and "nothing to compare" in verdict(early)
    assert len(early.ways) and np.isnan(early.ways).all()


def test_the_same_map_has_no_residual_of_rounding():
    run = Run(data=TableData(source=Blobs(n_samples=20)), method="pca")
    redrawn = carry_redrawing.carried_out(MapStability.of(run, refits=4))
    assert (redrawn.residuals == 0).all()
    assert "is 0.00 (0.00 to 0.00;" in verdict(redrawn)
