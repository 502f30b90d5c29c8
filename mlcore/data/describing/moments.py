"""Means and covariances of rows, how near to singular these are, and pseudo-inverses."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.maths.arrays import constant_columns
from mlcore.maths.linear import scatter
from mlcore.spine import checks
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.records import function

EPS = float(np.finfo(float).eps)


class Condition(NamedTuple):
    """How near to singular a matrix is."""

    rank: int  # directions that are more than rounding
    number: float  # largest over smallest singular value; infinite where the rank is not full


class PseudoInverse(NamedTuple):
    """The Moore-Penrose inverse of a matrix, and the rank of the matrix."""

    matrix: np.ndarray  # (p, n)
    rank: int


@function("mean", sources=("mi2:sample_mean",))
def mean(X: Any) -> np.ndarray:
    """The mean of the rows of X, shape (n, p): shape (p,)."""
    return checks.matrix(X, "A mean").mean(axis=0)


@function(
    "covariance",
    sources=(
        "epfl:estimate_mean_cov", "epfl:variance_covariance", "mi2:covariance_matrix",
        "cs1:cov_matrix",
    ),
)  # fmt: skip
def covariance(X: Any, ddof: int = 0) -> np.ndarray:
    r"""$\frac1{n - d} \sum (x - \bar x)(x - \bar x)^T$ of the rows of X, (n, p): shape (p, p).

    d is `ddof`: 0 divides by the number of rows, 1 makes the estimate unbiased. Raises DataError
    for no more than d rows.
    """
    X = checks.matrix(X, "A covariance")
    return scatter(X, X.mean(axis=0)) / _divisor(len(X), ddof, "A covariance")


@function("distance_shares", sources=("cs1:unit_scale_demo",))
def distance_shares(X: Any) -> np.ndarray:
    """Share of each column in the mean squared distance of two rows of X, (n, p): shape (p,).

    The distances of unscaled columns are those of the column with the largest spread. Raises
    DataError if all rows are equal.
    """
    variances = checks.matrix(X, "A share of the distance").var(axis=0)
    if not variances.any():
        raise DataError("All rows are equal, so no column has a share in their distance.")
    return variances / variances.sum()


@function("correlation", title="Correlation matrix")
def correlation(X: Any) -> np.ndarray:
    """Covariances of the columns of X, (n, p), over both standard deviations: shape (p, p).

    NaN in the row and the column of a constant one.
    """
    X = checks.matrix(X, "A correlation")
    about = X - X.mean(axis=0)
    size = np.sqrt((about**2).sum(axis=0))
    # Rounding leaves something of a constant column, which must not be divided by itself.
    size[constant_columns(X) | (size == 0)] = np.nan
    about /= size
    R = np.clip(about.T @ about, -1.0, 1.0)
    np.fill_diagonal(R, np.where(np.isnan(size), np.nan, 1.0))
    return R


@function("pooled_covariance", sources=("s841:pooled_covariance",))
def pooled_covariance(X: Any, y: Any, ddof: int = 0) -> np.ndarray:
    """Covariance of the rows of X, (n, p), about the means of their classes y, (n,): (p, p).

    Divisor n - `ddof`; the number of classes as `ddof` makes the estimate unbiased. Raises
    DataError for no more than `ddof` rows.
    """
    X = checks.matrix(X, "A pooled covariance")
    codes, classes = checks.classes(y, len(X), "A pooled covariance")
    means = np.array([X[codes == c].mean(axis=0) for c in range(len(classes))])
    within = scatter(X - means[codes], np.zeros(X.shape[1]))
    return within / _divisor(len(X), ddof, "A pooled covariance")


def _divisor(n: int, ddof: int, who: str) -> int:
    if ddof < 0:
        raise ParamError(f"{who} divides by the rows less ddof, which is at least 0; got {ddof}.")
    if n <= ddof:
        raise DataError(f"{who} with ddof={ddof} needs more than {ddof} rows; got {n}. Add rows.")
    return n - ddof


@function("condition", title="Rank and condition number")
def condition(A: Any) -> Condition:
    """Rank and condition number of A, shape (n, p), by its singular values."""
    A = checks.matrix(A, "A condition number")
    s = np.linalg.svd(A, compute_uv=False)
    rank = int(np.count_nonzero(s > _floor(A, s, None)))
    return Condition(rank, float(s[0] / s[-1]) if rank == min(A.shape) else float("inf"))


@function(
    "pseudo_inverse",
    sources=(
        "epfl:singular_cov_pinv", "epfl:singular_cov_svd", "epfl:pinv", "prac:pseudo_inverse"
    ),
)  # fmt: skip
def pseudo_inverse(A: Any, rcond: float | None = None) -> PseudoInverse:
    r"""$A^+ = V \Sigma^+ U^T$ of A, shape (n, p): shape (p, n), and the rank of A.

    Singular values of at most `rcond` times the largest count as zero; without it, those that
    rounding explains. Of a covariance it is the inverse in the directions that vary. Raises
    ParamError for an `rcond` outside [0, 1).
    """
    A = checks.matrix(A, "A pseudo-inverse")
    if rcond is not None and not 0 <= rcond < 1:
        raise ParamError(f"rcond is a share of the largest singular value, 0 to 1; got {rcond}.")
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    rank = int(np.count_nonzero(s > _floor(A, s, rcond)))
    return PseudoInverse((Vt[:rank].T / s[:rank]) @ U[:, :rank].T, rank)


def _floor(A: np.ndarray, s: np.ndarray, rcond: float | None) -> float:
    """The singular value up to which they count as zero."""
    return float(s[0]) * (max(A.shape) * EPS if rcond is None else rcond)


@function("shrink", title="Shrunken covariance", sources=("s841:near_singular_jitter",))
def shrink(S: Any, strength: float) -> np.ndarray:
    r"""$(1 - s) \Sigma + s \frac{\mathrm{tr} \Sigma}{p} I$ of a covariance, shape (p, p).

    The trace stays; with strength s above 0 no direction is lost unless nothing varies at all.
    Raises DataError unless the covariance is square, ParamError for a strength outside 0 to 1.
    """
    S = checks.matrix(S, "Shrinkage")
    if S.shape[0] != S.shape[1]:
        raise DataError(f"Shrinkage needs a square covariance; got {S.shape[0]} by {S.shape[1]}.")
    if not 0 <= strength <= 1:
        raise ParamError(f"The strength of shrinkage is a share from 0 to 1; got {strength}.")
    return (1.0 - strength) * S + strength * np.trace(S) / len(S) * np.eye(len(S))
