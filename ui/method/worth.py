"""Worth a look, after a run: what its own numbers say is amiss, each with one press that acts."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from figures.view import views
from mlcore.data.dataset import Dataset
from mlcore.data.upload import uploaded
from mlcore.runs.carry import Outcome
from mlcore.runs.findings import (
    RULES,
    Finding,
    Press,
    by_harm,
    findings_of_search,
    known_of,
    told,
)
from mlcore.runs.findings.finding import WARNING
from mlcore.runs.tuning.tuned import Tuned
from mlcore.spine.wording import count
from ui import controls, frame, state
from ui.method import panels
from ui.runs.running import Shown
from ui.wording import plain

LOG = logging.getLogger(__name__)
IN_SIGHT = 2  # findings; the others are folded, so that the pictures stay near the score
ICONS = {"warning": ":material/warning:", "note": ":material/info:"}
ASKED = "gives_away"  # of a table that somebody brought it is asked above the score
OPEN = "worth.view"  # the finding whose picture is open, with its run


def worth(shown: Shown, dataset: Dataset) -> None:
    """The findings of a run that is done, the most harmful in sight; nothing where there are none.

    Those of former settings would act on a run that is no longer there.
    """
    if shown.status != "done" or shown.stale or shown.outcome is None:
        return
    every, failed = _findings(shown.run.digest(), shown.outcome, dataset)
    if uploaded(shown.run.data):
        every = tuple(finding for finding in every if finding.name != ASKED)
    if not every and not failed:
        return
    with st.container(border=True, key="worth"):
        frame.card_heading("Worth a look", count(len(every), "finding"))
        at_once = in_sight(every)
        for finding in at_once:
            _line(finding, shown, dataset)
        if more := every[len(at_once) :]:
            _folded(more, shown, dataset)
        if failed:
            st.caption(
                f"{count(failed, 'check')} came to no end, through a fault in MLScope that is "
                "noted in its log."
            )


def in_sight(every: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """The first few warnings; a note only where there is no warning."""
    warnings = tuple(finding for finding in every if finding.severity == WARNING)
    return warnings[:IN_SIGHT] or every[:1]


@st.cache_data(show_spinner=False, max_entries=64)
def _findings(run: str, _outcome: Outcome, _dataset: Dataset) -> tuple[tuple[Finding, ...], int]:
    """Worked out once a run, which names its data; and how many rules came to no end."""
    every, failed = list[Finding](), 0
    known = known_of(_outcome, _dataset)
    for rule in RULES if known is not None else ():
        try:
            every += told((rule,), known)
        except Exception:  # a rule with a fault of ours must not take the score away
            LOG.exception("The rule %s failed for the run %s", rule.name, run)
            failed += 1
    return by_harm(every), failed


def _folded(more: Sequence[Finding], shown: Shown, dataset: Dataset) -> None:
    place = controls.folded(f"{count(len(more), 'more finding')}", "worth.more")
    if place.open:
        with place:
            for finding in more:
                _line(finding, shown, dataset)


def _line(finding: Finding, shown: Shown, dataset: Dataset) -> None:
    """One finding with its press, and the picture that it opened."""
    mark = (shown.run.digest(), finding.name)
    is_open = bool(finding.press.view) and st.session_state.get(OPEN) == mark
    label = "Close" if is_open else finding.press.label
    _sentence(finding, label, _act, (finding.press, None if is_open else mark))
    if is_open:
        _picture(finding.press.view, shown, dataset)


def _sentence(finding: Finding, label: str, act: Any, given: tuple[Any, ...]) -> None:
    name = f"worth-{finding.name}"
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=name):
        title = f"{ICONS[finding.severity]} **{plain(finding.title)}.**"
        st.markdown(f"{title} {plain(finding.sentence)}", width="stretch")
        st.button(
            plain(label),
            key=f"{name}.press",
            help=plain(f"{finding.source}."),
            on_click=state.moved,
            args=(act, *given),
        )


def _act(press: Press, mark: tuple[str, str] | None) -> None:
    """Another run, another tab, or a picture below: undo brings the former run back."""
    if press.run is not None:
        new = press.run
        state.change(
            data=new.data, preparation=new.preparation, method=new.method,
            evaluation=new.evaluation,
        )  # fmt: skip
    elif press.tab:
        session = state.session()
        now = session.states[session.here]
        state.show(replace(now, view=replace(now.view, tab=press.tab)))
    else:
        st.session_state[OPEN] = mark


def _picture(name: str, shown: Shown, dataset: Dataset) -> None:
    drawn = panels.ready(views()[name], panels.known(dataset, shown, None))
    panels.show(drawn, f"worth-{name}", run=shown.run)


def worth_of_search(tuned: Tuned, dataset: Dataset) -> None:
    """The findings of a tuning; a press writes other values into its grid."""
    for finding in findings_of_search(tuned, dataset):
        _sentence(finding, finding.press.label, _search, (finding.press.values,))


def _search(values: tuple[tuple[str, str], ...]) -> None:
    for path, text in values:
        st.session_state[f"tune.values.{path}"] = text
