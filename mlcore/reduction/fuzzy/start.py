"""Where a map of a fuzzy graph begins."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from mlcore.maths.linear import signed
from mlcore.reduction.pca import PCA
from mlcore.spine.errors import DataError
from mlcore.spine.wording import count

FEW = 200  # rows of which all eigenvectors take no time
ROUGH = 1e-4  # how exactly a start need be known
SIDE = 10.0  # of the box in which a map begins
NOISE = 1e-4  # of the start in that box: rows at one place part


def parts(graph: Any) -> int:
    """How many parts a graph, (n, n), falls into."""
    from scipy.sparse.csgraph import connected_components

    return int(connected_components(graph, directed=False)[0])


def spectral(graph: Any, q: int) -> np.ndarray:
    """The smoothest functions on a connected graph, shape (n, q) or fewer columns.

    Eigenvectors of the largest eigenvalues of D^-1/2 W D^-1/2, without the trivial one.
    """
    n = graph.shape[0]
    roots = np.sqrt(graph.sum(axis=1))
    known = roots / np.linalg.norm(roots)

    def applied(x: np.ndarray) -> np.ndarray:
        x = x.ravel()
        # What is known gets the least eigenvalue, -1: the next ones are then the first.
        return (graph @ (x / roots)) / roots - 2.0 * known * (known @ x)

    q = min(q, n - 1)
    if n <= FEW or q >= n // 4:
        A = graph.toarray() / np.outer(roots, roots) - 2.0 * np.outer(known, known)
        vectors = np.linalg.eigh(A)[1][:, : -q - 1 : -1]
    else:
        first = np.random.default_rng(0).normal(size=n)  # a fixed start: equal bits each time
        # pyrefly: ignore[bad-keyword-argument, missing-argument, unexpected-keyword]  # unstubbed
        operator = LinearOperator((n, n), matvec=applied, dtype=float)
        rough: Any = {"tol": ROUGH, "maxiter": 50 * n}
        vectors = eigsh(operator, q, which="LA", v0=first, **rough)[1][:, ::-1]
    return signed(vectors.T).T


def principal(X: np.ndarray, q: int) -> np.ndarray:
    """Scores on the first axes of rows X, shape (n, q) or fewer columns."""
    return PCA(n_components=q).fit(X).transform(X)


def first_columns(X: np.ndarray, q: int, who: str) -> np.ndarray:
    """The first q columns of rows X about their means, shape (n, q) or fewer columns.

    Raises DataError if these are all constant.
    """
    Y = X[:, :q]
    if not np.ptp(Y, axis=0).any():
        raise DataError(
            f"{who} is to begin at the places that the first {count(Y.shape[1], 'column')} hold, "
            "where all rows are equal. Put other columns first, or choose another start."
        )
    return Y - Y.mean(axis=0)


def boxed(Y: np.ndarray, q: int, rng: np.random.Generator) -> np.ndarray:
    """Places in a box of side 10, shape (n, q), slightly moved; what Y lacks is drawn."""
    filled = rng.uniform(-1.0, 1.0, size=(len(Y), q))
    if Y.size:
        filled[:, : Y.shape[1]] = Y / np.abs(Y).max()
    filled += NOISE * rng.normal(size=filled.shape)
    low, high = filled.min(axis=0), filled.max(axis=0)
    return np.ascontiguousarray(SIDE * (filled - low) / (high - low))
