"""Whether the order of the rows says something of the target."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlcore.spine import checks
from mlcore.spine.errors import DataError
from mlcore.spine.records import function

# Neighbouring rows alike to this degree are no independent draws.
AUTOCORRELATION = 0.5
BLOCK_Z = -5.0


@function("row_order_report", title="Order of the rows", sources=("s841:iid_assumption",))
def row_order_report(y: Any, is_classes: bool | None = None) -> str:
    """sorted, blocked (classes), autocorrelated (quantities) or independent, of y, shape (n,).

    Sorted classes are one block each; blocked ones change far less often from row to row than in a
    random order, by 5 standard deviations; a quantity is autocorrelated above 0.5. Without
    `is_classes`, whole numbers and text are classes. Raises DataError for fewer than two values.
    """
    y = np.asarray(y)
    if y.ndim != 1 or len(y) < 2:
        raise DataError("The order of the rows shows in two rows or more, with one value each.")
    if y.dtype.kind == "f":
        checks.matrix(y.reshape(-1, 1), "The order of the rows")
    return order_of(y, y.dtype.kind != "f" if is_classes is None else is_classes)


def order_of(y: np.ndarray, is_classes: bool) -> str:
    """The same of y, shape (n,), known to have two values or more, none of them missing."""
    return _of_classes(np.unique(y, return_inverse=True)[1]) if is_classes else _of_numbers(y)


def _of_classes(codes: np.ndarray) -> str:
    counts = np.bincount(codes)
    n, changes = len(codes), int((codes[1:] != codes[:-1]).sum())
    if changes == len(counts) - 1:
        return "sorted"
    # Mean of the changes in a random order, and the variance of as many independent pairs.
    p = 1 - (counts / n) @ (counts / n)
    z = (changes - (n - 1) * p) / np.sqrt((n - 1) * p * (1 - p) + 1e-12)
    return "blocked" if z < BLOCK_Z else "independent"


def _of_numbers(y: np.ndarray) -> str:
    if (y[1:] >= y[:-1]).all() or (y[1:] <= y[:-1]).all():
        return "sorted"
    centred = y - y.mean()
    together = centred[1:] @ centred[:-1]
    return "autocorrelated" if together > AUTOCORRELATION * (centred @ centred) else "independent"
