"""The rules of two sides that a classifier of several classes is made of, by the names of these."""

from __future__ import annotations

from typing import Any

import numpy as np

from figures.options import Offered, Values
from mlcore.data.dataset import Dataset
from mlcore.spine.wording import listed


def classes_of(fit: Any, dataset: Dataset) -> tuple[str, ...]:
    """The names of the classes that a fit knows, (K,)."""
    return tuple(dataset.classes[int(k)] for k in fit.classes)


def several_classes(offered: Offered) -> Values:
    """The names of more than two classes by their number, from 1; none of two."""
    classes = offered["dataset"].classes
    return dict(enumerate(classes, 1)) if len(classes) > 2 else {}


def sides(code: np.ndarray, names: tuple[str, ...]) -> list[tuple[str, str]]:
    """What each rule parts, the positive side first; `code` has shape (K, B)."""
    return [(_side(column, 1, names), _side(column, -1, names)) for column in code.T]


def _side(column: np.ndarray, sign: int, names: tuple[str, ...]) -> str:
    own = np.flatnonzero(column == sign)
    if 1 < len(own) == len(column) - 1 and column.all():
        return "the rest"
    return listed([names[k] for k in own], 3)


def contradicts(scores: np.ndarray, code: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Where some rule speaks against the class that all together give, shape (m,).

    `scores` has shape (m, B), `said` the place of each row's class among the K, shape (m,).
    """
    words = code[predicted]  # (m, B)
    return ((words != 0) & ((scores > 0) != (words > 0))).any(axis=1)
