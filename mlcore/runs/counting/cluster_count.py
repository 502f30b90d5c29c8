"""The declaration of a count: a method that is tried with one cluster, two, and so on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from mlcore.runs.run import AnyRun, Run, one_table, start_of_chance, steps_before
from mlcore.spine.asking import can
from mlcore.spine.capabilities_of_groups import CountsGroups
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.params import integer, part

FEWEST = 2  # what a count names as the setting of its method, which it varies


def most_clusters() -> Any:
    """Declare how far is counted."""
    return integer(
        10, low=3, high=50, soft=(4, 20), label="Most clusters", symbol=r"K_{\max}",
        doc="From one cluster to so many are tried.",
    )  # fmt: skip


def resamples_drawn() -> Any:
    """Declare how stability is measured."""
    return integer(
        10, low=0, high=200, soft=(0, 40), label="Resamples",
        doc="Draws of 80 % of the rows, each two of which are compared; 0 leaves stability out.",
    )  # fmt: skip


def splits_drawn() -> Any:
    """Declare by how many splits the prediction strength is measured."""
    return integer(
        10, low=0, high=200, soft=(0, 50), label="Splits in halves",
        doc="Splits in halves that predict each other; 0 leaves prediction strength out.",
    )  # fmt: skip


def references_drawn() -> Any:
    """Declare by how many draws the gap statistic is measured."""
    return integer(
        20, low=0, high=500, soft=(0, 100), label="References", symbol="B",
        doc="Draws of rows without any clusters; 0 leaves the gap statistic out.",
    )  # fmt: skip


@enter(
    Card(
        "cluster_count",
        "Number of clusters",
        ("run",),
        paper="Tibshirani, Walther and Hastie (2001), Journal of the Royal Statistical Society B "
        "63(2); Ben-Hur, Elisseeff and Guyon (2002), Pacific Symposium on Biocomputing 7; "
        "Tibshirani and Walther (2005), Journal of Computational and Graphical Statistics 14(3); "
        "Monti et al. (2003), Machine Learning 52; Pelleg and Moore (2000), ICML 17",
        sources=("epfl:metric_consensus", "mi2:kmeans_resolution_curve"),
        kind="run",
        synonyms=(
            "choosing K",
            "number of components",
            "elbow method",
            "gap statistic",
            "prediction strength",
            "consensus clustering",
            "X-means",
        ),
    )
)
@dataclass(frozen=True, kw_only=True)
class ClusterCount(AnyRun):
    """How many clusters do these rows have, by each of several criteria?"""

    data: Any = one_table()
    preparation: tuple[Any, ...] = steps_before()
    method: Any = part("kmeans", slot="method", doc="What is tried with each number of clusters.")
    highest: int = most_clusters()
    resamples: int = resamples_drawn()
    splits: int = splits_drawn()
    references: int = references_drawn()
    seed: int = start_of_chance()

    def run(self) -> Run:
        """The run of the method alone, by the usual folds."""
        return Run(data=self.data, preparation=self.preparation, method=self.method, seed=self.seed)

    @classmethod
    def of(cls, run: Run, **design: Any) -> ClusterCount:
        """The count of a run's method, whatever its number of clusters.

        Raises DataError if the method is not told how many groups to make.
        """
        if not can(run.method, CountsGroups):
            raise DataError(
                f"{run.method.title()} is not told how many clusters to make, so there are no "
                "numbers of them to try. Choose a method with a number of clusters."
            )
        count = cls(data=run.data, preparation=run.preparation, seed=run.seed, **design)
        return replace(count, method=run.method.with_groups(FEWEST))
