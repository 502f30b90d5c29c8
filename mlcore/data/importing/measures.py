"""Cells that say a number and something with it: a unit, a flag, a currency, a time."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mlcore.data import cells
from mlcore.spine.wording import listed

ENOUGH = 3  # different cells that show a habit
LONGEST = 60  # letters of a cell that is looked at
FLAGGED = 0.2  # from this share of plain numbers on, letters behind the others are flags
# Words that follow a number without a blank and are still units.
CLOSE = frozenset((
    "kg", "g", "mg", "µg", "ug", "lb", "lbs", "oz", "cm", "mm", "m", "km", "ft", "in", "mi", "nm",
    "s", "sec", "ms", "min", "h", "hr", "hrs", "days", "weeks", "months", "years", "yrs", "l", "ml",
    "dl", "kWh", "kW", "MW", "mV", "mA", "Hz", "kHz", "MHz", "GHz", "kB", "KB", "MB", "GB", "TB",
    "bar", "mbar", "Pa", "hPa", "kPa", "mmHg", "bpm", "rpm", "ppm", "ppb", "px", "pt", "dB", "kJ",
    "kcal", "cal", "mol", "km/h", "m/s", "mph", "mpg", "m²", "km²", "m³", "sqm", "sqft", "ha",
))  # fmt: skip
# Units of one quantity, each with how many of one of them it is.
QUANTITIES: tuple[dict[str, float], ...] = (
    {"µg": 1e-6, "ug": 1e-6, "mg": 1e-3, "g": 1.0, "kg": 1e3, "t": 1e6,
     "oz": 28.349523125, "lb": 453.59237, "lbs": 453.59237},
    {"nm": 1e-9, "µm": 1e-6, "mm": 1e-3, "cm": 1e-2, "m": 1.0, "km": 1e3,
     "in": 0.0254, "ft": 0.3048, "mi": 1609.344},
    {"ml": 1e-3, "mL": 1e-3, "cl": 1e-2, "dl": 1e-1, "l": 1.0, "L": 1.0},
    {"ms": 1e-3, "s": 1.0, "sec": 1.0, "min": 60.0, "h": 3600.0, "hr": 3600.0, "hrs": 3600.0},
    {"m²": 1.0, "sqm": 1.0, "ha": 1e4, "km²": 1e6},
    {"W": 1.0, "kW": 1e3, "MW": 1e6},
    {"mV": 1e-3, "V": 1.0, "kV": 1e3},
    {"mA": 1e-3, "A": 1.0},
    {"Hz": 1.0, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9},
    {"B": 1.0, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12},
    {"Pa": 1.0, "hPa": 1e2, "mbar": 1e2, "kPa": 1e3, "bar": 1e5},
    {"ppb": 1e-3, "ppm": 1.0},
)  # fmt: skip
UNITS = CLOSE.union(*QUANTITIES)
_PARTS = re.compile(
    rf"([+{cells.MINUS}]?[0-9][0-9.,'’]*+)( ?+)([^\W\d_][^\W_²³]{{0,7}}[²³]?(?:/[^\W\d_]{{1,6}})?)"
)
_FLAG = re.compile(rf"([+{cells.MINUS}]?[0-9][0-9.,'’]*+) ?(?:[a-z]{{1,3}}|\*{{1,3}}|†)")
_MISSING_FLAG = re.compile(r": ?[a-z]{1,3}")
_CLOCK = re.compile(
    r"([0-9]{1,4}):([0-5][0-9])(?::([0-5][0-9](?:[.,][0-9]{1,9})?))?(?: ?([AaPp])\.?[Mm]\.?)?"
)
_SPAN = re.compile(
    r"P(?:([0-9.]{1,12})D)?(?:T(?:([0-9.]{1,12})H)?(?:([0-9.]{1,12})M)?(?:([0-9.]{1,12})S)?)?"
)
# Numbers of days, hours, minutes and seconds, each with its unit.
_SPELT = re.compile(
    r"(?:([0-9]{1,5}) ?+d(?:ays?)?+,? ?+)?(?:([0-9]{1,5}) ?+h(?:rs?|ours?)?+,? ?+)?"
    r"(?:([0-9]{1,5}) ?+m(?:ins?|inutes?)?+,? ?+)?"
    r"(?:([0-9]{1,5}(?:[.,][0-9]{1,9})?) ?+s(?:ecs?|econds?)?+)?"
)
_HALVES = frozenset(("am", "pm", "AM", "PM"))
_ORDINALS = frozenset(("st", "nd", "rd", "th"))
_DIGIT = re.compile("[1-9]")
_CURRENCY = re.compile(cells.MONEY)
_SAME = {"US$": "$", "USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥"}


class Measured(NamedTuple):
    """The numbers that cells say, and in words what was found with them."""

    values: np.ndarray  # (number of cells,), NaN where a cell says none
    what: str
    example: str


def measured(words: Sequence[str], decimal: str, thousands: str) -> Measured | None:
    """Numbers with one unit, with flags, or times; None where most cells are none of these."""
    if len(words) < ENOUGH or any(len(word) > LONGEST for word in words[:50]):
        return None
    return (
        _times(words)
        or _with_unit(words, decimal, thousands)
        or _flagged(words, decimal, thousands)
    )


def _with_unit(words: Sequence[str], decimal: str, thousands: str) -> Measured | None:
    first = _PARTS.fullmatch(words[0])
    if not first or first[3] in _HALVES | _ORDINALS:
        return None
    sizes = next((sizes for sizes in QUANTITIES if first[3] in sizes), {first[3]: 1.0})
    values, units = [], []
    for word in words:
        parts = _PARTS.fullmatch(word) if len(word) <= LONGEST else None
        value = cells.number(parts[1], decimal, thousands) if parts and parts[3] in sizes else None
        if parts is None or value is None or not (parts[2] or parts[3] in CLOSE):
            return None
        values.append(value)
        units.append(parts[3])
    return _in_one_unit(words, np.array(values), units, sizes)


def _in_one_unit(
    words: Sequence[str], values: np.ndarray, units: list[str], sizes: dict[str, float]
) -> Measured:
    """The numbers in the unit that most different cells have."""
    unit = Counter(units).most_common(1)[0][0]
    if all(other == unit for other in units):
        return Measured(values, f"the unit {unit}", words[0])
    factors = np.array([sizes[other] / sizes[unit] for other in units])
    example = next(word for word, other in zip(words, units, strict=True) if other != unit)
    what = f"the units {listed(sorted(set(units)))}, all brought to {unit}"
    return Measured(values * factors, what, example)


def _flagged(words: Sequence[str], decimal: str, thousands: str) -> Measured | None:
    values, n_plain, example = [], 0, ""
    for word in words:
        value = cells.number(word, decimal, thousands)
        n_plain += value is not None
        if value is None and _MISSING_FLAG.fullmatch(word):
            value, example = np.nan, example or word
        elif value is None:
            flag = _FLAG.fullmatch(word) if len(word) <= LONGEST else None
            value = cells.number(flag[1], decimal, thousands) if flag else None
            if value is None:
                return None
            example = example or word
        values.append(value)
    if not example or n_plain < max(FLAGGED * len(words), 1):
        return None
    return Measured(np.array(values), "flags behind them", example)


def _times(words: Sequence[str]) -> Measured | None:
    """Hours; cells of one number and one unit each are left to `_with_unit`."""
    if all(len(word) <= LONGEST and _PARTS.fullmatch(word) for word in words):
        return None
    hours = []
    for word in words:
        hour = _hours(word) if len(word) <= LONGEST else None
        if hour is None:
            return None
        hours.append(hour)
    return Measured(np.array(hours), "times in hours", words[0])


def _hours(word: str) -> float | None:
    """The hours of a time of the day or of a span of time; None if it is neither."""
    if clock := _CLOCK.fullmatch(word):
        whole, half = int(clock[1]), (clock[4] or "").lower()
        if half and not 1 <= whole <= 12:
            return None
        whole = whole % 12 + (12 if half == "p" else 0) if half else whole
        second = float((clock[3] or "0").replace(",", "."))
        return (whole * 3600 + int(clock[2]) * 60 + second) / 3600
    span = _SPAN.fullmatch(word) or _SPELT.fullmatch(word)
    if not span or not any(span.groups()):
        return None
    try:
        parts = [float((part or "0").replace(",", ".")) for part in span.groups()]
    except ValueError:
        return None
    days, hours, minutes, seconds = parts
    return days * 24 + (hours * 3600 + minutes * 60 + seconds) / 3600


def mixed(words: Sequence[str]) -> str | None:
    """What cells with units say that makes them no one number: several currencies, or shares
    beside numbers without a sign."""
    kinds = Counter(map(_unit, words))
    units = sorted(kinds.keys() - {""})
    if len(units) > 1:
        return f"numbers in {listed(units)}"
    is_share = bool(units) and units[0] in "%‰"
    if is_share and any(not _unit(word) and _DIGIT.search(word) for word in words):
        return f"numbers with {units[0]} and numbers without"
    return None


def of_several_quantities(words: Sequence[str]) -> str | None:
    """What cells say that have a number and a unit each, some of which cannot be compared, such as
    kilograms and metres. A unit that is there once may be a name that looks like one."""
    if len(words) < ENOUGH:
        return None
    units = []
    for word in words:
        parts = _PARTS.fullmatch(word) if len(word) <= LONGEST else None
        if not parts or parts[3] not in UNITS or not (parts[2] or parts[3] in CLOSE):
            return None
        units.append(parts[3])
    counts = Counter(units)
    is_several = len(counts) > 1 and min(counts.values()) > 1
    return f"numbers in {listed(sorted(counts))}" if is_several else None


def _unit(word: str) -> str:
    """Its currency, or the sign of a share; nothing where it has none."""
    if currency := _CURRENCY.search(word):
        return _SAME.get(currency[0], currency[0])
    return next((sign for sign in ("%", "‰", "°C", "°F") if sign in word), "")
