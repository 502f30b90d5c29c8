"""The declaration of a stability of maps: a method whose map is drawn again and again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mlcore.runs.run import AnyRun, Run, one_table, start_of_chance, steps_before
from mlcore.spine.asking import any_of, promises
from mlcore.spine.capabilities import HasEmbedding, Transforms
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.params import choice, integer, part

SHARE = 0.8  # of the rows in a resample: two of them share four rows in five of it


def what_changes() -> Any:
    """Declare what is different between the maps."""
    return choice(
        "resamples", "resamples", "starts", label="Drawn again from",
        doc="Draws of 80 % of the rows, or all rows with other random numbers, for methods that "
        "draw some.",
    )  # fmt: skip


def refits_drawn() -> Any:
    """Declare how often the map is drawn again."""
    return integer(
        8, low=2, high=100, soft=(2, 30), label="Maps",
        doc="How often the map is drawn again.",
    )  # fmt: skip


def coordinates_compared() -> Any:
    """Declare how many coordinates are compared."""
    return integer(
        2, low=1, high=20, soft=(1, 5), symbol="q", label="Coordinates",
        doc="So many of the first are laid on one another. With all of them a method that only "
        "turns the rows has one map.",
    )  # fmt: skip


@enter(
    Card(
        "map_stability",
        "Stability of a map",
        ("run",),
        paper="Schonemann and Carroll (1970), Psychometrika 35(2); "
        "Wang, Huang, Rudin and Shaposhnik (2021), Journal of Machine Learning Research 22",
        sources=("mi2:clustering_robustness",),
        kind="run",
        synonyms=(
            "Procrustes analysis", "stability of an embedding", "is my t-SNE real",
            "reproducibility of UMAP", "bootstrap of principal components",
        ),
    )
)  # fmt: skip
@dataclass(frozen=True, kw_only=True)
class MapStability(AnyRun):
    """Does a method draw the same map again, from other rows or from another start?"""

    data: Any = one_table()
    preparation: tuple[Any, ...] = steps_before()
    method: Any = part("pca", slot="method", doc="Whose map is drawn again.")
    again: str = what_changes()
    refits: int = refits_drawn()
    coordinates: int = coordinates_compared()
    seed: int = start_of_chance()

    def run(self) -> Run:
        """The run of the method alone, by the usual folds."""
        return Run(data=self.data, preparation=self.preparation, method=self.method, seed=self.seed)

    @classmethod
    def of(cls, run: Run, **design: Any) -> MapStability:
        """The stability of the map that a run draws.

        Raises DataError if its method draws none.
        """
        if not draws_maps(run.method):
            raise DataError(
                f"{run.method.title()} gives rows no new coordinates, so there is no map to draw "
                "again. Choose a method of dimensionality reduction."
            )
        own = {"data": run.data, "preparation": run.preparation, "method": run.method}
        return cls(**own, seed=run.seed, **design)


def draws_maps(method: Any) -> bool:
    """Whether a method is one of dimensionality reduction, and gives rows coordinates."""
    is_reduction = "reduction" in method.card.slots
    return is_reduction and promises(method, any_of(Transforms, HasEmbedding))
