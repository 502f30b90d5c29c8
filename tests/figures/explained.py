"""Small explanations for the pictures of them, by the name of the view."""

from __future__ import annotations

from functools import cache
from typing import Any

from mlcore.evaluation.splits import KFold
from mlcore.runs.carry_explanation import carried_out
from mlcore.runs.explaining.explanation import Explanation
from mlcore.runs.run import Run
from mlcore.spine.registry import lookup

SETTINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "importance_dots": ("importance", {"shuffles": 2}),
    "effect_curves": ("effect", {"variable": "bill_length_mm", "points": 8, "rows": 40}),
    "effect_pair": (
        "effect", {"variable": "bill_length_mm", "second": "island", "points": 8, "rows": 40}
    ),
    "contributions": ("shapley", {"row": 4, "background": 20}),
    "contribution_points": ("shapley_rows", {"rows": 40, "background": 10}),
    "contribution_dependence": ("shapley_rows", {"rows": 40, "background": 10}),
    "what_if_answer": ("what_if", {"row": 4, "changes": (("body_mass_g", "5000"),)}),
    "slice_dots": ("slices", {}),
    "group_rates": ("fairness", {"protected": "sex"}),
    "nearness": ("what_if", {"row": 4, "search": False}),
}  # fmt: skip


@cache
def explained(view: str) -> dict[str, Any]:
    """What a view of an explanation is offered: penguins by linear discriminants."""
    name, settings = SETTINGS[view]
    run = Run(data="penguins", method="lda", evaluation=KFold(n_splits=3))
    question = lookup("question", name)(**settings)
    outcome = carried_out(Explanation.of(run, question))
    return {"explanation": outcome, "dataset": run.data.dataset()}
