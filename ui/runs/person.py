"""Who is behind a session, so that many tabs of one person count as one.

A browser is known by the random token that Streamlit gives it against forged requests; it holds no
name, and nothing of it is kept.
"""

from __future__ import annotations

import hashlib

import streamlit as st
from streamlit.web.server.starlette.starlette_app_utils import decode_xsrf_token_string

from service.fair_queue import Person

TOKEN = "_streamlit_xsrf"
LENGTH = 16  # bytes of a token of Streamlit: a shorter one could be guessed


def person(session: str) -> Person:
    """The browser and the address of this session; without either it stands for itself.

    A browser that keeps no cookie is known by its address alone, so that nobody gains by it.
    """
    token, _ = decode_xsrf_token_string(st.context.cookies.get(TOKEN, ""))
    address = st.context.ip_address or ""
    if token is None and not address:
        return Person(session)
    # The mask about the token changes with every answer of the server; the token does not.
    return Person(_hash(token or b""), _hash(address.encode()))


def browser() -> str:
    """The key of the browser of this session, which no other can guess; "" where it has none."""
    token, _ = decode_xsrf_token_string(st.context.cookies.get(TOKEN, ""))
    return _hash(token) if token and len(token) >= LENGTH else ""


def _hash(secret: bytes) -> str:
    return hashlib.sha256(secret).hexdigest() if secret else ""
