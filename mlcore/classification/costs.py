"""What it costs to take a row of one class for another."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import Any

import numpy as np

from mlcore.spine.component import Card, Component, enter
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.params import many
from mlcore.spine.records import function

WHO = "An expected cost"


@dataclass(frozen=True, kw_only=True)
class Costs(Component):
    """The cost of every pair of true and predicted class; being right costs nothing."""

    def matrix(self, n_classes: int) -> np.ndarray:
        """Rows true, columns predicted, shape (K, K), classes in sorted order.

        Raises DataError if the settings are of another number of classes.
        """
        # Every way to say costs has its own matrix; there is none to fall back on.
        raise NotImplementedError(f"{type(self).__name__} declares no matrix")


def _card(name: str, title: str) -> Card:
    return Card(name, title, ("costs",), kind="part", sources=("cs1:cost_matrix",))


@enter(_card("zero_one", "Every error costs the same"))
@dataclass(frozen=True, kw_only=True)
class ZeroOne(Costs):
    """An error costs 1, whichever: the least expected cost is that of the most probable class."""

    def matrix(self, n_classes: int) -> np.ndarray:
        """Ones beside a diagonal of zeros, shape (K, K)."""
        return 1.0 - np.eye(n_classes)


@enter(_card("per_class", "A cost for each true class"))
@dataclass(frozen=True, kw_only=True)
class PerClass(Costs):
    """A missed row costs what its class says, whatever it is taken for."""

    values: tuple[float, ...] = many(
        (1.0, 5.0), doc="What a missed row of each class costs, in the sorted order of the classes."
    )

    def conflict(self) -> str | None:
        """Costs are not negative, and one is positive."""
        if len(self.values) < 2 or min(self.values) < 0 or max(self.values) <= 0:
            return "Costs of classes must be two numbers or more, none negative and not all 0."
        return None

    def matrix(self, n_classes: int) -> np.ndarray:
        """The cost of its class in each row, zeros on the diagonal, shape (K, K)."""
        if len(self.values) != n_classes:
            raise DataError(
                f"There are {n_classes} classes and {len(self.values)} costs; give one for each "
                "class, in sorted order."
            )
        return np.array(self.values)[:, None] * (1.0 - np.eye(n_classes))


@enter(_card("matrix", "A cost for each pair"))
@dataclass(frozen=True, kw_only=True)
class CostMatrix(Costs):
    """Each kind of error has a cost of its own."""

    entries: tuple[float, ...] = many(
        (0.0, 1.0, 5.0, 0.0),
        doc="Row by row: of each true class the costs of taking it for each class, in sorted "
        "order; 0 for being right.",
    )

    def conflict(self) -> str | None:
        """The entries fill a square with a diagonal of zeros."""
        k = isqrt(len(self.entries))
        if k < 2 or k * k != len(self.entries):
            return (
                f"A cost matrix has as many rows as columns, two or more; got {len(self.entries)} "
                "entries."
            )
        if min(self.entries) < 0 or any(self.entries[:: k + 1]) or not any(self.entries):
            return (
                "Entries of a cost matrix are not negative and not all 0, and being right costs 0."
            )
        return None

    def matrix(self, n_classes: int) -> np.ndarray:
        """The entries as a square, shape (K, K)."""
        if len(self.entries) != n_classes**2:
            raise DataError(
                f"There are {n_classes} classes, so a cost matrix has {n_classes**2} entries; got "
                f"{len(self.entries)}."
            )
        return np.array(self.entries).reshape(n_classes, n_classes)


@function("expected_cost", title="Expected cost", sources=("cs1:cost_matrix",))
def expected_cost(P: Any, costs: Any) -> np.ndarray:
    """Cost that is expected of saying each class, shape (m, K): P costs.

    P holds probabilities of the classes, shape (m, K); costs has shape (K, K), rows true, columns
    predicted. Raises DataError if the shapes do not fit.
    """
    P, costs = np.asarray(P, dtype=np.float64), np.asarray(costs, dtype=np.float64)
    if P.ndim != 2 or costs.shape != (P.shape[1], P.shape[1]):
        raise DataError(
            f"{WHO} needs probabilities of K classes and a K x K matrix of costs; got shapes "
            f"{P.shape} and {costs.shape}."
        )
    return P @ costs


@function("optimal_threshold", title="Cut of least expected cost", sources=("prac:cost_tradeoff",))
def optimal_threshold(false_alarm: float, miss: float) -> float:
    """The probability of the second class from which on saying it is cheaper.

    `false_alarm` is the cost of taking the first class for the second, `miss` that of the opposite;
    the cut is false_alarm / (false_alarm + miss). Raises ParamError if one is negative or both
    are 0.
    """
    if not (min(false_alarm, miss) >= 0 and false_alarm + miss > 0):
        raise ParamError(
            f"Costs must not be negative, and one must be above 0; got {false_alarm} and {miss}."
        )
    return false_alarm / (false_alarm + miss)
