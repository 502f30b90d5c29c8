"""How far a temporal-difference method looks: traces that fade, or a number of moves.

What is declared here is declared once for all of them, and so are the names that textbooks give.
"""

from __future__ import annotations

from typing import Any

from mlcore.spine.params import choice, integer, real

TARGETS = ("q_learning", "sarsa", "expected_sarsa")
LABELS = {"q_learning": "Q-learning", "sarsa": "SARSA", "expected_sarsa": "Expected SARSA"}
LABELS_OF_STEPS = {**LABELS, "q_learning": "tree backup", "expected_sarsa": "expected SARSA"}


def name_of(target: str, decay: float, n_steps: int = 1) -> str:
    """What textbooks call temporal-difference control with this target, traces or steps."""
    if moves_ahead(decay, n_steps) > 1:
        return f"{n_steps}-step {LABELS_OF_STEPS[target]}"
    return LABELS[target] + ("(λ)" if decay else "")


def moves_ahead(decay: float, n_steps: int) -> int:
    """The moves whose rewards are added up: one where traces look farther."""
    return 1 if decay else n_steps


def trace_decay(default: float, doc: str) -> Any:
    """Declare lambda: what a move leaves of an eligibility, beside the discount."""
    return real(
        default, low=0.0, high=1.0, soft=(0.0, 1.0), symbol=r"\lambda", label="Trace decay", doc=doc
    )


def trace_kind(default: str, where: str) -> Any:
    """Declare what becomes of the eligibility of what is met again; `where` says of what."""
    return choice(
        default, *sorted(("accumulating", "replacing"), key=lambda kind: kind != default),
        advanced=True,
        doc=f"Whether eligibility begins anew at 1 where {where} again, or adds up.",
    )  # fmt: skip


def step_count() -> Any:
    """Declare n: the moves whose rewards are added up before a value is looked at."""
    return integer(
        1, low=1, soft=(1, 20), log=True, symbol="n", label="Steps looked ahead",
        only_if={"decay": 0.0},
        doc="Moves whose rewards an update adds up before it trusts a value; from the length of an "
        "episode on it is Monte Carlo.",
    )  # fmt: skip
