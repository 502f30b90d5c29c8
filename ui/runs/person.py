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
COPY = "mlscope_browser"  # of the token, where it is to outlive the session of the browser
LENGTH = 16  # bytes of a token of Streamlit: a shorter one could be guessed


def person(session: str) -> Person:
    """The browser and the address of this session; without either it stands for itself.

    A browser that keeps no cookie is known by its address alone, so that nobody gains by it.
    """
    token = _token()
    address = st.context.ip_address or ""
    if token is None and not address:
        return Person(session)
    # The mask about the token changes with every answer of the server; the token does not.
    return Person(_hash(token or b""), _hash(address.encode()))


def browser() -> str:
    """The key of the browser of this session, which no other can guess; "" where it has none."""
    token = _token()
    return _hash(token) if token and len(token) >= LENGTH else ""


def _token() -> bytes | None:
    """The copy comes first: after a night there is a new token beside it."""
    cookies = st.context.cookies
    read = (decode_xsrf_token_string(cookies.get(name, ""))[0] for name in (COPY, TOKEN))
    return next((token for token in read if token), None)


def _hash(secret: bytes) -> str:
    return hashlib.sha256(secret).hexdigest() if secret else ""
