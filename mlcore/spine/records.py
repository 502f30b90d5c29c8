"""One line of the catalogue, and how a function gets its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

KINDS = ("method", "function", "view", "lab", "data", "guide", "part", "run")

F = TypeVar("F", bound=Callable[..., Any])
FUNCTIONS: dict[str, Record] = {}  # by name, as their modules are imported


@dataclass(frozen=True)
class Record:
    """One line of the catalogue.

    `also` are other names of the entry, "name" or "kind:name"; each has a line of its own, in which
    `means` is the name of the entry. `synonyms` are terms by which a search finds it. `line` says
    what it does in few words, where that is declared.
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
    synonyms: tuple[str, ...] = ()
    line: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)

    def other_names(self) -> list[Record]:
        """A line for each other name."""
        parts = (name.rpartition(":") for name in self.also)
        return [
            replace(self, kind=kind or self.kind, name=name, also=(), means=self.name)
            for kind, _, name in parts
        ]


def function(
    name: str,
    *,
    title: str = "",
    sources: tuple[str, ...] = (),
    also: tuple[str, ...] = (),
    synonyms: tuple[str, ...] = (),
) -> Callable[[F], F]:
    """Enter a function of `mlcore` in the catalogue."""

    def entered(f: F) -> F:
        family = f.__module__.split(".")[1]
        shown = title or name.replace("_", " ").capitalize()
        FUNCTIONS[name] = Record(
            "function",
            name,
            shown,
            family,
            sources=sources,
            summary=summary(f),
            also=also,
            synonyms=synonyms,
        )
        return f

    return entered


def summary(documented: Any) -> str:
    """The first line of a docstring."""
    return (documented.__doc__ or "").strip().split("\n")[0]
