"""How common the classes are taken to be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlcore.spine.component import Card, Component, enter
from mlcore.spine.errors import ClassError, DataError
from mlcore.spine.params import many


def refuse_empty(counts: np.ndarray, classes: np.ndarray, who: str) -> None:
    """Raises ClassError if all rows of a class, of weights `counts`, shape (K,), weigh nothing."""
    empty = np.flatnonzero(counts == 0)
    if len(empty):
        needs = f" has weight 0; {who} needs at least one row of each class."
        raise ClassError("Every row of ", [classes[empty[0]]], needs)


@dataclass(frozen=True, kw_only=True)
class ClassPrior(Component):
    """Probabilities of the classes before a row is seen."""

    def shares(self, counts: np.ndarray) -> np.ndarray:
        """One probability a class, shape (K,), from the weight of each class in the rows."""
        raise NotImplementedError(f"{type(self).__name__} declares no shares")


@enter(Card("empirical", "Empirical priors", ("class_prior",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class Empirical(ClassPrior):
    """The shares of the classes among the training rows."""

    def shares(self, counts: np.ndarray) -> np.ndarray:
        """The counts divided by their sum."""
        return counts / counts.sum()


@enter(Card("equal", "Equal priors", ("class_prior",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class Equal(ClassPrior):
    """1/K for each class: right where the training rows were collected class by class."""

    def shares(self, counts: np.ndarray) -> np.ndarray:
        """1/K each."""
        return np.full(len(counts), 1.0 / len(counts))


@enter(Card("given", "Given priors", ("class_prior",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class GivenShares(ClassPrior):
    """Shares known from elsewhere, in the sorted order of the classes."""

    values: tuple[float, ...] = many(
        (0.5, 0.5), doc="One share a class, in sorted order; together 1."
    )

    def conflict(self) -> str | None:
        """Shares are positive and sum to 1."""
        if len(self.values) < 2 or min(self.values) <= 0 or abs(sum(self.values) - 1) > 1e-9:
            return "Given class shares must be at least two positive numbers that sum to 1."
        return None

    def shares(self, counts: np.ndarray) -> np.ndarray:
        """The values, shape (K,). Raises DataError if there are not K of them."""
        if len(self.values) != len(counts):
            raise DataError(
                f"There are {len(counts)} classes and {len(self.values)} given shares; give one "
                "for each class."
            )
        return np.array(self.values)
