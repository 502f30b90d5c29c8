"""The usual order of preparation steps, and what is lost in another."""

from __future__ import annotations

import numpy as np

from mlcore.preparation.chain import Prepared
from mlcore.spine.component import Component
from mlcore.spine.records import function

# What had better stand first, what behind it, and why.
RULES = (
    ("fill", "select", "variables are then judged by the rows that happen to have a value"),
    ("fill", "resample", "what fills the gaps is then learned from rows that were resampled"),
    ("fill", "project", "directions need rows without gaps"),
    ("encode", "select", "columns of names are then judged by codes, whose order means nothing"),
    ("encode", "project", "directions then mix codes of names with quantities"),
    ("clip", "scale", "the remote values have stretched the scale by then"),
    ("scale", "project", "the directions are then ruled by the column with the largest unit"),
    ("scale", "resample", "centers and scales are then those of resampled rows"),
    ("select", "resample", "variables are then chosen by rows that were resampled"),
)


STAGES = tuple(dict.fromkeys(name for rule in RULES for name in rule[:2]))


@function("order_remarks", title="Order of preparation steps", sources=("cs1:scale_pipeline",))
def order_remarks(steps: tuple[Component, ...]) -> tuple[str, ...]:
    """A sentence for every two steps that had better stand the other way round.

    The usual order is: fill in, encode, clip, scale, project, select, resample. Steps may stand in
    any order; what is questionable about theirs is said. The card of a step names its stage; one
    without may stand anywhere.
    """
    remarks = []
    for at, later in enumerate(steps):
        for earlier in steps[:at]:
            pair = later.card.stage, earlier.card.stage
            why = [why for first, behind, why in RULES if pair == (first, behind)]
            remarks += [
                f"{later.title()} stands behind {earlier.title().lower()}: {reason}. "
                "Move it forward, unless that is meant."
                for reason in why
            ]
    return tuple(remarks)


RULES_ALONE = 0.9  # of the squared distances, from which on one column rules
SOME_ROWS = 20_000  # are enough to see it; a page asks at every rerun


@function("unit_remark", title="Methods that need scaling", sources=("cs1:unit_scale_demo",))
def unit_remark(method: Component, prepared: Prepared) -> str:
    """A sentence where a method depends on units and one column rules the others, or "".

    The method, or a part of it such as its metric, says on its card by what it depends on them.
    """
    units = [
        component.card.units for component in (method, *method.parts()) if component.card.units
    ]
    variances = _variances(prepared.X[:: 1 + len(prepared.X) // SOME_ROWS])
    total, at = float(variances.sum()), int(variances.argmax())
    if not units or len(variances) < 2 or variances[at] <= RULES_ALONE * total:
        return ""
    return (
        f"Units matter to {method.title().lower()}, by {units[0]}: {prepared.columns[at].name} "
        f"makes up {100 * variances[at] / total:.4g} % of the squared distances between rows. "
        "Add standardisation to the preparation, unless that is meant."
    )


def _variances(X: np.ndarray) -> np.ndarray:
    """Of each column of X, (n, p), where it has a value, shape (p,); 0 where it has none."""
    seen = np.isfinite(X)
    counts = np.maximum(seen.sum(axis=0), 1)
    away = np.where(seen, X - np.where(seen, X, 0.0).sum(axis=0) / counts, 0.0)
    return (away**2).sum(axis=0) / counts
