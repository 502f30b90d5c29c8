"""What of a result a person has asked to be explained: it travels in the link as one part."""

from __future__ import annotations

from dataclasses import dataclass

from mlcore.runs.explaining.contributions_of_rows import ContributionsOfMany
from mlcore.runs.explaining.effect import Effect
from mlcore.runs.explaining.fairness import FairnessQuestion
from mlcore.runs.explaining.importance import Importance
from mlcore.runs.explaining.slices import SlicesQuestion
from mlcore.runs.explaining.what_if import WhatIf
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import as_in, choice, column


@enter(Card("explained", "Explained", ("explained",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class Explained(Component):
    """The variable, the row and its other values that are looked at, and how closely."""

    part: str = choice(
        "variables", "variables", "contributions", "groups", doc="Which part is open."
    )
    variable: str | None = as_in(Effect, "variable")
    second: str | None = as_in(Effect, "second")
    row: int = as_in(WhatIf, "row")
    changes: tuple = as_in(WhatIf, "changes")
    shuffles: int = as_in(Importance, "shuffles")
    way: str = as_in(Importance, "way")
    shared: int = as_in(ContributionsOfMany, "rows")
    scale: str = as_in(ContributionsOfMany, "scale")
    perturbation: str = as_in(ContributionsOfMany, "perturbation")
    by: tuple = as_in(SlicesQuestion, "columns")
    crossed: bool = as_in(SlicesQuestion, "pairs")
    smallest: int = as_in(SlicesQuestion, "smallest")
    measure: str = as_in(SlicesQuestion, "measure")
    protected: str | None = column(
        None, or_none="no column", doc="The column between whose groups fairness is asked for."
    )
    positive: str = as_in(FairnessQuestion, "positive")
