"""Numbers and counts as people read them; foreign text as it was written."""

from __future__ import annotations

import math
import re

# What begins Markdown, HTML, a formula or a directive of Streamlit. An underscore within a word
# and a colon before a space mean nothing, and stay as they are.
_MARKUP = re.compile(r"[\\`*{}\[\]<>#$~|&]|(?<![^\W_])_|_(?![^\W_])|:(?=[\w:])")
_ADDRESS = re.compile(r"://|www\.|@", re.IGNORECASE)
_JOINER = "\u2060"  # no width and no line break; without it an address becomes a link


def plain(text: str) -> str:
    """Foreign text (a column, a file name, a link) for Markdown that shows it letter by letter."""
    unlinked = _ADDRESS.sub(lambda found: f"{found[0][0]}{_JOINER}{found[0][1:]}", text)
    return _MARKUP.sub(r"\\\g<0>", " ".join(unlinked.split()))


def number(value: float, digits: int = 3) -> str:
    """A number with as many digits as help; a dash where there is none."""
    if not math.isfinite(value):
        return "–"
    size = abs(value)
    if size and (size >= 1e7 or size < 1e-3):
        return f"{value:.{digits - 1}e}"
    return (
        f"{value:.{digits}f}"
        if size < 10
        else f"{value:,.{max(0, digits - len(str(int(size))) + 1)}f}"
    )


def seconds(value: float) -> str:
    """A time span: 6 ms, 1.2 s, 3 min."""
    if value < 1:
        return f"{max(1, round(value * 1000))} ms"
    return f"{value:.1f} s" if value < 60 else f"{value / 60:.0f} min"
