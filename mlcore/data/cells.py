"""Single cells as text and back: numbers, dates, and what a spreadsheet must not execute."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import date, datetime, timedelta
from functools import lru_cache

import numpy as np

EPOCH = date(1970, 1, 1).toordinal()
FIRST_DAY = date.min.toordinal() - EPOCH
LAST_DAY = date.max.toordinal() - EPOCH
SECONDS_A_DAY = 86_400

SPACES = (" ", "\u00a0", "\u202f", "\u2009")  # as marks of thousands they are all one
MONEY = (
    r"(?:[$€£¥₹₽₩]|EUR|USD|GBP|CHF|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|RUB|kr|zł|Kč|Ft)"
)
PLAIN_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
DATE_ORDERS = ("dmy", "mdy", "ymd")

_TIME = (
    r"(?:(?:T|\s+)(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2}(?:\.[0-9]+)?))?"
    r"(?:\s*(?P<half>[AaPp][Mm]))?\s*(?P<zone>Z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2})?)?"
)
_YEAR_FIRST = re.compile(
    r"(?P<year>[0-9]{4})(?P<mark>[-/.])(?P<month>[0-9]{1,2})(?:(?P=mark)(?P<day>[0-9]{1,2})"
    + _TIME
    + r")?"
)
_YEAR_LAST = re.compile(
    r"(?P<first>[0-9]{1,2})(?P<mark>[-/.])(?P<second_>[0-9]{1,2})(?P=mark)"
    r"(?P<year>[0-9]{4}|[0-9]{2})" + _TIME
)
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_WEEKDAY = r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+)?"
_NAMED_MONTH = tuple(
    re.compile(_WEEKDAY + order + _TIME, re.IGNORECASE)
    for order in (
        rf"(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th|\.)?[-/ ]?{_MONTH}[-/ ,]{{0,2}}"
        r"(?P<year>[0-9]{4}|[0-9]{2})",
        rf"{_MONTH}[- ](?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)?,?[- ](?P<year>[0-9]{{4}})",
    )
)


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


def safe_text(cell: str) -> str:
    """The cell with an apostrophe before anything that a spreadsheet could execute."""
    # A plain number such as -1 is a level here and there; no spreadsheet executes it.
    if cell.startswith(("=", "+", "-", "@", "\t", "\r")) and not PLAIN_NUMBER.fullmatch(cell):
        return "'" + cell
    return cell


def group_mark(thousands: str) -> str:
    """A pattern for a mark of thousands; any blank stands for all of them."""
    return f"[{''.join(SPACES)}]" if thousands in SPACES else re.escape(thousands)


@lru_cache(maxsize=64)
def _number_pattern(decimal: str, thousands: str) -> re.Pattern[str]:
    grouped = rf"[0-9]{{1,3}}(?:{group_mark(thousands)}[0-9]{{3}})+|" if thousands else ""
    whole = rf"(?P<whole>{grouped}[0-9]+)"
    part = rf"(?:{re.escape(decimal)}(?P<part>[0-9]*))?"
    only = rf"{re.escape(decimal)}(?P<only>[0-9]+)"
    power = r"(?P<power>[eE][+-]?[0-9]+)?"
    return re.compile(
        rf"(?P<open>\()?\s*{MONEY}?\s*(?P<sign>[+\-−]?)\s*{MONEY}?\s*(?:{whole}{part}|{only}){power}"
        rf"\s*(?:%|{MONEY})?\s*(?(open)\)|(?P<behind>[\-−]?))"
    )


def number(text: str, decimal: str = ".", thousands: str = "") -> float | None:
    """The number that a cell says, units and thousands marks aside; None if it is none.

    As in accounts, (5) and 5- are losses.
    """
    found = _number_pattern(decimal, thousands).fullmatch(text)
    if not found or (found["sign"] and (found["open"] or found["behind"])):
        return None
    whole = re.sub(r"[^0-9]", "", found["whole"] or "0")
    part = found["part"] or found["only"] or "0"
    size = float(f"{whole}.{part}{found['power'] or ''}")
    is_loss = found["sign"] in ("-", "−") or found["open"] or found["behind"]
    return -size if is_loss else size


def numbers(texts: Iterable[str], decimal: str = ".", thousands: str = "") -> np.ndarray:
    """`number` of each cell, NaN where it is none."""
    found = (number(text, decimal, thousands) for text in texts)
    return np.array([np.nan if value is None else value for value in found], dtype=np.float64)


def day(text: str, order: str = "ymd") -> float | None:
    """Days since 1970-01-01 of a date with or without a time; None if it is none.

    The year may always come first, and an English name may say the month. `order` says how to
    read other dates with the year last: dmy, mdy, or ymd for not at all. A time zone is brought to
    UTC, years of two digits to 1970-2069.
    """
    if found := _YEAR_FIRST.fullmatch(text):
        year, month, of_month = int(found["year"]), int(found["month"]), int(found["day"] or 1)
    elif order != "ymd" and (found := _YEAR_LAST.fullmatch(text)):
        pair = int(found["first"]), int(found["second_"])
        of_month, month = pair if order == "dmy" else pair[::-1]
        year = _full_year(found["year"])
    elif found := _named_month(text):
        month, of_month = 1 + MONTHS.index(found["month"][:3].lower()), int(found["day"])
        year = _full_year(found["year"])
    else:
        return None
    try:
        whole = date(year, month, of_month).toordinal() - EPOCH
    except ValueError:
        return None
    seconds = _seconds(found)
    if seconds is None:
        return None
    moment = whole + seconds / SECONDS_A_DAY
    return moment if FIRST_DAY <= moment < LAST_DAY + 1 else None  # a zone may leave the calendar


def _named_month(text: str) -> re.Match[str] | None:
    return next(filter(None, (pattern.fullmatch(text) for pattern in _NAMED_MONTH)), None)


def _full_year(digits: str) -> int:
    year = int(digits)
    return year + (0 if len(digits) == 4 else 1900 if year >= 70 else 2000)


def _seconds(found: re.Match[str]) -> float | None:
    """Seconds into the day, in UTC; None if the clock has no such time."""
    if not found["hour"]:
        return 0.0
    hour, minute, second = int(found["hour"]), int(found["minute"]), float(found["second"] or 0)
    if half := found["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half.lower() == "pm" else 0)
    if hour > 23 or minute > 59 or second >= 60:
        return None
    return hour * 3600 + minute * 60 + second - _zone_seconds(found["zone"])


def _zone_seconds(zone: str | None) -> int:
    if zone is None or zone.upper() in ("Z", "UTC", "GMT"):
        return 0
    size = int(zone[1:3]) * 3600 + int(zone[-2:]) * 60
    return -size if zone[0] == "-" else size


def days(texts: Iterable[str], order: str = "ymd") -> np.ndarray:
    """`day` of each cell, NaN where it is none."""
    found = (day(text, order) for text in texts)
    return np.array([np.nan if value is None else value for value in found], dtype=np.float64)
