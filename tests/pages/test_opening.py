"""How tests open a page: what they wait for, and what stands where a server would be."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest


def test_a_page_that_does_not_end_is_told():
    """Whoever opens it sleeps meanwhile, but not for good."""
    endless = AppTest.from_string("import time; time.sleep(1.5)", default_timeout=0.1)
    with pytest.raises(RuntimeError, match="timed out"):
        endless.run()


def test_nothing_notes_what_a_page_asks_of_its_browser():
    """A mock keeps each question with all that came before: a fifth of what a page cost."""
    script = "import streamlit as st; st.text(type(st.context.cookies).__name__)"
    assert AppTest.from_string(script).run().text[0].value == "dict"
