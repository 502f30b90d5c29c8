"""Supervised UMAP: labels weaken edges of the graph of neighbours before it is laid out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from mlcore.reduction.fuzzy.sets import united
from mlcore.reduction.fuzzy.umap import UMAP, UMAPFit, graph_of
from mlcore.spine import checks
from mlcore.spine.component import Card, enter
from mlcore.spine.iterate import Step
from mlcore.spine.method import Given
from mlcore.spine.params import real

if TYPE_CHECKING:
    from scipy.sparse import csr_array

LEAST_APART = 2.5  # how far labels that differ are apart at a weight of 0; e^-2.5 is 0.08


@dataclass(frozen=True, eq=False, kw_only=True)
class SupervisedUMAPFit(UMAPFit):
    """Places of the rows in a map that knew their classes."""

    classes: np.ndarray  # (K,) sorted labels
    codes: np.ndarray  # (n,) positions in them of the labels of the training rows

    def holds_together(self) -> bool:
        """Whether each row has a class besides."""
        return super().holds_together() and self.codes.shape == (len(self.rows),)

    @property
    def graph(self) -> Any:
        """The fuzzy graph of the training rows as labels leave it, sparse, (n, n)."""
        return with_labels(super().graph, self.codes, cast(Any, self.made_by).target_weight)


def with_labels(graph: csr_array, codes: np.ndarray, weight: float) -> csr_array:
    r"""A fuzzy graph, shape (n, n), intersected with that of labels, codes of shape (n,).

    Between rows of different classes memberships fall by $e^{-f}$ with $f = 2.5 / (1 - weight)$.
    Then the surest neighbour of each row is certain again, and both directions are united.
    """
    from scipy.sparse import csr_array, diags_array  # takes a moment to import

    one = np.repeat(np.arange(len(codes)), np.diff(graph.indptr))
    differ = codes[one] != codes[graph.indices]
    kept = graph.data * np.where(differ, np.exp(-LEAST_APART / (1.0 - weight)), 1.0)
    weakened = csr_array((kept, graph.indices, graph.indptr), shape=graph.shape)
    surest: Any = weakened.max(axis=1).toarray().ravel()
    return united(csr_array(diags_array(1.0 / np.where(surest > 0, surest, 1.0)) @ weakened))


def _cost(n: int, p: int, method: SupervisedUMAP) -> tuple[float, float]:
    seconds, memory = cast(Any, UMAP.card.cost)(n, p, method)
    # Neighbours of one class weigh more, so that more pairs are drawn.
    return 1.4 * seconds, memory + 32.0 * n * method.n_neighbors


@enter(
    Card(
        "supervised_umap",
        "Supervised UMAP",
        ("reduction",),
        paper="McInnes, Healy and Melville (2018), arXiv:1802.03426",
        takes=("target",),
        scores=("neighbour_scores", "map_neighbours"),
        random=True,
        cost=_cost,
        units="distances",
        formula=r"v_{ij} \leftarrow v_{ij} \, e^{-2.5 / (1 - \omega)} "
        r"\quad \text{where } c_i \neq c_j",
        synonyms=(
            "UMAP with labels", "target weight", "supervised dimension reduction",
            "supervised manifold learning", "supervised embedding",
        ),
        line="UMAP that knows the classes",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class SupervisedUMAP(UMAP):
    r"""Lays out the graph of neighbours with edges between classes weakened.

    As UMAP, but the membership $v_{ij}$ of rows of different classes $c_i \neq c_j$ is first
    multiplied by $e^{-2.5 / (1 - \omega)}$; then the surest neighbour of each row is certain again.
    Later rows come without a class and are placed by their neighbours alone, so the map is judged
    on rows left out: by whether the nearest there is of the same class.

    Use it to see how known classes are made up, or for few columns before another method. O(n k)
    an epoch after the neighbours are found. Fails as evidence that classes differ: the fitted rows
    of any labels come apart, also of such that were drawn; trust the rows left out alone.
    """

    target_weight: float = real(
        0.5,
        low=0.0,
        high=0.99,
        soft=(0.0, 0.99),
        symbol=r"\omega",
        label="Weight of the classes",
        doc="How far rows of different classes are kept apart: at 0 their edges keep 8 % of what "
        "they weighed, at 0.5 less than 1 %.",
    )

    def _target(self, y: Any, n: int) -> tuple[np.ndarray | None, np.ndarray | None]:
        checks.no_quantity(y, self.title())
        return super()._target(y, n)

    def _laid_out(self, given: Given) -> Any:
        graph = graph_of(self.metric.frame(given.X, None), given.X, self.n_neighbors)
        return with_labels(graph, given.target, self.target_weight)

    def _finished(self, given: Given, end: Step) -> SupervisedUMAPFit:
        fields = self._fields(given, end)
        return SupervisedUMAPFit(**fields, classes=given.labels, codes=given.target.copy())
