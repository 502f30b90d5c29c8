"""Borders between Gaussians: sums of the columns, their squares and their products."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from figures.numbers.borders.straight import plane
from mlcore.classification.logits import Boundary, discriminant_coefficients
from mlcore.data.dataset import Dataset
from mlcore.preparation.chain import Prepared
from mlcore.spine.errors import DataError
from mlcore.spine.wording import fixed

MOST_COLUMNS = 64  # of more there are too many products to read


class Conics(NamedTuple):
    """Where normals . terms + offsets = 0, for each pair; every column is counted from its mean.

    Of raw columns, x and its square would say nearly the same and cancel.
    """

    names: tuple[str, ...]  # (P,) of the columns, then of their products
    written: tuple[str, ...]  # (P,) with the means that they are counted from
    terms: np.ndarray  # (n, P) of the rows
    normals: np.ndarray  # (B, P)
    offsets: np.ndarray  # (B,)
    is_of_table: bool  # in columns of the table, else as prepared


def conics_of(
    fit: Any, dataset: Dataset, prepared: Prepared, pairs: list[tuple[int, int]]
) -> Conics:
    """The borders of a fit with one Gaussian a class; the second of a pair is above.

    In columns of the table where the preparation is straight in these. Raises DataError for more
    than 64 columns.
    """
    straight = plane(prepared.transform, dataset)
    X = dataset.X if straight is not None else prepared.transform(dataset.X)
    p = X.shape[1]
    if p > MOST_COLUMNS:
        raise DataError(
            f"A border between Gaussians has a term for each pair of columns, of {p} columns "
            f"{p * (p + 1) // 2}. Use at most {MOST_COLUMNS} columns."
        )
    A, b = straight if straight is not None else (np.eye(p), np.zeros(p))
    center = X.mean(axis=0)
    borders = [discriminant_coefficients(fit, fit.classes[j], fit.classes[i]) for i, j in pairs]
    moved = [_moved(border, A, A @ center + b) for border in borders]
    columns = [c.name for c in (dataset if straight is not None else fit).columns]
    names, written = _named(columns, center, X.std(axis=0))
    normals = np.stack([np.append(m.linear, _products(m.quadratic)) for m in moved])
    offsets = np.array([m.constant for m in moved])
    return Conics(names, written, _terms(X - center), normals, offsets, straight is not None)


def _moved(border: Boundary, A: np.ndarray, b: np.ndarray) -> Any:
    """The border in x, where A x + b are the columns that it is of."""
    Q = border.quadratic
    assert Q is not None  # Gaussians have one each
    constant = border.constant + border.linear @ b + b @ Q @ b
    return Boundary(float(constant), A.T @ (border.linear + 2.0 * Q @ b), A.T @ Q @ A)


def _products(Q: np.ndarray) -> np.ndarray:
    """Coefficients of x_i x_j, i <= j, of a symmetric form, (p (p + 1) / 2,)."""
    i, j = np.triu_indices(len(Q))
    return np.where(i == j, 1.0, 2.0) * Q[i, j]


def _terms(X: np.ndarray) -> np.ndarray:
    """The columns, then their products, (n, P)."""
    i, j = np.triu_indices(X.shape[1])
    return np.hstack([X, X[:, i] * X[:, j]])


def _named(
    columns: list[str], center: np.ndarray, spread: np.ndarray
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The terms in short, and as they are in an equation."""
    counted = [
        f"({name} {'+' if m < 0 else '−'} {_mean(abs(float(m)), float(s))})" if m else name
        for name, m, s in zip(columns, center, spread, strict=True)
    ]
    i, j = np.triu_indices(len(columns))
    return tuple(_with_products(columns, i, j)), tuple(_with_products(counted, i, j))


def _mean(value: float, spread: float) -> str:
    """To a hundredth of the deviation: of a year near 2000, three digits would be the same."""
    digits = 2 - int(np.floor(np.log10(spread))) if spread > 0 else 2
    return fixed(value, max(digits, 0))


def _with_products(names: list[str], i: np.ndarray, j: np.ndarray) -> list[str]:
    pairs = zip(i, j, strict=True)
    return names + [f"{names[a]}²" if a == b else f"{names[a]} × {names[b]}" for a, b in pairs]
