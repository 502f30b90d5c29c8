"""What a file of the corpus is: its bytes and the right table."""

from __future__ import annotations

from typing import NamedTuple

Cell = str | float | None


class File(NamedTuple):
    """Bytes, and what a careful person reads in them.

    A cell is a number, a text, a date as ISO text, or None for a hole; `encoding` is that of the
    bytes.
    """

    kind: str
    name: str
    content: bytes
    names: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    encoding: str


def file(
    kind: str, name: str, text: str, names: str, *rows: tuple[Cell, ...], encoding: str = "utf-8"
) -> File:
    """A file from its text; the names of its columns stand between bars."""
    return File(kind, name, text.encode(encoding), tuple(names.split("|")), rows, encoding)
