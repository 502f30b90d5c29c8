"""Whitening: rows rotated and scaled until all directions have the same variance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mlcore.maths.arrays import vanishing
from mlcore.maths.linear import (
    column_means,
    count_for_share,
    eigen_falling,
    scatter,
    signed,
    turned_about,
)
from mlcore.preparation.chain import StepSummary
from mlcore.preparation.selection.choice import refuse_names
from mlcore.preparation.step import StepFit, as_number
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column
from mlcore.spine.method import Given, Method
from mlcore.spine.params import choice, integer, real


@dataclass(frozen=True, eq=False, kw_only=True)
class WhiteFit(StepFit):
    """z = W (x - mean), where W C W' is the identity; a projection if directions were left out."""

    mean: np.ndarray  # (p,)
    white: np.ndarray  # (q, p) W
    back: np.ndarray  # (p, q) from new coordinates to differences from the mean
    variances: np.ndarray  # (r,) along the directions kept, falling
    spectrum: np.ndarray  # (p,) along all directions, falling
    note: str

    def transform(self, X: Any) -> np.ndarray:
        """Coordinates with covariance I over the training rows, shape (m, q)."""
        return turned_about(self._rows(X), self.mean, self.white)

    def inverse_transform(self, Z: Any) -> np.ndarray:
        """Rows in the units of the table, shape (m, p), in the directions that were kept."""
        return self.mean + self._prepared_rows(Z) @ self.back.T

    def summary(self) -> StepSummary:
        """The variance along each direction that is kept."""
        values = tuple(
            (f"direction {k + 1}", "variance", float(v)) for k, v in enumerate(self.variances)
        )
        return StepSummary(self.made_by.title(), values, self.note)


@enter(
    Card(
        "whitening",
        "Whitening",
        ("preparation",),
        stage="project",
        paper="Kessy, Lewin and Strimmer (2018), The American Statistician 72",
        peer="sklearn.decomposition.PCA",
        sources=("epfl:whiten", "epfl:whiten_reduce", "mi2:whitening", "s841:sphering_transform"),
        takes=("columns", "target"),
        cost=lambda n, p, self: (1e-4 + 1e-10 * n * p**2 + 1e-9 * p**3, 16.0 * n * p + 32.0 * p**2),
        formula=r"z = W (x - \bar x), \quad W C W^\top = I",
        synonyms=("sphering", "decorrelation", "ZCA", "PCA whitening", "Mahalanobis transform"),
        line="all directions alike, none correlated",
    )
)
@dataclass(frozen=True, kw_only=True)
class Whitening(Method):
    r"""Gives the rows the identity as covariance: all directions alike, none correlated.

    With the covariance $C = V \Lambda V^\top$ (divisor n) of the training rows, z = W (x - mean)
    and W = $\Lambda^{-1/2} V^\top$ (pca: along the principal axes), $V \Lambda^{-1/2} V^\top$
    (zca: rotated back, as near to the columns as can be) or $L^{-1}$ with $C = L L^\top$ (cholesky:
    each column less what the earlier ones say of it). They differ by a rotation. With the scatter
    within classes, distances become those of Mahalanobis between class means.

    Before independent components, and where distances should not depend on units or correlation.
    Directions that hardly vary are noise made as loud as the rest: leave them out, or shrink.
    O(n p^2 + p^3); with no more rows than columns, at most n - 1 directions exist.
    """

    mixes_columns: ClassVar[bool] = True

    method: str = choice("zca", "zca", "pca", "cholesky", doc="Which of the white rotations.")
    scatter: str = choice(
        "total", "total", "within", doc="Covariance of all rows, or about the mean of each class."
    )
    n_components: int | None = integer(
        None,
        low=1,
        soft=(1, 20),
        or_none="all that vary",
        symbol="q",
        label="Number of directions",
        doc="Directions to keep at most, those of the largest variance.",
    )
    share: float | None = real(
        None,
        above=0.0,
        high=1.0,
        soft=(0.5, 0.99),
        or_none="no limit",
        label="Variance to keep",
        doc="Keep no more directions than hold this share of the variance.",
    )
    shrinkage: float = real(
        0.0,
        low=0.0,
        high=1.0,
        soft=(0.0, 0.5),
        doc="Share of the way from the covariance to a ball of the same mean variance.",
    )
    eig_floor: float = real(
        1e-10,
        above=0.0,
        below=1.0,
        soft=(1e-14, 1e-2),
        log=True,
        advanced=True,
        label="Minimum variance",
        doc="Directions with no more than this share of the largest variance are left out.",
    )

    def conflict(self) -> str | None:
        """Cholesky factors have no directions to leave out."""
        if self.method == "cholesky" and (self.n_components or self.share):
            return (
                "Whitening by cholesky keeps every direction; choose pca or zca, or leave the "
                "number of directions free."
            )
        return None

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse differences whose squares vanish."""
        return vanishing(X, self.title())

    def _target(self, y: Any, n: int) -> tuple[np.ndarray | None, np.ndarray | None]:
        # Only the scatter within classes looks at the target.
        return (None, None) if self.scatter == "total" else super()._target(y, n)

    def _fit(self, given: Given) -> WhiteFit:
        refuse_names(given.columns, self.title())
        mean = column_means(given.X)
        C = self._covariance(given, mean)
        values, vectors = eigen_falling(C)
        if values[0] <= 0:
            raise DataError("Whitening needs rows that differ; here none do. Add rows that vary.")
        q = self._n_directions(values)
        white, back = self._matrices(C, values, vectors, q)
        return WhiteFit(
            made_by=self,
            columns=given.columns,
            out_columns=self._columns(given.columns, len(white)),
            mean=mean,
            white=white,
            back=back,
            variances=values[:q],
            spectrum=values,
            note=self._note(given, q),
        )

    def _covariance(self, given: Given, mean: np.ndarray) -> np.ndarray:
        X, n = given.X, given.n
        if given.classes is not None:
            of_class = (given.target[:, None] == np.arange(len(given.classes))).astype(float)
            means = of_class.T @ X / of_class.sum(axis=0)[:, None]
            X, mean = X - means[given.target], np.zeros(given.p)
        C = scatter(X, mean) / n
        ball = np.trace(C) / given.p * np.eye(given.p)
        return (1 - self.shrinkage) * C + self.shrinkage * ball

    def _n_directions(self, values: np.ndarray) -> int:
        count = int((values > self.eig_floor * values[0]).sum())
        if self.share is not None:
            count = min(count, count_for_share(values, values.sum(), self.share))
        return min(count, self.n_components or count)

    def _matrices(
        self, C: np.ndarray, values: np.ndarray, vectors: np.ndarray, q: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """W, shape (q, p), and its inverse or pseudo-inverse, (p, q)."""
        if self.method == "cholesky":
            if q < len(values):
                raise DataError(
                    f"Whitening by cholesky needs columns of which none follows from the others; "
                    f"here {len(values) - q} of {len(values)} directions do not vary. Choose "
                    "zca or pca, or raise the shrinkage."
                )
            L = np.linalg.cholesky(C)
            return np.tril(np.linalg.inv(L)), L  # what stands above is rounding
        axes, size = signed(vectors[:, :q].T), np.sqrt(values[:q])
        white, back = axes / size[:, None], axes.T * size
        return (white, back) if self.method == "pca" else (axes.T @ white, back @ axes)

    def _columns(self, columns: tuple[Column, ...], q: int) -> tuple[Column, ...]:
        """Directions of their own, or the columns that the new ones stay near to."""
        if self.method == "pca":
            return tuple(Column(f"white {k + 1}") for k in range(q))
        return tuple(as_number(column) for column in columns)

    def _note(self, given: Given, q: int) -> str:
        if q == given.p:
            return ""
        alike = " The columns remain, with the covariance of a projection."
        why = self._why(given, q)
        note = f"Kept {q} of {given.p} directions: {why}."
        return f"{note}{alike if self.method == 'zca' else ''}"

    def _why(self, given: Given, q: int) -> str:
        """Why directions were left out, a few words."""
        if q == self.n_components:
            return "no more were asked for"
        k = 1 if given.classes is None else len(given.classes)
        if q == given.n - k:
            rows = f"{given.n} rows" if k == 1 else f"{given.n} rows of {k} classes"
            return f"{rows} cannot show more than {q}"
        return "the others do not vary" if self.share is None else "these hold the wanted share"
