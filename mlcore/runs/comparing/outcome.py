"""What carrying out a comparison gives, fit by fit and in the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mlcore.evaluation.judge import Judge
from mlcore.runs.carry import FoldResult, Outcome, Whole
from mlcore.runs.run import Comparison


@dataclass(frozen=True, eq=False)
class Fitted:
    """One method on all rows of a table, or on one of its folds, or why it has no part there."""

    table: int  # 0 is the first data of the comparison
    name: str  # of the data set
    which: int  # position among the methods
    result: Whole | FoldResult | str
    judge: Judge  # of what the methods of the table share
    done: int  # fits that are over, those too that will never be made
    total: int

    unit = "fits"


@dataclass(frozen=True, eq=False)
class Entrant:
    """One method on one table. `failure` says why it has no outcome, or why folds are missing."""

    which: int  # position among the methods
    method: Any
    label: str
    outcome: Outcome | None
    failure: str = ""

    @property
    def has_scores(self) -> bool:
        """Whether any fold has been scored."""
        return self.outcome is not None and bool(self.outcome.done)


@dataclass(frozen=True, eq=False)
class ComparisonOutcome:
    """Everything that carrying out a comparison gave. After a stop some folds are missing."""

    run: Comparison
    sets: tuple[tuple[Entrant, ...], ...]  # one a table, with an entrant a method
    names: tuple[str, ...]  # of the data sets
    done: int
    planned: int  # fits
    versions: tuple[tuple[str, str], ...]

    @property
    def entrants(self) -> tuple[Entrant, ...]:
        """The methods on the first table, in the order of the comparison."""
        return self.sets[0]

    @property
    def scored(self) -> tuple[Entrant, ...]:
        """The entrants on the first table that have scores."""
        return tuple(entrant for entrant in self.entrants if entrant.has_scores)

    @property
    def judge(self) -> Judge | None:
        """By what all of them are judged; None where none has an outcome."""
        outcomes = (entrant.outcome for entrant in self.entrants)
        return next((outcome.judge for outcome in outcomes if outcome), None)
