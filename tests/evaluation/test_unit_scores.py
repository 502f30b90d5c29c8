"""Errors of maps of units on rows left out, beside the flat map."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.clustering.quantisation.lattices import Grid
from mlcore.clustering.som import SelfOrganisingMap
from mlcore.evaluation.scoring import Case, Rows
from mlcore.evaluation.unit_scores import MapErrorScores

METHOD = SelfOrganisingMap(lattice=Grid(rows=5, columns=6))


def bent(n=400, seed=0):
    """Rows on a half-tube in three dimensions."""
    rng = np.random.default_rng(seed)
    angle = np.pi * rng.random(n)
    return np.column_stack([np.cos(angle), np.sin(angle), 2 * rng.random(n)])


def case(fit, test):
    return Case(method=METHOD, fit=fit, train=Rows(bent()), test=Rows(test))


def test_both_errors_are_those_of_the_two_nearest_units():
    test, fit = bent(100, 1), METHOD.fit(bent())
    scored = MapErrorScores().scored(case(fit, test))
    distances = np.linalg.norm(test[:, None] - fit.centers, axis=2)
    order = distances.argsort(axis=1)
    row, column = np.divmod(order[:, :2], 6)
    torn = (np.abs(np.diff(row)) > 1) | (np.abs(np.diff(column)) > 1)
    expected = {
        "quantisation_error": distances.min(axis=1).mean(),
        "topographic_error": torn.mean(),
    }
    assert scored.scores == pytest.approx(expected)
    np.testing.assert_array_equal(scored.predictions, order[:, 0])


def test_the_baseline_is_the_flat_map_with_the_same_lattice():
    baseline = MapErrorScores().baseline_of(METHOD)
    assert baseline.lattice == METHOD.lattice
    flat, bowed = (m.fit(bent()) for m in (baseline, METHOD))
    # A plane: the prototypes have two directions, the rows three.
    assert np.linalg.matrix_rank(flat.centers - flat.centers.mean(axis=0), tol=1e-9) == 2
    assert bowed.quantisation_error < 0.7 * flat.quantisation_error


def test_another_method_is_compared_with_the_map_as_it_is_by_default():
    from mlcore.clustering.kmeans import KMeans

    assert MapErrorScores().baseline_of(KMeans()).lattice == Grid()
