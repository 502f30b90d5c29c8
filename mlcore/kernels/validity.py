"""Whether a matrix is, and a kernel gives, positive semidefinite Gram matrices."""

from __future__ import annotations

from itertools import product
from math import comb
from typing import Any, NamedTuple

import numpy as np

from mlcore.kernels.centring import square
from mlcore.kernels.gram import gram
from mlcore.kernels.kernel import Kernel
from mlcore.spine import random
from mlcore.spine.errors import ParamError
from mlcore.spine.records import function

TOL = 1e-8  # of the largest eigenvalue: what rounding makes of zero
SPACINGS = np.linspace(0.1, 3.0, 30)  # of the lattices: some failures show at one spacing alone
MOST_LATTICE = 400  # points of a lattice


class Definiteness(NamedTuple):
    """The extreme eigenvalues of a Gram matrix, and whether it is positive semidefinite."""

    is_definite: bool  # no eigenvalue below zero but for rounding
    smallest: float
    largest: float
    n_negative: int
    vector: np.ndarray  # (n,) of the smallest eigenvalue: v'Kv is that value


class Mercer(NamedTuple):
    """Whether a kernel fails on any of the sets of points tried."""

    passed: bool  # evidence, not proof
    smallest: float  # eigenvalue over the largest, the worst of all sets
    counter_example: np.ndarray | None  # (n, p) points on which it fails: proof


@function(
    "psd_report",
    title="Positive semidefinite?",
    sources=("epfl:kernel_psd_check", "prac:kernel_psd_check", "mi2:kernel_psd_check"),
)
def psd_report(K: Any, tol: float = TOL) -> Definiteness:
    """Eigenvalues of a symmetric matrix, shape (n, n); negative beyond tol times the largest."""
    K = square(K, "A check of eigenvalues")
    values, vectors = np.linalg.eigh((K + K.T) / 2.0)
    negative = values < -tol * max(float(np.abs(values).max()), 1e-300)
    return Definiteness(
        not negative.any(), float(values[0]), float(values[-1]), int(negative.sum()), vectors[:, 0]
    )


@function("mercer_check", sources=("cs1:mercer_check", "s841:mercer_check"))
def mercer_check(kernel: Kernel, p: int = 2, draws: int = 50, seed: int = 0) -> Mercer:
    """Gram matrices of random points and of lattices of many spacings, in p columns.

    A pass is evidence, a failure proof: the points are returned. Points are positive where the
    kernel asks for amounts.
    """
    worst, failed = np.inf, None
    for X in _point_sets(p, draws, seed, positive=kernel.definite == "domain"):
        report = psd_report(gram(kernel, X))
        share = report.smallest / max(abs(report.largest), 1e-300)
        if share < worst:
            worst, failed = share, None if report.is_definite else X
    return Mercer(failed is None, float(worst), failed)


def notes_of_rows(X: np.ndarray) -> tuple[str, ...]:
    """That rows X, shape (m, p), are all equal, so that any kernel knows one value of them."""
    if np.ptp(X, axis=0).any():
        return ()
    return ("All rows are equal: nothing varies that a curve or a border could follow.",)


def _point_sets(p: int, draws: int, seed: int, *, positive: bool) -> Any:
    rng = random.generator(seed, "points")
    for _ in range(draws):
        X = rng.normal(size=(20, p)) * rng.uniform(0.3, 3.0)
        yield np.abs(X) if positive else X
    side = int(max(MOST_LATTICE ** (1 / p), 2))
    lattice = np.array(list(product(range(min(side, 12)), repeat=p)), dtype=float)
    for spacing in SPACINGS:
        yield lattice * spacing


@function("stationarity_check", sources=("epfl:kernel_stationary_check",))
def stationarity_check(kernel: Kernel, p: int = 2, seed: int = 0) -> bool:
    """Whether shifting both arguments leaves the kernel unchanged, on random points."""
    rng = random.generator(seed, "points")
    X = np.abs(rng.normal(size=(20, p)))
    fixed = kernel.resolve(X)
    return bool(np.allclose(gram(fixed, X), gram(fixed, X + rng.uniform(1, 3, p)), atol=1e-9))


@function("monomial_count", sources=("mi2:monomial_features",))
def monomial_count(columns: int, degree: int, *, up_to: bool = False) -> int:
    """Number of products of exactly `degree` columns, or of up to `degree`, powers included.

    C(p + d - 1, d), or C(p + d, d). Raises ParamError if there is no column or the degree is
    negative.
    """
    if columns < 1 or degree < 0:
        raise ParamError(
            f"Counting products needs at least 1 column and a degree of at least 0; "
            f"got {columns} and {degree}."
        )
    return comb(columns + degree, degree) if up_to else comb(columns + degree - 1, degree)
