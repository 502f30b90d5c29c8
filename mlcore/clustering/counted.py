"""Methods whose setting `n_clusters` says how many groups they make."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self, cast


class CountedClusters:
    """What is asked of a method that is told how many groups to make (`CountsGroups`)."""

    def with_groups(self, k: int) -> Self:
        """The same method for k groups."""
        return replace(cast(Any, self), n_clusters=k)
