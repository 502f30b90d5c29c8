"""The rows of the index as HTML: a drawing, a name, a line, and why it was found or does not apply.

Everything that comes from elsewhere is escaped here. `data-open` names what a click opens; the
finder (`ui/components/finder`) sees to it that the session and its table stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from urllib.parse import urlencode

from ui.index.entries import Item
from ui.index.glyphs import place as drawn
from ui.search import marked

PLAYER = '<i class="player" title="Step by step, with a player">▷</i>'


def row(item: Item, why_not: str = "", query: str = "", reason: str = "", page: str = "") -> str:
    """One entry. `why_not` says why it does not apply to the present table, `reason` why a search
    found it, which then has a column of its own beside the page."""
    line = _short(why_not, item) if why_not else item.line
    match = (
        f'<span class="why">{marked(reason, query)}</span><span class="place">{escape(page)}</span>'
        if query
        else ""
    )
    inside = (
        f"{drawn(item.glyph)}<b>{marked(item.title, query)}</b>"
        f'<span class="line">{marked(line, query)}</span>{match}'
        f"{PLAYER if item.entry['has_steps'] else ''}"
    )
    return _opening(item, "entry" + (" not-now" if why_not else ""), why_not, inside)


def chip(item: Item) -> str:
    """One entry among others of a section of the notes."""
    kind = item.kind if item.kind in ("method", "lab") else "other"
    picture = "" if kind == "other" else drawn(item.glyph)
    return _opening(item, f"chip {kind}", "", f"{picture}{escape(item.title)}")


def _opening(item: Item, classes: str, why_not: str, inside: str) -> str:
    says = escape(why_not or item.entry["summary"])
    if item.page is None:
        return f'<span class="{classes}" title="{says}">{inside}</span>'
    address = escape(f"{item.page}?{urlencode(item.pairs)}" if item.pairs else item.page)
    return (
        f'<a class="{classes}" href="{address}" target="_self" data-open="{escape(item.key)}" '
        f'title="{says}">{inside}</a>'
    )


def _short(why_not: str, item: Item) -> str:
    """The first sentence of a reason, without the name that stands beside it."""
    return why_not.removeprefix(f"{item.title} ").split(". ")[0].rstrip(".")


def link(does: str, text: str, classes: str = "") -> str:
    """Words that do something on this page: "search:SVM", "section:epfl:3"."""
    return (
        f'<a class="{classes}" href="#" role="button" data-open="{escape(does)}">{escape(text)}</a>'
    )


def section(
    name: str, title: str, note: str, rows: Sequence[str], most: int, *, more: str = "", wide: bool
) -> str:
    """A heading and its rows, those beyond the first folded away; `wide` is one column."""
    columns = "rows wide" if wide else "rows"
    first, rest = rows[:most], rows[most:]
    folded = ""
    if rest:
        says = more or f"All {len(rows)}"
        folded = (
            f'<details id="rest-{escape(name)}"><summary>{escape(says)}</summary>'
            f'<div class="{columns}">{"".join(rest)}</div></details>'
        )
    return (
        f'<section id="at-{escape(name)}"><h2>{escape(title)} <small>{escape(note)}</small></h2>'
        f'<div class="{columns}">{"".join(first)}</div>{folded}</section>'
    )


def closed(name: str, title: str, note: str, preview: str, rows: Iterable[str], glyph: str) -> str:
    """A section that is folded, with a preview of what is in it."""
    return (
        f'<details class="closed" id="at-{escape(name)}"><summary>{drawn(glyph)}'
        f"<strong>{escape(title)}</strong> <small>{escape(note)}</small> "
        f'<span class="line">{escape(preview)}</span></summary>'
        f'<div class="rows">{"".join(rows)}</div></details>'
    )


def jumps(there: Mapping[str, tuple[str, int]]) -> str:
    """The bar that leads to the sections in sight: name -> title, count."""
    links = (
        f'<a href="#at-{escape(name)}" data-jump="at-{escape(name)}">{escape(title)} '
        f"<small>{n}</small></a>"
        for name, (title, n) in there.items()
    )
    return f'<nav class="jumps" aria-label="Sections">{"".join(links)}</nav>'


def listed(parts: Iterable[str], query: str = "") -> str:
    """The whole list; the finder compares the query that it answers with what is typed."""
    return f'<div class="mlscope-index" data-query="{escape(query)}">{"".join(parts)}</div>'
