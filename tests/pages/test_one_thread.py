"""What threads of the server may do at once: draw other sessions, and no page's syntax tree."""

from __future__ import annotations

import asyncio
from pathlib import Path
from unittest.mock import MagicMock

import pytest
from streamlit import runtime
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.script_data import ScriptData
from streamlit.runtime.scriptrunner import magic
from streamlit.runtime.scriptrunner.script_cache import ScriptCache

from tests import asynchronous

ROOT = Path(__file__).parents[2]
DRAWS_SLOWLY = """
import pathlib, time
import streamlit as st
def note(what):
    with pathlib.Path({noted!r}).open("a") as file: file.write(what)
note("begun ")
time.sleep(0.2)  # whoever presses now is heard when it calls Streamlit again
try:
    st.session_state["drawn"] = True
finally:
    note("ended ")
note("drawn ")
"""
PRESSES = 4


async def pressed(script: Path, noted: Path) -> None:
    """Draw the script, and press again and again while it is drawn."""
    session = AppSession(
        ScriptData(str(script), is_hello=False),
        MemoryUploadedFileManager("/upload"),
        ScriptCache(),
        None,
        {},
    )
    for _ in range(PRESSES):
        session.request_rerun(ClientState())
        await asyncio.sleep(0.07)
    async with asyncio.timeout(20):
        while not (noted.exists() and noted.read_text().endswith("drawn ")):
            await asyncio.sleep(0.02)
        session.shutdown()
        while not session._script_event_loop.is_closed():  # its thread has ended
            await asyncio.sleep(0.02)


def test_a_page_that_is_drawn_anew_is_not_drawn_twice_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(runtime, "get_instance", MagicMock())  # no server is needed for it
    noted = tmp_path / "drawn"
    script = tmp_path / "slow.py"
    script.write_text(DRAWS_SLOWLY.format(noted=str(noted)))
    asynchronous.run(pressed(script, noted))
    *turns, last = noted.read_text().split()
    assert len(turns) >= 4, "it was never pressed while it was drawn"
    assert (turns, last) == (["begun", "ended"] * (len(turns) // 2), "drawn")


def test_no_tree_is_made_of_a_page(monkeypatch: pytest.MonkeyPatch):
    """CPython 3.11 counts how deep it is in one place for all threads, and raises SystemError."""
    monkeypatch.setattr(magic, "add_magic", MagicMock(side_effect=AssertionError("made a tree")))
    assert ScriptCache().get_bytecode(str(ROOT / "app.py"))
