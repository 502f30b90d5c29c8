"""Where a table comes from: a bundled set; generators stand in their own files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mlcore.data import bundled
from mlcore.data.examples import Example
from mlcore.data.table import Table
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import text


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

    def takes(self) -> tuple[float, float]:
        """What making the table will take, (seconds, bytes); nothing to speak of for most."""
        return 0.0, 0.0

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The table; `uploads` are those of this session by digest."""
        raise NotImplementedError(f"{type(self).__name__} declares no table")


@enter(Card("bundled", "Bundled data set", ("source",), kind="part", stands_for="name"))
@dataclass(frozen=True, kw_only=True)
class Bundled(Source):
    """A data set that comes with MLScope: a file, or an example drawn by a recipe."""

    name: str = text("penguins", doc="Name of the data set.")

    def conflict(self) -> str | None:
        """Refuse a name that no set has, with the nearest one."""
        return bundled.problem(self.name)

    def origin(self, uploads: Mapping[str, Table]) -> Origin:
        """The set as its file has it, or as its recipe draws it."""
        entry = bundled.entry(self.name)
        if isinstance(entry, Example) and entry.generator:
            drawn = entry.recipe().origin(uploads)
            return replace(drawn, name=entry.title, truth=_with_start(drawn.truth, entry.start))
        return Origin(bundled.load(self.name), entry.title, entry.target, entry.roles)


def _with_start(truth: Any, start: tuple[tuple[float, ...], ...]) -> Any:
    return replace(truth, start=np.array(start)) if start else truth
