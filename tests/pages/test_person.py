"""Who is behind a session."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import streamlit as st
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string

from service.fair_queue import Person
from ui.runs.person import COPY, TOKEN, browser, person


@pytest.fixture
def visit(monkeypatch):
    """`visit(token, address)`: the person that a session with these is taken for."""

    def visited(token: bytes | None, address: str | None, session: str = "s") -> Person:
        cookies = {} if token is None else {TOKEN: generate_xsrf_token_string(token, 1)}
        monkeypatch.setattr(st, "context", SimpleNamespace(cookies=cookies, ip_address=address))
        return person(session)

    return visited


def test_tabs_of_one_browser_are_one_person_though_the_mask_of_the_token_changes(visit):
    assert visit(b"x" * 16, "10.0.0.1", "s1") == visit(b"x" * 16, "10.0.0.1", "s2")
    assert visit(b"x" * 16, "10.0.0.1") != visit(b"y" * 16, "10.0.0.1")


def test_browsers_of_one_address_have_that_in_common(visit):
    one, other = visit(b"x" * 16, "10.0.0.1"), visit(b"y" * 16, "10.0.0.1")
    assert one.address == other.address != visit(b"x" * 16, "10.0.0.2").address


def test_who_keeps_no_cookie_is_known_by_the_address(visit):
    assert visit(None, "10.0.0.1", "s1") == visit(None, "10.0.0.1", "s2")
    assert visit(None, "10.0.0.1") != visit(None, "10.0.0.2")


def test_without_either_every_session_stands_for_itself(visit):
    assert visit(None, None, "s1") == Person("s1") != visit(None, None, "s2")


@pytest.mark.parametrize("spoiled", ["", "2|", "2|zz|zz|1", "\0", "2|00|00|x", "🙂"])
def test_a_spoiled_cookie_is_none(monkeypatch, spoiled):
    monkeypatch.setattr(st, "context", SimpleNamespace(cookies={TOKEN: spoiled}, ip_address=None))
    assert person("s") == Person("s")


def test_nothing_of_the_token_or_the_address_is_kept(visit):
    assert "10.0.0.1" not in str(visit(b"x" * 16, "10.0.0.1"))


def test_a_copy_that_outlived_the_session_comes_before_the_token_of_the_new_one(monkeypatch):
    def cookies(**tokens: bytes) -> None:
        held = {{"token": TOKEN, "copy": COPY}[name]: generate_xsrf_token_string(token, 1)
                for name, token in tokens.items()}  # fmt: skip
        monkeypatch.setattr(st, "context", SimpleNamespace(cookies=held, ip_address=None))

    cookies(token=b"x" * 16)
    before = browser(), person("s")
    cookies(token=b"y" * 16, copy=b"x" * 16)
    assert (browser(), person("s")) == before
    cookies(token=b"y" * 16, copy=b"")  # a spoiled one is none
    assert browser() not in ("", before[0])
