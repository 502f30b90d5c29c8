"""Columns whose cells are plain numbers or ISO dates, read together; digits that are names."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mlcore.data import cells, dates
from mlcore.data.importing.parse import EXACT

MICROSECONDS_A_DAY = 86_400_000_000
PEEKED = 100
# Days written in eight digits; other numbers are hardly all in the calendar.
FIRST_DIGITS, LAST_DIGITS, ENOUGH_DAYS = 19000101, 21001231, 3
CLOCK = 1_000_000  # hours, minutes and seconds in two digits each stand behind the day


def plain_numbers(column: pa.Array, decimal: str) -> np.ndarray | None:
    """Numbers, shape (n,), NaN for null, where every cell is one without thousands mark or unit."""
    numbers = _cast(column, pa.float64(), decimal)
    return None if numbers is None else numbers.to_numpy(zero_copy_only=False)


def _cast(column: pa.Array, kind: pa.DataType, decimal: str = ".") -> pa.Array | None:
    """The column cast; None where a cell forbids it."""
    # Arrow words an error for every cell that fails, so a few cells are tried first.
    for cells_tried in (column.slice(0, PEEKED), column):
        if decimal == ",":
            if pc.any(pc.match_substring(cells_tried, ".")).as_py():
                return None
            cells_tried = pc.replace_substring(cells_tried, ",", ".")
        try:
            converted = pc.cast(cells_tried, kind)
        except pa.ArrowInvalid:
            return None
    return converted


def iso_days(column: pa.Array) -> np.ndarray | None:
    """Days since 1970-01-01, shape (n,), where all cells are ISO dates or moments without zones."""
    moments = _cast(column, pa.timestamp("us"))
    return None if moments is None else days_of(moments)


def days_of(moments: pa.Array) -> np.ndarray:
    """Days since 1970-01-01 of n moments to the microsecond, shape (n,); NaN for null."""
    micros = moments.to_numpy(zero_copy_only=False).astype("datetime64[us]")
    is_missing, micros = np.isnat(micros), micros.astype(np.int64)
    days = np.rint(micros / MICROSECONDS_A_DAY)
    if (days * MICROSECONDS_A_DAY == micros).all() and np.abs(micros).max(initial=0) < EXACT:
        return days  # dates without a time, by far the most: no whole number is divided
    whole, rest = np.divmod(micros, MICROSECONDS_A_DAY)
    # The same sum as for single cells, so that both give the same bits.
    return np.where(is_missing, np.nan, whole + rest / 1e6 / dates.SECONDS_A_DAY)


def is_code(column: pa.Array, values: np.ndarray) -> bool:
    """Whether digits are a name: leading zeros, or more of them than a number can hold.

    `values` of shape (n,) are the numbers that the cells say.
    """
    with np.errstate(invalid="ignore"):
        size = np.fmax.reduce(np.abs(values), initial=0.0)
    if size >= EXACT:
        return bool(pc.all(pc.match_substring_regex(column, "^[+-]?[0-9]+$")).as_py())
    if ((values != np.floor(values)) & ~np.isnan(values)).any():
        return False
    padded = pc.filter(column, pc.starts_with(column, "0"))
    padded = pc.filter(padded, pc.match_substring_regex(padded, "^0[0-9]+$"))
    if not pc.count(padded).as_py() or not _are_digits(column):
        return False
    zeros, every = (pc.min_max(pc.utf8_length(part)).as_py() for part in (padded, column))
    # 01 to 99 and then 100 count something; other digits behind zeros are names.
    counts = zeros["min"] == zeros["max"] == every["min"] < every["max"]
    return not counts


def _are_digits(column: pa.Array) -> bool:
    return bool(pc.all(pc.match_substring_regex(column, "^[0-9]+$")).as_py())


def days_in_digits(values: np.ndarray) -> np.ndarray | None:
    """Days since 1970-01-01, shape (n,), where all values are days such as 20200131, or moments
    such as 20200131235900; else None."""
    least = np.fmin.reduce(values, initial=np.inf)
    unit = 1 if least <= LAST_DIGITS else CLOCK
    if not FIRST_DIGITS <= least / unit < LAST_DIGITS + 1:
        return None
    different = np.unique(values[~np.isnan(values)])
    if len(different) < ENOUGH_DAYS or different[-1] / unit >= LAST_DIGITS + 1:
        return None
    texts = (cells.number_text(v) for v in different.tolist())
    if unit == 1:
        days = dates.days(f"{text[:4]}-{text[4:6]}-{text[6:]}" for text in texts)
    else:
        days = dates.days(f"{text[:8]}T{text[8:]}" for text in texts)
    if np.isnan(days).any():
        return None
    place = np.minimum(np.searchsorted(different, values), len(days) - 1)
    return np.where(np.isnan(values), np.nan, days[place])
