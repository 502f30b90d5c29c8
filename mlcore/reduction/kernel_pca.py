"""Kernel principal component analysis: straight directions in the features of a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse.linalg import eigsh

from mlcore.kernels.centring import Centre, center_cross
from mlcore.kernels.gram import gram, with_rows
from mlcore.kernels.kernel import Kernel
from mlcore.maths.arrays import constant_columns, vanishing
from mlcore.maths.linear import eigen_falling, signed
from mlcore.reduction.preimages import fixed_points, ridge_coefficients
from mlcore.reduction.remarks import of_fewer_directions
from mlcore.reduction.way_back import coordinates
from mlcore.spine.component import Card, enter
from mlcore.spine.conditions import other_than
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column, Fit
from mlcore.spine.method import Given, Method
from mlcore.spine.params import choice, integer, part, real

MOST_ROWS = 5_000  # the Gram matrix of more takes 200 MB, and several are needed
FLOOR = 1e-10  # share of the first eigenvalue below which an axis is rounding
NEGATIVE = 1e-8  # share of the first that rounding can take below zero
ROUNDED = np.finfo(float).eps  # of n times the largest value before centring: its rounding
MANY = 400  # rows from which a few eigenvectors alone are quicker than all


class Spectrum(NamedTuple):
    """Eigenvalues of a centred Gram matrix and their vectors."""

    values: np.ndarray  # (q,) falling, none negative
    vectors: np.ndarray  # (n, q)
    total: float  # of all eigenvalues that are not negative


@dataclass(frozen=True, eq=False, kw_only=True)
class KernelPCAFit(Fit):
    """Axes in the space of features, as combinations of the training rows."""

    kernel: Kernel  # with the settings that the rows decided
    rows: np.ndarray  # (n, p), the training rows
    means: np.ndarray  # (n,) of the rows of the Gram matrix
    mean: float  # of all its values
    duals: np.ndarray  # (n, k) coefficients of the rows in each axis, which has length one
    scores: np.ndarray  # (n, k) coordinates of the training rows
    variances: np.ndarray  # (k,) along the axes, divisor n
    shares: np.ndarray  # (k,) of the variance in the space of features
    spectrum: np.ndarray  # (q,) variances of every axis that was computed, kept or not
    back: np.ndarray  # (n, p) of the regression that leads back; empty where fixed points do
    most_back: int  # iterations of a fixed point
    out_columns: tuple[Column, ...]
    notes: tuple[str, ...] = ()

    def holds_together(self) -> bool:
        """Whether there is a coefficient for each row."""
        n, k = len(self.rows), len(self.out_columns)
        return self.duals.shape == (n, k) == self.scores.shape and self.means.shape == (n,)

    def transform(self, X: Any) -> np.ndarray:
        """Coordinates along the axes, shape (m, k)."""
        about, parts = (
            Centre(self.means, self.mean),
            with_rows(self.kernel, self.rows, self._rows(X)),
        )
        return np.concatenate([center_cross(K, about) @ self.duals for K in parts])

    def inverse_transform(self, Z: Any) -> np.ndarray:
        """Rows whose features lie near the points with coordinates Z, (m, k): shape (m, p).

        Approximate: hardly any point in the space of features is that of a row. Raises DataError
        if Z has another number of columns.
        """
        Z = coordinates(self, Z)
        if len(self.back):
            parts = with_rows(self.kernel, self.scores, Z)
            return self.rows.mean(axis=0) + np.concatenate([K @ self.back for K in parts])
        return fixed_points(Z, self, self.most_back)


def _cost(n: int, p: int, method: KernelPCA) -> tuple[float, float]:
    """A few eigenvectors of a Gram matrix take as long as some products with it, all its cube."""
    is_few = n > MANY and method.n_components < n // 20
    vectors = 2e-9 * n**2 * (20.0 + method.n_components) if is_few else 2e-10 * n**3
    return 2e-3 + 2e-10 * n**2 * (p + 10.0) + vectors, 40.0 * n**2


@enter(
    Card(
        "kernel_pca",
        "Kernel PCA",
        ("reduction",),
        paper="Schölkopf, Smola and Müller (1998), Neural Computation 10",
        peer="sklearn.decomposition.KernelPCA",
        sources=(
            "mi2:kernel_pca", "epfl:kpca", "cs1:kpca", "cs1:kpca_poly", "cs1:kpca_rbf",
            "prac:kernel_pca", "s841:kernel_pca",
        ),
        scores=("map_neighbours", "reconstruction"),
        cost=_cost,
        units="distances",
        formula=r"H K H a_k = \ell_k a_k, \quad z_k(x) = \sum_i a_{ik} \tilde k(x, x_i)",
        synonyms=("KPCA", "nonlinear PCA", "kernel principal component analysis"),
        line="PCA among the features of a kernel",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class KernelPCA(Method):
    r"""Finds the straight directions of most variance among the features of a kernel.

    In the columns these are curved. With the centred Gram matrix $\tilde K = H K H$, eigenvalues
    $\ell_k$ and eigenvectors $v_k$, the axes are $a_k = v_k / \sqrt{\ell_k}$, a row has the
    coordinates $\sum_i a_{ik} \tilde k(x, x_i)$, and the variance along an axis is $\ell_k / n$.

    Use it where rows lie on curves that a kernel straightens, or to remove noise by going back. A
    Gram matrix of n^2 values, O(n^2) for each of a few axes. Fails with the wrong width: too small,
    and every row is its own direction; too large, and it is PCA. No score of its own tells which.
    """

    n_components: int = integer(
        2,
        low=1,
        soft=(1, 20),
        symbol="M",
        label="Number of components",
        doc="Axes to keep at most.",
    )
    kernel: Kernel = part("rbf", slot="kernel", doc="How alike two rows are.")
    indefinite: str = choice(
        "refuse",
        "refuse",
        "clip",
        label="Negative variance",
        doc="Whether a kernel that gives some is refused, or these directions are left out.",
        advanced=True,
    )
    preimage: str = choice(
        "auto",
        "auto",
        "fixed_point",
        "ridge",
        label="Way back",
        doc="Fixed points of the Gaussian kernel, or ridge regression of the rows on coordinates; "
        "by itself the first where the kernel allows it.",
        advanced=True,
    )
    preimage_alpha: float = real(
        1.0,
        above=0.0,
        soft=(1e-4, 10.0),
        log=True,
        label="Ridge penalty",
        doc="Of the regression that leads back.",
        advanced=True,
        only_if={"preimage": other_than("fixed_point")},
    )
    preimage_iter: int = integer(
        100,
        low=1,
        soft=(10, 500),
        label="Steps back",
        doc="Most iterations of a fixed point.",
        advanced=True,
        only_if={"preimage": other_than("ridge")},
    )

    def conflict(self) -> str | None:
        """Fixed points need a kernel that has them."""
        if self.preimage == "fixed_point" and self.kernel.card.name != "rbf":
            return (
                f"Fixed points lead back from the Gaussian kernel alone, not from "
                f"{self.kernel.title()}. Choose ridge."
            )
        return None

    def peer_settings(self) -> dict[str, Any] | str:
        """In the words of its peer."""
        if missing := self.beyond_peer(indefinite="refuse", preimage=("auto", "ridge")):
            return missing
        kernel = self.kernel.peer_settings()
        if isinstance(kernel, str):
            return kernel
        if kernel["kernel"] not in ("linear", "rbf", "poly", "sigmoid"):
            return f"scikit-learn has no components for {self.kernel.title()}."
        if kernel.get("gamma") == "scale":
            return "scikit-learn has no width that the rows decide. Give one."
        return {"n_components": self.n_components, **kernel}

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse equal rows, rows for which the kernel is undefined, and too many."""
        if len(X) > MOST_ROWS:
            return (
                f"{self.title()} works on a Gram matrix of at most {MOST_ROWS:,} rows; there are "
                f"{len(X):,}. Draw some of them."
            )
        if len(X) < 2 or constant_columns(X).all():
            return f"{self.title()} needs two rows that differ; here all are equal."
        return self.kernel.applies(X) or vanishing(X, self.title())

    def _fit(self, given: Given) -> KernelPCAFit:
        kernel = self.kernel.resolve(given.X)
        K = gram(kernel, given.X)
        if not np.isfinite(K).all():
            raise DataError(f"{self.kernel.title()} overflows for these rows. Scale the columns.")
        about = Centre(K.mean(axis=1), float(K.mean()))
        rounding = ROUNDED * len(K) * float(np.abs(K).max())
        # In place: a matrix of all pairs is the largest thing here.
        K -= about.means[:, None]
        K += about.mean - about.means
        spectrum = self._spectrum(K, kernel.is_definite(given.p), rounding)
        kept = spectrum.values > max(FLOOR * spectrum.values[0], rounding, 1e-300)
        kept[self.n_components :] = False
        if not kept.any():
            raise DataError(
                f"{self.title()} finds no variance: to this kernel all rows are alike. Choose "
                "another width or kernel."
            )
        return self._made(given, kernel, about, spectrum, kept)

    def _made(
        self, given: Given, kernel: Kernel, about: Centre, spectrum: Spectrum, kept: np.ndarray
    ) -> KernelPCAFit:
        values = spectrum.values[kept]
        vectors = signed(spectrum.vectors[:, kept].T).T
        scores, k = vectors * np.sqrt(values), int(kept.sum())
        by_ridge = self.preimage == "ridge" or kernel.card.name != "rbf"
        back = np.empty((0, 0))
        if by_ridge:
            back = ridge_coefficients(kernel, scores, given.X, self.preimage_alpha)
        return KernelPCAFit(
            made_by=self, columns=given.columns, kernel=kernel, rows=given.X.copy(),
            means=about.means, mean=about.mean, duals=vectors / np.sqrt(values), scores=scores,
            variances=values / given.n, shares=values / spectrum.total,
            spectrum=spectrum.values / given.n, back=back, most_back=self.preimage_iter,
            out_columns=tuple(Column(f"KPC{j + 1}") for j in range(k)),
            notes=of_fewer_directions(k, self.n_components),
        )  # fmt: skip

    def _spectrum(self, K: np.ndarray, is_definite: bool, rounding: float) -> Spectrum:
        """Of the centred K, shape (n, n): the wanted ones where they are few, else all.

        Eigenvalues as small as `rounding` may come from it, whatever their sign.
        """
        n = len(K)
        if is_definite and n > MANY and self.n_components < n // 20:
            start = np.random.default_rng(0).normal(size=n)  # a fixed start: equal bits each time
            values, vectors = eigsh(K, self.n_components, which="LA", v0=start)
            return Spectrum(values[::-1].clip(0.0), vectors[:, ::-1], float(np.trace(K)))
        values, vectors = eigen_falling(K)
        least = -max(NEGATIVE * values[0], rounding)
        if values[-1] < least and self.indefinite == "refuse":
            raise DataError(
                f"{self.kernel.title()} is not positive definite on these rows: the least "
                f"eigenvalue is {values[-1]:.3g}, the largest {values[0]:.3g}. Clip such "
                "directions, or choose another kernel."
            )
        values = values.clip(0.0)
        return Spectrum(values, vectors, float(values.sum()))
