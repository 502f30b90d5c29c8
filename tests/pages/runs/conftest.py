"""Browsers that come back to a server, which may have been started anew meanwhile."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator

import pytest
import streamlit as st
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string

from service.database import folder
from service.kept_tables import kept_tables
from service.kept_work import kept_work
from service.results import results
from service.vault import FOLDER, vault
from ui.runs.person import TOKEN

ANNA, BERT = b"anna" * 4, b"bert" * 4
HASH = hashlib.sha256(ANNA).hexdigest()  # by which Anna's browser is known


@pytest.fixture
def fresh() -> Iterator[None]:
    """A server that has just been started, with nothing on its disk."""
    restart()
    shutil.rmtree(folder(os.environ) / FOLDER, ignore_errors=True)
    yield
    restart()


def restart() -> None:
    """Forget what a server holds in memory."""
    for held in (vault, kept_tables, kept_work, results):
        held.cache_clear()


@pytest.fixture
def at_browser(monkeypatch) -> Callable[[bytes | None], None]:
    """`at_browser(token)`: who opens pages from now on."""

    def use(token: bytes | None) -> None:
        cookies = {} if token is None else {TOKEN: generate_xsrf_token_string(token, 1)}
        monkeypatch.setattr(type(st.context), "cookies", cookies)

    return use
