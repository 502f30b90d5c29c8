"""The lecture notes that the catalogue follows: their contents, and which notions each treats.

A file lists the sections of one course in their order, "number title", with the names of their
notions. These names are what cards call their `sources`; so which entries treat a section is
derived from the cards, never listed. Numbers and titles are those of the notes, no more.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class Section:
    """One section: its number ("3.2.1"; empty for what the notes number nowhere) and notions."""

    number: str
    title: str
    notions: tuple[str, ...]

    @property
    def chapter(self) -> str:
        """The number of the chapter that it belongs to."""
        return self.number.split(".")[0]

    @property
    def depth(self) -> int:
        """0 for a chapter, 1 for a section of it, and so on."""
        return self.number.count(".")


@dataclass(frozen=True)
class Notes:
    """The notes of one course. `name` stands in links."""

    name: str
    title: str
    short: str  # where there is little room
    author: str
    sections: tuple[Section, ...]

    @property
    def chapters(self) -> tuple[Section, ...]:
        """The sections that are chapters."""
        return tuple(section for section in self.sections if not section.depth)

    @property
    def notions(self) -> frozenset[str]:
        """Every notion, once."""
        return frozenset(notion for section in self.sections for notion in section.notions)

    def of_chapter(self, number: str) -> tuple[Section, ...]:
        """A chapter and its sections."""
        return tuple(section for section in self.sections if section.chapter == number)


@cache
def courses() -> dict[str, Notes]:
    """The notes of every course, by name."""
    files = sorted(Path(__file__).parent.glob("*.toml"))
    return {file.stem: _read(file) for file in files}


@cache
def _course_of_code() -> dict[str, Notes]:
    every = courses().values()
    return {notion.split(":")[0]: notes for notes in every for notion in notes.notions}


def treated_in(sources: tuple[str, ...]) -> tuple[Notes, ...]:
    """The notes in which these notions stand, each once, in the order of the notions."""
    known = _course_of_code()
    codes = (source.split(":")[0] for source in sources)
    # By name: the hash of notes is that of every notion in them.
    return tuple({known[code].name: known[code] for code in codes if code in known}.values())


def _read(file: Path) -> Notes:
    fields = tomllib.loads(file.read_text(encoding="utf-8"))
    sections = (_section(head, notions) for head, notions in fields.pop("sections").items())
    return Notes(name=file.stem, sections=tuple(sections), **fields)


def _section(head: str, notions: list[str]) -> Section:
    number, _, title = head.partition(" ")
    if not number[0].isdigit():
        number, title = "", head
    return Section(number, title, tuple(notions))
