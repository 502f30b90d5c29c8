"""The central numbers of the labs of maps."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.labs.reduction.impossible_distances import ImpossibleDistances, least_constant
from mlcore.reduction.mds_kinds import spectrum


@pytest.mark.parametrize(
    ("graph", "n", "wanted"),
    [
        ("line", 5, (10, 0, 0, 0, 0)),
        ("cycle", 4, (2, 2, 0, -1)),
        ("cycle", 5, (2.927051, 2.927051, 0, -0.427051, -0.427051)),
        ("cycle", 6, (6, 6, 1.5, 0, -2, -2)),
        ("star", 4, (2, 2, 0, -0.25)),
    ],
)
def test_golden_eigenvalues_of_graphs(graph, n, wanted):
    found = ImpossibleDistances(graph=graph, n_nodes=n).compute()
    np.testing.assert_allclose(found.values, wanted, atol=1e-6)
    below = -sum(value for value in wanted if value < 0)
    assert found.negative == pytest.approx(below / sum(map(abs, wanted)), abs=1e-6)


def test_a_line_is_drawn_as_it_is_and_a_cycle_is_not():
    line = ImpossibleDistances(graph="line", n_nodes=6).compute()
    assert max(line.stresses) < 1e-9
    assert line.constant < 1e-12
    cycle = ImpossibleDistances().compute()
    # Eigenvalues of 2 put the nodes at distance 1 from the middle: the diagonals are right.
    apart = np.linalg.norm(cycle.classical[:, None] - cycle.classical, axis=2)
    np.testing.assert_allclose(sorted(set(apart.round(6).ravel())), [0, np.sqrt(2), 2], atol=1e-6)
    assert cycle.stresses[1] < cycle.stresses[0]


@pytest.mark.parametrize("graph", ["cycle", "star"])
@pytest.mark.parametrize("n", [4, 7, 12])
def test_the_least_constant_is_the_least(graph, n):
    lab = ImpossibleDistances(graph=graph, n_nodes=n)
    ways, constant = lab.compute().D, lab.compute().constant
    assert constant > 0
    off = 1 - np.eye(n)
    for more, possible in ((1.001, True), (0.98, False)):
        values = spectrum(ways + more * constant * off).values
        assert (values.min() > -1e-9 * values.max()) == possible
    assert least_constant(ways + 1.01 * constant * off) < 1e-6
