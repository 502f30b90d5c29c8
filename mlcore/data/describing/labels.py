"""Names of classes written as numbers, and back."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mlcore.spine import checks
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.records import function

CODINGS = ("from_zero", "from_one", "signs", "indicator")
WHO = "A coding of labels"


class CodedLabels(NamedTuple):
    """Labels as numbers, and what is needed to read them again."""

    values: np.ndarray  # (n,), or (n, K) for an indicator
    classes: np.ndarray  # (K,) sorted labels
    coding: str


@function("encode_labels", title="Label encoding")
def encode_labels(y: Any, coding: str = "from_zero") -> CodedLabels:
    """The labels y, shape (n,), of K classes as numbers.

    "from_zero" gives 0 to K - 1, "from_one" 1 to K, "signs" -1 and 1 for the first and the second
    of two classes, "indicator" a column for each class, shape (n, K), 1 where the row is of it.
    Raises ParamError for any other coding.
    """
    _check(coding)
    codes, classes = checks.classes(y, len(np.atleast_1d(y)), WHO)
    return CodedLabels(_patterns(len(classes), coding)[codes], classes, coding)


@function("decode_labels", title="Label decoding")
def decode_labels(values: Any, classes: Any, coding: str = "from_zero") -> np.ndarray:
    """The labels, shape (n,), of what `encode_labels` gave for these K classes.

    `values` has the shape (n,), or (n, K) for an indicator. Raises DataError for numbers that stand
    for no class, or if the shape does not fit the coding.
    """
    _check(coding)
    labels, values = np.asarray(classes), np.asarray(values, dtype=np.float64)
    patterns = _patterns(len(labels), coding)
    if values.shape[1:] != patterns.shape[1:]:
        raise DataError(
            f"{WHO} by {coding} has {patterns[0].size} numbers a row for {len(labels)} classes; "
            f"got the shape {values.shape}."
        )
    is_match = values[:, None] == patterns
    is_match = is_match if patterns.ndim == 1 else is_match.all(axis=2)
    if not is_match.any(axis=1).all():
        row = int((~is_match.any(axis=1)).argmax())
        raise DataError(
            f"Row {row + 1} holds {values[row].tolist()}, which stands for no class by {coding}."
        )
    return labels[is_match.argmax(axis=1)]


def _check(coding: str) -> None:
    if coding not in CODINGS:
        raise ParamError(f"Labels are coded by {', '.join(CODINGS)}; got {coding!r}.")


def _patterns(k: int, coding: str) -> np.ndarray:
    """What stands for each of k classes, shape (k,) or (k, k)."""
    if coding == "indicator":
        return np.eye(k)
    if coding == "signs":
        if k > 2:
            raise DataError(f"Signs stand for two classes; there are {k}. Choose another coding.")
        return np.array([-1, 1])[:k]
    return np.arange(k) + (coding == "from_one")
