"""From which probability on a new row is taken for the second of two classes."""

from __future__ import annotations

import streamlit as st

from mlcore.runs.predicting.cutting import can_be_cut, cut_at
from mlcore.runs.predicting.predicted import Predicted
from mlcore.spine.params import params_of
from mlcore.spine.wording import count, plural, told
from ui import state
from ui.wording import plain

STEP = 0.01


def chosen(outcome: Predicted) -> Predicted:
    """The predictions by the threshold that a person asks for; nothing is fitted again."""
    if not can_be_cut(outcome):
        return outcome
    asked, name = outcome.run.cut, told(outcome.classes[1])
    field = params_of(type(outcome.run))["cut"]
    key = f"predict.cut.{outcome.run.method.card.name}.{outcome.classes[1].encode().hex()[:48]}"
    with st.container(horizontal=True, vertical_alignment="bottom", key="predict-threshold"):
        cut = st.number_input(
            plain(f"{name} from a probability of"), 0.0, 1.0, asked, STEP, key=f"{key}.{asked}",
            placeholder="as the method decides", on_change=state.moved, width=250,
            help=f"{field.doc} Empty: as the method decides. What each costs is drawn in Cost by "
            "threshold.",
        )  # fmt: skip
        cut_now = cut_at(outcome, cut)
        if cut_now.uncut is not None:
            st.caption(plain(_differing(cut_now)))
    return cut_now


def _differing(made: Predicted) -> str:
    """How many of the new rows are taken for another class than the method takes them for."""
    base = made.uncut
    assert base is not None  # a threshold decides
    assert base.values is not None
    assert made.values is not None
    n = int((made.usable & (base.values != made.values)).sum())
    rows = f"{count(n, 'row')} {plural(n, 'is', 'are')}" if n else "No row is"
    return f"{rows} decided otherwise than by the method. The folds are scored at it too."
