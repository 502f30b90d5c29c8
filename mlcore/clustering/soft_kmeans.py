"""Soft k-means: rows belong to several centers at once, each by a share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from mlcore.clustering.counted import CountedClusters
from mlcore.clustering.memberships import Membership
from mlcore.clustering.restarts import RestartedMethod, final_objectives, too_few
from mlcore.clustering.sharing import SoftProblem, SoftState, squares_to
from mlcore.clustering.starts import Start
from mlcore.maths.arrays import vanishing
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Fit
from mlcore.spine.iterate import Step
from mlcore.spine.method import Given
from mlcore.spine.params import integer, part, real
from mlcore.spine.wording import count

TOGETHER = 0.01  # of the spread of the rows: centers that are nearer lie at one place


@dataclass(frozen=True, eq=False, kw_only=True)
class SoftKMeansFit(Fit):
    """Centers, and how far each fitted row belongs to each."""

    labels: np.ndarray  # (n,) the center with the largest share
    memberships: np.ndarray  # (n, K), rows of sum 1
    centers: np.ndarray  # (K, p); fewer than asked for where fewer rows differ
    directions: np.ndarray  # (K, r, p) orthonormal: of the flat piece through each center
    radius: float  # within which rows are shared, in units of the columns; 0: no such
    mean_cost: float  # what the membership charges, a row
    restarts: np.ndarray  # (n_init,), mean cost at the end of every run
    notes: tuple[str, ...] = ()

    def holds_together(self) -> bool:
        """Whether there are centers of these columns, and as many pieces."""
        k, p = max(len(self.centers), 1), self.n_columns
        return self.centers.shape == (k, p) and self.directions.shape[::2] == (k, p)

    def predict(self, X: Any) -> np.ndarray:
        """The center with the largest share of each row, shape (m,); the lowest on ties."""
        return self.responsibilities(X).argmax(axis=1)

    def responsibilities(self, X: Any) -> np.ndarray:
        """The share of each center in each row, shape (m, K)."""
        squares = squares_to(self._rows(X), self.centers, self.directions)
        return cast(Any, self.made_by).membership.shares(squares)


def _cost(n: int, p: int, method: SoftKMeans) -> tuple[float, float]:
    k, iterations = method.n_clusters, min(method.max_iter, 100 + n / 33)  # as in no groups
    each = 1e-4 + 1e-9 * n * k * (20 + 4 * p + method.n_directions * p)
    return 2e-3 + method.n_init * iterations * each, 8.0 * n * (3 * p + 6 * k)


@enter(
    Card(
        "soft_kmeans",
        "Soft k-means",
        ("clustering", "scorer"),
        paper="MacKay (2003), Information Theory, Inference, and Learning Algorithms, chapter 20",
        sources=(
            "epfl:soft_kmeans", "epfl:kmeans_harmonic", "mi2:fuzzy_clustering_note",
            "s841:linear_basis_network",
        ),
        takes=("weights",),
        scores=("stability", "silhouette", "group_information"),
        random=True,
        cost=_cost,
        units="distances",
        formula=r"u_{ik} \propto e^{-\beta \|x_i - c_k\|^2 / 2}, \quad "
        r"c_k = \sum_i u_{ik} x_i / \sum_i u_{ik}",
        synonyms=(
            "fuzzy c-means", "fuzzy clustering", "k-harmonic means", "fuzzy c-varieties",
            "soft clustering",
        ),
        line="every row shared among K centers",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class SoftKMeans(CountedClusters, RestartedMethod):
    r"""Shares every row among K centers, and moves each center to the mean of its shares.

    With Gibbs shares, $u_{ik} \propto e^{-\beta \|x_i - c_k\|^2/2}$, this minimises the free
    energy $\sum_i \sum_k u_{ik} (\|x_i - c_k\|^2/2 + \log(u_{ik})/\beta)$; it is the mixture of
    equal balls of variance $1/\beta$. Fuzzy and harmonic shares have no radius of their own. With
    directions, prototypes are lines or planes through the centers in place of points.

    Use it where groups overlap, and where hard k-means stays in a bad start. Costs O(n p K) an
    iteration. Fails with a stiffness that does not suit the columns: small, and the centers fall
    together; large, and it is k-means. Groups of unequal width need a mixture.
    """

    n_clusters: int = integer(
        3, low=1, soft=(2, 12), symbol="K", label="Number of clusters", doc="Number of centers."
    )
    membership: Membership = part(
        "gibbs", slot="membership", label="Shares", doc="How rows are shared among the centers."
    )
    n_directions: int = integer(
        0,
        low=0,
        soft=(0, 3),
        symbol="r",
        label="Directions",
        doc="Of each prototype: 0 is a point, 1 a line, 2 a plane.",
        advanced=True,
    )
    init: Start = part(
        "plus_plus",
        slot="centers",
        label="Initialisation",
        doc="How the first centers are chosen.",
    )
    n_init: int = integer(
        1,
        low=1,
        high=200,
        soft=(1, 50),
        symbol="R",
        label="Restarts",
        doc="Runs from different starts, of which the best is kept.",
    )
    tol: float = real(
        1e-6,
        low=0.0,
        soft=(0.0, 1e-2),
        label="Tolerance",
        doc="Stop when no center moves farther, as a share of the spread of the rows.",
        advanced=True,
    )
    max_iter: int = integer(
        500,
        low=1,
        soft=(10, 1000),
        log=True,
        label="Maximum iterations",
        doc="Moves of the centers after which a run stops.",
        advanced=True,
    )

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse more clusters than rows, too many directions, and squares that vanish."""
        if len(X) < self.n_clusters:
            return too_few(self.n_clusters, len(X))
        if 0 < X.shape[1] <= self.n_directions:
            return (
                f"Prototypes along {self.n_directions} directions need more columns than these; "
                f"there are {X.shape[1]}. Lower the number of directions."
            )
        if reason := vanishing(X, self.title()):
            return reason
        return self.init.applies(X, self.n_clusters)

    def _problem(self, given: Given) -> SoftProblem:
        return SoftProblem(self, given)

    def _finished(self, given: Given, end: Step) -> SoftKMeansFit:
        state: SoftState = end.state
        return SoftKMeansFit(
            made_by=self,
            columns=given.columns,
            n_iter=end.k // 2,  # share, move, share, move, ..., share
            stop=end.stop,
            labels=state.labels,
            memberships=state.memberships,
            centers=state.centers,
            directions=state.directions,
            radius=self.membership.radius,
            mean_cost=end.objective,
            restarts=final_objectives(end),
            notes=() if self.n_directions else _of_places(state.centers, given.X),
        )


def _of_places(centers: np.ndarray, X: np.ndarray) -> tuple[str, ...]:
    """That some centers, (K, p), lie at one place, for rows X, (n, p)."""
    near = TOGETHER * float(np.sqrt(X.var(axis=0).sum()))
    apart = np.linalg.norm(centers[:, None] - centers, axis=2)
    places = int((np.tril(apart <= near, -1).sum(axis=1) == 0).sum())
    if places == len(centers):
        return ()
    many, where = count(len(centers), "center"), count(places, "place")
    return (f"{many} lie at {where}: ask for fewer, or share rows less softly.",)
