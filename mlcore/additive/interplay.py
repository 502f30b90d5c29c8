"""Surfaces of two columns, for what they do only together: products of two bases."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from mlcore.basis.splines import Curve
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column
from mlcore.spine.wording import listed

COARSE = 7  # weights of a column in a surface at most: their products are the weights of it


def pairs_of(columns: Sequence[Column], named: Sequence[str], who: str) -> np.ndarray:
    """Positions of every two columns made from different variables of those named, shape (s, 2).

    Raises DataError where a name is not there, or where there is a single one.
    """
    there = {column.variable for column in columns}
    if missing := [name for name in named if name not in there]:
        raise DataError(
            f"{who} found no column {listed(missing)} for a surface. Name columns that the "
            "preparation keeps."
        )
    if len(named) == 1:
        raise DataError(f"{who} needs two columns or more for a surface; one is named. Add one.")
    own = [j for j, column in enumerate(columns) if column.variable in set(named)]
    pairs = [(j, k) for j, k in combinations(own, 2) if columns[j].variable != columns[k].variable]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def coarse(curve: Curve) -> Curve:
    """The basis of a column within a surface: a line, and few bends or all steps."""
    return curve if len(curve.cuts) else curve._replace(width=min(curve.width, COARSE))


def products(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Every product of a column of A, (m, a), and one of B, (m, b): shape (m, a b).

    The first is that of the two first, which are straight lines in bases of curves.
    """
    return (A[:, :, None] * B[:, None, :]).reshape(len(A), -1)
