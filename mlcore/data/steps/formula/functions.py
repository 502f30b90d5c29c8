"""What a formula can do: each function with what it takes, what it gives and a line of help."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from mlcore.data import cells
from mlcore.data.steps.formula.values import DATE, NUMBER, TEXT, TRUTH, Value, by_level, recoded

ANY = "any"
LATEST_MONTH = 12


class Function(NamedTuple):
    """`takes` are the kinds of its arguments, the last `optional` of them may be left out.

    With `more`, the last kind may come again.
    """

    takes: tuple[str, ...]
    gives: str
    does: Callable[..., Any]  # arrays, or whole Values of texts and of anything, to an array
    help: str
    optional: int = 0
    more: bool = False


def _numbers(does: Callable[..., Any], help: str, n: int = 1) -> Function:
    return Function((NUMBER,) * n, NUMBER, does, help)


def _truths(does: Callable[..., Any], n: int = 2) -> Function:
    return Function((TRUTH,) * n, TRUTH, does, "")


def _and(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """False where either is false, also beside a missing value (Kleene)."""
    return np.where((a == 0) | (b == 0), 0.0, a * b)


def _or(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.where((a == 1) | (b == 1), 1.0, np.maximum(a, b))


def _rounded(x: np.ndarray, digits: np.ndarray | None = None) -> np.ndarray:
    """Halves away from zero, as people round."""
    factor = 10.0 ** np.clip(0.0 if digits is None else np.round(digits), -300, 300)
    return np.copysign(np.floor(np.abs(x) * factor + 0.5), x) / factor


def _smallest(*values: np.ndarray) -> np.ndarray:
    return reduce(np.minimum, values)


def _largest(*values: np.ndarray) -> np.ndarray:
    return reduce(np.maximum, values)


def _calendar(unit: str) -> Callable[[np.ndarray], np.ndarray]:
    """How many whole units lie between 1970 and days, NaN where they are missing."""

    def units(days: np.ndarray) -> np.ndarray:
        is_missing = np.isnan(days)
        whole = np.floor(np.where(is_missing, 0.0, days)).astype("datetime64[D]")
        return np.where(is_missing, np.nan, whole.astype(f"datetime64[{unit}]").astype(np.float64))

    return units


_years, _months = _calendar("Y"), _calendar("M")


def _day(days: np.ndarray) -> np.ndarray:
    """The day of the month, from 1."""
    is_missing = np.isnan(days)
    whole = np.floor(np.where(is_missing, 0.0, days)).astype("datetime64[D]")
    day = (whole - whole.astype("datetime64[M]")).astype(np.float64) + 1
    return np.where(is_missing, np.nan, day)


def _of_text(does: Callable[[str], float], gives: str, help: str) -> Function:
    def each(value: Value) -> np.ndarray:
        return by_level(value, np.array([does(level) for level in value.levels], dtype=np.float64))

    return Function((TEXT,), gives, each, help)


def _to_text(does: Callable[[str], str], help: str) -> Function:
    return Function((TEXT,), TEXT, lambda v: recoded(v, [does(t) for t in v.levels]), help)


def _finds(does: Callable[[str, str], bool], help: str) -> Function:
    """Whether one text does something with another, which is the same in all rows."""

    def each(value: Value, sought: Value) -> np.ndarray:
        word = sought.levels[0]
        return by_level(value, np.array([float(does(t, word)) for t in value.levels]))

    return Function((TEXT, "one text"), TRUTH, each, help)


def _number_of(text: str) -> float:
    value = cells.number(text)
    return np.nan if value is None else value


FUNCTIONS: dict[str, Function] = {
    "+": _numbers(np.add, "", 2),
    "-": _numbers(np.subtract, "", 2),
    "*": _numbers(np.multiply, "", 2),
    "/": _numbers(np.divide, "", 2),
    "^": _numbers(np.power, "", 2),
    "sign -": _numbers(np.negative, ""),
    "sign +": _numbers(np.positive, ""),
    "not": _truths(lambda a: 1.0 - a, 1),
    "and": _truths(_and),
    "or": _truths(_or),
    "log": _numbers(np.log, "natural logarithm"),
    "log10": _numbers(np.log10, "logarithm to base 10"),
    "log2": _numbers(np.log2, "logarithm to base 2"),
    "exp": _numbers(np.exp, "e to the power of it"),
    "sqrt": _numbers(np.sqrt, "square root"),
    "abs": _numbers(np.abs, "distance from zero"),
    "sin": _numbers(np.sin, "sine of radians"),
    "cos": _numbers(np.cos, "cosine of radians"),
    "floor": _numbers(np.floor, "next whole number below"),
    "ceil": _numbers(np.ceil, "next whole number above"),
    "mod": _numbers(np.mod, "rest of a division", 2),
    "round": Function((NUMBER, NUMBER), NUMBER, _rounded, "to so many digits, else whole", 1),
    "min": Function((NUMBER,), NUMBER, _smallest, "smallest of several in a row", more=True),
    "max": Function((NUMBER,), NUMBER, _largest, "largest of several in a row", more=True),
    "year": Function((DATE,), NUMBER, lambda d: _years(d) + 1970, "year of a date"),
    "month": Function(
        (DATE,), NUMBER, lambda d: np.mod(_months(d), LATEST_MONTH) + 1, "1 to 12"
    ),
    "day": Function((DATE,), NUMBER, _day, "day of the month"),
    "weekday": Function(
        (DATE,), NUMBER, lambda d: np.mod(np.floor(d) + 3, 7) + 1, "1 is Monday, 7 Sunday"
    ),
    "hour": Function(
        (DATE,), NUMBER, lambda d: np.floor(np.mod(d, 1) * 24 + 1e-9), "0 to 23"
    ),
    "lower": _to_text(str.lower, "in small letters"),
    "upper": _to_text(str.upper, "in capital letters"),
    "trim": _to_text(str.strip, "without blanks at its ends"),
    "length": _of_text(len, NUMBER, "number of letters"),
    "number": _of_text(_number_of, NUMBER, "the number that a text is, else missing"),
    "contains": _finds(lambda t, word: word in t, "whether a text stands inside"),
    "starts": _finds(str.startswith, "whether it begins with a text"),
    "ends": _finds(str.endswith, "whether it ends with a text"),
    "missing": Function(
        (ANY,), TRUTH, lambda v: np.isnan(v.values).astype(np.float64), "whether there is no value"
    ),
}  # fmt: skip
# Those that look at the kinds of their arguments: worked out in `working`.
SPECIAL = {"if": "if(condition, then, else)", "date": 'date("2024-05-31")'}


def help_of_functions() -> str:
    """All functions in a line each, as Markdown."""
    named = [f"`{name}` {it.help}" for name, it in FUNCTIONS.items() if it.help]
    return "; ".join([*named, *(f"`{text}`" for text in SPECIAL.values())])
