"""What takes long to import is imported by whoever needs it, not by who opens a page."""

from __future__ import annotations

import subprocess
import sys

import pytest

STEPS = """
import sys
import streamlit as st
from streamlit.testing.v1 import AppTest

def opened(page):
    at = AppTest.from_file("app.py", default_timeout=60)
    at.switch_page(f"pages/{page}.py").run()
    assert not at.exception, at.exception[0].stack_trace

def told(step):
    print(step, "gymnasium" in sys.modules)

from mlcore.catalogue import records
assert len(records()) > 100
told("catalogue")

type(st.context).ip_address = None  # there is no server that would know one
opened("methods")
told("its-page")

from mlcore.decisions.grid_world import GridWorld
from mlcore.runs.presets import trial_presets
from ui.trial.controls import suits
runs = [preset.run() for preset in trial_presets("decisions")]
assert {suits(GridWorld().world(), run) for run in runs} == {True, False}
told("examples-of-worlds")

opened("sequential_decision_making")
told("page-of-worlds")
"""
EXPECTED = """catalogue False
its-page False
examples-of-worlds False
page-of-worlds False
"""


@pytest.mark.slow
def test_nothing_that_is_opened_imports_gymnasium():
    """Its import takes longer than all else that a page does; the first step with it is told."""
    done = subprocess.run([sys.executable, "-c", STEPS], capture_output=True, text=True, check=True)
    assert done.stdout == EXPECTED
