"""Scatter within and between classes, and remedies where the scatter within is singular."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mlcore.maths.linear import eigen_falling
from mlcore.spine import checks
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.errors import DataError
from mlcore.spine.params import real
from mlcore.spine.records import function

BLOCK = 2048  # rows at a time, which stay in the cache; fresh memory costs more than the sums
EPS = float(np.finfo(float).eps)
ROUNDED = 1e-12  # a spread of this share of the mean is rounding


@dataclass(frozen=True, eq=False)
class ClassedRows:
    """Rows with their classes, and the mean of each class."""

    X: np.ndarray  # (n, p)
    codes: np.ndarray  # (n,)
    weights: np.ndarray | None  # (n,)
    means: np.ndarray  # (K, p)

    @property
    def total(self) -> float:
        """Sum of the weights."""
        return float(len(self.X) if self.weights is None else self.weights.sum())

    def blocks(self) -> Iterator[tuple[slice, np.ndarray]]:
        """Rows less their class mean, times the root of their weight, in blocks of shape (b, p)."""
        buffer = np.empty((min(len(self.X), BLOCK), self.X.shape[1]))
        for start in range(0, len(self.X), BLOCK):
            at = slice(start, start + BLOCK)
            rows = np.take(
                self.means, self.codes[at], axis=0, out=buffer[: len(self.codes[at])], mode="clip"
            )
            np.subtract(self.X[at], rows, out=rows)
            if self.weights is not None:
                rows *= np.sqrt(self.weights[at])[:, None]
            yield at, rows


@dataclass(frozen=True, eq=False)
class Within:
    """Principal directions of the scatter within classes, of columns scaled to unit variance.

    Directions in which the class means differ although no class varies are among them, with value
    0; where columns outnumber rows, directions in which neither happens are left out.
    """

    rows: ClassedRows
    scale: np.ndarray  # (p,), spread of each column within classes; 1 where there is none
    flat: np.ndarray  # numbers of the columns that are constant within every class
    values: np.ndarray  # (r,), falling, variances within classes
    vectors: np.ndarray  # (p, r), orthonormal

    @property
    def p(self) -> int:
        """Number of columns."""
        return len(self.scale)

    @property
    def tolerance(self) -> float:
        """Variances below this are rounding."""
        return max(*self.rows.X.shape, 50) * EPS * float(self.values[0])

    @property
    def rank(self) -> int:
        """How many directions vary within classes."""
        return int(np.count_nonzero(self.values > self.tolerance))


class Remedied(NamedTuple):
    """The variances to divide by, which directions are used, and a note for people."""

    values: np.ndarray  # (r,)
    kept: np.ndarray  # (r,), the directions that count
    note: str = ""

    @property
    def notes(self) -> tuple[str, ...]:
        """The note, if there is one."""
        return (self.note,) if self.note else ()


@dataclass(frozen=True, kw_only=True)
class SingularScatter(Component):
    """How the scatter within classes is inverted, also where it is singular."""

    def remedy(self, within: Within) -> Remedied:
        """The variances to divide by, shape (r,), and the directions that are kept."""
        # Every remedy is another one; none is taken silently.
        raise NotImplementedError(f"{type(self).__name__} declares no remedy")


@enter(
    Card(
        "pseudo_inverse",
        "Pseudo-inverse",
        ("singular_scatter",),
        kind="part",
        sources=("epfl:lda_pinv",),
    )
)
@dataclass(frozen=True, kw_only=True)
class PseudoInverse(SingularScatter):
    """Leaves out the directions in which no class varies."""

    rcond: float = real(
        "auto",
        auto="auto",
        above=0.0,
        below=1.0,
        soft=(1e-12, 1e-3),
        log=True,
        doc="Directions whose variance within classes is less than this share of the largest "
        "are left out; auto is the size of rounding.",
    )

    def remedy(self, within: Within) -> Remedied:
        """All values above the tolerance."""
        cut = within.tolerance if self.rcond == "auto" else self.rcond * within.values[0]
        kept = within.values > cut
        if kept.sum() == within.p:
            return Remedied(within.values, kept)
        return Remedied(
            within.values,
            kept,
            f"The rows vary within classes in {kept.sum()} of {within.p} directions; the others "
            "are left out (pseudo-inverse).",
        )


@enter(Card("refuse", "Refuse", ("singular_scatter",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class Refuse(SingularScatter):
    """Says that the scatter is singular, and does nothing about it."""

    def remedy(self, within: Within) -> Remedied:
        """All variances. Raises DataError if a direction has none."""
        if within.rank < within.p:
            raise DataError(
                f"The rows vary within classes in only {within.rank} of {within.p} directions, so "
                "their scatter has no inverse. Add rows, drop columns, or choose a remedy."
            )
        return Remedied(within.values, np.ones(len(within.values), dtype=bool))


@enter(Card("perturb", "Perturb", ("singular_scatter",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class Perturb(SingularScatter):
    """Adds a little variance to every direction of the scaled columns."""

    epsilon: float = real(
        1e-3,
        above=0.0,
        soft=(1e-8, 1.0),
        log=True,
        symbol=r"\epsilon",
        doc="Variance added, as a share of the mean variance of a column within classes.",
    )

    def remedy(self, within: Within) -> Remedied:
        """Every variance plus epsilon."""
        return Remedied(within.values + self.epsilon, np.ones(len(within.values), dtype=bool))


@enter(
    Card(
        "shrinkage",
        "Shrinkage",
        ("singular_scatter",),
        paper="Ledoit and Wolf (2004), J. Multivariate Analysis 88(2)",
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class Shrinkage(SingularScatter):
    """Mixes the correlations within classes with none: each direction moves to the mean variance.

    The automatic amount has the least expected squared error (Ledoit and Wolf).
    """

    amount: float = real(
        "ledoit_wolf",
        auto="ledoit_wolf",
        low=0.0,
        high=1.0,
        soft=(0.0, 1.0),
        symbol=r"\gamma",
        doc="Share of no correlation: 0 leaves the scatter as it is, 1 uses variances alone.",
    )

    def remedy(self, within: Within) -> Remedied:
        """Every variance moved towards their mean over all p directions."""
        share = ledoit_wolf(within) if self.amount == "ledoit_wolf" else self.amount
        mean = within.values.sum() / within.p
        values = (1.0 - share) * within.values + share * mean
        kept = values > within.tolerance
        note = f"The correlations within classes are shrunk by {share:.3g}."
        return Remedied(values, kept, note)


def ledoit_wolf(within: Within) -> float:
    """Shrinkage with the least expected squared error, from 0 to 1 (Ledoit and Wolf 2004)."""
    n, p, values = within.rows.total, within.p, within.values
    away = (values**2).sum() - values.sum() ** 2 / p  # |S - mean I|^2
    fourth = 0.0
    for at, rows in within.rows.blocks():
        lengths = ((rows / within.scale) ** 2)[:, _lively(within)].sum(axis=1)
        w = within.rows.weights
        # The rows carry roots of weights: a weight w makes w^2 out of a length that counts w times.
        fourth += float((lengths**2 / (1.0 if w is None else np.maximum(w[at], 1e-300))).sum())
    noise = (fourth / n - (values**2).sum()) / n
    return float(np.clip(noise / away, 0.0, 1.0)) if away > 0 else 1.0


def _lively(within: Within) -> np.ndarray:
    """The columns that vary within classes."""
    on = np.ones(within.p, dtype=bool)
    on[within.flat] = False
    return on


def within_classes(rows: ClassedRows) -> Within:
    """Principal directions of the scatter of rows about the mean of their class."""
    n, p = rows.X.shape
    return _by_columns(rows) if p <= n else _by_rows(rows)


def _by_columns(rows: ClassedRows) -> Within:
    """From the matrix of products of columns."""
    p = rows.X.shape[1]
    gram = np.zeros((p, p))
    for _, block in rows.blocks():
        gram += block.T @ block
    gram /= rows.total
    scale, flat = _spread(np.diagonal(gram), rows.means)
    gram /= np.outer(scale, scale)
    gram[flat] = gram[:, flat] = 0.0
    values, vectors = eigen_falling(gram)
    return Within(rows, scale, flat, np.maximum(values, 0.0), vectors)


def _by_rows(rows: ClassedRows) -> Within:
    """From the matrix of products of rows, where columns outnumber them."""
    Z = np.vstack([block.copy() for _, block in rows.blocks()])
    scale, flat = _spread(np.einsum("ij,ij->j", Z, Z) / rows.total, rows.means)
    Z /= scale * np.sqrt(rows.total)
    Z[:, flat] = 0.0
    values, U = eigen_falling(Z @ Z.T)
    on = values > max(*Z.shape, 50) * EPS * values[0]
    V = Z.T @ (U[:, on] / np.sqrt(values[on]))
    beyond = _beyond((rows.means - rows.means.mean(axis=0)) / scale, V)
    values = np.append(values[on], np.zeros(len(beyond)))
    return Within(rows, scale, flat, values, np.hstack([V, beyond.T]))


def _spread(variances: np.ndarray, means: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Spread of each column within classes, 1 for those without, and the numbers of these."""
    spread = np.sqrt(variances)
    # The mean of equal numbers is rounded: what is left of them is no variation.
    flat = spread <= ROUNDED * np.abs(means).max(axis=0)
    return np.where(flat, 1.0, spread), np.flatnonzero(flat)


def _beyond(D: np.ndarray, V: np.ndarray) -> np.ndarray:
    """Orthonormal rows that span what the rows of D have outside the span of V."""
    left = D - (D @ V) @ V.T
    left -= (left @ V) @ V.T  # a second time: the first leaves rounding of the size of D
    _, s, Vt = np.linalg.svd(left, full_matrices=False)
    return Vt[s > 1e-10 * max(float(np.linalg.norm(D)), 1e-300)]


@function(
    "scatter_matrices",
    title="Scatter matrices",
    sources=("epfl:lda", "s841:lda"),
)
def scatter_matrices(X: Any, y: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """S_w = sum_k sum_i (x - m_k)(x - m_k)', S_b = sum_k n_k (m_k - m)(m_k - m)', and their sum.

    X has shape (n, p), y one class a row; each result has shape (p, p).
    """
    X = checks.matrix(X, "Scatter")
    codes, classes = checks.classes(y, len(X), "Scatter")
    counts, means = class_means(X, codes, None, len(classes))
    left, away = X - means[codes], means - counts @ means / len(X)
    within, between = left.T @ left, (away.T * counts) @ away
    return within, between, within + between


def class_means(
    X: np.ndarray, codes: np.ndarray, w: np.ndarray | None, K: int
) -> tuple[np.ndarray, np.ndarray]:
    """Weight of each class, shape (K,), and its mean, shape (K, p), from codes, shape (n,)."""
    w = np.ones(len(X)) if w is None else w
    counts = np.bincount(codes, weights=w, minlength=K)
    member = np.zeros((K, len(X)))
    member[codes, np.arange(len(X))] = w
    return counts, member @ X / np.where(counts > 0, counts, 1.0)[:, None]
