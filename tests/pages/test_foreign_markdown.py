"""Names and cells in the labels of controls, which Streamlit takes for Markdown."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from ui.data import findings


def _choose() -> None:
    from ui import controls

    controls.one_of("Class", {"a": "**b**", "c": ":red[x]"}, "a", "view.it", "Of the classes.")


def test_options_side_by_side_are_shown_letter_by_letter():
    (choice,) = AppTest.from_function(_choose, default_timeout=60).run().button_group
    assert [option.content for option in choice.proto.options] == [r"\*\*b\*\*", r"\:red\[x\]"]


def test_a_code_of_a_cell_is_shown_letter_by_letter_on_its_button():
    assert findings._label(("missing", "x", "*n*")) == r"Read \*n\* as missing"
    assert findings._label(("role", "x", "ignore")) == "Set ignore"
