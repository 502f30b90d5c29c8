"""What all steps that choose variables share: the fit, its summary, what they refuse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.preparation.chain import StepSummary
from mlcore.preparation.selection.judge import Variables
from mlcore.preparation.step import StepFit, holds_names, refuse_text
from mlcore.spine.component import Component
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column
from mlcore.spine.wording import listed

KEPT = "kept"  # what the summary says of every variable: 1 if it is kept, else 0


@dataclass(frozen=True, eq=False, kw_only=True)
class ChoiceFit(StepFit):
    """The chosen variables, and the columns that were made of them."""

    variables: tuple[str, ...]  # (d,)
    chosen: np.ndarray  # (d,)
    kept: np.ndarray  # (q,) positions of the columns of the chosen variables

    def transform(self, X: Any) -> np.ndarray:
        """The columns of the chosen variables, shape (m, q)."""
        return np.ascontiguousarray(self._rows(X)[:, self.kept])

    def summary(self) -> StepSummary:
        """Which variables are kept, for every fold side by side."""
        pairs = list(zip(self.variables, self.chosen, strict=True))
        values = tuple((name, KEPT, float(kept)) for name, kept in pairs)
        names = [name for name, kept in pairs if kept]
        note = f"Kept {len(names)} of {len(self.variables)} variables: {listed(names)}."
        return StepSummary(self.made_by.title(), values, note)


def learner_of(steps: tuple[Component, ...]) -> Any:
    """The method by whose fits the last of the steps that does so chooses variables; or None."""
    scores = (getattr(step, "score", None) for step in reversed(steps))
    learners = (getattr(score, "learner", None) for score in scores)
    return next((learner for learner in learners if learner is not None), None)


def choice_fields(
    columns: tuple[Column, ...], variables: Variables, chosen: np.ndarray
) -> dict[str, Any]:
    """The fields of a `ChoiceFit` that follow from the choice, shape (d,)."""
    kept = variables.columns(chosen)
    return {
        "columns": columns,
        "out_columns": tuple(columns[j] for j in kept),
        "variables": variables.names,
        "chosen": chosen,
        "kept": kept,
    }


def refuse_names(columns: tuple[Column, ...], who: str) -> None:
    """Refuse codes of names, which are no quantities: raises DataError if a column holds some."""
    refuse_text(columns, who)
    names = [column.name for column in columns if holds_names(column)]
    if names:
        raise DataError(
            f"{who} needs numbers; column {names[0]} holds names. Put one-hot encoding before it."
        )
