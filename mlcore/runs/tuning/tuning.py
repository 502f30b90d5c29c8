"""The declaration of a tuning: a run whose settings are searched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mlcore.runs.paths import with_value
from mlcore.runs.run import AnyRun, Run, one_table, rows_left_out, start_of_chance, steps_before
from mlcore.runs.tuning.search import Candidate
from mlcore.spine.component import Card, enter
from mlcore.spine.params import part, text


@enter(Card("tuning", "Tuning", ("run",), kind="run"))
@dataclass(frozen=True, kw_only=True)
class Tuning(AnyRun):
    """Which settings suit this data, and how good is a method whose settings are chosen so?"""

    data: Any = one_table()
    preparation: tuple[Any, ...] = steps_before()
    method: Any = part("kmeans", slot="method", doc="What is tuned.")
    search: Any = part("grid_search", slot="search", doc="Which settings are tried.")
    evaluation: Any = rows_left_out()
    metric: str = text("", doc="The measure that chooses, by name; the first if empty.")
    seed: int = start_of_chance()

    def run(self, candidate: Candidate = ()) -> Run:
        """The single run with these settings. Raises ParamError if they contradict each other."""
        run = Run(
            data=self.data,
            preparation=self.preparation,
            method=self.method,
            evaluation=self.evaluation,
            seed=self.seed,
        )
        for path, value in candidate:
            run = with_value(run, path, value)
        return run

    @classmethod
    def of(cls, run: Run, search: Any = "grid_search", metric: str = "") -> Tuning:
        """The tuning of a run's method."""
        return cls(
            data=run.data, preparation=run.preparation, method=run.method, search=search,
            evaluation=run.evaluation, metric=metric, seed=run.seed,
        )  # fmt: skip
