"""Where a tree of merges is cut."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import integer, real


@dataclass(frozen=True, kw_only=True)
class Cut(Component):
    """A rule that says how many clusters are left."""

    def clusters(self, heights: np.ndarray) -> int:
        """How many of the n rows' clusters are left, for the heights of all merges, (n - 1,)."""
        raise NotImplementedError(f"{type(self).__name__} declares no number of clusters")

    def applies(self, n: int) -> str | None:
        """Why n rows cannot be cut so, as a sentence, or None."""
        return None


@enter(Card("number", "Number", ("tree_cut",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class AtNumber(Cut):
    """Where so many clusters are left."""

    n_clusters: int = integer(
        3,
        low=1,
        soft=(2, 12),
        symbol="K",
        label="Number of clusters",
        doc="How many clusters are left.",
    )

    def clusters(self, heights: np.ndarray) -> int:
        """The setting."""
        return self.n_clusters

    def applies(self, n: int) -> str | None:
        """Refuse more clusters than rows."""
        if n >= self.n_clusters:
            return None
        return f"{self.n_clusters} clusters need at least as many rows; there are {n}."


@enter(Card("height", "Height", ("tree_cut",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class AtHeight(Cut):
    """Below a height: what lies that far apart, or farther, is not merged."""

    distance_threshold: float = real(
        2.0,
        low=0.0,
        soft=(0.1, 50.0),
        log=True,
        label="Height",
        doc="Merges at this height or above are not made; in units of the linkage.",
    )

    def clusters(self, heights: np.ndarray) -> int:
        """What the merges below the height leave."""
        return left_at(heights, self.distance_threshold)


def left_at(heights: np.ndarray, height: float) -> int:
    """Clusters that are left when merges of `heights`, (n - 1,), are made up to that at `height`.

    Where a merge lies lower than one before it, this is the only cut by height that is one of the
    states through which the merging went.
    """
    highest = np.maximum.accumulate(heights)
    return len(heights) + 1 - int(np.searchsorted(highest, height, side="left"))
