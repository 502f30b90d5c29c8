"""The data sets that come with MLScope, files and examples: their index, and their tables."""

from __future__ import annotations

import gzip
import hashlib
import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from mlcore.data.examples import Example, examples
from mlcore.data.folder import FOLDER
from mlcore.data.table import Table, converted
from mlcore.spine.errors import FileError


@dataclass(frozen=True)
class BundledFile:
    """What the index says of one set. `missing` counts the empty cells of the file.

    It comes from a package, or was typed from print: then `confirmed` says what it was compared
    with.
    """

    name: str  # stands in links: never renamed
    title: str
    file: str
    source: str
    licence: str
    changes: str
    rows: int
    columns: int
    missing: int
    target: str
    sha256: str
    shows: str
    package: str = ""
    version: str = ""
    confirmed: str = ""
    kinds: tuple[tuple[str, str], ...] = ()  # pattern of names, kind
    roles: tuple[tuple[str, str], ...] = ()
    shape: tuple[int, ...] = ()  # of a row that is a picture
    sources: tuple[str, ...] = ()  # sections of the lecture notes

    @property
    def path(self) -> Path:
        """Where the file lies."""
        return FOLDER / self.file


def names() -> list[str]:
    """The names of all files, in the order of the index."""
    return list(_index())


def files() -> list[BundledFile]:
    """What the index says of each file, in its order."""
    return list(_index().values())


def problem(name: str) -> str | None:
    """What is wrong with the name of a set, with the nearest one that exists; None if nothing."""
    if name in _index() or name in examples():
        return None
    near = get_close_matches(name, [*_index(), *examples()], n=1)
    hint = f"Did you mean {near[0]!r}?" if near else f"There are {', '.join(_index())}."
    return f"There is no bundled data set called {name!r}. {hint}"


def entry(name: str) -> BundledFile | Example:
    """The index entry or the example of that name. Raises FileError if there is none."""
    if message := problem(name):
        raise FileError(message)
    return _index().get(name) or examples()[name]


def recipe(name: str) -> Any:
    """The configured generator that draws the set; None for a set that is not drawn."""
    example = examples().get(name)
    return example.recipe() if example and example.generator else None


@cache
def load(name: str) -> Table:
    """The table of the set. Raises FileError if there is none, or if its file was changed."""
    described = entry(name)
    if isinstance(described, BundledFile):
        return _with_kinds(_table(_checked(described), name), described.kinds)
    if described.generator:
        return described.recipe().origin({}).table
    if described.part_of:
        return _part(load(described.part_of), described)
    return _with_kinds(_table(described.text.encode(), name), described.kinds)


def _checked(described: BundledFile) -> bytes:
    data = _bytes(described.path)
    if hashlib.sha256(data).hexdigest() != described.sha256:
        raise FileError(
            f"The file of {described.title} is not the one that came with MLScope: its digest "
            "differs. Restore sample_data from the repository."
        )
    return gzip.decompress(data) if described.path.suffix == ".gz" else data


def _table(data: bytes, name: str) -> Table:
    # Reading needs pyarrow, and the index alone does not.
    from mlcore.data.importing import Decisions, read

    plain = Decisions(
        encoding="utf-8", delimiter=",", quote='"', decimal=".", thousands="", header=0,
        missing=(), date_order="ymd", skip=0, comment="", escape="", header_rows=1, footer=0,
        sheet="", unclosed=(), left_out=(), texts=(), alike=(), all_values=(),
    )  # fmt: skip
    return read(data, name, plain).table


def _part(table: Table, example: Example) -> Table:
    """The rows that an example keeps of a set, in their order."""
    if example.spans:
        return table.take(np.concatenate([np.arange(*span) for span in example.spans]))
    return _matching_rows(table, example.rows)


def _matching_rows(table: Table, rows: dict[str, list[str]]) -> Table:
    """The rows whose cells, as text, are among those named for each column."""
    keep = [set(stay).__contains__ for stay in rows.values()]
    cells = zip(*(table.column(name).texts() for name in rows), strict=True)
    return table.take([all(f(c) for f, c in zip(keep, row, strict=True)) for row in cells])


def _with_kinds(table: Table, kinds: tuple[tuple[str, str], ...]) -> Table:
    columns = list(table.columns)
    for pattern, kind in kinds:
        columns = [converted(c, kind) if fnmatchcase(c.name, pattern) else c for c in columns]
    return Table.of(*columns)


@cache
def _index() -> dict[str, BundledFile]:
    text = _bytes(FOLDER / "index.toml").decode()
    return {fields["name"]: _entry(fields) for fields in tomllib.loads(text)["set"]}


def _entry(fields: dict[str, Any]) -> BundledFile:
    whole: dict[str, Any] = dict(fields)
    for key in ("kinds", "roles"):
        whole[key] = tuple(fields.get(key, {}).items())
    for key in ("shape", "sources"):
        whole[key] = tuple(fields.get(key, ()))
    return BundledFile(**whole)


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        raise FileError(
            f"The bundled data file {path.name} cannot be read. The folder sample_data must lie "
            "beside the folder mlcore, as in the repository."
        ) from None
