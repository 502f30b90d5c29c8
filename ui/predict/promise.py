"""What is promised of the predictions: which share of sets or intervals is to hold the truth."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from mlcore.evaluation.conformal.sets import WAYS
from mlcore.evaluation.intervals import wilson_interval
from mlcore.runs.predicting.predicted import Predicted
from mlcore.runs.predicting.promises import (
    ABSOLUTE,
    AUTOMATIC,
    CONFORMALISED,
    NORMALISED,
    OWN,
)
from mlcore.spine.params import params_of
from mlcore.spine.wording import percent, rough
from ui import state
from ui.wording import plain

OFFERED = (0.8, 0.9, 0.95, 0.99)
WORDS = {
    AUTOMATIC: "automatic",
    ABSOLUTE: "CV+, absolute residuals",
    NORMALISED: "CV+, normalised residuals",
    CONFORMALISED: "CV+ around own intervals",
    OWN: "the method's own",
    WAYS[0]: "least ambiguous",
    WAYS[1]: "adaptive (APS)",
}


def chosen(outcome: Predicted) -> Predicted:
    """The predictions with the coverage and the way that a person asks for; nothing is refitted."""
    if outcome.promises is None:
        return outcome
    name = "sets" if outcome.classes else "intervals"
    ways = WAYS if outcome.classes else (AUTOMATIC, *outcome.promises.ways)
    with st.container(horizontal=True, vertical_alignment="bottom", key="predict-promise"):
        coverage = _coverage(outcome)
        way = _way(outcome, name, ways)
    return outcome.promising(coverage=coverage, **{name: way})


def _coverage(outcome: Predicted) -> float:
    asked = outcome.run.coverage
    offered = sorted({*OFFERED, asked})
    picked = st.segmented_control(
        "Coverage promised", offered, default=asked, format_func=lambda c: f"{100 * c:g} %",
        key=f"predict.coverage.{asked:g}", on_change=state.moved, required=True,
        help=params_of(type(outcome.run))["coverage"].doc,
    )  # fmt: skip
    return asked if picked is None else float(picked)


def _way(outcome: Predicted, name: str, ways: tuple[str, ...]) -> str:
    asked = getattr(outcome.run, name)
    if len(ways) < 2 or (len(ways) == 2 and AUTOMATIC in ways):  # automatic is the only one
        return asked
    at = ways.index(asked) if asked in ways else 0
    return st.selectbox(
        "Label sets" if outcome.classes else "Intervals", ways, at,
        format_func=lambda way: WORDS[way], key=f"predict.{name}.{'.'.join(ways)}.{asked}",
        on_change=state.moved, width=260, help=params_of(type(outcome.run))[name].doc,
    )  # fmt: skip


def sentence(outcome: Predicted) -> str:
    """What was promised against what was found where the truth is known, and how wide it is."""
    if outcome.sets is None and outcome.ends is None:
        return ""
    text = (
        f"{_what(outcome)}: {outcome.run.coverage:.4g} is promised for rows like the training rows"
    )
    if np.isfinite(outcome.inside):
        n = outcome.scored_rows
        text += f"; {percent(outcome.inside)} of the {n:,} new rows have their truth in it"
        if outcome.promises is None or outcome.promises.weights is None:
            share = wilson_interval(outcome.inside * n, n)
            text += f" (likely {percent(share.low)} to {percent(share.high)})"
    return plain(
        " ".join(filter(None, [f"{text}.", outcome.to_whom, _size(outcome), outcome.doubt]))
    )


def _what(outcome: Predicted) -> str:
    if outcome.sets is not None:
        return f"Label set, {WORDS[outcome.run.sets]}"
    return f"Interval by {outcome.ends_by}"


def _size(outcome: Predicted) -> str:
    """The mean size of what was said."""
    if outcome.sets is not None:
        return f"A set has {rough(float(outcome.sets[outcome.usable].sum(axis=1).mean()))} labels."
    ends: Any = outcome.ends
    widths = np.ptp(ends[outcome.usable], axis=1)
    widths = widths[np.isfinite(widths)]
    return f"Mean width {rough(float(widths.mean()))}." if len(widths) else ""
