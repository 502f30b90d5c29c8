"""By what the index is filtered: facets with live counts; "or" inside one, "and" between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from mlcore.guides.notes import courses
from ui import sitemap
from ui.index.entries import Item


@dataclass(frozen=True)
class Facet:
    """One question and its answers: fact -> what it is called."""

    name: str
    title: str
    answers: Mapping[str, str]


# A kind of the segment above the facets: what it is called, and the kinds of entries.
OTHERS = ("page", "guide", "view", "part", "function", "data")
KINDS = {
    "All": ("method", "lab"),
    "Methods": ("method",),
    "Labs": ("lab",),
    "Others": OTHERS,
}
_TASK = {
    "class": "Predict a class", "quantity": "Predict a quantity", "groups": "Find groups",
    "unusual": "Find unusual rows", "coordinates": "Few coordinates",
    "sequences": "Model sequences", "prepare": "Prepare columns", "act": "Act and be rewarded",
}  # fmt: skip
_GIVES = {
    "probabilities": "Probabilities", "interval": "An interval", "weights": "Coefficients",
    "importances": "Importances", "clusters": "Clusters", "coordinates": "New coordinates",
    "density": "A density", "tree": "A tree", "novelty": "Usual or new",
}  # fmt: skip
_HAS = {
    "player": "A player", "lab": "A lab on it", "formula": "A formula", "peer": "A peer elsewhere",
}  # fmt: skip


@cache
def facets() -> tuple[Facet, ...]:
    """Every facet, in the order of the sidebar."""
    pages = {page.name: page.title for page in sitemap.pages() if page.name not in _NO_FACET}
    notes = {name: course.short for name, course in courses().items()}
    return (
        _facet("page", "Page", pages),
        _facet("task", "Task", _TASK),
        _facet("gives", "What it gives", _GIVES),
        _facet("has", "Has", _HAS),
        _facet("in", "Treated in", notes),
    )


_NO_FACET = ("start", "methods", "shared")


def _facet(name: str, title: str, answers: Mapping[str, str]) -> Facet:
    return Facet(name, title, {f"{name}.{value}": label for value, label in answers.items()})


def kept(items: Iterable[Item], chosen: frozenset[str], kind: str, but: str = "") -> list[Item]:
    """The items that meet what is chosen, in their order; the facet called `but` is not asked."""
    asked = [chosen & f.answers.keys() for f in facets() if f.name != but]
    asked = [answers for answers in asked if answers]
    kinds = KINDS[kind]
    return [
        item
        for item in items
        if item.kind in kinds and all(answers & item.facts for answers in asked)
    ]


def counts(items: Iterable[Item], chosen: frozenset[str], kind: str) -> dict[str, int]:
    """How many items each answer would show, beside what is chosen in the other facets."""
    numbers, every = {}, list(items)
    for facet in facets():
        there = kept(every, chosen, kind, but=facet.name)
        numbers |= {fact: sum(fact in item.facts for item in there) for fact in facet.answers}
    return numbers
