"""How far a move towards denser places looks: a bandwidth by a rule, by a density, or given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlcore.clustering.kernel_density import KernelDensity
from mlcore.maths.squared_distances import squares_against
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import real

MOST_ASKED = 1_000  # rows whose neighbours are looked at: a mean of so many is close enough
BLOCK = 200  # rows asked at a time


@dataclass(frozen=True, kw_only=True)
class Reach(Component):
    """A rule for the bandwidth of mean shift."""

    def width(self, X: np.ndarray) -> float:
        """The bandwidth for rows X, shape (n, p), in units of the columns."""
        raise NotImplementedError(f"{type(self).__name__} declares no width")


@enter(Card("quantile_reach", "Quantile rule", ("reach",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class QuantileReach(Reach):
    """The mean distance from a row to the nearest share of all rows, as a quick guess.

    A share of less than two rows is the nearest alone. Of more than 1 000 rows that many, evenly
    spaced, are asked.
    """

    share: float = real(
        0.3,
        above=0.0,
        high=1.0,
        soft=(0.05, 0.5),
        doc="Share of the rows, itself among them, that a row reaches: less gives more modes.",
    )

    def width(self, X: np.ndarray) -> float:
        """Mean distance to the row at that rank."""
        n = len(X)
        rank = min(max(2, int(n * self.share)), n) - 1
        asked = X[np.unique(np.linspace(0, n - 1, MOST_ASKED).round().astype(np.int64))]
        squares = squares_against(X)
        parts = (asked[k : k + BLOCK] for k in range(0, len(asked), BLOCK))
        at = [np.argpartition(squares(part), rank, axis=1)[:, rank] for part in parts]
        # Squares by products have rounding left where rows are equal.
        return float(np.sqrt(((asked - X[np.concatenate(at)]) ** 2).sum(axis=1)).mean())


@enter(Card("held_out_reach", "Held-out density", ("reach",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class HeldOutReach(Reach):
    """The bandwidth of the Gaussian density under which each row left out is likeliest."""

    def width(self, X: np.ndarray) -> float:
        """That of kernel density with rows left out one by one."""
        return float(KernelDensity().fit(X).bandwidth)


@enter(Card("given_reach", "Given", ("reach",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class GivenReach(Reach):
    """A number."""

    h: float = real(
        1.0,
        above=0.0,
        soft=(0.05, 10.0),
        log=True,
        symbol="h",
        label="Bandwidth",
        doc="How far a move looks, in units of the prepared columns.",
    )

    def width(self, X: np.ndarray) -> float:
        """The setting."""
        return self.h
