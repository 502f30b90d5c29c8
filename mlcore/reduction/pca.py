"""Principal component analysis: the directions along which rows vary most."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np

from mlcore.maths.arrays import GLANCE, constant_columns, vanishing
from mlcore.maths.curves import knee
from mlcore.maths.linear import column_means, count_for_share, signed, turned_about
from mlcore.reduction.remarks import of_constant_columns, of_fewer_directions
from mlcore.reduction.solvers import Solver, rounding
from mlcore.reduction.way_back import coordinates
from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Column, Fit
from mlcore.spine.iterate import Step
from mlcore.spine.method import Given, IterativeMethod
from mlcore.spine.params import choice, flag, integer, part, real
from mlcore.spine.wording import listed, percent

WHITE = 1e-10  # share of the first variance below which a direction must not be scaled to one


@dataclass(frozen=True, eq=False)
class PCAState:
    """The axes so far; closed forms have one such state."""

    squares: np.ndarray  # (q,), sums of squared coordinates of the rows along the axes
    axes: np.ndarray  # (q, p), the last one still turning
    total: float  # sum of squares over all directions
    mean: np.ndarray  # (p,), from which the rows are measured


@dataclass(frozen=True, eq=False, kw_only=True)
class PCAFit(Fit):
    """Principal axes and the variance along them."""

    mean: np.ndarray  # (p,); zeros where rows are not centered
    axes: np.ndarray  # (k, p), rows orthonormal, by falling variance
    scale: np.ndarray  # (k,), what coordinates are divided by: standard deviations if whitened
    variances: np.ndarray  # (k,), of the training rows along the axes
    shares: np.ndarray  # (k,), of the total variance
    singular_values: np.ndarray  # (k,), of the centered rows
    spectrum: np.ndarray  # (q,), variances of every axis that was computed, kept or not
    noise_variance: float  # mean variance of the directions that are left out; 0 if none is
    rank: int  # number of directions with any variance, as far as they were computed
    out_columns: tuple[Column, ...]  # PC1, PC2, ...
    notes: tuple[str, ...] = ()  # sentences about what was decided while fitting

    def transform(self, X: Any) -> np.ndarray:
        """Coordinates along the axes, shape (m, k)."""
        Z = turned_about(self._rows(X), self.mean, self.axes)
        Z /= self.scale
        return Z

    def inverse_transform(self, Z: Any) -> np.ndarray:
        """The points with coordinates Z, shape (m, k), in the space of the columns, (m, p).

        Raises DataError if Z has another number of columns.
        """
        return self.mean + (coordinates(self, Z) * self.scale) @ self.axes

    def reconstruction_error(self, X: Any) -> np.ndarray:
        """Squared distance between each row and its reconstruction, shape (m,)."""
        X = self._rows(X)
        return ((X - self.inverse_transform(self.transform(X))) ** 2).sum(axis=1)

    def hotelling_t2(self, X: Any) -> np.ndarray:
        """Squared distance from the mean in standard deviations along the axes, shape (m,)."""
        Z = self.transform(X) * self.scale
        return (Z**2 / self.variances).sum(axis=1)


def _cost(n: int, p: int, method: PCA) -> tuple[float, float]:
    short, iterations = min(n, p), getattr(method.solver, "max_iter", 0)
    flops = 2.0 * n * p * short + 20.0 * short**3 + 0.1 * iterations * short * 4.0 * n * p
    return 1e-3 + flops / 1e10, 8.0 * (2 * n * p + 3 * short * max(short, p))


@enter(
    Card(
        "pca",
        "PCA",
        ("reduction",),
        paper="Hotelling (1933), Journal of Educational Psychology 24",
        peer="sklearn.decomposition.PCA",
        sources=(
            "epfl:pca_eig", "epfl:pca_svd", "epfl:pca_reconstruct", "epfl:denoise_components",
            "epfl:singular_cov_svd", "epfl:pca_then_method",
            "mi2:pca_eig", "mi2:pca_svd", "prac:pca_components", "prac:pca_project",
            "cs1:pca_greedy", "cs1:linear_components", "cs1:pca_gram", "s841:pca_princomp",
            "s841:pca_snapshot_trick",
        ),
        scores=("reconstruction", "map_neighbours"),
        cost=_cost,
        units="directions of variance",
        formula=r"\max_{W^\top W = I} \sum_i \|W^\top (x_i - \bar x)\|^2",
        synonyms=(
            "principal component analysis", "principal component", "principal components",
            "Karhunen-Loeve transform", "KLT", "eigenfaces", "singular value decomposition", "SVD",
        ),
        line="directions of largest variance",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class PCA(IterativeMethod):
    r"""Turns correlated columns into few uncorrelated ones that keep most of the variance.

    The axes are the eigenvectors of the covariance $C = \frac1{n-1} \sum_i (x_i - \bar x)
    (x_i - \bar x)^\top$, the variances its eigenvalues $\lambda_1 \ge \lambda_2 \ge \dots$; the
    first k axes lose the share $1 - \sum_{j \le k} \lambda_j / \sum_j \lambda_j$, the least that
    any k directions can. The sign of an axis makes its largest entry positive.

    Use it to look at a table, to remove noise or before a method that suffers from many columns;
    standardise columns of different units first. O(n p min(n, p)). It sees straight directions
    only, a wild row turns the axes, and large variance need not mean anything for a target.
    """

    followed: ClassVar[str] = "share of the variance"

    n_components: int | str | None = integer(
        None,
        low=1,
        soft=(1, 20),
        or_none="all that have variance",
        auto="knee",
        symbol="k",
        label="Number of components",
        doc="Axes to keep at most; knee finds the bend of the scree plot.",
    )
    share: float | None = real(
        None,
        above=0.0,
        high=1.0,
        soft=(0.5, 0.99),
        or_none="no limit",
        label="Variance to keep",
        doc="Keep no more axes than hold this share of the variance.",
    )
    whiten: bool = flag(
        False, label="Whiten", doc="Divide each coordinate by its standard deviation."
    )
    solver: Solver = part(
        "auto", slot="pca_solver", doc="How the axes are computed.", advanced=True
    )
    center: bool = flag(True, doc="Measure from the mean; without it from zero.", advanced=True)
    divisor: str = choice(
        "n-1",
        "n-1",
        "n",
        doc="What sums of squares are divided by to give variances.",
        advanced=True,
    )

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        if missing := self.beyond_peer(center=True, divisor="n-1"):
            return missing
        if isinstance(self.n_components, str):
            return self.beyond_peer(n_components=None)
        size = self.share if self.n_components is None else self.n_components
        return {"n_components": size, "whiten": self.whiten, "svd_solver": "full"}

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse rows without variance, and differences whose squares vanish."""
        if len(X) < 2:
            return "PCA needs at least two rows; there is 1. Add rows."
        if reason := vanishing(X, self.title()):
            return reason
        if not constant_columns(X).all() or (X.any() and not self.center):
            return None
        return "PCA needs rows that differ; here all of them are equal. Choose other columns."

    def _steps(self, given: Given) -> Iterator[Step]:
        return self._played(given)

    def _played(self, given: Given) -> Iterator[Step]:
        most = self.n_components if isinstance(self.n_components, int) else None
        mean = column_means(given.X) if self.center else np.zeros(given.p)
        states = self.solver.iterations(given.X, mean, most)
        for k, solver_state in enumerate(states):
            share = float(solver_state.solution.squares.sum() / solver_state.solution.total)
            note = f"{solver_state.note}; the axes so far hold {percent(share)} of the variance."
            state = PCAState(**solver_state.solution._asdict(), mean=mean)
            yield Step(k, share, state, solver_state.stop, note)

    def _finished(self, given: Given, end: Step) -> PCAFit:
        state: PCAState = end.state
        n, p = given.X.shape
        divisor = n - 1 if self.divisor == "n-1" else n
        squares = np.maximum(state.squares, 0.0)
        rank = int((squares > squares[0] * max(rounding(n, p), WHITE * self.whiten)).sum())
        k = min(self._count(squares, state.total), rank)
        kept = squares[:k]
        mean = state.mean if self.center else column_means(given.X)
        return PCAFit(
            made_by=self,
            columns=given.columns,
            n_iter=end.k + 1,
            stop=end.stop,
            mean=state.mean,
            axes=signed(state.axes[:k]),
            scale=np.sqrt(kept / divisor) if self.whiten else np.ones(k),
            variances=kept / divisor,
            shares=kept / state.total,
            singular_values=np.sqrt(kept),
            spectrum=squares / divisor,
            noise_variance=max(state.total - kept.sum(), 0.0) / divisor / max(p - k, 1),
            rank=rank,
            out_columns=_axis_columns(k),
            notes=self._notes(given, mean, rank, float(squares[0])),
        )

    def _count(self, squares: np.ndarray, total: float) -> int:
        """Number of axes asked for, before axes without variance are left out."""
        if self.n_components == "knee":
            count = max(knee(squares), 1)
        else:
            count = int(self.n_components or len(squares))
        if self.share is not None:
            count = min(count, count_for_share(squares, total, self.share))
        return count

    def _notes(self, given: Given, mean: np.ndarray, rank: int, largest: float) -> tuple[str, ...]:
        notes = list(of_constant_columns(given))
        if hidden := [given.columns[j].name for j in _hidden(given.X, mean, largest)]:
            notes.append(
                f"The variance of {listed(hidden)} is no more than rounding beside that of the "
                "first axis, so no axis shows it; standardise first."
            )
        if isinstance(self.n_components, int):
            notes += of_fewer_directions(rank, self.n_components)
        if given.n <= given.p:
            notes.append(f"{given.n} rows span at most {given.n - 1} axes, however many columns.")
        return tuple(notes)


@cache
def _axis_columns(k: int) -> tuple[Column, ...]:
    """PC1 ... PCk; hundreds of them take a millisecond."""
    return tuple(Column(f"PC{j + 1}") for j in range(k))


def _hidden(X: np.ndarray, mean: np.ndarray, largest: float) -> np.ndarray:
    """Positions of columns that vary, by less than rounding takes of the first axis."""
    floor = largest * rounding(*X.shape)
    # The squares of a few rows settle nearly every column, so that few are read in full.
    at = np.flatnonzero(((X[:GLANCE] - mean) ** 2).sum(axis=0) <= floor)
    squares = ((X[:, at] - mean[at]) ** 2).sum(axis=0)
    own = len(X) * (len(X) * np.finfo(float).eps * mean[at]) ** 2  # what rounding the mean leaves
    return at[(squares > own) & (squares <= floor)]
