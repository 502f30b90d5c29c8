"""Where a table comes from: a bundled set; generators stand in their own files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mlcore.component import Card, Component, enter
from mlcore.data import bundled
from mlcore.data.table import Table
from mlcore.params import text


@dataclass(frozen=True)
class Origin:
    """A table with what its source knows about it."""

    table: Table
    name: str
    target: str | None = None
    roles: tuple[tuple[str, str], ...] = ()
    truth: object = None


@dataclass(frozen=True, kw_only=True)
class Source(Component):
    """Something that gives a table; equal sources give equal tables."""

    def origin(self, held: Mapping[str, Table]) -> Origin:
        """The table; `held` are the uploads of this session by digest."""
        raise NotImplementedError(f"{type(self).__name__} declares no table")


@enter(Card("bundled", "Bundled data set", ("source",), kind="part", stands_for="name"))
@dataclass(frozen=True, kw_only=True)
class Bundled(Source):
    """A data set that comes with MLScope."""

    name: str = text("penguins", doc="Name of the data set.")

    def conflict(self) -> str | None:
        """Refuse a name that no set has, with the nearest one."""
        return bundled.problem(self.name)

    def origin(self, held: Mapping[str, Table]) -> Origin:
        """The set as its file has it."""
        entry = bundled.entry(self.name)
        return Origin(bundled.load(self.name), entry.title, entry.target, entry.roles)
