"""The rows of a request as a table of the model: what is wrong is told with row and column.

A table that passes says to the model what the same table says to `mlcore predict`: nothing is
guessed here, filled in or brought to another unit.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mlcore.data import dates
from mlcore.data.table import ColumnData, Table, coded
from mlcore.interop.serving.replies import Place, Refused
from mlcore.preparation.step import holds_text
from mlcore.runs.predicting.asking import usable_rows
from mlcore.runs.predicting.cells import read_for
from mlcore.runs.predicting.wanted import ORDER, SEQUENCE, Wanted, brought_for, wanted_by
from mlcore.runs.saved import Model
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column
from mlcore.spine.wording import count, listed, plural, told

MOST_PLACES = 20  # that one answer names
MOST_LEVELS = 6
FORM = (
    'A request in JSON is {"rows": [...]}, a list of rows, each an object with the columns of the '
    "model."
)


def needed_by(model: Model) -> tuple[Wanted, ...]:
    """The columns without which the model says nothing, as a table has them before its changes."""
    return _needed(brought_for(model.new_rows, wanted_by(model)))


def _needed(wanted: Sequence[Wanted]) -> tuple[Wanted, ...]:
    return tuple(each for each in wanted if each.is_needed)


# -- JSON


def rows_in(body: bytes) -> list[dict[str, Any]]:
    """The rows that a request in JSON holds. Raises Refused for any other text."""
    try:
        content = json.loads(body, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise Refused(422, f"The request cannot be read as JSON. {FORM}") from error
    rows = content.get("rows") if isinstance(content, dict) else None
    if not isinstance(rows, list):
        raise Refused(422, FORM)
    if not rows:
        raise Refused(422, "The request holds no row. Send at least one.")
    wrong = [k for k, row in enumerate(rows) if not isinstance(row, dict)]
    if wrong:
        raise Refused(422, f"Row {wrong[0] + 1} is no object. {FORM}")
    return rows


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is no number of JSON")


def table_of(model: Model, rows: Sequence[dict[str, Any]]) -> Table:
    """The table of rows in JSON. Raises Refused where a cell is of another type."""
    _check_names(model, rows)
    places: list[Place] = []
    columns = [
        _column(wanted, [row.get(wanted.column.name) for row in rows], places)
        for wanted in needed_by(model)
    ]
    _refuse(places)
    return Table.of(*columns)


def _check_names(model: Model, rows: Sequence[dict[str, Any]]) -> None:
    """Refuse rows without a column; an empty cell is said by null."""
    names = [wanted.column.name for wanted in needed_by(model)]
    places = [
        Place(k + 1, name, "The column is not there; null is an empty cell.")
        for k, row in enumerate(rows)
        for name in names
        if name not in row
    ]
    _refuse(places)


def _column(wanted: Wanted, cells: list[Any], places: list[Place]) -> ColumnData:
    column = wanted.column
    if wanted.role in (SEQUENCE, ORDER):
        is_number = all(cell is None or _is_number(cell) for cell in cells)
        return _numbers(column, cells, places) if is_number else _names(column, cells, places, "")
    if holds_text(column):
        return _names(column, cells, places, "text")
    if column.levels:
        return _names(column, cells, places, "nominal")
    return (_days if column.kind == "datetime" else _numbers)(column, cells, places)


def _is_number(cell: Any) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def _numbers(column: Column, cells: list[Any], places: list[Place]) -> ColumnData:
    values = np.full(len(cells), np.nan)
    for k, cell in enumerate(cells):
        if cell is None:
            continue
        try:
            values[k] = float(cell) if _is_number(cell) else np.nan
        except OverflowError:  # a whole number of four hundred digits
            values[k] = np.nan
        if not np.isfinite(values[k]):
            places.append(Place(k + 1, column.name, f"It must be a number; got {_shown(cell)}."))
    return ColumnData(column.name, "number", values)


def _days(column: Column, cells: list[Any], places: list[Place]) -> ColumnData:
    values = dates.days(cell if isinstance(cell, str) else "" for cell in cells)
    for k in np.flatnonzero(np.isnan(values)).tolist():
        if cells[k] is not None:
            says = f"It must be a date as 2024-05-31; got {_shown(cells[k])}."
            places.append(Place(k + 1, column.name, says))
    return ColumnData(column.name, "datetime", values)


def _names(column: Column, cells: list[Any], places: list[Place], kind: str) -> ColumnData:
    texts = ["" if cell is None else cell for cell in cells]
    for k, text in enumerate(texts):
        if not isinstance(text, str):
            texts[k] = ""
            places.append(Place(k + 1, column.name, f"It must be a text; got {_shown(text)}."))
        elif kind == "nominal" and text and text not in column.levels:
            texts[k] = ""
            places.append(Place(k + 1, column.name, _unknown(column, text)))
    return coded(column.name, texts, kind or "nominal", column.levels if kind == "nominal" else ())


def _unknown(column: Column, text: str) -> str:
    return f"No row of the model had {_shown(text)}; it knows {known(column)}."


def known(column: Column) -> str:
    """The first levels of a column, in words."""
    return listed(map(told, column.levels), MOST_LEVELS)


def _shown(cell: Any) -> str:
    text = json.dumps(cell, ensure_ascii=False)
    return text if len(text) <= 40 else text[:37] + "..."


# -- any table


def changed(model: Model, table: Table) -> Table:
    """The table with the columns of the model, of every row of which it could say something.

    Raises Refused, with row and column, where it could not.
    """
    after = _needed(wanted_by(model))
    if not all(wanted.column.name in table.names for wanted in after):  # else it is changed already
        needed = needed_by(model)
        _refuse_lacking(needed, table)
        _refuse([place for wanted in needed for place in _strange(wanted, table)])
    made = model.changed(table)
    _refuse_lacking(after, made)
    _refuse([place for wanted in after for place in _strange(wanted, made)])
    _refuse(list(_empty(model, after, made)))
    return made


def _refuse_lacking(needed: Sequence[Wanted], table: Table) -> None:
    lacking = [w.column.name for w in needed if w.column.name not in table.names]
    if lacking:
        raise Refused(
            422,
            f"The table has no {_columns(lacking)}, which the model needs. It has "
            f"{listed(map(told, table.names), MOST_LEVELS)}. Add what is missing, "
            "or correct its name.",
        )


def _columns(names: Sequence[str]) -> str:
    return f"{plural(len(names), 'column')} {listed(map(told, names), MOST_LEVELS)}"


def _strange(wanted: Wanted, table: Table) -> Iterator[Place]:
    """Cells that say something, and nothing that the model knows."""
    column, source = wanted.column, table.column(wanted.column.name)
    if wanted.role in (SEQUENCE, ORDER) or holds_text(column):
        return
    if column.levels:
        levels = set(column.levels)
        for k, text in enumerate(source.texts()):
            if text and text not in levels:
                yield Place(k + 1, column.name, _unknown(column, text))
        return
    what = "a date" if column.kind == "datetime" else "a number"
    for k in np.flatnonzero(read_for(column, source).strange).tolist():
        cell = _shown(source.cell(k))
        yield Place(k + 1, column.name, f"It must be {what}; got {cell}.")


def _empty(model: Model, needed: tuple[Wanted, ...], table: Table) -> Iterator[Place]:
    """Empty cells that neither the preparation nor the method takes."""
    try:
        lost = ~usable_rows(model, table)
    except DataError as error:
        raise Refused(422, str(error)) from None
    for wanted in needed:
        missing = np.isnan(table.column(wanted.column.name).values)
        is_lost = missing & (True if wanted.role in (SEQUENCE, ORDER) else lost)
        for k in np.flatnonzero(is_lost).tolist():
            yield Place(k + 1, wanted.column.name, "It is empty, and the model needs a value.")


def _refuse(places: list[Place]) -> None:
    if places:
        places.sort()
        first = places[0]
        raise Refused(
            422,
            f"{count(len(places), 'cell')} cannot be used, first in row {first.row:,}, column "
            f"{told(first.column)}: {first.says}",
            places[:MOST_PLACES],
        )
