"""The score table of a comparison as text to paste: Markdown or LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import streamlit as st

from ui import controls, state

FORMS = ("Markdown", "LaTeX")
Lines = Sequence[Sequence[str]]  # the first has the heads

_TEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
        "±": r"$\pm$", "−": r"$-$", "–": "--"} | {c: f"\\{c}" for c in "&%$#_{}"}  # fmt: skip


def offer(make: Callable[[], tuple[Lines, str]]) -> None:
    """A fold with the text and its button to copy; `make` gives the lines and what they are of."""
    place = controls.folded("Copy the table", "scores.copy")
    if not place.open:
        return
    with place:
        form = st.segmented_control(
            "As", FORMS, default=FORMS[0], required=True, label_visibility="collapsed",
            key="scores.copy.form", on_change=state.moved,
        )  # fmt: skip
        lines, note = make()
        if form == "LaTeX":
            st.code(latex(lines, note), language="latex")
        else:
            st.code(markdown(lines, note), language="markdown")


def markdown(lines: Lines, note: str) -> str:
    """A table in Markdown; names of methods are foreign text, so bars in them are escaped."""
    rows = ["| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines]
    rule = "| --- " + "| ---: " * (len(lines[0]) - 1) + "|"
    return "\n".join([rows[0], rule, *rows[1:], "", note])


def latex(lines: Lines, note: str) -> str:
    """A tabular that needs no package, with the note as a comment."""
    rows = [" & ".join(_tex(cell) for cell in line) + r" \\" for line in lines]
    columns = "l" + "r" * (len(lines[0]) - 1)
    body = [rf"\begin{{tabular}}{{{columns}}}", r"\hline", rows[0], r"\hline", *rows[1:],
            r"\hline", r"\end{tabular}"]  # fmt: skip
    return "\n".join([f"% {note}", *body])


def _tex(text: str) -> str:
    return re.sub(r"[\\~^±−–&%$#_{}]", lambda match: _TEX[match[0]], text)
