"""What is merged at first: single rows, or groups that were made before."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlcore.clustering.kmeans import KMeans
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column
from mlcore.spine.params import column, integer


@dataclass(frozen=True, kw_only=True)
class MergeStart(Component):
    """Groups with which the merges begin."""

    def groups(self, X: np.ndarray) -> np.ndarray | None:
        """Labels of the groups of rows X, shape (n, p), as (n,); None for each row alone."""
        raise NotImplementedError(f"{type(self).__name__} declares no groups")

    def most(self, n: int) -> int:
        """How many groups of n rows there may be."""
        return n

    def variables(self) -> tuple[str, ...]:
        """Variables of the table that hold groups, and have no part in distances."""
        return ()

    def parted(
        self, X: np.ndarray, columns: tuple[Column, ...]
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """What distances are measured in of rows X, (n, p), as (n, q), and labels of groups."""
        return X, self.groups(X)


@enter(Card("rows", "Single rows", ("merge_start",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class SingleRows(MergeStart):
    """Each row is a cluster."""

    def groups(self, X: np.ndarray) -> None:
        """None: no rows belong together yet."""
        return


@enter(
    Card(
        "kmeans",
        "Groups of k-means",
        ("merge_start",),
        sources=("prac:agglomerative",),
        kind="part",
        synonyms=("post-processing of k-means", "two-step clustering", "prototypes"),
    )
)
@dataclass(frozen=True, kw_only=True)
class KMeansGroups(MergeStart):
    """The groups of one run of k-means, always from the same draws.

    Many small round groups stand for many rows; merged, they take any form that the linkage
    follows, and far more rows than could be merged one by one.
    """

    n_groups: int = integer(
        50,
        low=2,
        high=5000,
        soft=(10, 500),
        log=True,
        label="Number of groups",
        doc="How many k-means makes; far more than clusters are wanted.",
    )

    def most(self, n: int) -> int:
        """As many as asked for."""
        return min(self.n_groups, n)

    def groups(self, X: np.ndarray) -> np.ndarray:
        """Labels of k-means, shape (n,)."""
        return KMeans(n_clusters=self.most(len(X)), n_init=1).fit(X, seed=0).labels


@enter(
    Card("column", "Groups of a column", ("merge_start",), sources=("prac:agglomerative",),
         kind="part")
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class ColumnGroups(MergeStart):
    """Rows with one value in a column: of each species, place or person.

    The tree then tells which of these groups are alike. The column itself has no part in distances.
    """

    name: str | None = column(
        None, or_none="none: single rows", label="Column", doc="Holds the group of each row."
    )

    def variables(self) -> tuple[str, ...]:
        """The column."""
        return () if self.name is None else (self.name,)

    def groups(self, X: np.ndarray) -> None:
        """None: rows alone do not tell which column it is."""
        return

    def parted(
        self, X: np.ndarray, columns: tuple[Column, ...]
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """The other columns, and the values of this one as labels.

        Raises DataError if it is not there, or alone.
        """
        if self.name is None:
            return X, None
        at = groups_column(
            columns, self.name, "Agglomerative clustering", "Choose another column, or single rows."
        )
        return np.delete(X, at, axis=1), X[:, at]


def groups_column(columns: tuple[Column, ...], name: str, who: str, remedy: str) -> int:
    """The position among columns of that which came of the variable `name` and holds groups.

    Raises DataError in the name of `who` if it is not there, several, or alone.
    """
    at = [j for j, each in enumerate(columns) if each.variable == name]
    if len(at) == 1 and len(columns) > 1:
        return at[0]
    raise DataError(
        f"{who} needs {name}, which holds the groups it begins with, as one column beside others; "
        f"it got {len(at)} of {len(columns)}. {remedy}"
    )
