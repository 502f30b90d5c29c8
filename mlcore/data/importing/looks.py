"""What single cells look like, for guessing delimiters, headers and marks from a sample."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from mlcore.data.cells import MINUS, MONEY, UNITS
from mlcore.data.dates import LONGEST, day
from mlcore.data.importing.decisions import MISSING, is_missing_among_numbers

# Anything a number or a date may look like under some choice of marks.
_WHOLE = r"[0-9](?:[0-9.,'’_]|[\u00a0\u202f\u2009 ](?=[0-9]))*"
_DIGITS = rf"(?:{_WHOLE}|[.,][0-9]+)(?:[eEdD][+-]?[0-9]+)?"
# Blanks are never given back, as in `cells.number`.
_NUMBER = (
    rf"[+(]?[{MINUS}]?\s*+(?:{MONEY}\s*+)?\(?[+{MINUS}]?\s*+{_DIGITS}\s*+(?:{UNITS}\s*+)?"
    rf"[{MINUS})]?\s*+{UNITS}?"
)
_TYPED = re.compile(
    rf"{_NUMBER}"
    r"|[0-9]{1,4}[-/.][0-9]{1,2}(?:[-/.][0-9]{1,4})?(?:(?:T|\s++)[0-9]{1,2}:[0-9]{2}.*)?"
    r"|[+-]?(?:inf|Inf|INF)"
)
_FLAGGED = re.compile(rf"[+{MINUS}]?{_DIGITS} (?:[a-z]{{1,3}}|kWh|km/h)|: ?[a-z]{{1,3}}")
_YEAR = re.compile(r"(?:1[0-9]|20|21)[0-9]{2}")
_DATE = re.compile(r"[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}")
_RULE = re.compile("-+|=+")
LEAST_RULE = 3  # one or two dashes mean a missing value
LOOKED_AT = 60
SAMPLED, SHORT = 16_384, 64  # so many cells of so many characters are remembered
_ANYWHERE = {"", *MISSING}


def is_missing(cell: str) -> bool:
    """Whether the cell is empty or a usual marker of a missing value."""
    bare = cell.strip()
    return bare in _ANYWHERE or is_missing_among_numbers(bare)


def is_word(cell: str) -> bool:
    """Whether the cell can be a name: no number, no date and no sign of a missing value."""
    bare = cell.strip()
    is_sign = is_missing_among_numbers(bare) and not any(map(str.isalpha, bare))
    return not (bare in _ANYWHERE or is_sign or is_typed(cell))


def is_typed(cell: str) -> bool:
    """Whether the cell looks like a number or a date."""
    bare = cell.strip()
    return _remembered(bare) if len(bare) <= SHORT else _looks_typed(bare)


def _looks_typed(bare: str) -> bool:
    looks_so = len(bare) <= LONGEST and _TYPED.fullmatch(bare)
    return bool(looks_so) or day(bare) is not None


# The cells of a sample are asked about for each record above them that may hold the names.
_remembered = lru_cache(maxsize=SAMPLED)(_looks_typed)


def _is_value(cell: str) -> bool:
    """The same of a number with a flag or a unit in letters; among names these are words."""
    return is_typed(cell) or (len(cell) <= LONGEST and bool(_FLAGGED.fullmatch(cell.strip())))


def is_year(cell: str) -> bool:
    """Whether the cell is a year, as the names of wide tables are."""
    return bool(_YEAR.fullmatch(cell.strip()))


def is_time(cell: str) -> bool:
    """Whether the cell is a year or a date, in whatever order."""
    return is_year(cell) or bool(_DATE.fullmatch(cell.strip())) or day(cell.strip()) is not None


def is_rule(cells: Sequence[str]) -> bool:
    """Whether dashes fill every cell, as they are printed below names."""
    bare = [cell.strip() for cell in cells]
    return all(map(_RULE.fullmatch, bare)) and any(len(cell) >= LEAST_RULE for cell in bare)


def counts_up(cells: Sequence[str]) -> bool:
    """Whether they are 0, 1, 2 ... or 1, 2, 3 ..., three of them or more."""
    bare = [cell.strip() for cell in cells]
    counts = [[str(at + first) for at in range(len(bare))] for first in (0, 1)]
    return len(bare) > 2 and bare in counts


def typed_share(cells: Iterable[str]) -> float:
    """The share of numbers, dates and missing values among the cells; 0 without cells."""
    looks = [is_typed(cell) or is_missing(cell) for cell in cells]
    return sum(looks) / len(looks) if looks else 0.0


def typed_columns(records: Sequence[Sequence[str]], width: int) -> list[int]:
    """The columns whose filled cells nearly all look like numbers or dates."""
    columns = []
    for at in range(width):
        filled = [r[at] for r in records[:LOOKED_AT] if at < len(r) and not is_missing(r[at])]
        if filled and sum(map(_is_value, filled)) >= 0.8 * len(filled):
            columns.append(at)
    return columns
