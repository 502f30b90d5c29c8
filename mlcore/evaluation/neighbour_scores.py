"""A map judged by the neighbours it makes: are they of the same class?"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

from mlcore.distances.neighbours import Neighbours
from mlcore.evaluation.metrics.metric import Metric
from mlcore.evaluation.scoring import Case, Scored, Scoring
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.errors import DataError
from mlcore.spine.registry import lookup

SAME_CLASS = Metric(
    "same_class", "Same class", "higher",
    "Share of rows whose nearest other row left out, in the new coordinates, is of their class.",
    0, 1,
)  # fmt: skip


@enter(Card("neighbour_scores", "Classes of neighbours", ("scoring",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class NeighbourScores(Scoring):
    """How often the nearest of the other test rows is of the same class."""

    baseline_name = "rows as prepared"
    is_in_prepared = True

    def metrics(self) -> tuple[Metric, ...]:
        """The share alone."""
        return (SAME_CLASS,)

    def scored(self, case: Case) -> Scored:
        """The share; NaN for a single row. Raises DataError if the rows have no classes."""
        X, y = case.test.X, case.test.y
        if y is None:
            raise DataError(f"{self.title()} need a class for each row; choose a target column.")
        if len(X) < 2:
            return Scored({SAME_CLASS.name: nan})
        near = Neighbours(case.fit.transform(X, **case.options)).others(1).rows[:, 0]
        return Scored({SAME_CLASS.name: float((y[near] == y).mean())})

    def baseline_of(self, method: Component) -> Component:
        """The distances between the rows as they come."""
        return lookup("baseline", "same_rows")()
