"""Two blocks of columns of one table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column
from mlcore.spine.wording import listed


class Blocks(NamedTuple):
    """Positions of the columns of either block, in order."""

    first: np.ndarray  # (d,)
    second: np.ndarray  # (e,)


def two_blocks(columns: Sequence[Column], second: Sequence[str], who: str) -> Blocks:
    """The columns made from the variables named in `second`, and all others.

    None named: the later half of the variables, the larger of an odd number. Raises DataError if a
    name is not there, or a block has no column.
    """
    variables = list(dict.fromkeys(column.variable for column in columns))
    if missing := [name for name in second if name not in variables]:
        raise DataError(
            f"{who} found no column {listed(missing)} for the second block. Name columns that the "
            "preparation keeps."
        )
    named = set(second or variables[len(variables) // 2 :])
    is_second = np.array([column.variable in named for column in columns])
    if is_second.all() or not is_second.any():
        raise DataError(
            f"{who} compares two blocks of columns, and all columns are in one. Name some of "
            "several columns for the second block."
        )
    return Blocks(np.flatnonzero(~is_second), np.flatnonzero(is_second))
