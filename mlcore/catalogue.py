"""Everything that is entered in `mlcore`, as records: components, functions, data sets, guides."""

from __future__ import annotations

from importlib import import_module

from mlcore.data import bundled
from mlcore.data.examples import examples
from mlcore.guides import guides
from mlcore.spine import registry
from mlcore.spine.asking import can
from mlcore.spine.capabilities import Iterates
from mlcore.spine.component import Component
from mlcore.spine.records import FUNCTIONS, Record, summary


def records() -> list[Record]:
    """Every record of `mlcore`, sorted by kind and name; imports the whole catalogue."""
    registry.warm()
    for family in registry.FAMILIES:
        # A family lists the modules whose functions are entered with `@function`.
        for module in getattr(import_module(family), "FUNCTION_MODULES", ()):
            import_module(module)
    every = [*_components(), *FUNCTIONS.values(), *_bundled(), *_guides()]
    every += [other for record in every for other in record.other_names()]
    by_name = {(r.kind, r.family, r.name): r for r in every}
    return [by_name[key] for key in sorted(by_name)]


def _components() -> list[Record]:
    slots = registry.index()
    return [_record(cls) for slot in slots for cls in registry.entries(slot).values()]


def _record(cls: type[Component]) -> Record:
    card = cls.card
    return Record(
        card.kind, card.name, card.title, card.family, card.task, card.sources,
        can(cls, Iterates), card.peer, card.paper, summary(cls),
        next(iter(card.pages), ""), card.also, synonyms=card.synonyms, line=card.line,
    )  # fmt: skip


def _bundled() -> list[Record]:
    return [
        Record("data", table.name, table.title, "data", sources=table.sources, summary=table.shows)
        for table in (*bundled.files(), *examples().values())
    ]


def _guides() -> list[Record]:
    return [guide.record() for guide in guides()]
