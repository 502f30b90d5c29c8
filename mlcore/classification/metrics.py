"""How far apart two rows are: parts of the methods that look at neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isqrt
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular

from mlcore.component import Card, Component, enter
from mlcore.errors import DataError
from mlcore.fit import freeze
from mlcore.kernels.kernel import Kernel
from mlcore.params import choice, many, real


@dataclass(frozen=True, eq=False)
class Frame:
    """The space in which a distance is a plain norm of the difference.

    With a kernel, a row is placed at its projection on the span of the landmarks' features. What
    sticks out of the span is one coordinate more, which is 0 for the landmarks themselves, so that
    the distance from any row to a landmark is that of the features.
    """

    power: float = 2.0  # of the norm; infinity the largest difference, 0 the share that differs
    axes: np.ndarray | None = None  # (p, r), rows are multiplied by it
    unit_rows: bool = False  # rows are divided by their length
    note: str = ""
    kernel: Kernel | None = None
    landmarks: np.ndarray | None = None  # (n, p) rows whose features span the axes
    own: np.ndarray | None = None  # (n,) columns that are looked at

    def __post_init__(self) -> None:
        freeze(self)

    def __setstate__(self, state: dict) -> None:
        self.__dict__.update(state)
        freeze(self)

    def placed(self, X: np.ndarray) -> np.ndarray:
        """Rows in that space, shape (m, r)."""
        if self.kernel is not None:
            return self._among_features(X)
        if self.own is not None:
            return np.ascontiguousarray(X[:, self.own])
        if self.axes is not None:
            return np.ascontiguousarray(X @ self.axes)
        if not self.unit_rows:
            return X
        # Divided by the largest entry first, so that no square overflows or vanishes.
        scale = np.abs(X).max(axis=1, keepdims=True)
        Z = X / np.where(scale > 0, scale, 1.0)
        length = np.sqrt((Z**2).sum(axis=1, keepdims=True))
        return Z / np.where(length > 0, length, 1.0)

    def _among_features(self, X: np.ndarray) -> np.ndarray:
        assert self.kernel is not None
        assert self.landmarks is not None
        assert self.axes is not None
        Z = self.kernel.against(self.landmarks)(X) @ self.axes
        rest = np.maximum(self.kernel.diag(X) - (Z**2).sum(axis=1), 0.0)
        return np.column_stack([Z, np.sqrt(rest)])


@dataclass(frozen=True, kw_only=True)
class Metric(Component):
    """A distance between rows."""

    def frame(self, X: np.ndarray, codes: np.ndarray | None) -> Frame:
        """What is learned of the distance from rows X, shape (n, p), and classes, shape (n,)."""
        raise NotImplementedError(f"{type(self).__name__} declares no frame")


@enter(
    Card(
        "euclidean",
        "Euclidean",
        ("metric",),
        kind="part",
        sources=("epfl:dist_euclidean",),
        formula=r"\|x - z\|_2",
    )
)
@dataclass(frozen=True, kw_only=True)
class Euclidean(Metric):
    """The length of the difference."""

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        return {"metric": "euclidean"}

    def frame(self, X: np.ndarray, codes: np.ndarray | None) -> Frame:
        """Rows as they are."""
        return Frame()


@enter(
    Card(
        "manhattan",
        "Manhattan",
        ("metric",),
        kind="part",
        sources=("epfl:dist_manhattan",),
        formula=r"\sum_j |x_j - z_j|",
    )
)
@dataclass(frozen=True, kw_only=True)
class Manhattan(Metric):
    """The sum of the differences; a wild column counts less than in squares."""

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        return {"metric": "manhattan"}

    def frame(self, X: np.ndarray, codes: np.ndarray | None) -> Frame:
        """Rows as they are."""
        return Frame(power=1.0)


@enter(
    Card(
        "chebyshev",
        "Chebyshev",
        ("metric",),
        kind="part",
        sources=("epfl:dist_chebyshev",),
        formula=r"\max_j |x_j - z_j|",
    )
)
@dataclass(frozen=True, kw_only=True)
class Chebyshev(Metric):
    """The largest of the differences."""

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        return {"metric": "chebyshev"}

    def frame(self, X: np.ndarray, codes: np.ndarray | None) -> Frame:
        """Rows as they are."""
        return Frame(power=inf)


@enter(
    Card(
        "minkowski",
        "Minkowski",
        ("metric",),
        also=("function:Minkowski",),
        kind="part",
        sources=("epfl:dist_minkowski",),
        formula=r"\left(\sum_j |x_j - z_j|^p\right)^{1/p}",
    )
)
@dataclass(frozen=True, kw_only=True)
class Minkowski(Metric):
    """Between Manhattan (1) and Chebyshev (infinity); 2 is Euclidean."""

    p: float = real(3.0, low=1.0, high=20.0, soft=(1.0, 6.0), doc="Exponent of the differences.")

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        return {"metric": "minkowski", "p": self.p}

    def frame(self, X: np.ndarray, codes: np.ndarray | None) -> Frame:
        """Rows as they are."""
        return Frame(power=self.p)


@enter(
    Card(
        "cosine",
        "Cosine",
        ("metric",),
        also=("function:Cosine",),
        kind="part",
        sources=("epfl:cosine_similarity",),
        formula=r"\|x / \|x\| - z / \|z\|\|_2",
    )
)
@dataclass(frozen=True, kw_only=True)
class Cosine(Metric):
    """The angle between rows, whatever their length; a chord of the unit sphere."""

    def frame(self, X: np.ndarray, codes: np.ndarray | None) -> Frame:
        """Rows of length 1."""
        nowhere = int((~X.any(axis=1)).sum())
        note = (
            f"Rows with nothing but 0 have no direction: {nowhere} of {len(X)}. They are 1 away from "
            "all others."
        )
        return Frame(unit_rows=True, note=note if nowhere else "")


@enter(
    Card(
        "hamming",
        "Hamming",
        ("metric",),
        also=("function:Hamming",),
        kind="part",
        formula=r"\frac1p \sum_j [x_j \ne z_j]",
    )
)
@dataclass(frozen=True, kw_only=True)
class Hamming(Metric):
    """The share of columns that differ, by however much."""

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        return {"metric": "hamming"}

    def frame(self, X: np.ndarray, codes: np.ndarray | None) -> Frame:
        """Rows as they are."""
        return Frame(power=0.0)


@enter(
    Card(
        "mahalanobis",
        "Mahalanobis",
        ("metric",),
        also=("function:Mahalanobis",),
        kind="part",
        sources=("epfl:dist_mahalanobis", "s841:knn_mahalanobis"),
        formula=r"\sqrt{(x - z)^\top \Sigma^{-1} (x - z)}",
    )
)
@dataclass(frozen=True, kw_only=True)
class Mahalanobis(Metric):
    r"""Differences in units of the spread of the rows, correlations taken out.

    Directions in which the standardised rows do not vary are left out, which is said, unless the
    spread is shrunken towards a ball: $(1 - s) \Sigma + s \, \mathrm{tr}(\Sigma) / p \, I$.
    """

    scope: str = choice(
        "within",
        "within",
        "total",
        "given",
        doc="Spread about the means of the classes, about the mean of all rows, or a given one; a "
        "quantity has no classes, so its is that of all rows.",
    )
    shrinkage: float = real(
        0.0,
        low=0.0,
        high=1.0,
        soft=(0.0, 1.0),
        symbol="s",
        doc="Share of a ball in the spread; some keeps directions that few rows show, with 1 "
        "it is Euclidean in other units.",
        advanced=True,
    )
    covariance: tuple = many(
        (), doc="The given spread, row by row: p times p numbers for p columns.", advanced=True
    )

    def conflict(self) -> str | None:
        """A given spread is there where it is looked at, and is one."""
        who = self.title()
        if self.scope != "given":
            return f"{who}: covariance needs the scope given." if self.covariance else None
        p = isqrt(len(self.covariance))
        if not p or p * p != len(self.covariance):
            return (
                f"{who}: a given covariance has p times p numbers for p columns, row by row; got "
                f"{len(self.covariance)}."
            )
        S = np.reshape(self.covariance, (p, p))
        if (S == S.T).all() and np.linalg.eigvalsh(S)[0] > 0:
            return None
        return f"{who}: a given covariance must be symmetric and positive definite."

    def frame(self, X: np.ndarray, codes: np.ndarray | None) -> Frame:
        """Axes along which the spread is 1."""
        p = X.shape[1]
        if self.scope == "given":
            return Frame(axes=_rooted(self._shrunken(self._given(p))))
        Z = X - X.mean(axis=0)
        if codes is not None and self.scope == "within":
            counts = np.bincount(codes)
            members = codes == np.arange(len(counts))[:, None]
            Z = X - ((members @ X) / counts[:, None])[codes]
        if self.shrinkage and Z.any():
            return Frame(axes=_rooted(self._shrunken(Z.T @ Z / len(Z))))
        axes = _unit_axes(Z)
        rank = axes.shape[1]
        note = f"The rows vary in {rank} of {p} directions; the others are not looked at."
        return Frame(axes=axes, note=note if rank < p else "")

    def _given(self, p: int) -> np.ndarray:
        if len(self.covariance) == p * p:
            return np.reshape(self.covariance, (p, p))
        raise DataError(
            f"{self.title()} has a given covariance of {isqrt(len(self.covariance))} columns; "
            f"these rows have {p}. Give {p * p} numbers, row by row."
        )

    def _shrunken(self, S: np.ndarray) -> np.ndarray:
        ball = np.trace(S) / len(S) * np.eye(len(S))
        return (1 - self.shrinkage) * S + self.shrinkage * ball


def _unit_axes(Z: np.ndarray) -> np.ndarray:
    """Axes, (p, rank), along which rows Z about their mean have the spread 1."""
    spread = np.sqrt((Z**2).mean(axis=0))
    unit = Z / np.where(spread > 0, spread, 1.0)
    _, s, Vt = np.linalg.svd(np.linalg.qr(unit, mode="r"), full_matrices=False)
    kept = s > s.max(initial=0.0) * max(unit.shape) * np.finfo(np.float64).eps
    return Vt[kept].T / s[kept] * np.sqrt(len(Z)) / np.where(spread > 0, spread, 1.0)[:, None]


def _rooted(S: np.ndarray) -> np.ndarray:
    """Axes, (p, p), along which a spread S of full rank is 1."""
    return solve_triangular(np.linalg.cholesky(S), np.eye(len(S)), lower=True).T
