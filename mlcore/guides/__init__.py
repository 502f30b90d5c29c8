"""Guides: short texts with a formula, a TOML file a page, for what is no method and no picture."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from mlcore.spine.records import Record


@dataclass(frozen=True)
class Guide:
    """One text. `text` is Markdown with LaTeX between dollar signs; `methods` names the methods
    beside which it stands on its page, and `slots` their kinds, all of them if none are named."""

    name: str
    title: str
    text: str
    sources: tuple[str, ...]
    page: str
    methods: tuple[str, ...] = ()
    slots: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ()

    def stands_beside(self, method: str, slots: Iterable[str]) -> bool:
        """Whether it speaks of a method with this name, of these kinds."""
        is_kind = not self.slots or not set(self.slots).isdisjoint(slots)
        return is_kind and (not self.methods or method in self.methods)

    def record(self) -> Record:
        """Its line of the catalogue."""
        first = self.text.strip().split("\n\n")[0].replace("\n", " ")
        return Record(
            "guide", self.name, self.title, "guides", "", self.sources, summary=first,
            page=self.page, synonyms=self.synonyms,
        )  # fmt: skip


@cache
def guides() -> tuple[Guide, ...]:
    """Every guide, by page, in the order of its file."""
    files = sorted(Path(__file__).parent.glob("*.toml"))
    return tuple(guide for file in files for guide in _read(file))


def of_page(page: str, method: str = "", slots: Iterable[str] = ()) -> tuple[Guide, ...]:
    """The guides that stand on a page, beside a method of these kinds if one is named."""
    candidates = (guide for guide in guides() if guide.page == page)
    return tuple(g for g in candidates if not method or g.stands_beside(method, slots))


def _read(file: Path) -> list[Guide]:
    tables: list[dict[str, Any]] = tomllib.loads(file.read_text(encoding="utf-8"))["guide"]
    return [
        Guide(
            page=file.stem,
            sources=tuple(fields.pop("sources")),
            methods=tuple(fields.pop("methods", ())),
            slots=tuple(fields.pop("slots", ())),
            synonyms=tuple(fields.pop("synonyms", ())),
            **fields,
        )
        for fields in tables
    ]
