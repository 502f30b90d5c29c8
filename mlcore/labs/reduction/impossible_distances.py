"""Distances that no points have: ways in a graph, and the negative eigenvalues that tell so."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse.csgraph import shortest_path

from mlcore.labs.lab import Lab
from mlcore.reduction.mds_kinds import Metric, filled_up, raw_stress, spectrum
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, integer, real
from mlcore.spine.random import generator

EXACT = 1e-9  # of the largest eigenvalue: smaller ones are rounding


class Impossible(NamedTuple):
    """Distances, their eigenvalues, and two maps of them in the plane."""

    D: np.ndarray  # (n, n) with what was added
    edges: np.ndarray  # (e, 2) of the graph
    values: np.ndarray  # (n,) eigenvalues of the centred squared distances, falling
    negative: float  # share of the absolute eigenvalues that is negative
    classical: np.ndarray  # (n, 2) along the first eigenvectors
    descended: np.ndarray  # (n, 2) of the least stress that was reached from there
    stresses: tuple[float, float]  # root of the squared error over that of the distances, of both
    constant: float  # the least that, added to every distance, lets points lie so


def _cost(n: int, p: int, it: ImpossibleDistances) -> tuple[float, float]:
    return 3e-3 + 1e-5 * it.n_nodes**2, 500.0 * it.n_nodes**2


@enter(
    Card(
        "impossible_distances",
        "Distances that no points have",
        ("lab",),
        paper="Cailliez (1983), Psychometrika 48(2)",
        sources=("prac:mds_classical", "cs1:mds_classical"),
        cost=_cost,
        formula=r"-\tfrac12 H D^{\circ 2} H = V \Lambda V^\top, \quad "
        r"\text{points exist} \iff \Lambda \geq 0",
        kind="lab",
        pages=("dimensionality_reduction",),
        synonyms=(
            "negative eigenvalues", "non-Euclidean distances", "additive constant", "Cailliez",
            "shortest paths", "classical scaling",
        ),
        line="ways in a graph, drawn in the plane",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class ImpossibleDistances(Lab):
    r"""The number of edges between two nodes is a distance, but seldom one between points.

    Classical scaling takes the eigenvalues of $-\tfrac12 H D^{\circ 2} H$: points with these
    distances exist just where none is negative, and the positive ones are their directions. Of a
    line they do; a cycle or a star asks for more room than any space has. A constant that is added
    to every distance makes any of them possible (Cailliez), in more and more directions.
    """

    tasks = (
        "Begin with the cycle of four nodes: opposite ones are two edges apart. Why can no square "
        "have sides of 1 and a diagonal of 2?",
        "Take the line, and see all eigenvalues but one vanish.",
        "Add a constant to every distance until the last negative eigenvalue is gone, and watch "
        "how many directions there are by then.",
    )
    seen = (
        "The line is a line: one eigenvalue. The cycle of four has 2, 2, 0 and -1; classical "
        "scaling draws a square whose diagonals are right and whose sides are too long, and least "
        "stress shares the error out. With enough added no eigenvalue is negative, but there are "
        "more directions, and the plane shows less of the whole."
    )

    graph: str = choice("cycle", "cycle", "line", "star", doc="How the nodes are joined.")
    n_nodes: int = integer(
        4, low=4, high=40, soft=(4, 16), symbol="n", label="Nodes", doc="How many there are in all."
    )
    added: float = real(
        0.0, low=0.0, high=20.0, soft=(0.0, 4.0), symbol="c", label="Added to each distance",
        doc="A constant, in edges.",
    )  # fmt: skip

    def compute(self, seed: int = 0) -> Impossible:
        """The eigenvalues, both maps and the constant; nothing is drawn."""
        edges = _edges(self.graph, self.n_nodes)
        ways = _ways(edges, self.n_nodes)
        D = ways + self.added * (1.0 - np.eye(self.n_nodes))
        whole = spectrum(D)
        values = np.where(np.abs(whole.values) > EXACT * whole.values[0], whole.values, 0.0)
        classical = filled_up(whole.coordinates(2), 2)
        steps = Metric(max_iter=1000).iterations(D, 2, generator(seed, "places"))
        descended = deque(steps, maxlen=1).pop().Y.copy()
        size = float((D[np.triu_indices(self.n_nodes, 1)] ** 2).sum())
        stresses = _off(D, classical, size), _off(D, descended, size)
        below = float(-values[values < 0].sum())
        share = below / float(np.abs(values).sum())
        return Impossible(
            D, edges, values, share, classical, descended, stresses, least_constant(ways)
        )


def _off(D: np.ndarray, Y: np.ndarray, size: float) -> float:
    """Root of the squared error of a map Y of distances D over their sum of squares."""
    return float(np.sqrt(raw_stress(D, Y) / size))


def _edges(graph: str, n: int) -> np.ndarray:
    """The pairs of nodes that are joined, shape (e, 2)."""
    nodes = np.arange(n)
    if graph == "star":
        return np.column_stack([np.zeros(n - 1, dtype=int), nodes[1:]])
    along = np.column_stack([nodes[:-1], nodes[1:]])
    return np.vstack([along, [[n - 1, 0]]]) if graph == "cycle" else along


def _ways(edges: np.ndarray, n: int) -> np.ndarray:
    """The number of edges on the shortest way between every two nodes, shape (n, n)."""
    joined = np.zeros((n, n))
    joined[edges[:, 0], edges[:, 1]] = 1.0
    return shortest_path(joined, directed=False, unweighted=True)


def least_constant(D: np.ndarray) -> float:
    """The least number of at least 0 that makes distances D, shape (n, n), those of points.

    Added to each but those on the diagonal: the largest real eigenvalue of
    [[0, 2 B(D^2)], [-I, -4 B(D)]] with B(A) = -1/2 H A H (Cailliez 1983).
    """
    n = len(D)
    H = np.eye(n) - 1.0 / n
    squares, plain = (-0.5 * H @ A @ H for A in (D**2, D))
    block = np.block([[np.zeros((n, n)), 2 * squares], [-np.eye(n), -4 * plain]])
    eigenvalues = np.linalg.eigvals(block)
    real_ones = eigenvalues.real[np.abs(eigenvalues.imag) < 1e-6]
    return max(float(real_ones.max()), 0.0)
