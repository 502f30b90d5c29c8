"""Columns of results as CSV that a spreadsheet shows and does not execute."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any

import numpy as np

from mlcore.data.cells import safe_text

END = "\r\n"  # with this end of a line, a lone carriage return in a cell is quoted and ends no line


def csv_text(columns: Mapping[str, Any]) -> str:
    """The columns, equally long, as text that begins with their names.

    What they come from stands beside them, never in a line above: a spreadsheet would take that for
    the names. Text that a spreadsheet would execute is neutralised; numbers stay numbers, with
    every digit; what is missing is empty.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator=END)
    writer.writerow([safe_text(str(name)) for name in columns])
    cells = ([_cell(value) for value in np.asarray(column).tolist()] for column in columns.values())
    writer.writerows(zip(*cells, strict=True))
    return out.getvalue()


def _cell(value: Any) -> Any:
    if value is None or (isinstance(value, float) and value != value):  # NaN
        return ""
    return value if isinstance(value, int | float) else safe_text(str(value))
