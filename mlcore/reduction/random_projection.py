"""Random projection: directions that nobody fitted, along which distances nearly survive."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log, sqrt
from typing import Any

import numpy as np

from mlcore.spine.component import Card, enter
from mlcore.spine.fit import Column, Fit
from mlcore.spine.method import Given, Method
from mlcore.spine.params import choice, flag, integer, real
from mlcore.spine.wording import count, percent


@dataclass(frozen=True, eq=False, kw_only=True)
class RandomProjectionFit(Fit):
    """The directions that were drawn; of the rows only their number matters."""

    directions: np.ndarray  # (k, p), scaled so that lengths are kept on average, unless not wanted
    out_columns: tuple[Column, ...]  # RP1, RP2, ...
    notes: tuple[str, ...] = ()

    def holds_together(self) -> bool:
        """Whether there is a direction in these columns for each coordinate."""
        return self.directions.shape == (len(self.out_columns), self.n_columns)

    def transform(self, X: Any) -> np.ndarray:
        """Coordinates of rows along the directions, shape (m, k)."""
        return self._rows(X) @ self.directions.T

    def length_ratios(self, X: Any) -> np.ndarray:
        """Squared length of each row after the projection over that before, shape (m,).

        Rows of length zero, which keep it, have 1.
        """
        X = self._rows(X)
        before, after = (X**2).sum(axis=1), (self.transform(X) ** 2).sum(axis=1)
        return np.where(before > 0, after / np.where(before > 0, before, 1.0), 1.0)


def enough(n: int, eps: float) -> int:
    """Directions that keep squared distances of n rows to the share eps, likely all of them.

    The bound of Johnson and Lindenstrauss as Dasgupta and Gupta (2003) prove it.
    """
    return max(ceil(4 * log(n) / (eps**2 / 2 - eps**3 / 3)), 1)


def _cost(n: int, p: int, method: RandomProjection) -> tuple[float, float]:
    k = min(method.n_wanted(n), p)
    turned = 4e-10 * p * k**2 if method.kind == "orthogonal" else 0.0
    return 1e-3 + 2e-8 * k * p + turned, 8.0 * (n * (p + k) + 3 * k * p)


@enter(
    Card(
        "random_projection",
        "Random projection",
        ("reduction",),
        paper="Johnson and Lindenstrauss (1984), Contemporary Mathematics 26",
        sources=("s841:random_projection",),
        scores=("stress", "map_neighbours"),
        random=True,
        cost=_cost,
        units="distances",
        formula=r"z = \tfrac{1}{\sqrt k}\, R x, \quad r_{ij} \sim \mathcal N(0, 1)",
        synonyms=(
            "Johnson-Lindenstrauss", "JL transform", "Gaussian random projection",
            "GaussianRandomProjection", "compressed sensing",
        ),
        line="random directions, distances roughly kept",
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class RandomProjection(Method):
    r"""Maps rows onto directions drawn by chance, which keep all distances roughly.

    $z = c R x$ with k rows of normal numbers and $c = 1 / \sqrt k$, or with k orthonormal rows of
    a random rotation and $c = \sqrt{p / k}$: the squared length is that of x on average, and
    deviates by a share of about $\sqrt{2 / k}$. With $k \ge 4 \ln n / (\varepsilon^2 / 2 -
    \varepsilon^3 / 3)$ all squared distances of n rows are likely kept within $1 \pm
    \varepsilon$, however many columns there are.

    Use it on thousands of columns, before methods that need distances alone: nothing is learned,
    and new rows need no refitting. O(n p k). Fails on few columns and as a picture: two
    directions drawn by chance keep distances poorly, and structure that PCA would find is lost.
    """

    n_components: int | str = integer(
        "auto",
        low=1,
        soft=(1, 100),
        auto="auto",
        symbol="k",
        label="Number of components",
        doc="Directions that are drawn; auto takes as many as keep distances within the error.",
    )
    kind: str = choice(
        "gaussian",
        "gaussian",
        "orthogonal",
        label="Directions",
        doc="Independent normal numbers, or orthonormal directions of a random rotation.",
    )
    eps: float = real(
        0.1,
        above=0.0,
        below=1.0,
        soft=(0.05, 0.5),
        symbol="ε",
        label="Largest error",
        doc="Share by which a squared distance may change.",
        only_if={"n_components": "auto"},
    )
    rescale: bool = flag(
        True,
        symbol="c",
        label="Keep lengths",
        doc="Scale the coordinates so that lengths are kept on average.",
        advanced=True,
    )

    def n_wanted(self, n: int) -> int:
        """The number of directions for n rows, if there are as many columns."""
        return enough(n, self.eps) if isinstance(self.n_components, str) else self.n_components

    def _fit(self, given: Given) -> RandomProjectionFit:
        wanted = self.n_wanted(given.n)
        k = min(wanted, given.p)
        return RandomProjectionFit(
            made_by=self,
            columns=given.columns,
            directions=self._drawn(k, given.p, given.rng("directions")),
            out_columns=tuple(Column(f"RP{j + 1}") for j in range(k)),
            notes=self._notes(wanted, given),
        )

    def _drawn(self, k: int, p: int, rng: np.random.Generator) -> np.ndarray:
        """k directions, shape (k, p)."""
        if self.kind == "gaussian":
            return rng.standard_normal((k, p)) * (1 / sqrt(k) if self.rescale else 1.0)
        Q, R = np.linalg.qr(rng.standard_normal((p, k)))
        # With the signs of the diagonal of R every rotation is as likely as any other.
        turned = (Q * np.where(R.diagonal() < 0, -1.0, 1.0)).T
        return np.ascontiguousarray(turned) * (sqrt(p / k) if self.rescale else 1.0)

    def _notes(self, wanted: int, given: Given) -> tuple[str, ...]:
        if wanted <= given.p:
            return ()
        columns, rows = count(given.p, "column"), count(given.n, "row")
        if isinstance(self.n_components, int):
            return (f"There are only {columns}; as many directions are drawn.",)
        return (
            f"To keep the squared distances of {rows} within {percent(self.eps)}, {wanted:,} "
            f"directions are needed; there are only {columns}, so as many are drawn.",
        )
