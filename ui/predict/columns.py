"""The columns that the model wants beside those of the new table, with one select a decision."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from mlcore.runs.predicting.matching import (
    ABSENT,
    AS_IT_IS,
    EMPTY,
    FILL,
    LACKING,
    MATCHED,
    MISSING,
    NEW_LEVEL,
    OTHER_TYPE,
    OTHER_UNIT,
    Match,
    Matching,
)
from mlcore.runs.predicting.wanted import TARGET
from mlcore.spine.wording import count, listed
from ui import frame, state
from ui.wording import distinct, plain

WORDS = {
    MATCHED: ":green[:material/check_circle: matched]",
    MISSING: ":red[:material/error: missing]",
    NEW_LEVEL: ":orange[:material/warning: new level]",
    OTHER_UNIT: ":orange[:material/warning: other unit]",
    OTHER_TYPE: ":orange[:material/warning: other type]",
    LACKING: ":orange[:material/warning: empty cells]",
    ABSENT: ":gray[:material/remove: not there]",
}
WIDTHS = [2.2, 2.2, 1.4, 4.2, 2.4]
WIDE, MOST = 14, 60  # columns from which only those to decide are shown, and that are ever shown
DECIDED = "predict.decided"
NONE = "none"


def decided(digest: str) -> dict[str, dict[str, str]]:
    """What a person said of the columns of a new table: which stand for which, and fixes."""
    decisions = st.session_state.setdefault(DECIDED, {})
    return decisions.setdefault(digest, {"matches": {}, "fixes": {}})


def table(matching: Matching, digest: str, absent: Mapping[str, str] | None = None) -> None:
    """A line a wanted column, those with a decision alone where there are many.

    `absent` says of a column what it costs that it is missing, where that is known.
    """
    with st.container(border=True, key="predict-columns"):
        with st.container(horizontal=True, vertical_alignment="center"):
            frame.card_heading("Columns", _note(matching))
            only = st.toggle(
                "Only those to decide",
                len(matching.matches) > WIDE,
                key=state.key(f"predict.only.{digest[:12]}"),
                on_change=state.moved,
            )
            if any(decided(digest).values()):
                st.button(
                    "Match by name again", icon=":material/undo:", key="predict.again.names",
                    on_click=state.moved, args=(_forget, digest),
                )  # fmt: skip
        shown = matching.decisions if only else matching.matches
        if shown:
            _heads()
        for match in shown[:MOST]:
            _line(match, matching, digest, (absent or {}).get(match.name, ""))
        if more := shown[MOST:]:
            st.caption(f"and {count(len(more), 'more column')}")
        for remark in matching.remarks:
            st.caption(plain(remark))
        if matching.extra:
            names = plain(listed(matching.extra, 8))
            st.caption(f"Not used, and kept in the download: {names}.")


def _note(matching: Matching) -> str:
    fixes = "; a fix is proposed for each and applied below" if matching.decisions else ""
    return f"{matching.sentence()}{fixes}"


def _heads() -> None:
    with st.container(key="predict-heads"):
        names = ("The model wants", "New table has", "Match", "What was found", "Fix")
        for column, head in zip(st.columns(WIDTHS), names, strict=True):
            column.caption(head)


def _line(match: Match, matching: Matching, digest: str, cost: str) -> None:
    settled = "decide" if match.needs_a_look else "ok"
    with st.container(key=f"predict-{settled}-{_key(match.name, digest)}"):
        name, source, word, remark, fix = st.columns(WIDTHS, vertical_alignment="center")
    role = " · target" if match.role == TARGET else ""
    name.markdown(
        f"**{plain(match.name)}** <small>{plain(match.kind)}{role}</small>", unsafe_allow_html=True
    )
    with source:
        _select(match, matching, digest)
    word.markdown(WORDS[match.state])
    remark.markdown(plain(cost if cost and match.state == MISSING else match.remark))
    if match.offers:
        with fix:
            _fix(match, digest)


def _key(name: str, digest: str) -> str:
    """A part of a widget's key: names of columns may hold anything."""
    return f"{digest[:8]}-{name.encode().hex()[:48]}-{len(name)}"


def _select(match: Match, matching: Matching, digest: str) -> None:
    options = ["", *matching.names]
    key = f"predict.match.{_key(match.name, digest)}.{match.source.encode().hex()[:24]}"
    st.selectbox(
        f"Column for {match.name}", options, options.index(match.source),
        format_func=distinct(options, lambda name: name or NONE).__getitem__,
        key=key, label_visibility="collapsed",
        on_change=state.moved, args=(_decide, digest, "matches", match.name, key),
    )  # fmt: skip


def _fix(match: Match, digest: str) -> None:
    titles = {
        AS_IT_IS: "As it is",
        FILL: f"Fill: {match.fill}" if match.fill else "Fill",
        EMPTY: "Leave empty",
    }
    options = list(match.offers)
    key = f"predict.fix.{_key(match.name, digest)}.{match.state}"
    st.selectbox(
        f"Fix of {match.name}", options,
        options.index(match.fix) if match.fix in options else 0,
        format_func=lambda fix: titles.get(fix) or str(fix).capitalize(), key=key,
        label_visibility="collapsed", on_change=state.moved,
        args=(_decide, digest, "fixes", match.name, key),
    )  # fmt: skip


def _decide(digest: str, what: str, name: str, key: str) -> None:
    decisions: Any = decided(digest)
    decisions[what][name] = st.session_state[key]
    if what == "matches":  # another column has other troubles
        decisions["fixes"].pop(name, None)


def _forget(digest: str) -> None:
    st.session_state[DECIDED][digest] = {"matches": {}, "fixes": {}}
