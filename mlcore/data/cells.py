"""Single cells as text and back: numbers, and what a spreadsheet must not execute."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import lru_cache

import numpy as np

from mlcore.data.dates import EPOCH, LONGEST, SECONDS_A_DAY

SPACES = (" ", "\u00a0", "\u202f", "\u2009")  # as marks of thousands they are all one
# Longer words first: where a shorter one fits, it is taken.
MONEY = (
    r"(?:(?:US|CA|AU|NZ|HK|[ACRS])?\$|[€£¥₹₽₩₺₴₪₫฿₦₱]|EUR|USD|GBP|CHF|JPY|CNY|INR|CAD|AUD|NZD|SEK"
    r"|NOK|DKK|PLN|CZK|HUF|BRL|MXN|RUB|UAH|TRY|ILS|ZAR|SGD|HKD|KRW|kr|zł|Kč|Ft|S?Fr\.|Rs\.?)"
)
UNITS = rf"(?:[%‰]|°[CF]?|{MONEY})"
MINUS = r"\-−–"  # for between the brackets of a pattern
PLAIN_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


def number_text(value: float) -> str:
    """The shortest text that reads back as the same number: 3, 0.1, 1e+30; "" if missing."""
    if value != value:  # NaN; much quicker than asking numpy about a single number
        return ""
    value = float(value)
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def date_text(days: float) -> str:
    """Days since 1970-01-01 as ISO 8601, to the microsecond; without a time on whole days."""
    if days != days:
        return ""
    whole = math.floor(days)
    micros = round((days - whole) * SECONDS_A_DAY * 1_000_000)
    moment = datetime.fromordinal(whole + EPOCH) + timedelta(microseconds=micros)
    if moment.time() == datetime.min.time():
        return moment.date().isoformat()
    return moment.isoformat()


# What a cell begins with that a spreadsheet may execute; East Asian ones read full-width signs too.
EXECUTED = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def safe_text(cell: str) -> str:
    """The cell with an apostrophe before anything that a spreadsheet could execute."""
    # A plain number such as -1 is a level here and there; no spreadsheet executes it.
    if cell.startswith(EXECUTED) and not PLAIN_NUMBER.fullmatch(cell):
        return "'" + cell
    return cell


def group_mark(thousands: str) -> str:
    """A pattern for a mark of thousands; any blank stands for all of them."""
    return f"[{''.join(SPACES)}]" if thousands in SPACES else re.escape(thousands)


def grouped(thousands: str) -> str:
    """A pattern for digits in groups of three; under commas also as in India, two and at the end
    three."""
    threes = rf"[0-9]{{1,3}}(?:{group_mark(thousands)}[0-9]{{3}})+"
    return threes + (r"|[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}" if thousands == "," else "")


@lru_cache(maxsize=64)
def _number_pattern(decimal: str, thousands: str) -> re.Pattern[str]:
    groups = f"{grouped(thousands)}|" if thousands else ""
    whole = rf"(?P<whole>{groups}[0-9]+)"
    part = rf"(?:{re.escape(decimal)}(?P<part>[0-9]*))?"
    only = rf"{re.escape(decimal)}(?P<only>[0-9]+)"
    power = r"(?:[eEdD](?P<power>[+-]?[0-9]+))?"  # D is that of Fortran
    # Blanks are never given back: two runs of them side by side could share them in many ways.
    money, unit = rf"(?:{MONEY}\s*+)?", rf"(?:{UNITS}\s*+)?"
    return re.compile(
        rf"(?P<open>\()?\s*+{money}(?(open)|(?P<inner>\()?)(?P<sign>[+{MINUS}]?)\s*+{money}"
        rf"(?:{whole}{part}|{only}){power}\s*+{unit}"
        rf"(?(open)\)|(?(inner)\)|(?P<behind>[{MINUS}]?)))\s*+{UNITS}?"
    )


def number(text: str, decimal: str = ".", thousands: str = "") -> float | None:
    """The number that a cell says, units and thousands marks aside; None if it is none.

    As in accounts, (5) and 5- are losses.
    """
    match = len(text) <= LONGEST and _number_pattern(decimal, thousands).fullmatch(text)
    if not match:
        return None
    is_account = match["open"] or match["inner"] or match["behind"]
    if match["sign"] and is_account:
        return None
    whole = re.sub(r"[^0-9]", "", match["whole"] or "0")
    part = match["part"] or match["only"] or "0"
    size = float(f"{whole}.{part}e{match['power'] or 0}")
    return -size if is_account or (match["sign"] or "+") in MINUS else size


def numbers(texts: Iterable[str], decimal: str = ".", thousands: str = "") -> np.ndarray:
    """`number` of each of n cells, shape (n,); NaN where the cell is no number."""
    parsed = (number(text, decimal, thousands) for text in texts)
    return np.array([np.nan if value is None else value for value in parsed], dtype=np.float64)
