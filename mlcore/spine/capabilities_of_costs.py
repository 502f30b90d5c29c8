"""What methods that count errors by their costs have, by name, and their fits."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from mlcore.spine.capabilities import HasClasses


@runtime_checkable
class HasCosts(HasClasses, Protocol):
    """`costs`: what taking a row of a class for another costs, shape (K, K), rows true, columns
    predicted, of K classes; the class said is to cost least."""

    costs: np.ndarray


@runtime_checkable
class LearnsFromCosts(HasCosts, Protocol):
    """Scores that were learned from the costs, so that others need another fit. `dearer(k, ratio)`:
    the method that it was made by, where a miss of class k, by its position, costs `ratio` and
    every other error 1."""

    def dearer(self, k: int, ratio: float) -> Any: ...


@runtime_checkable
class SetsCosts(Protocol):
    """A method that is told `costs`, a part of the slot of that name."""

    costs: Any


@runtime_checkable
class Rejects(Protocol):
    """`rejects(X)`: whether each row is left undecided, shape (m,), at `reject_cost` a row, which
    is infinite where none ever is. `predict` says what class it would be all the same."""

    reject_cost: float

    def rejects(self, X: Any) -> np.ndarray: ...
