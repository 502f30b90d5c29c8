"""Whole numbers that may be names."""

from __future__ import annotations

import numpy as np

from mlcore.data.table import ColumnData, Table
from mlcore.spine.records import function

FEW_CODES = 10
ROWS_A_CODE = 10


@function("integer_codes", title="Integer-coded columns", sources=("cs1:enc_integer_trap",))
def integer_codes(table: Table) -> dict[str, tuple[float, ...]]:
    """Columns of whole numbers with at most 10 values, 10 rows each on average, and their values.

    If the values are names, their order and distances mean nothing.
    """
    codes = {c.name: few_values(c) for c in table.columns}
    return {name: values for name, values in codes.items() if values}


def few_values(c: ColumnData) -> tuple[float, ...]:
    """The values of a count that has few for its rows, rising; none of any other column."""
    present = c.values[~np.isnan(c.values)]
    # A few rows show most columns not to be codes, and spare sorting the rest.
    if c.kind != "count" or len(np.unique(present[: FEW_CODES * 100])) > FEW_CODES:
        return ()
    distinct = np.unique(present)
    is_few = len(distinct) <= FEW_CODES and len(present) >= ROWS_A_CODE * len(distinct)
    return tuple(distinct.tolist()) if is_few else ()
