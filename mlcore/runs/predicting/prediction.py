"""The declaration of a prediction: a run, and the table whose rows its model is asked about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mlcore.data.table import Table
from mlcore.evaluation.conformal.sets import LEAST_AMBIGUOUS
from mlcore.evaluation.conformal.sets import WAYS as SETS
from mlcore.runs.predicting.matching import FIXES
from mlcore.runs.predicting.promises import AUTOMATIC, INTERVALS
from mlcore.runs.run import AnyRun, Run, one_table, rows_left_out, start_of_chance, steps_before
from mlcore.spine.component import Card, enter
from mlcore.spine.params import choice, pairs, part, real


@enter(Card("prediction", "Prediction", ("run",), kind="run"))
@dataclass(frozen=True, kw_only=True)
class Prediction(AnyRun):
    """What does this method, fitted to all rows of one table, say of the rows of another?"""

    data: Any = one_table()
    preparation: tuple[Any, ...] = steps_before()
    method: Any = part("lda", slot="method", doc="What is fitted to the rows.")
    evaluation: Any = rows_left_out()
    new: Any = part("bundled", slot="source", doc="The table whose rows are predicted.")
    matches: tuple = pairs(
        doc="The new column that stands for one of the model, where you say so; empty for none."
    )
    fixes: tuple = pairs(options=FIXES, doc="What is done about a column, where you say so.")
    coverage: float = real(
        0.95, low=0.5, high=0.999, soft=(0.8, 0.99),
        doc="Share of new rows whose truth should lie in their set of labels or interval.",
    )  # fmt: skip
    intervals: str = choice(
        AUTOMATIC, *INTERVALS,
        doc="How intervals are made: from the errors on rows left out (CV+), these divided by the "
        "deviation that the method gives, its own intervals widened or narrowed until they keep "
        "the promise, or its own as they are. Automatic are its own where it has such ones.",
    )  # fmt: skip
    sets: str = choice(
        LEAST_AMBIGUOUS, *SETS, label="Sets of labels",
        doc="Least ambiguous sets are the smallest on average; adaptive ones are larger where a "
        "row is harder, and their last label is in them at random.",
    )  # fmt: skip
    cut: float | None = real(
        None, low=0.0, high=1.0, soft=(0.0, 1.0), or_none="as the method decides",
        doc="Probability of the second of two classes from which on a row is taken for it.",
    )  # fmt: skip
    seed: int = start_of_chance()

    def run(self) -> Run:
        """The run whose model is asked."""
        return Run(
            data=self.data,
            preparation=self.preparation,
            method=self.method,
            evaluation=self.evaluation,
            seed=self.seed,
        )

    def brought(self, uploads: Mapping[str, Table] | None = None) -> Table:
        """The new table as it was brought. Raises DataError if it is not uploaded."""
        return self.new.origin(uploads or {}).table

    @classmethod
    def of(cls, run: Run, new: Any, **more: Any) -> Prediction:
        """The prediction of new rows by the model of a run."""
        return cls(
            data=run.data, preparation=run.preparation, method=run.method,
            evaluation=run.evaluation, seed=run.seed, new=new, **more,
        )  # fmt: skip
