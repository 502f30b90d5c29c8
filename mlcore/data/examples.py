"""Data sets that are written down rather than measured: settings of a generator, or the rows.

They stand in `sample_data/examples`, one file a group, and are named in links as the bundled sets
are: `data=three_blobs`.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from mlcore.data import folder
from mlcore.spine import codec, outside
from mlcore.spine.registry import packages

OURS = "MLScope"
FOLDER = folder.FOLDER / "examples"


@dataclass(frozen=True)
class Example:
    """What its file says of one; it has one of `generator`, `text` and `part_of`.

    `settings` are those of the generator, `text` holds the rows as CSV, `part_of` names a bundled
    set of which `rows` or `spans` are kept. `start` holds centers from which a method goes wrong.
    """

    name: str  # stands in links: never renamed
    title: str
    group: str
    shows: str
    sources: tuple[str, ...] = ()
    generator: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    text: str = ""
    part_of: str = ""
    rows: dict[str, list[str]] = field(default_factory=dict)  # column: cells of rows that stay
    spans: list[list[int]] = field(default_factory=list)  # first row that stays, and the end
    target: str | None = None
    kinds: tuple[tuple[str, str], ...] = ()
    roles: tuple[tuple[str, str], ...] = ()
    start: tuple[tuple[float, ...], ...] = ()
    by: str = OURS  # whose it is: ours, or the package that brings it

    @property
    def source(self) -> str:
        """Where it comes from, for a report."""
        return (
            f"Drawn by a recipe of {self.by}" if self.generator else f"Written down for {self.by}"
        )

    @property
    def licence(self) -> str:
        """Under which terms it may be passed on."""
        return f"that of {self.by}"

    def recipe(self) -> Any:
        """The configured generator. Raises ParamError if the file holds unusable settings."""
        return codec.decode("source", {"use": self.generator, **self.settings})


@cache
def examples() -> dict[str, Example]:
    """Every example by name, group by group."""
    every = own_examples()
    for package in packages():
        read = partial(_of_package, package)
        every = outside.carried_over(package, every, read, "data sets")
    return every


def own_examples() -> dict[str, Example]:
    """Those that come with MLScope."""
    listed = [example for path in sorted(FOLDER.glob("*.toml")) for example in _read(path)]
    return {example.name: example for example in listed}


def _of_package(package: outside.Package) -> dict[str, Example]:
    """The examples of a package; those with a recipe have it checked."""
    listed = [replace(it, by=package.name) for path in package.examples for it in _read(path)]
    for example in listed:
        if example.generator:
            example.recipe()
    return {example.name: example for example in listed}


def groups() -> dict[str, list[Example]]:
    """The examples of each group, by the title of the group."""
    by_group: dict[str, list[Example]] = {}
    for example in examples().values():
        by_group.setdefault(example.group, []).append(example)
    return by_group


def _read(path: Path) -> list[Example]:
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    return [_example(fields, content["title"]) for fields in content["example"]]


def _example(fields: dict[str, Any], group: str) -> Example:
    pairs = {key: tuple(fields.get(key, {}).items()) for key in ("kinds", "roles")}
    start = tuple(tuple(center) for center in fields.get("start", ()))
    sources = tuple(fields.get("sources", ()))
    own = {"group": group, "start": start, "sources": sources}
    given: dict[str, Any] = {**fields, **pairs, **own}
    return Example(**given)
