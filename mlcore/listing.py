"""What is entered beside components: functions, views, labs, data sets and guides, as records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from typing import Any, TypeVar

from mlcore import component

KINDS = ("method", "function", "view", "lab", "data", "guide", "part", "run")

F = TypeVar("F", bound=Callable[..., Any])
_FUNCTIONS: dict[str, Record] = {}


@dataclass(frozen=True)
class Record:
    """One line of the catalogue.

    `also` are other names of the entry, "name" or "kind:name"; each has a line of its own, in which
    `means` is the name of the entry.
    """

    kind: str
    name: str
    title: str
    family: str = ""
    task: str = ""
    sources: tuple[str, ...] = ()
    has_steps: bool = False
    peer: str = ""
    paper: str = ""
    summary: str = ""
    page: str = ""  # that shows it, where its family does not say
    also: tuple[str, ...] = ()
    means: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)

    def other_names(self) -> list[Record]:
        """A line for each other name."""
        said = (name.rpartition(":") for name in self.also)
        return [
            replace(self, kind=kind or self.kind, name=name, also=(), means=self.name)
            for kind, _, name in said
        ]


def function(
    name: str, *, title: str = "", sources: tuple[str, ...] = (), also: tuple[str, ...] = ()
) -> Callable[[F], F]:
    """Enter a function of `mlcore` in the catalogue."""

    def entered(f: F) -> F:
        family = f.__module__.split(".")[1]
        shown = title or name.replace("_", " ").capitalize()
        _FUNCTIONS[name] = Record(
            "function", name, shown, family, sources=sources, summary=summary(f), also=also
        )
        return f

    return entered


def summary(it: Any) -> str:
    """The first line of a docstring."""
    return (it.__doc__ or "").strip().split("\n")[0]


def records() -> list[Record]:
    """Every record of `mlcore`, sorted by kind and name; imports the whole catalogue."""
    component.warm()
    for family in component.FAMILIES:
        # A family lists the modules whose functions are entered with `@function`.
        for module in getattr(import_module(family), "FUNCTION_MODULES", ()):
            import_module(module)
    every = [*_components(), *_FUNCTIONS.values(), *_bundled(), *_guides()]
    every += [other for record in every for other in record.other_names()]
    found = {(r.kind, r.family, r.name): r for r in every}
    return [found[key] for key in sorted(found)]


def _components() -> list[Record]:
    slots = component.index()
    return [_record(cls) for slot in slots for cls in component.entries(slot).values()]


def _record(cls: type[component.Component]) -> Record:
    card = cls.card
    return Record(
        card.kind, card.name, card.title, card.family, card.task, card.sources,
        hasattr(cls, "steps"), card.peer, card.paper, summary(cls),
        next(iter(card.pages), ""), card.also,
    )  # fmt: skip


def _bundled() -> list[Record]:
    from mlcore.data import bundled
    from mlcore.data.examples import examples

    return [
        Record("data", it.name, it.title, "data", sources=it.sources, summary=it.shows)
        for it in (*bundled.files(), *examples().values())
    ]


def _guides() -> list[Record]:
    from mlcore.guides import guides

    return [guide.record() for guide in guides()]
