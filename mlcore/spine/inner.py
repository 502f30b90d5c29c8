"""A method inside a method: what the outer one was given is handed on."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

import numpy as np

from mlcore.spine.errors import DataError, naming
from mlcore.spine.method import Given


def refuse_weights(inner: Any, given: Given, who: str) -> None:
    """Raises DataError if the rows have weights and the inner method does not take them."""
    if given.weights is not None and "weights" not in inner.card.takes:
        raise DataError(
            f"{who} would hand the weights of the rows to {inner.title()}, which does not take "
            "weights. Choose another method inside, or give that column another role."
        )


def fit_inner(inner: Any, given: Given, y: np.ndarray, rows: Any = slice(None)) -> Any:
    """The inner method fitted to some rows, with the columns, weights and seed of the outer one.

    `y`, shape (m,), is the target of these rows alone. The weights must have passed
    `refuse_weights`.
    """
    more = {} if given.weights is None else {"weights": given.weights[rows]}
    return inner.fit(given.X[rows], y, columns=given.columns, seed=given.seed, **more)


def fit_together(inner: Any, given: Given, Y: np.ndarray) -> tuple[Any, ...]:
    """One fit an output of Y, (n, q), by an inner method that learns settings from all of them.

    Raises DataError where the inner method does not apply to these rows or one of the outputs.
    """
    for y in Y.T:
        _refuse(inner, given, y)
    return inner.fit_together(replace(given, y=Y))


def fit_outputs(inner: Any, given: Given, y: np.ndarray) -> Callable[[np.ndarray], Any]:
    """What fits the inner method to each output, given the first of them, y of shape (n,).

    It and what it returns raise DataError where the method does not apply to the rows or an output.
    """
    _refuse(inner, given, y)
    of_output = inner.fit_outputs(replace(given, y=y))

    def fit(own: np.ndarray) -> Any:
        _refuse(inner, given, own)
        return of_output(own)

    return fit


def _refuse(inner: Any, given: Given, y: np.ndarray) -> None:
    if reason := inner.applies(given.X, y):
        raise DataError(reason)


def fit_to_target(inner: Any, given: Given, rows: Any = slice(None)) -> Any:
    """As `fit_inner`, to the target that the outer method was given, classes as their codes."""
    with naming_classes(given):
        return fit_inner(inner, given, given.target[rows], rows)


def naming_classes(given: Given) -> AbstractContextManager[None]:
    """Within, errors about classes by their codes give the labels that the outer method got."""
    return naming(() if given.classes is None else given.labels.tolist())
