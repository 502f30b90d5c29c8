"""Label propagation: few known labels spread over many rows along a graph of neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.classification import _kernels
from mlcore.classification.clamps import Clamp
from mlcore.distances.graphs import NeighbourGraph, degrees
from mlcore.maths.arrays import read_only, vanishing
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Fit
from mlcore.spine.iterate import Step, verdict
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import integer, part, real


@dataclass(frozen=True, eq=False)
class PropagationState:
    """How far the labels have spread."""

    distributions: np.ndarray  # (n + u, K) shares of the classes in each row
    reached: np.ndarray  # (n + u,) whether any label has arrived


@dataclass(frozen=True, eq=False, kw_only=True)
class PropagationFit(Fit):
    """The rows of the graph, the known ones first, with their shares of the classes."""

    made_by: LabelPropagation
    classes: np.ndarray  # (K,) sorted labels
    stored: np.ndarray  # (n + u, p) rows with a label, then those without
    known: int  # n, how many have one
    distributions: np.ndarray  # (n + u, K), each row sums to 1
    reached: np.ndarray  # (n + u,) whether any label came there; else shares of the known rows
    shares: np.ndarray  # (K,) of the known rows

    def holds_together(self) -> bool:
        """Whether every stored row, of these columns, has a share of each class."""
        n, K = len(self.stored), len(self.classes)
        return (
            self.stored.shape == (n, self.n_columns)
            and self.distributions.shape == (n, K)
            and self.reached.shape == (n,)
            and self.made_by.graph.applies(n) is None
        )

    @property
    def completed(self) -> np.ndarray:
        """The class with the largest share in every row of the graph, shape (n + u,)."""
        return self.classes[self.distributions.argmax(axis=1)]

    @property
    def certainty(self) -> np.ndarray:
        """Lead of the first class over the second, shape (n + u,); 0 where no label arrived."""
        two = np.sort(self.distributions, axis=1)[:, -2:]
        return np.where(self.reached, two[:, 1] - two[:, 0], 0.0)

    def probabilities(self, X: Any) -> np.ndarray:
        """Mean of the shares of the rows that the graph would join, by weight, shape (m, K).

        Where it joins none that a label reached, the shares of the known rows.
        """
        W = self.made_by.graph.between(self._rows(X), self.stored)
        votes = np.asarray(W @ (self.distributions * self.reached[:, None]))
        return _normalised(votes, self.shares)[0]

    def predict(self, X: Any) -> np.ndarray:
        """The class with the largest share, shape (m,); of equal ones the first."""
        return self.classes[self.probabilities(X).argmax(axis=1)]


def _normalised(F: np.ndarray, otherwise: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows that sum to 1, and which had anything to sum; the others get `otherwise`."""
    P, reached = np.empty_like(F), np.empty(len(F), dtype=np.bool_)
    _kernels.shared_out(read_only(F), read_only(otherwise), P, reached)
    return P, reached


def _cost(n: int, p: int, method: LabelPropagation) -> tuple[float, float]:
    """Assumes as many rows without a label as with one."""
    is_dense = not hasattr(method.graph, "n_neighbors")
    # pyrefly: ignore[missing-attribute]  # asked above
    edges = 4.0 * n * n if is_dense else 4.0 * n * method.graph.n_neighbors
    sweeps = min(method.max_iter, 200)
    return 2e-3 + 2e-5 * n + sweeps * (3e-5 + 4e-9 * edges), 24.0 * edges + 16.0 * n * p


@enter(
    Card(
        "label_propagation",
        "Label propagation",
        ("classification",),
        paper="Zhu and Ghahramani (2002), CMU-CALD-02-107; Zhou and others (2004), NIPS 16",
        task="classification",
        also=("label_spreading",),
        sources=("cs1:semi_supervised",),
        takes=("unlabelled",),
        cost=_cost,
        units="distances",
        formula=r"\min_F \tfrac12 \sum_{ij} w_{ij} \|F_i - F_j\|^2, \quad F_l = Y_l",
        synonyms=("semi-supervised learning", "label spreading", "graph-based learning"),
        line="few labels spread to rows nearby",
    )
)
@dataclass(frozen=True, kw_only=True)
class LabelPropagation(IterativeMethod):
    r"""Spreads the labels of few rows to the rows without target that lie near.

    Rows with and without a label are joined to a graph with weights $w_{ij}$. In each sweep a row
    takes the weighted mean of its neighbours' shares of the classes, while labels stay (or pull,
    if soft); no sweep raises $\frac12 \sum_{ij} w_{ij} \|F_i - F_j\|^2$. A new row takes the mean
    of the rows that the graph would join it to.

    Use it where labels are dear and rows are not, and classes are clouds with gaps between: choose
    a target that is missing in most rows; these are never scored. O(n k) a sweep with k neighbours.
    It fails where classes touch, since one edge lets a label across, and where labels miss a cloud:
    parts of the graph without a label learn nothing and get the shares of the known rows.
    """

    graph: NeighbourGraph = part(
        "knn_graph", slot="neighbour_graph", doc="Which rows are joined, and by how much."
    )
    clamp: Clamp = part(
        "hard", slot="clamp", label="Clamping of known labels", doc="What becomes of them."
    )
    max_iter: int = integer(
        1000, low=1, soft=(10, 5000), log=True, doc="Sweeps at most.", advanced=True
    )
    tol: float = real(
        1e-4,
        above=0.0,
        soft=(1e-8, 1e-2),
        log=True,
        doc="Stop when no share changes by more in a sweep.",
        advanced=True,
    )

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse rows whose squared differences vanish."""
        return vanishing(X, self.title())

    def _steps(self, given: Given) -> Iterator[Step]:
        rows = self._rows_of(given)
        if reason := self.graph.applies(len(rows)):
            raise DataError(reason)
        return self._played(given, rows)

    def _rows_of(self, given: Given) -> np.ndarray:
        return given.X if given.unlabelled is None else np.vstack([given.X, given.unlabelled])

    def _played(self, given: Given, rows: np.ndarray) -> Iterator[Step]:
        W = self.graph.weights(rows)
        d, T = degrees(W), self.clamp.operator(W)
        Y = np.zeros((len(rows), len(given.labels)))
        Y[np.arange(given.n), given.target] = 1.0
        F, passed = Y, np.asarray(T @ Y)
        for k in range(self.max_iter):
            before, F = F, self.clamp.swept(passed, Y, given.n)
            passed = np.asarray(T @ F)
            change = _kernels.largest_change(read_only(F), read_only(before))
            what = "the largest change of a share"
            stop = verdict(k, change, tol=self.tol, max_iter=self.max_iter, what=what)
            state = PropagationState(*_normalised(F, _shares(given)))
            note = _note(state.reached[given.n :], change)
            yield Step(k, self.clamp.energy(d, F, passed, Y), state, stop, note)
            if stop:
                return

    def _finished(self, given: Given, end: Step) -> PropagationFit:
        state: PropagationState = end.state
        return PropagationFit(
            made_by=self,
            columns=given.columns,
            n_iter=end.k + 1,
            stop=end.stop,
            classes=given.labels,
            stored=self._rows_of(given).copy(),
            known=given.n,
            distributions=state.distributions,
            reached=state.reached,
            shares=_shares(given),
        )


def _shares(given: Given) -> np.ndarray:
    return np.bincount(given.target, minlength=len(given.labels)) / given.n


def _note(reached: np.ndarray, change: float) -> str:
    if not len(reached):
        return "Every row has a label, so there is nowhere to spread."
    return (
        f"Labels have come to {reached.sum():,} of {len(reached):,} rows without one; the largest "
        f"change of a share is {change:.2g}."
    )
