"""Whether a table that somebody read from a file is the right one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlcore.data import cells
from mlcore.data.table import ColumnData, Table
from tests.data.habits.file import Cell, File

MEANS_HOLE = {"", "nan", "none", "null", "na", "nat", "<na>"}


def cells_of(table: Table) -> tuple[tuple[str, ...], list[tuple[Cell, ...]]]:
    """Names and rows of one of our tables in the form of the corpus."""
    return table.names, list(zip(*map(_cells, table.columns), strict=True))


def _cells(column: ColumnData) -> Sequence[Cell]:
    if not (column.is_coded or column.kind == "datetime"):
        return [None if v != v else v for v in column.values.tolist()]
    texts = [text or None for text in column.texts()]
    # Numbers that name rows or classes are levels in our table.
    values = [None if text is None else cells.number(text) for text in texts]
    said = [None if v is None else cells.number_text(v) for v in values]
    return values if said == texts else texts  # a column is of one type


def is_right(file: File, names: Sequence[str], rows: Sequence[Sequence[Cell]]) -> bool:
    """Whether names, shape and every value are as expected."""
    return tuple(names) == file.names and _agree(file.rows, rows, lambda a, b: a == b)


def is_split_right(file: File, names: Sequence[str], rows: Sequence[Sequence[Cell]]) -> bool:
    """Whether the cells are the right ones, even if numbers, dates or holes are still texts.

    Names are compared where the file has some.
    """
    named = not file.names[0].startswith(("column_", "row_name"))
    if named and [n.casefold() for n in names] != [n.casefold() for n in file.names]:
        return False
    return _agree(file.rows, rows, _same_text)


def _agree(expected: Sequence[Any], rows: Sequence[Any], same: Any) -> bool:
    if len(expected) != len(rows):
        return False
    return all(
        len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
        for a, b in zip(expected, rows, strict=True)
    )


def _same_text(right: Cell, found: Cell) -> bool:
    """A number or date by its digits, in any order and with any marks; a text as it is."""
    if right == found or right is None:
        return right == found or isinstance(found, str)
    if not isinstance(found, str):
        return isinstance(right, str) and found is not None and _digits(right) == _digits(found)
    is_value = not isinstance(right, str) or right[:4].isdigit()
    if is_value:
        return bool(_digits(found)) and _digits(found) <= _digits(right)
    return right == found.strip()


def _digits(value: Cell) -> set[str]:
    text = cells.number_text(value) if isinstance(value, float) else str(value)
    return {c for c in text if c.isdigit()} - {"0"}
