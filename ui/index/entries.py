"""Every entry with what the index derives of it: page, line, drawing, facts to filter by.

Nothing is listed by hand here: tasks follow from slots, what a method gives from the capabilities
of its fit, the notes from its sources.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from figures.catalogue import catalogue
from figures.view import views
from mlcore.guides.notes import treated_in
from mlcore.runs.presets import presets
from mlcore.spine.asking import promises
from mlcore.spine.component import Card
from mlcore.spine.every_capability import CAPABILITIES
from mlcore.spine.registry import lookup, slots_of
from ui import sitemap
from ui.index.glyphs import glyph_of
from ui.method.cards import PAGE_OF, opening, page_of

SHORTEST, LONGEST = 10, 45  # characters of a line
TASKS = {
    "classification": "class", "regression": "quantity", "clustering": "groups",
    "novelty": "unusual", "reduction": "coordinates", "sequences": "sequences",
    "preparation": "prepare", **dict.fromkeys(slots_of("agent"), "act"),
}  # fmt: skip
GIVES = {
    "GivesProbabilities": "probabilities", "GivesPredictiveInterval": "interval",
    "HasCoefficients": "weights", "HasImportances": "importances", "HasLabels": "clusters",
    "Transforms": "coordinates", "HasEmbedding": "coordinates", "GivesDensity": "density",
    "HasTree": "tree", "JudgesRows": "novelty",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Item:
    """One entry of the index. `facts` are what facets ask for, "task.class"."""

    entry: Mapping[str, Any]  # its record, as plain values
    line: str
    page: str | None  # that opens it
    facts: frozenset[str]
    glyph: str
    weight: int  # how much there is of it; the first of a page have most

    @property
    def kind(self) -> str:
        """method, lab, view, ..."""
        return self.entry["kind"]

    @property
    def key(self) -> str:
        """What names it on the page and in the browser."""
        return f"{self.kind}:{self.entry['family']}:{self.entry['name']}"

    @property
    def title(self) -> str:
        """What people call it."""
        return self.entry["title"]

    @property
    def pairs(self) -> dict[str, str]:
        """The pairs of the link that opens it."""
        return opening(self.entry)


@cache
def items() -> dict[str, Item]:
    """Every entry of the index, by key; the first call imports the whole catalogue."""
    places = [page.as_dict() for page in sitemap.pages() if page.name != "shared"]
    entries = [entry for entry in catalogue() if not entry["means"] and entry["kind"] != "run"]
    taught = _taught(entries)
    every = [_item(entry, taught) for entry in (*places, *entries)]
    return {item.key: item for item in every}


def _item(entry: Mapping[str, Any], taught: frozenset[str]) -> Item:
    kind, family, name = entry["kind"], entry["family"], entry["name"]
    card = lookup(family, name).card if kind in ("method", "lab") else None
    is_fitted = card is not None and bool(set(card.slots) & set(slots_of("method")))
    capabilities = _capabilities(family, name) if is_fitted else frozenset()
    shown, page = _pages(entry, card), page_of(entry)
    facts = {f"kind.{kind}", *(f"page.{each}" for each in shown)}
    facts |= {f"task.{task}" for task in _tasks(card)} if kind == "method" else set()
    facts |= {f"gives.{GIVES[each]}" for each in capabilities & GIVES.keys()}
    facts |= {f"has.{each}" for each in _has(entry, card, taught)}
    facts |= {f"in.{notes.name}" for notes in treated_in(tuple(entry["sources"]))}
    examples = sum(preset.entry == name for preset in presets(family)) if is_fitted else 0
    glyph = glyph_of(kind, family, name, capabilities)
    weight = len(entry["sources"]) + examples
    return Item(entry, line_of(entry), page, frozenset(facts), glyph, weight)


def line_of(entry: Mapping[str, Any]) -> str:
    """What an entry does in few words: its declared line, or the beginning of its summary."""
    if entry["line"]:
        return entry["line"]
    text = entry["summary"].rstrip(".")
    if len(text) <= LONGEST:
        return text
    for end in (".", ":", ";", ","):
        first = text.split(f"{end} ")[0]
        if SHORTEST <= len(first) <= LONGEST:
            return first
    return text[: text.rfind(" ", 0, LONGEST)].rstrip(",;: ") + "…"


def _pages(entry: Mapping[str, Any], card: Card | None) -> tuple[str, ...]:
    """The pages on which an entry stands: a lab has several, and a kernel method two."""
    if entry["kind"] == "view":
        places = views()[entry["name"]].on
    elif card is None or card.pages:
        return card.pages if card else ((entry["page"],) if entry["page"] else ())
    else:
        places = card.slots
    return tuple(dict.fromkeys(PAGE_OF[place] for place in places if place in PAGE_OF))


def _tasks(card: Card | None) -> set[str]:
    return {TASKS[slot] for slot in card.slots if slot in TASKS} if card else set()


def _capabilities(family: str, name: str) -> frozenset[str]:
    """What the fits of a method can do, with the settings it begins with."""
    method = lookup(family, name)()
    return frozenset(each.__name__ for each in CAPABILITIES if promises(method, each))


def _has(entry: Mapping[str, Any], card: Card | None, taught: frozenset[str]) -> set[str]:
    has = {
        "player": entry["has_steps"],
        "lab": entry["kind"] == "method" and bool(taught & set(entry["sources"])),
        "formula": bool(card and card.formula),
        "peer": bool(entry["peer"]),
    }
    return {name for name, there in has.items() if there}


def _taught(entries: list[dict[str, Any]]) -> frozenset[str]:
    """The notions that a lab treats."""
    return frozenset(s for entry in entries if entry["kind"] == "lab" for s in entry["sources"])
