"""Checks at the door: public functions call these once, private ones trust what they get."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlcore.spine.errors import ClassError, DataError
from mlcore.spine.pool import even_parts, side_by_side

# Values that are looked at together: a product of more than 2^13 would be shared by the threads of
# the BLAS, which costs milliseconds where they have other work.
BLOCK = 2**10
# Values that a thread of ours looks at; half as many are more than the 500 blocks from which on
# numpy lets go of the interpreter.
SHARE = 2**20
LARGEST = 1e150  # squares of larger numbers have no finite sum


def matrix(X: Any, who: str, *, missing: bool = False, names: tuple[str, ...] = ()) -> np.ndarray:
    """X as float64 in C order, shape (n, p), finite (NaN only where `missing`).

    Raises DataError, in the name of `who`, if it is no such table.
    """
    try:
        X = np.ascontiguousarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{who} needs a table of numbers; encode text columns first.") from None
    if X.ndim != 2:
        raise DataError(
            f"{who} needs rows and columns, an array of two dimensions; got {X.ndim}. "
            "For a single column, use X.reshape(-1, 1)."
        )
    if X.shape[0] == 0 or X.shape[1] == 0:
        raise DataError(
            f"{who} needs at least one row and one column; got {X.shape[0]} rows "
            f"and {X.shape[1]} columns."
        )
    finite_columns(X, who, missing=missing, names=names)
    return X


def finite_columns(X: np.ndarray, who: str, *, missing: bool, names: tuple[str, ...]) -> None:
    """Raises DataError for values of X, shape (n, p), that cannot be used, naming the first column.

    These are infinite values, those whose squares have no finite sum, and missing ones unless
    `missing`.
    """
    if _surely_finite(X):
        return
    with np.errstate(invalid="ignore"):
        bad = np.abs(X) > LARGEST if missing else ~(np.abs(X) <= LARGEST)
    if not bad.any():
        return
    row, at = (int(i) for i in np.argwhere(bad)[0])
    column = names[at] if at < len(names) else f"number {at + 1}"
    value, fix = _unusable(X[row, at])
    raise DataError(
        f"{who} needs finite numbers; column {column} has {value} in row {row + 1}. {fix}"
    )


def _surely_finite(X: np.ndarray) -> bool:
    """Whether sums of squares, block by block, already show that every value can be used.

    Large tables are read by all threads: one alone waits for the memory.
    """
    values = X.ravel(order="K")  # as they lie in memory: no copy
    if len(values) <= SHARE:
        return _have_squares(values)
    parts = (values[slice(*ends)] for ends in even_parts(len(values), SHARE))
    return all(side_by_side(_have_squares, parts))


def _have_squares(values: np.ndarray) -> bool:
    """Whether the squares of values, shape (n,), surely have finite sums."""
    even = len(values) - len(values) % BLOCK
    blocks, rest = values[:even].reshape(-1, BLOCK), values[even:]
    with np.errstate(over="ignore", invalid="ignore"):
        squares = np.append(np.vecdot(blocks, blocks), rest @ rest)
        return bool((squares <= LARGEST**2).all())  # a missing value gives a missing sum


def _unusable(value: float) -> tuple[str, str]:
    """What is wrong with a value, and what to do."""
    if np.isnan(value):
        return "a missing value", "Add an imputation step before it."
    if np.isinf(value):
        return "an infinite value", "Remove that row."
    return f"{value:.3g}, too large to square,", "Scale that column."


def same_length(values: Any, n: int, who: str, what: str) -> None:
    """Raises DataError unless `values` have one entry for each of the n rows."""
    if len(values) != n:
        raise DataError(f"{who} needs one of {what} for each row; got {len(values)} for {n} rows.")


def classes(y: Any, n: int, who: str) -> tuple[np.ndarray, np.ndarray]:
    """Codes 0..K-1, shape (n,), and the sorted class labels, shape (K,).

    Raises DataError if y is not one label for each of the n rows.
    """
    if y is None:
        raise DataError(f"{who} needs a class label for each row; choose a target column.")
    y = np.asarray(y)
    if y.ndim != 1:
        raise DataError(f"{who} needs one class label a row; got an array of {y.ndim} dimensions.")
    same_length(y, n, who, "class labels")
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise DataError(f"{who} needs a class label for each row; some are missing.")
    if y.dtype.kind == "f" and (y != np.round(y)).any():
        raise DataError(
            f"{who} needs class labels; the target holds fractions, so it looks like a quantity. "
            "Use a regression method, or choose another target."
        )
    return _counted(y) or _sorted(y)


def _counted(y: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Codes and labels of whole numbers that lie close together, without sorting; else None."""
    if y.dtype.kind not in "iu" or not len(y):
        return None
    least, most = int(y.min()), int(y.max())
    if most - least > len(y) or most > np.iinfo(np.int64).max:
        return None
    apart = y.astype(np.int64) - least
    values = np.flatnonzero(np.bincount(apart))
    rank = np.zeros(most - least + 1, dtype=np.int64)
    rank[values] = np.arange(len(values))
    return rank[apart], (values + least).astype(y.dtype)


def _sorted(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    labels, codes = np.unique(y, return_inverse=True)
    return codes.astype(np.int64), labels


def no_quantity(y: Any, who: str) -> None:
    """Raises DataError if the target is numbers with fractions, which name no classes."""
    if y is not None and np.asarray(y).dtype.kind == "f":
        raise DataError(
            f"{who} learns from classes; this target is a quantity. Choose another target, or set "
            "the kind of the column to nominal."
        )


def two_classes(labels: np.ndarray, who: str) -> None:
    """Raises DataError unless there are at least two labels of classes, shape (K,)."""
    if len(labels) < 2:
        raise DataError(
            f"{who} needs at least two classes; all rows that it got have the same. "
            "Choose another target, or use rows of more classes."
        )


def target(y: Any, n: int, who: str, *, outputs: bool = False) -> np.ndarray:
    """A numeric target as float64, finite, shape (n,); with `outputs` it may be (n, q).

    Raises DataError if y is not such numbers, one for each of the n rows.
    """
    if y is None:
        raise DataError(f"{who} needs a number to predict for each row; choose a target column.")
    try:
        y = np.ascontiguousarray(y, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(
            f"{who} predicts numbers; the target holds text. Use a classification method."
        ) from None
    if outputs and y.ndim == 2 and not y.shape[1]:
        raise DataError(f"{who} needs at least one output; got none.")
    if y.ndim != 1 and not (outputs and y.ndim == 2):
        raise DataError(f"{who} needs one number a row; got an array of {y.ndim} dimensions.")
    same_length(y, n, who, "target values")
    if _surely_finite(y):
        return y
    if not np.isfinite(y).all():
        raise DataError(f"{who} needs a finite target in every row; leave the other rows out.")
    if np.abs(y).max() > LARGEST:
        raise DataError(
            f"{who} squares the target, and the largest value here overflows. Scale the target."
        )
    return y


def weights(w: Any, n: int, who: str, *, squared: bool = True) -> np.ndarray:
    """Weights as float64, shape (n,).

    Raises DataError if one is negative or all are zero; if they will be `squared`, also where the
    square of the largest is no number.
    """
    w = np.ascontiguousarray(w, dtype=np.float64)
    same_length(w, n, who, "weights")
    if not np.isfinite(w).all() or (w < 0).any() or not w.any():
        raise DataError(f"{who} needs finite weights, none negative and at least one positive.")
    if squared and not 1 / LARGEST <= (top := float(w.max())) <= LARGEST:
        raise DataError(
            f"{who} squares weights, of which the largest is {top:.3g}: that is no number any "
            "more. Divide all weights by it."
        )
    return w


def groups(values: Any, n: int, who: str) -> np.ndarray:
    """What each row belongs to, shape (n,): codes or names; raises DataError for others."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise DataError(f"{who} needs one group a row; got an array of {array.ndim} dimensions.")
    same_length(array, n, who, "groups")
    return array


def order(values: Any, n: int, who: str) -> np.ndarray:
    """The time of each row, shape (n,): numbers or dates; raises DataError for others."""
    array = np.asarray(values)
    if array.ndim != 1 or array.dtype.kind not in "iufmM":
        raise DataError(
            f"{who} needs a time for each row, a number or a date. Give one list of them, in the "
            "order of the rows."
        )
    same_length(array, n, who, "order")
    return array


def lengths(values: Any, n: int, who: str) -> np.ndarray:
    """Lengths of sequences that lie one after the other in n rows, (k,) whole numbers.

    None is one sequence. Raises DataError unless all are at least 1 and their sum is n.
    """
    if values is None:
        return np.array([n], dtype=np.int64)
    counts = _whole_numbers(values)
    if counts is None or not len(counts) or counts.min() < 1:
        raise DataError(
            f"{who} needs lengths of sequences, a list of whole numbers of at least 1. "
            "Give the number of rows of each sequence, in the order of the rows."
        )
    if counts.sum() != n:
        raise DataError(
            f"{who} needs lengths that sum to the number of rows, {n}; they sum to "
            f"{counts.sum()}. Give the number of rows of each sequence."
        )
    return counts


def _whole_numbers(values: Any) -> np.ndarray | None:
    """A list of whole numbers as int64, shape (k,), or None where it is something else."""
    try:
        array = np.asarray(values)
    except ValueError:  # lists of several lengths
        return None
    if array.ndim != 1 or array.dtype.kind not in "iuf":
        return None
    if array.dtype.kind == "f" and not (array == np.round(array)).all():
        return None
    with np.errstate(invalid="ignore"):  # an infinite one becomes one that is refused
        return array.astype(np.int64)


def is_count(value: Any, least: int = 1) -> bool:
    """Whether it is a whole number of at least `least`."""
    is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    return is_whole and bool(value >= least)


def seed(value: Any) -> int:
    """The seed as an int. Raises DataError unless it is a whole number of at least 0."""
    if not is_count(value, 0):
        raise DataError(f"A seed must be a whole number of at least 0; got {value!r}.")
    return int(value)


def every_class(codes: np.ndarray, labels: np.ndarray, who: str) -> None:
    """Raises ClassError if one of the labels, shape (K,), has none of the codes of the rows."""
    if len(missing := np.flatnonzero(np.bincount(codes, minlength=len(labels)) == 0)):
        needs = f"{who} needs a row of every class with a weight above zero; "
        raise ClassError(needs, [labels[missing[0]]], " has none.")
