"""The declaration of an explanation: a run, and what is asked about its predictions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mlcore.runs.run import AnyRun, Run, one_table, rows_left_out, start_of_chance, steps_before
from mlcore.spine.component import Card, enter
from mlcore.spine.params import part


@enter(Card("explanation", "Explanation", ("run",), kind="run"))
@dataclass(frozen=True, kw_only=True)
class Explanation(AnyRun):
    """What do the predictions of this method rest on, on the rows that were left out?"""

    data: Any = one_table()
    preparation: tuple[Any, ...] = steps_before()
    method: Any = part("lda", slot="method", doc="Whose predictions are explained.")
    question: Any = part("importance", slot="question", doc="What is asked of each fold's model.")
    evaluation: Any = rows_left_out()
    seed: int = start_of_chance()

    def run(self) -> Run:
        """The run whose predictions are explained."""
        return Run(
            data=self.data,
            preparation=self.preparation,
            method=self.method,
            evaluation=self.evaluation,
            seed=self.seed,
        )

    @classmethod
    def of(cls, run: Run, question: Any = "importance") -> Explanation:
        """A question about the predictions of a run."""
        return cls(
            data=run.data, preparation=run.preparation, method=run.method, question=question,
            evaluation=run.evaluation, seed=run.seed,
        )  # fmt: skip
