"""Directions along which classes lie farthest apart, in units of the spread within them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlcore.classification.scatter import Remedied, Within
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column


class Discriminants(NamedTuple):
    """Axes of unit variance within classes, those first along which class means differ most."""

    axes: np.ndarray  # (q, p)
    values: np.ndarray  # (q,) variance of the class means along each, falling
    mean: np.ndarray  # (p,) of all rows


def discriminants(counts: np.ndarray, means: np.ndarray, white: np.ndarray) -> Discriminants:
    """Of K classes of these weights, shape (K,), and means, (K, p): q is at most K - 1.

    `white`, shape (p, r), holds directions along which rows have covariance I. The axes are the
    generalised eigenvectors of S_b w = lambda S_w w, with lambda as `values`.
    """
    mean = counts @ means / counts.sum()
    away = (means - mean) @ white  # (K, r)
    _, s, Vt = np.linalg.svd(np.sqrt(counts / counts.sum())[:, None] * away, full_matrices=False)
    most = min(len(counts) - 1, white.shape[1])
    axes = _signed((white @ Vt[:most].T).T, away @ Vt[:most].T)
    return Discriminants(axes, s[:most] ** 2, mean)


def white_within(within: Within, remedied: Remedied, bias: float, who: str) -> np.ndarray:
    """Directions along which rows have covariance I within classes, shape (p, r).

    Variances are multiplied by `bias` first. Raises DataError if there is no such direction.
    """
    if not remedied.kept.any() or remedied.values[remedied.kept].min() <= 0:
        raise DataError(
            f"No row differs from the mean of its class, so {who} have no spread to compare "
            "distances with. Add rows that vary."
        )
    spread = np.sqrt(bias * remedied.values[remedied.kept])
    return within.vectors[:, remedied.kept] / spread / within.scale[:, None]


def axis_columns(q: int) -> tuple[Column, ...]:
    """One column a discriminant axis."""
    return tuple(Column(f"discriminant {j + 1}") for j in range(q))


def too_few_rows(n: int, K: int, who: str) -> str | None:
    """Why n rows of K classes have no spread within classes, or None if they may have one."""
    if n > K:
        return None
    return (
        f"{who} need more rows than classes; there are {n} rows and {K} classes, so nothing varies "
        "within a class."
    )


def flat_note(within: Within, columns: tuple[Column, ...]) -> tuple[str, ...]:
    """A sentence that tells which columns do not vary within any class."""
    flat = [columns[j].name for j in within.flat]
    if not flat:
        return ()
    shown = ", ".join(flat[:5]) + (f" and {len(flat) - 5} more" if len(flat) > 5 else "")
    return (f"Constant within every class: {shown}.",)


def _signed(axes: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """Two classes: the second projects higher; more: the largest entry of an axis is positive."""
    if len(centers) == 2:
        return axes * np.where(centers[1] >= centers[0], 1.0, -1.0)[:, None]
    largest = np.abs(axes).argmax(axis=1)
    return axes * np.where(axes[np.arange(len(axes)), largest] >= 0, 1.0, -1.0)[:, None]
