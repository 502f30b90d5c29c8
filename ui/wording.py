"""Foreign text (a column, a file name, a link) for Markdown, as it was written."""

from __future__ import annotations

import re

# What begins Markdown, HTML, a formula or a directive of Streamlit. An underscore within a word
# and a colon before a space mean nothing, and stay as they are.
_MARKUP = re.compile(r"[\\`*{}\[\]<>#$~|&]|(?<![^\W_])_|_(?![^\W_])|:(?=[\w:])")
_ADDRESS = re.compile(r"://|www\.|@", re.IGNORECASE)
_JOINER = "\u2060"  # no width and no line break; without it an address becomes a link


def plain(text: str) -> str:
    """Foreign text (a column, a file name, a link) for Markdown that shows it letter by letter."""
    unlinked = _ADDRESS.sub(lambda match: f"{match[0][0]}{_JOINER}{match[0][1:]}", text)
    return _MARKUP.sub(r"\\\g<0>", " ".join(unlinked.split()))
