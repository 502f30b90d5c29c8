"""Canonical correlation analysis: directions of two blocks of columns that go together most."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from mlcore.maths.arrays import constant_columns, vanishing
from mlcore.maths.linear import signed, thin_svd
from mlcore.spine.blocks import two_blocks
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column, Fit
from mlcore.spine.method import Given, Method
from mlcore.spine.params import columns, integer, real
from mlcore.spine.wording import count

SURE = 1e-9  # a correlation within this of 1 is 1


class Block(NamedTuple):
    """Centred rows of a block by their singular vectors, and how far each is stretched."""

    left: np.ndarray  # (n, r) orthonormal
    stretch: np.ndarray  # (r,) of a unit direction when it is whitened, 1 without shrinkage
    back: np.ndarray  # (d, r) from whitened coordinates to weights of the columns


class Pairs(NamedTuple):
    """Pairs of directions, those first that go together most."""

    first: np.ndarray  # (q, d) with w' G w = 1, G = (1 - gamma) C + gamma I
    second: np.ndarray  # (q, e)
    values: np.ndarray  # (q,) w' C_xy v, falling


@dataclass(frozen=True, eq=False, kw_only=True)
class CCAFit(Fit):
    """Pairs of canonical variates."""

    first: np.ndarray  # (d,) positions of the columns of the first block
    second: np.ndarray  # (e,) of the second
    mean: np.ndarray  # (p,)
    first_axes: np.ndarray  # (q, d) weights of the columns
    second_axes: np.ndarray  # (q, e)
    values: np.ndarray  # (q,) what was made large, falling; correlations without shrinkage
    correlations: np.ndarray  # (q,) of the variates of each pair, in the fitted rows
    notes: tuple[str, ...] = ()

    @property
    def out_columns(self) -> tuple[Column, ...]:
        """Pair by pair."""
        q = len(self.values)
        names = (f"{block} block {k + 1}" for k in range(q) for block in ("first", "second"))
        return tuple(Column(name) for name in names)

    @property
    def mutual_information(self) -> float:
        """-1/2 sum ln(1 - rho^2), in nats: of two blocks that are normal together; may be inf."""
        with np.errstate(divide="ignore"):
            return float(-0.5 * np.log1p(-np.minimum(self.correlations**2, 1.0)).sum())

    @property
    def shrinkage(self) -> tuple[float, float]:
        """Those of the first and of the second block."""
        return self._method.gamma_first, self._method.gamma_second

    def shrunken(self, gamma: float) -> CCA:
        """The method with this shrinkage of both blocks."""
        return replace(self._method, gamma_first=gamma, gamma_second=gamma)

    @property
    def _method(self) -> CCA:
        assert isinstance(self.made_by, CCA)
        return self.made_by

    def transform(self, X: Any) -> np.ndarray:
        """Canonical variates, pair by pair, shape (m, 2 q)."""
        X = self._rows(X) - self.mean
        Z = np.empty((len(X), 2 * len(self.values)))
        Z[:, ::2] = X[:, self.first] @ self.first_axes.T
        Z[:, 1::2] = X[:, self.second] @ self.second_axes.T
        return Z


def _cost(n: int, p: int, method: CCA) -> tuple[float, float]:
    short = min(n, p)
    return 5e-4 + 6e-10 * n * p * short, 8.0 * (5 * n * p + 4 * short**2)


@enter(
    Card(
        "cca",
        "Canonical correlation analysis",
        ("reduction",),
        paper="Hotelling (1936), Biometrika 28",
        sources=("epfl:cca", "epfl:cca_blocks", "epfl:pls", "epfl:pls_cca_continuum"),
        scores=("canonical_scores",),
        cost=_cost,
        formula=r"\max_{w, v} w^\top C_{xy} v, \quad w^\top C_x w = v^\top C_y v = 1",
        synonyms=("CCA", "canonical variates of two tables", "PLSCanonical", "paired views"),
        line="what two blocks of columns share",
    )
)
@dataclass(frozen=True, kw_only=True)
class CCA(Method):
    r"""Finds what two blocks of columns have in common.

    Of all linear combinations of either block the first pair is correlated most, the next most of
    those uncorrelated with it: singular values of $C_x^{-1/2} C_{xy} C_y^{-1/2}$. With shrinkage
    $\gamma$ covariances are $(1 - \gamma) C + \gamma I$; at 1 for both blocks what is made large
    is the covariance, as by partial least squares. It is judged on rows left out.

    Use it where the same things were measured in two ways: what varies in one block alone is left
    out. O(n p^2). Without shrinkage units do not matter. Fails with about as many columns as rows:
    then a correlation near 1 is found in any data and holds for no new row; raise the shrinkage.
    """

    second: tuple[str, ...] = columns(
        (),
        label="Second block",
        doc="Columns of the table in the second block; none named: the later half.",
    )
    n_components: int | None = integer(
        None,
        low=1,
        soft=(1, 10),
        or_none="as many as there are",
        symbol="q",
        label="Number of pairs",
        doc="Pairs to keep, those that go together most first.",
    )
    gamma_first: float = real(
        0.0,
        low=0.0,
        high=1.0,
        soft=(0.0, 1.0),
        symbol=r"\gamma_x",
        label="Shrinkage of the first",
        doc="How far the covariance of the first block is drawn towards the identity, in units "
        "of the columns.",
    )
    gamma_second: float = real(
        0.0,
        low=0.0,
        high=1.0,
        soft=(0.0, 1.0),
        symbol=r"\gamma_y",
        label="Shrinkage of the second",
        doc="The same of the second block.",
    )
    ridge: float = real(
        0.0,
        low=0.0,
        high=10.0,
        soft=(0.0, 1.0),
        doc="Added to every variance of a block, as a share of their mean: many columns of one "
        "scale then force no correlations, and directions of little variance count less.",
        advanced=True,
    )

    def applies(self, X: np.ndarray, y: np.ndarray | None = None) -> str | None:
        """Refuse a single column, and rows that are too few or all equal."""
        if X.shape[1] < 2:
            return f"{self.title()} needs two columns or more, to make two blocks of them."
        if len(X) < 3 or constant_columns(X).all():
            return f"{self.title()} needs at least three rows that differ. Add rows."
        return vanishing(X, self.title())

    def _fit(self, given: Given) -> CCAFit:
        blocks = two_blocks(given.columns, self.second, self.title())
        mean = given.X.mean(axis=0)
        centred = given.X - mean
        x = whitened(centred[:, blocks.first], self.gamma_first, self.ridge)
        y = whitened(centred[:, blocks.second], self.gamma_second, self.ridge)
        if not len(x.stretch) or not len(y.stretch):
            raise DataError(
                f"{self.title()} needs a column that varies in each block. Name other columns for "
                "the second block."
            )
        pairs = canonical_pairs(x, y)
        q = min(self.n_components or len(pairs.values), len(pairs.values))
        U, V = (
            centred[:, at] @ axes[:q].T
            for at, axes in ((blocks.first, pairs.first), (blocks.second, pairs.second))
        )
        return CCAFit(
            made_by=self, columns=given.columns, first=blocks.first, second=blocks.second,
            mean=mean, first_axes=pairs.first[:q], second_axes=pairs.second[:q],
            values=pairs.values[:q],
            correlations=correlations(U, V),
            notes=self._notes(given.n, len(x.stretch), len(y.stretch)),
        )  # fmt: skip

    def _notes(self, n: int, r: int, s: int) -> tuple[str, ...]:
        """That correlations of 1 are forced where the two blocks span more than the rows do."""
        forced = min(r + s - (n - 1), r, s)
        if forced <= 0 or self.gamma_first or self.gamma_second or self.ridge:
            return ()
        pairs = count(forced, "pair has", "pairs have")
        return (
            f"The blocks vary in {r} and {s} directions, the {n} rows in {n - 1} at most: {pairs} "
            "correlation 1 whatever the data. Raise the shrinkage, or take fewer columns.",
        )


def whitened(X: np.ndarray, gamma: float, ridge: float) -> Block:
    """Rows of a centred block, shape (n, d), as whitening by (1 - gamma) C + gamma I sees them.

    To each variance the share `ridge` of their mean is added.

    By singular values, without a covariance, so small directions keep their digits.
    """
    n = len(X)
    spread = np.sqrt((X**2).mean(axis=0))
    is_flat = constant_columns(X) | (spread == 0)
    # Without shrinkage units cancel, and in equal ones a small direction is told from rounding.
    scale = np.where(is_flat, np.inf, spread if gamma == ridge == 0 else 1.0)
    left, s, right = thin_svd(X / scale / np.sqrt(n))
    kept = s > s[0] * max(X.shape) * np.finfo(float).eps if s.size else s > 0
    s, right = s[kept], right[kept]
    lengths = np.sqrt((1.0 - gamma) * s**2 + gamma + ridge * (X**2).mean())
    return Block(left[:, kept], s / lengths, right.T / lengths / scale[:, None])


def canonical_pairs(x: Block, y: Block) -> Pairs:
    """The pairs of two blocks with the same rows: as many as the lesser has directions.

    The largest weight of each direction of the first block is positive, and so is each value.
    """
    M = (x.left * x.stretch).T @ (y.left * y.stretch)
    U, values, Vt = np.linalg.svd(M, full_matrices=False)
    first, second = (x.back @ U).T, (y.back @ Vt.T).T
    signs = np.where((signed(first) * first).sum(axis=1) < 0, -1.0, 1.0)[:, None]
    return Pairs(first * signs, second * signs, values)


def correlations(U: np.ndarray, V: np.ndarray) -> np.ndarray:
    """Of the columns of U and V, shape (n, q), in pairs, (q,); NaN where one does not vary."""
    U, V = U - U.mean(axis=0), V - V.mean(axis=0)
    lengths = np.sqrt((U**2).sum(axis=0) * (V**2).sum(axis=0))
    made = np.full(U.shape[1], np.nan)
    return np.divide((U * V).sum(axis=0), lengths, out=made, where=lengths > 0).clip(-1.0, 1.0)
