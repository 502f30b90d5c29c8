"""Isomap: a map that keeps distances along a surface, measured through neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np
from scipy.sparse.linalg import eigsh
from scipy.spatial.distance import cdist, pdist, squareform

from mlcore.maths.arrays import read_only
from mlcore.maths.linear import eigen_falling, signed
from mlcore.reduction import _kernels
from mlcore.reduction.connected import GraphMap, GraphMapFit
from mlcore.reduction.remarks import of_fewer_directions
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import integer
from mlcore.spine.pool import side_by_side
from mlcore.spine.wording import count, percent, spaced

FEW = 300  # rows of which all eigenvectors take no time
MANY = 1_000  # rows of more than which only the first eigenvalues are found
PART = 128  # rows whose paths are one piece of work
MOST_ROWS = 5_000  # of which the paths of all pairs are kept: 200 MB
LANDMARKS = 1_000  # of more rows
STRAIGHT = {2.0: "euclidean", 1.0: "cityblock", inf: "chebyshev", 0.0: "hamming"}


@dataclass(frozen=True, eq=False)
class IsomapState:
    """The map at a stage, by straight distances at first; of a fit the same fields."""

    coordinates: np.ndarray  # (m, q), 0 along what is not found yet
    paths: np.ndarray  # (m, l) distances that it was made of
    norms: np.ndarray  # (l,)
    variances: np.ndarray  # (q,)


class _Classical(NamedTuple):
    """A classical map of distances to landmarks, and its spectrum."""

    coordinates: np.ndarray  # (m, q)
    norms: np.ndarray  # (l,)
    eigenvalues: np.ndarray  # (r,)
    negative_share: float
    total: float  # of all eigenvalues


@dataclass(frozen=True, eq=False, kw_only=True)
class IsomapFit(GraphMapFit):
    """Coordinates along eigenvectors of the distances through the graph."""

    landmarks: np.ndarray  # (l,) positions of the rows that paths were measured from; all of few
    paths: np.ndarray  # (m, l) lengths of the shortest paths from these
    norms: np.ndarray  # (l,) squared distance of each from their mean
    eigenvalues: np.ndarray  # (r,) falling, all of few rows; else the first
    negative_share: float  # of the sizes of all eigenvalues; NaN where not all are known
    residual_variance: np.ndarray  # (q,) 1 - r^2 of paths and distances in 1, 2 ... coordinates
    variances: np.ndarray  # (q,) along the coordinates
    shares: np.ndarray  # (q,) of the sum of all eigenvalues that are not negative

    def holds_together(self) -> bool:
        """Whether there is a place and a path for each row."""
        m, landmarks = len(self.rows), self.landmarks
        if not len(landmarks) or landmarks.min() < 0 or landmarks.max() >= m:
            return False
        return super().holds_together() and self.paths.shape == (m, len(landmarks))

    def transform(self, X: Any) -> np.ndarray:
        """Coordinates of other rows, shape (m, q): paths lead through their nearest rows.

        Then Gower's formula (1968, Biometrika 55), 1/2 (b - d^2) Y / values.
        """
        X, method = self._rows(X), cast(Any, self.made_by)
        near = self._nearest(X, method.n_neighbors)
        lengths = np.full((len(X), len(self.landmarks)), np.inf)
        for distances, rows in zip(near.distances.T, near.rows.T, strict=True):
            np.minimum(lengths, distances[:, None] + self.paths[rows], out=lengths)
        values = self.variances * len(self.landmarks)
        return _placed(lengths, self.norms, self.coordinates[self.landmarks] / values)


def _placed(lengths: np.ndarray, norms: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Places of rows by their paths to landmarks, shape (m, l), with the norms of these, (l,)."""
    return 0.5 * (norms - lengths**2) @ axes


def _cost(n: int, p: int, method: Isomap) -> tuple[float, float]:
    sources = method.landmarks_of(n)
    paths = 1e-9 * n * sources * method.n_neighbors * np.log2(n + 2)
    return 2e-3 + paths + 5e-10 * n**2 * (p + 10), 40.0 * n * sources


@enter(
    Card(
        "isomap",
        "Isomap",
        ("reduction",),
        paper="Tenenbaum, de Silva and Langford (2000), Science 290",
        sources=("prac:isomap", "prac:isomap_diagnostics", "cs1:isomap", "mi2:embed_isomap"),
        scores=("map_neighbours", "stress"),
        cost=_cost,
        units="distances",
        formula=r"B = -\tfrac12 H D_G^{2} H, \quad D_G \text{: shortest paths through neighbours}",
        synonyms=("isometric mapping", "manifold learning", "geodesic distances"),
        line="distances along the surface",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class Isomap(GraphMap, IterativeMethod):
    r"""Unrolls a surface: keeps distances along it, as paths from neighbour to neighbour.

    Rows are joined to their nearest; $D_G$ holds the lengths of the shortest paths; the map is
    the classical one of these distances, the eigenvectors of $-\frac12 H D_G^2 H$. The residual
    variance, 1 less the squared correlation of paths and distances in the map, says how many
    coordinates the surface needs. Of many rows paths are measured from some, the landmarks, which
    make the map; the others are placed by their paths to these (de Silva and Tenenbaum 2003).

    Use it for one bent sheet without gaps, densely covered. O(n k log n) for the paths from each
    landmark. Fails where one false edge short-cuts two layers: then negative eigenvalues grow and
    the sheet folds.
    """

    followed: ClassVar[str] = "residual variance"

    n_landmarks: int | str = integer(
        "auto",
        low=3,
        soft=(100, 5000),
        log=True,
        auto="auto",
        label="Landmarks",
        doc="Rows that paths are measured from; auto takes every row of up to "
        f"{spaced(MOST_ROWS)}, and {spaced(LANDMARKS)} of more.",
        advanced=True,
    )

    def landmarks_of(self, m: int) -> int:
        """How many of m rows are landmarks."""
        if isinstance(self.n_landmarks, str):
            return m if m <= MOST_ROWS else LANDMARKS
        return min(self.n_landmarks, m)

    def most_rows(self, p: int) -> int:
        """As many, whatever the columns, as paths from the landmarks fit in memory for."""
        landmarks = self.landmarks_of(MOST_ROWS + 1)
        return MOST_ROWS if landmarks > MOST_ROWS else MOST_ROWS**2 // landmarks

    def _fit(self, given: Given) -> IsomapFit:
        part = self._connected(given.X)
        landmarks = _landmarks(len(part.rows), self.landmarks_of(len(part.rows)))
        D = _paths(part.lengths, landmarks)
        if not D.any():
            raise DataError(
                f"{self.title()} needs rows that differ; by {self.metric.title()} distance all "
                "that are joined are equal. Choose another distance, or raise the number of "
                "neighbours."
            )
        scaled = _classical(D, landmarks, self.n_components)
        Y, values = scaled.coordinates, scaled.eigenvalues
        l, q = len(landmarks), Y.shape[1]
        positive = float(values[values > 0].sum()) if len(values) == l else scaled.total
        return IsomapFit(
            made_by=self, columns=given.columns, n_iter=q + 1, stop=_ended(q), frame=part.frame,
            rows=given.X[part.rows], kept_rows=part.rows, coordinates=Y, landmarks=landmarks,
            paths=D, norms=scaled.norms, eigenvalues=values.copy(),
            negative_share=scaled.negative_share,
            residual_variance=_residual_variances(D, Y, landmarks),
            variances=values[:q] / l, shares=values[:q] / positive,
            out_columns=tuple(Column(f"ISO{k + 1}") for k in range(q)),
            notes=(
                *part.notes, *_of_landmarks(l, len(D)), *of_fewer_directions(q, self.n_components),
            ),
        )  # fmt: skip

    def _steps(self, given: Given) -> Iterator[Step]:
        """The graph, the paths, then one eigenvector after the other."""
        fit = self._fit(given)
        before, straight = _straight(fit)
        off = float(_residual_variances(fit.paths, before.coordinates, fit.landmarks)[-1])
        edges = count(len(fit.edges), "edge")
        yield Step(0, off, before, None, f"The graph: {edges} between neighbours. {AS_THEY_LIE}")
        longer = fit.paths.sum() / straight.sum()
        note = f"The paths through it are {longer:.3g} times as long as straight distances."
        yield Step(1, off, before, None, note)
        q = fit.coordinates.shape[1]
        for k in range(1, q + 1):
            shown = np.where(np.arange(q) < k, fit.coordinates, 0.0)
            state = IsomapState(shown, fit.paths, fit.norms, fit.variances)
            left = float(fit.residual_variance[k - 1])
            note = f"Coordinate {k} has {percent(fit.shares[k - 1])} of the paths' squared lengths."
            yield Step(k + 1, left, state, _ended(q) if k == q else None, note)


AS_THEY_LIE = "Rows stand where straight distances put them."


def _ended(q: int) -> Stop:
    return Stop("converged", f"{count(q, 'coordinate')} of the paths found.")


def _straight(fit: IsomapFit) -> tuple[IsomapState, np.ndarray]:
    """The map that straight distances would give, turned to that of the paths, and them, (m, l)."""
    rows, power = fit.frame.placed(fit.rows), fit.frame.power
    apart: Any = cdist
    more = {} if power in STRAIGHT else {"p": power}
    D = apart(rows, rows[fit.landmarks], STRAIGHT.get(power, "minkowski"), **more)
    q = fit.coordinates.shape[1]
    scaled = _classical(D, fit.landmarks, q)
    Y, spread = np.zeros_like(fit.coordinates), np.ones(q)
    own = scaled.coordinates.shape[1]
    side = np.where((scaled.coordinates * fit.coordinates[:, :own]).sum(axis=0) < 0, -1.0, 1.0)
    Y[:, :own], spread[:own] = scaled.coordinates * side, scaled.eigenvalues[:own] / D.shape[1]
    return IsomapState(Y, D, scaled.norms, spread), D


def _classical(D: np.ndarray, landmarks: np.ndarray, most: int) -> _Classical:
    """Up to `most` coordinates of all rows by their distances to landmarks, (m, l)."""
    squares = D[landmarks] ** 2
    means = squares.mean(axis=0)
    squares -= means
    squares -= means[:, None] - means.mean()
    squares *= -0.5
    norms, total = np.diagonal(squares).copy(), float(np.trace(squares))
    values, vectors, share = _first(squares, most)
    l = len(landmarks)
    q = min(most, int((values > values[0] * l * np.finfo(float).eps).sum()))
    Y = signed(vectors[:, :q].T).T * np.sqrt(values[:q])
    if l < len(D):
        placed = _placed(D, norms, Y / values[:q])
        placed[landmarks] = Y
        Y = placed
    return _Classical(Y, norms, values, share, total)


def _landmarks(m: int, wanted: int) -> np.ndarray:
    """All of m rows, or some, always the same, shape (l,), rising."""
    if wanted >= m:
        return np.arange(m)
    return np.sort(np.random.default_rng(0).choice(m, wanted, replace=False))


def _of_landmarks(some: int, m: int) -> tuple[str, ...]:
    if some == m:
        return ()
    return (
        f"Paths are measured from {some:,} of {m:,} rows; the others are placed by their paths to "
        "these.",
    )


def _paths(lengths: Any, sources: np.ndarray) -> np.ndarray:
    """Lengths of the shortest paths of a connected graph from `sources`, (l,), as (n, l).

    Exactly symmetric where both ends are sources.
    """
    n, count = lengths.shape[0], len(sources)
    D = np.empty((count, n))
    ends, edges = (read_only(a.astype(np.int64)) for a in (lengths.indptr, lengths.indices))
    data, starts = read_only(lengths.data), read_only(sources)

    def work(first: int) -> None:
        last = min(first + PART, count)
        _kernels.shortest_paths(ends, edges, data, starts, first, last, D)

    list(side_by_side(work, range(0, count, PART)))
    # Back along a path its lengths add up in another order.
    if count == n:
        return np.minimum(D, D.T)
    D[:, sources] = np.minimum(D[:, sources], D[:, sources].T)
    return np.ascontiguousarray(D.T)


def _first(B: np.ndarray, q: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Eigenvalues of B, falling, with vectors, and the share of negative ones: few of many rows."""
    if len(B) <= FEW or q > len(B) // 20:
        values, vectors = eigen_falling(B)
        return values, vectors, _negative_share(values)
    start = np.random.default_rng(0).normal(size=len(B))  # a fixed start: equal bits each time
    values, vectors = eigsh(B, q, which="LA", v0=start)
    if len(B) > MANY:
        return values[::-1], vectors[:, ::-1], float("nan")
    every = np.linalg.eigvalsh(B)[::-1]  # without vectors in a third of the time
    return every, vectors[:, ::-1], _negative_share(every)


def _negative_share(values: np.ndarray) -> float:
    sizes = np.abs(values)
    return float(sizes[values < 0].sum() / sizes.sum())


def _residual_variances(D: np.ndarray, Y: np.ndarray, landmarks: np.ndarray) -> np.ndarray:
    """1 - r^2 of paths to landmarks, (m, l), and distances in the first 1, 2 ... of Y, (m, q)."""
    if len(landmarks) == len(D):
        aims = squareform(D, checks=False)
        maps = (pdist(Y[:, : k + 1]) for k in range(Y.shape[1]))
    else:
        others = np.ones(D.shape, dtype=bool)
        others[landmarks, np.arange(len(landmarks))] = False
        aims = D[others]
        maps = (cdist(Y[:, :k], Y[landmarks, :k])[others] for k in range(1, Y.shape[1] + 1))
    return np.array([1.0 - _correlation(aims, apart) ** 2 for apart in maps])


def _correlation(a: np.ndarray, b: np.ndarray) -> float:
    """Pearson's; NaN where one does not vary, as of rows that are all equally far apart."""
    varies = np.ptp(a) > 0 and np.ptp(b) > 0
    return float(np.corrcoef(a, b)[0, 1]) if varies else np.nan
