"""Names and cells in the labels of controls, which Streamlit takes for Markdown."""

from __future__ import annotations

import ast
from pathlib import Path

from streamlit.testing.v1 import AppTest

import ui
from ui.data import findings

LISTS = ("selectbox", "multiselect")


def _choose() -> None:
    from ui import controls

    controls.one_of("Class", {"a": "**b**", "c": ":red[x]"}, "a", "view.it", "Of the classes.")


def test_options_side_by_side_are_shown_letter_by_letter():
    (choice,) = AppTest.from_function(_choose, default_timeout=60).run().button_group
    assert [option.content for option in choice.proto.options] == [r"\*\*b\*\*", r"\:red\[x\]"]


def test_a_code_of_a_cell_is_shown_letter_by_letter_on_its_button():
    assert findings._label(("missing", "x", "*n*")) == r"Read \*n\* as missing"
    assert findings._label(("role", "x", "ignore")) == "Set ignore"


def test_options_of_lists_are_no_markdown_and_get_no_backslashes():
    root = Path(ui.__file__).parent
    calls = (
        (path, node)
        for path in root.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in LISTS
    )
    written = [
        f"{path.name}:{node.lineno}"
        for path, node in calls
        for given in node.keywords
        if given.arg == "format_func" and "plain" in ast.unparse(given.value)
    ]
    assert not written
