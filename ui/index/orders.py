"""The orders of the index: by page, A to Z, and what a search found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from itertools import groupby

from mlcore.guides.notes import Notes, courses
from mlcore.spine.wording import count
from ui import sitemap
from ui.index.entries import Item
from ui.index.rows import closed, jumps, link, row, section
from ui.search import Hit, finds, marked, nearest

AT_ONCE = 12  # of a page, before the rest is unfolded
MATCHES_AT_ONCE = 9  # of a kind
OPEN_PAGES = 6  # of those with most to see; the others begin folded
OF_KIND = {
    "method": ("Methods", "method"), "lab": ("Labs", "lab"), "page": ("Pages", "page"),
    "guide": ("Guides", "guide"), "view": ("Pictures", "picture"), "part": ("Options", "option"),
    "function": ("Functions", "function"), "data": ("Data sets", "data set"),
}  # fmt: skip
Reasons = Mapping[str, str]  # by key: why an entry does not apply to the present table


def title_of(page: str | None) -> str:
    """What a page is called."""
    return next((each.title for each in sitemap.pages() if each.name == page), "")


def by_page(items: Sequence[Item], why_not: Reasons, *, is_filtered: bool) -> list[str]:
    """Methods by the page that opens them, the most treated first; then labs, then what else."""
    there = _sections(items)
    bar = jumps({name: (title, len(inside)) for name, title, inside in there})
    parts = [bar] if len(there) > 1 else []
    folds = len(items) > 2 * AT_ONCE and not is_filtered
    for at, (name, title, inside) in enumerate(there):
        rows = [row(item, why_not.get(item.key, "")) for item in inside]
        if folds and (at >= OPEN_PAGES or inside[0].kind != "method"):
            preview = ", ".join(item.title for item in inside[:6])
            parts.append(closed(name, title, str(len(rows)), preview, rows, inside[0].glyph))
        else:
            note = count(len(rows), *_nouns(inside[0].kind))
            parts.append(section(name, title, note, rows, AT_ONCE, wide=False))
    return parts


def _sections(items: Sequence[Item]) -> list[tuple[str, str, list[Item]]]:
    ordered = sorted(items, key=lambda item: (-item.weight, item.title.lower()))
    of_page = [
        (page.name, page.title, [i for i in ordered if i.kind == "method" and i.page == page.name])
        for page in _pages()
    ]
    of_kind = [
        (kind, plural, [item for item in ordered if item.kind == kind])
        for kind, (plural, _) in OF_KIND.items()
        if kind != "method"
    ]
    return [part for part in (*of_page, *of_kind) if part[2]]


def _pages() -> list[sitemap.Record]:
    """The pages of families as the menu has them, then those of tables."""
    every = sitemap.pages()
    return [page for page in every if page not in sitemap.GROUPS[""]] + list(sitemap.GROUPS[""])


def _nouns(kind: str) -> tuple[str, str]:
    one = OF_KIND[kind][1]
    return one, f"{one}s"


def by_name(items: Sequence[Item], why_not: Reasons) -> list[str]:
    """Everything by its title."""
    ordered = sorted(items, key=lambda item: _letters(item.title))
    groups = [(letter, list(group)) for letter, group in groupby(ordered, _initial)]
    parts = [jumps({letter: (letter, len(inside)) for letter, inside in groups})]
    for letter, inside in groups:
        rows = [row(item, why_not.get(item.key, "")) for item in inside]
        parts.append(section(letter, letter, "", rows, len(rows), wide=False))
    return parts


def _letters(title: str) -> str:
    return "".join(letter for letter in title.lower() if letter.isalnum())


def _initial(item: Item) -> str:
    first = _letters(item.title)[0].upper()
    return first if first.isascii() and first.isalpha() else "#"


def matches(hits: Sequence[Hit], item_of: Callable[[Hit], Item], query: str, why_not: Reasons,
          course: str = "") -> list[str]:  # fmt: skip
    """What a search found, by kind, with the reason of each; what a course treats comes first."""
    parts = []
    for kind, (title, noun) in OF_KIND.items():
        of_kind = [(item_of(hit), hit.reason) for hit in hits if hit.entry["kind"] == kind]
        of_kind.sort(key=lambda pair: bool(course) and f"in.{course}" not in pair[0].facts)
        rows = [
            row(
                item, why_not.get(item.key, ""), query, reason or "in its name", title_of(item.page)
            )
            for item, reason in of_kind
        ]
        if rows:
            more = f"{count(len(rows) - MATCHES_AT_ONCE, f'more {noun}', f'more {noun}s')}"
            note = str(len(rows))
            parts.append(section(kind, title, note, rows, MATCHES_AT_ONCE, more=more, wide=True))
    return [*parts, *_places(query, course)]


def _places(query: str, course: str) -> list[str]:
    """The sections of the notes whose titles a query finds."""
    every = sorted(courses().values(), key=lambda notes: notes.name != course)
    rows = [_place(notes, at, query) for notes in every for at in _sections_of(notes, query)]
    if not rows:
        return []
    more = f"{len(rows) - MATCHES_AT_ONCE} more sections"
    return [section("notes", "In the notes", str(len(rows)), rows, MATCHES_AT_ONCE, more=more,
                    wide=True)]  # fmt: skip


def _sections_of(notes: Notes, query: str) -> list[int]:
    return [at for at, part in enumerate(notes.sections) if finds(part.title, query)]


def _place(notes: Notes, at: int, query: str) -> str:
    part = notes.sections[at]
    return (
        f'<a class="entry note" href="#" data-open="section:{notes.name}:{part.number}">'
        f"<span>{part.number}</span><b>{marked(part.title, query)}</b>"
        f'<span class="place">{escape(notes.short)}</span></a>'
    )


def near(entries: Sequence[Mapping[str, object]], query: str) -> str:
    """Links to what is spelled like a query; empty where nothing is."""
    links = ", ".join(link(f"search:{name}", name) for name in nearest(entries, query))
    return (
        f'<p class="near"><b>Not what you meant?</b> Near in spelling: {links}</p>' if links else ""
    )
