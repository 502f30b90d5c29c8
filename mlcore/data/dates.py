"""Dates and moments as people and programs write them, as days since 1970-01-01."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date

import numpy as np

EPOCH = date(1970, 1, 1).toordinal()
FIRST_DAY = date.min.toordinal() - EPOCH
LAST_DAY = date.max.toordinal() - EPOCH
SECONDS_A_DAY = 86_400
# The exact decimals of a float are at most 1,077 characters: no number and no date is longer, and
# no longer cell of an uploaded file is matched with their patterns.
LONGEST = 2000
DATE_ORDERS = ("dmy", "mdy", "ymd")

_CLOCK = r"(?P<hour>[0-9]{1,2})[:.](?P<minute>[0-9]{2})(?:[:.](?P<second>[0-9]{2}(?:[.,][0-9]+)?))?"
_HALF = r"(?:\s*(?P<half>[AaPp])\.?[Mm]\.?|\s*(?:Uhr|h))?"
_ZONE = r"\s*(?P<zone>Z|(?:UTC|GMT)?[+-][0-9]{2}(?::?[0-9]{2})?|(?:UTC|GMT)(?:[+-][0-9])?)?"
_PLACE = r"(?:\s\([^()]{1,60}\))?"  # of the zone, as JavaScript writes it
_TIME = rf"(?:(?:T|,?\s+|:){_CLOCK}{_HALF}{_ZONE})?"
_YEAR_FIRST = tuple(
    re.compile(text)
    for text in (
        r"(?P<year>[0-9]{4})(?P<mark>[-/.])\s?(?P<month>[0-9]{1,2})"
        rf"(?:(?P=mark)\s?(?P<day>[0-9]{{1,2}})\.?{_TIME})?",
        r"(?P<year>[0-9]{4})(?P<month>[0-9]{2})(?P<day>[0-9]{2})T(?P<hour>[0-9]{2})"
        rf"(?P<minute>[0-9]{{2}})(?P<second>[0-9]{{2}}(?:\.[0-9]+)?)?{_ZONE}",
        r"(?P<year>[0-9]{4})[年년]\s?(?P<month>[0-9]{1,2})[月월](?:\s?(?P<day>[0-9]{1,2})[日일])?",
        r"(?P<month>0?[1-9]|1[0-2])/(?P<year>(?:19|20)[0-9]{2})",
    )
)
_YEAR_LAST = re.compile(
    r"(?P<first>[0-9]{1,2})(?P<mark>[-/.])(?P<second_>[0-9]{1,2})(?P=mark)"
    r"(?P<year>[0-9]{4}|[0-9]{2})" + _TIME
)
# Of each month, its names in English, German, French, Spanish, Italian, Portuguese, Dutch.
_MONTH_NAMES = (
    "jan january januar jänner janv janvier ene enero gen gennaio janeiro januari",
    "feb february februar fév févr février febrero febbraio fev fevereiro februari",
    "mar march mrz mär märz maerz mars marzo março maart mrt",
    "apr april avr avril abr abril aprile",
    "may mai mayo mag maggio maio mei",
    "jun june juni juin junio giu giugno junho",
    "jul july juli juil juillet julio lug luglio julho",
    "aug august août aout ago agosto augustus",
    "sep sept september septembre septiembre set settembre setembro",
    "oct october okt oktober octobre octubre ott ottobre out outubro",
    "nov november novembre noviembre novembro",
    "dec december dez dezember déc décembre dic diciembre dicembre dezembro",
)
_MONTHS = {name: at for at, names in enumerate(_MONTH_NAMES, 1) for name in names.split()}
# The first letters of the days of the week in those languages.
_WEEKDAYS = (
    "mon", "tue", "wed", "thu", "fri", "sat", "sun", "mo", "di", "mi", "do", "fr", "sa", "so",
    "lun", "mar", "mer", "jeu", "ven", "dim", "gio", "dom", "jue", "vie",
)  # fmt: skip
_WEEKDAY = r"(?:(?P<weekday>[^\W\d_]{2,10})\.?,?\s+)?"
_MONTH = r"(?P<month>[^\W\d_]{3,10})\.?"
_NAMED_MONTH = tuple(
    re.compile(text)
    for text in (
        rf"{_WEEKDAY}(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th|er|º|\.)?(?:\s+de\s+|[-/ ]?){_MONTH}"
        rf"(?:\s+de\s+|[-/ ,]{{0,2}})(?P<year>[0-9]{{4}}|[0-9]{{2}}){_TIME}",
        rf"{_WEEKDAY}{_MONTH}[- ](?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)?,?[- ]"
        rf"(?P<year>[0-9]{{4}}){_TIME}{_PLACE}",
        rf"{_WEEKDAY}{_MONTH}\s+(?P<day>[0-9]{{1,2}})\s+{_CLOCK}(?:\s+(?P<zone>UTC|GMT))?"
        r"\s+(?P<year>[0-9]{4})",
        rf"{_MONTH}[-/ ,]{{1,2}}(?P<year>[0-9]{{4}})",
    )
)
Parts = Mapping[str, str | None]


def day(text: str, order: str = "ymd") -> float | None:
    """Days since 1970-01-01 of a date with or without a time; None if it is none.

    The year may always come first, and a name may say the month; a month alone is its first day.
    `order` says how to read other dates with the year last: dmy, mdy, or ymd for not at all. A time
    zone is brought to UTC, years of two digits to 1970-2069.
    """
    if len(text) > LONGEST:
        return None
    date_parts = _numbered(text, order) or _named(text)
    if date_parts is None:
        return None
    parts, month, of_month = date_parts
    try:
        whole = date(_full_year(parts["year"] or ""), month, of_month).toordinal() - EPOCH
    except ValueError:
        return None
    seconds = _seconds(parts)
    if seconds is None:
        return None
    moment = whole + seconds / SECONDS_A_DAY
    return moment if FIRST_DAY <= moment < LAST_DAY + 1 else None  # a zone may leave the calendar


def days(texts: Iterable[str], order: str = "ymd") -> np.ndarray:
    """`day` of each of n cells, shape (n,), in days since 1970-01-01; NaN where it is no date."""
    parsed = (day(text, order) for text in texts)
    return np.array([np.nan if value is None else value for value in parsed], dtype=np.float64)


def _numbered(text: str, order: str) -> tuple[Parts, int, int] | None:
    """The parts of a date in digits, its month and its day."""
    for pattern in _YEAR_FIRST:
        if match := pattern.fullmatch(text):
            parts = match.groupdict()
            return parts, int(match["month"]), int(parts.get("day") or 1)
    if order == "ymd" or not (match := _YEAR_LAST.fullmatch(text)):
        return None
    first, second = int(match["first"]), int(match["second_"])
    month, of_month = (second, first) if order == "dmy" else (first, second)
    return match.groupdict(), month, of_month


def _named(text: str) -> tuple[Parts, int, int] | None:
    """The same of a date whose month is a name."""
    for pattern in _NAMED_MONTH:
        if match := pattern.fullmatch(text):
            parts = match.groupdict()
            month = _MONTHS.get(match["month"].lower())
            weekday = parts.get("weekday")
            if month and (weekday is None or weekday.lower().startswith(_WEEKDAYS)):
                return parts, month, int(parts.get("day") or 1)
    return None


def _full_year(digits: str) -> int:
    year = int(digits)
    return year + (0 if len(digits) == 4 else 1900 if year >= 70 else 2000)


def _seconds(parts: Parts) -> float | None:
    """Seconds into the day, in UTC; None if the clock has no such time."""
    if not parts.get("hour"):
        return 0.0
    hour, minute = int(parts["hour"] or 0), int(parts["minute"] or 0)
    second = float((parts["second"] or "0").replace(",", "."))
    if half := parts.get("half"):
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half.lower() == "p" else 0)
    is_end = hour == 24 and minute == second == 0  # of the day, as ISO 8601 has it
    if (hour > 23 and not is_end) or minute > 59 or second >= 60:
        return None
    return hour * 3600 + minute * 60 + second - _zone_seconds(parts.get("zone"))


def _zone_seconds(zone: str | None) -> int:
    if zone is None or zone.upper() in ("Z", "UTC", "GMT"):
        return 0
    digits = zone.upper().lstrip("UTCGM")
    hours, minutes = digits[1:3], digits[3:].lstrip(":")
    size = int(hours) * 3600 + int(minutes or 0) * 60
    return -size if digits[0] == "-" else size
