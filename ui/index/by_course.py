"""The index by course: the contents of the notes, with the entries that treat each section."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from html import escape

from mlcore.guides.notes import Notes, Section
from mlcore.spine.wording import count
from ui.index.entries import Item
from ui.index.rows import chip, link

SHOWN = {"Methods": ("method",), "Labs": ("lab",),
         "Functions, pictures, data": ("guide", "view", "part", "function", "data")}  # fmt: skip
_ORDER = ("method", "lab", "guide", "view", "part", "function", "data")
DATA = "data"  # stands for the number of what the notes number nowhere

ByNotion = Mapping[str, list[Item]]


def by_notion(items: Iterable[Item]) -> dict[str, list[Item]]:
    """Which entries treat each notion, methods first."""
    entries: dict[str, list[Item]] = {}
    treating = [item for item in items if item.kind in _ORDER]  # pages are in no notes
    for item in sorted(treating, key=lambda item: _ORDER.index(item.kind)):
        for notion in item.entry["sources"]:
            entries.setdefault(notion, []).append(item)
    return entries


def of_section(section: Section, treated: ByNotion) -> list[Item]:
    """The entries that treat a section, each once, methods first, in the order of its notions."""
    every = dict.fromkeys(item for notion in section.notions for item in treated.get(notion, ()))
    return sorted(every, key=lambda item: _ORDER.index(item.kind))


def is_flat(notes: Notes) -> bool:
    """Whether chapters have no sections: then all stand in one list."""
    return not any(section.depth for section in notes.sections)


def chapter_of(notes: Notes, asked: str) -> str:
    """The chapter that a link asks for, the first if it asks for none that there is."""
    chapter = "" if asked == DATA else asked.split(".")[0]
    known = [section.number for section in notes.chapters]
    return chapter if asked and chapter in known else known[0]


def contents(notes: Notes, open_chapter: str, treated: ByNotion) -> str:
    """The table of contents of the sidebar, with how many entries treat each chapter."""
    lines = []
    for part in notes.chapters:
        inside = [part] if is_flat(notes) else notes.of_chapter(part.number)
        n = len({item for section in inside for item in of_section(section, treated)})
        now = part.number == open_chapter and not is_flat(notes)
        lines.append(_line(notes, part, n, now))
        if now:
            lines += [_inside(section) for section in inside if section.depth == 1]
    return f'<nav class="contents" aria-label="Contents">{"".join(lines)}</nav>'


def _line(notes: Notes, part: Section, n: int, now: bool) -> str:
    does = f'data-open="section:{notes.name}:{part.number or DATA}"'
    if is_flat(notes):
        does = f'data-jump="at-{part.number or DATA}"'
    current = ' aria-current="true"' if now else ""
    return (
        f'<a href="#" {does}{current}><span>{part.number}</span><b>{escape(part.title)}</b>'
        f"<small>{n}</small></a>"
    )


def _inside(section: Section) -> str:
    return (
        f'<a class="inside" href="#" data-jump="at-{section.number}"><span>{section.number}</span>'
        f"<b>{escape(section.title)}</b></a>"
    )


def chapter(notes: Notes, number: str, treated: ByNotion, kinds: Collection[str]) -> list[str]:
    """A chapter: its head, and one line a section with the entries that treat it."""
    sections = notes.sections if is_flat(notes) else notes.of_chapter(number)
    notions = {notion for section in sections for notion in section.notions}
    here = sum(notion in treated for notion in notions)
    title = notes.title if is_flat(notes) else f"{number} {sections[0].title}".strip()
    note = f"{count(len(notions), 'notion')}, {here} of them here"
    head = (
        f'<div class="head"><h2>{escape(title)} <small>{note}</small></h2>'
        f"<span>{_beside(notes, number)}</span></div>"
    )
    return [head, *(_section(section, treated, kinds) for section in sections)]


def _beside(notes: Notes, number: str) -> str:
    """Links to the chapter before and the one after."""
    if is_flat(notes):
        return ""
    every = notes.chapters
    at = [section.number for section in every].index(number)
    before, after = every[at - 1 : at], every[at + 1 : at + 2]
    links = [(part, f"← {part.number} {part.title}") for part in before]
    links += [(part, f"{part.number} {part.title} →") for part in after]
    return " ".join(link(f"section:{notes.name}:{p.number or DATA}", text) for p, text in links)


def _section(section: Section, treated: ByNotion, kinds: Collection[str]) -> str:
    chips = "".join(chip(item) for item in of_section(section, treated) if item.kind in kinds)
    missing = sum(notion not in treated for notion in section.notions)
    only = ""
    if missing == len(section.notions) > 0:
        only = '<small class="only">named only in the notes</small>'
    elif missing:
        only = f'<small class="only">and {count(missing, "notion")} without an entry</small>'
    if not (section.depth or section.notions):
        return ""  # its title stands above
    name, depth = section.number or DATA, min(section.depth, 2)
    return (
        f'<div class="part depth-{depth}" id="at-{name}">'
        f'<span class="number">{section.number}</span>'
        f'<span class="title">{escape(section.title)}</span>'
        f'<span class="chips">{chips}{only}</span></div>'
    )
