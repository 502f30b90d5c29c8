"""Every control says that it was moved, or its rerun could be taken for the browser's Back."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.architecture.reading import nodes, source
from tests.architecture.test_layers import ROOT, sources

CONTROLS = {
    "button", "checkbox", "data_editor", "download_button", "file_uploader", "form_submit_button",
    "multiselect", "number_input", "pills", "radio", "segmented_control", "select_slider",
    "selectbox", "slider", "tabs", "text_area", "text_input", "toggle",
}  # fmt: skip
SAYS = {"on_change", "on_click"}


def stateful() -> list[Path]:
    """The files of `ui`, and the pages that have a state in the address."""
    pages = [f for f in sources("pages") if "state.opened" in source(f)]
    return [f for f in sources("ui") if f.name != "state.py"] + pages


def silent(code: str) -> list[int]:
    """The lines on which a control is made that tells nobody, or a rerun is asked for unsaid."""
    found = []
    for node in nodes(code):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        of = node.func.value
        name = node.func.attr
        says = SAYS & {keyword.arg for keyword in node.keywords}
        is_rerun = name == "rerun" and isinstance(of, ast.Name) and of.id == "st"
        if is_rerun or (name in CONTROLS and not says):
            found.append(node.lineno)
    return found


@pytest.mark.parametrize("file", stateful(), ids=lambda f: str(f.relative_to(ROOT)))
def test_every_control_says_that_it_was_moved(file):
    assert silent(source(file)) == []


@pytest.mark.parametrize("code", ["st.button('a')", "left.tabs([])", "st.rerun()"])
def test_a_silent_control_is_found(code):
    assert silent(code) == [1]
