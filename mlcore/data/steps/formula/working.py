"""The tree of a formula worked out for all rows of a table."""

from __future__ import annotations

from difflib import get_close_matches

import numpy as np

from mlcore.data import dates
from mlcore.data.steps.formula.functions import ANY, FUNCTIONS, SPECIAL, Function
from mlcore.data.steps.formula.reading import Call, Name, Node, Number, Text, read
from mlcore.data.steps.formula.tokens import FormulaError, wrong
from mlcore.data.steps.formula.values import (
    DATE,
    NUMBER,
    TEXT,
    TRUTH,
    Value,
    as_numbers,
    as_truths,
    of_column,
    together,
)
from mlcore.data.table import Table

COMPARE = {
    "=": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal,
    ">": np.greater, ">=": np.greater_equal,
}  # fmt: skip
A = {NUMBER: "a number", DATE: "a date", TRUTH: "yes or no", TEXT: "a text"}


def worked_out(formula: str, table: Table) -> Value:
    """The value of a formula in each row. Raises FormulaError with the place that is wrong."""
    with np.errstate(all="ignore"):
        return _Working(formula, table).value(read(formula))


def truths(formula: str, table: Table) -> np.ndarray:
    """Where a formula is true, shape (n,): 1, 0 or, where it cannot be said, NaN.

    Raises FormulaError, also where it gives something else than yes or no.
    """
    value = worked_out(formula, table)
    truth = as_truths(value)
    if truth is None:
        raise wrong(
            formula, 0, f"it gives {A[value.kind]}, not yes or no. Compare it, as in age > 18"
        )
    return np.broadcast_to(truth, (table.n_rows,))


class _Working:
    def __init__(self, formula: str, table: Table) -> None:
        self.formula, self.table = formula, table

    def value(self, node: Node) -> Value:
        if isinstance(node, Number):
            return Value(NUMBER, np.array([node.value]))
        if isinstance(node, Text):
            return Value(TEXT, np.zeros(1), (node.value,))
        if isinstance(node, Name):
            return self._column(node)
        if node.function in COMPARE:
            return self._compared(node)
        if node.function in SPECIAL:
            return self._chosen(node) if node.function == "if" else self._date(node)
        return self._called(node)

    def _column(self, node: Name) -> Value:
        if node.value in self.table.names:
            return of_column(self.table.column(node.value))
        words = {"true": 1.0, "false": 0.0}
        if node.value.lower() in words:
            return Value(TRUTH, np.array([words[node.value.lower()]]))
        raise self._wrong(
            node, f"there is no column {node.value!r}{_near(node.value, self.table.names)}"
        )

    def _called(self, node: Call) -> Value:
        function = FUNCTIONS.get(node.function)
        if function is None:
            near = _near(node.function, (*FUNCTIONS, *SPECIAL))
            raise self._wrong(node, f"there is no function {node.function!r}{near}")
        kinds = self._kinds(node, function)
        values = [self.value(each) for each in node.of]
        if DATE in (value.kind for value in values) and node.function in ("+", "-"):
            return self._moved_date(node, *values)
        given = [self._as(v, k, n) for v, k, n in zip(values, kinds, node.of, strict=True)]
        result = function.does(*given)
        return result if isinstance(result, Value) else Value(function.gives, _finite(result))

    def _kinds(self, node: Call, function: Function) -> tuple[str, ...]:
        """What each argument has to be."""
        takes, n = function.takes, len(node.of)
        if function.more and n > len(takes):
            takes += takes[-1:] * (n - len(takes))
        least = len(takes) - function.optional
        if not least <= n <= len(takes):
            wants = f"{least} or {len(takes)}" if function.optional else f"{len(takes)}"
            raise self._wrong(
                node, f"{node.function} takes {wants} in its brackets, and {n} are there"
            )
        return takes[:n]

    def _as(self, value: Value, kind: str, node: Node) -> np.ndarray | Value:
        """The value as a function takes it."""
        if kind == ANY or (kind == TEXT == value.kind):
            return value
        if kind == "one text" and isinstance(node, Text):
            return value
        if kind == DATE == value.kind:
            return value.values
        reading = {NUMBER: as_numbers, TRUTH: as_truths}.get(kind)
        array = reading(value) if reading else None
        if array is None:
            wanted = "a text in quotation marks" if kind == "one text" else A[kind]
            raise self._wrong(node, f"{wanted} is expected here, and this is {A[value.kind]}")
        return array

    def _moved_date(self, node: Call, first: Value, second: Value) -> Value:
        """A date and days, or the days between two dates."""
        if node.function == "-" and first.kind == second.kind == DATE:
            return Value(NUMBER, first.values - second.values)
        if first.kind == DATE:
            days = np.asarray(self._as(second, NUMBER, node.of[1]))
            moved = first.values + (days if node.function == "+" else -days)
            inside = (moved >= dates.FIRST_DAY) & (moved < dates.LAST_DAY + 1)
            return Value(DATE, np.where(inside, moved, np.nan))
        raise self._wrong(node, "a date can have days added, and two dates can be subtracted")

    def _compared(self, node: Call) -> Value:
        first, second = (self.value(each) for each in node.of)
        a, b = self._alike(node, first, second)
        result = COMPARE[node.function](a, b).astype(np.float64)
        return Value(TRUTH, np.where(np.isnan(a) | np.isnan(b), np.nan, result))

    def _alike(self, node: Call, first: Value, second: Value) -> tuple[np.ndarray, np.ndarray]:
        """Two values as numbers that compare as they do."""
        if DATE in (first.kind, second.kind):
            return self._as_date(first, node.of[0]), self._as_date(second, node.of[1])
        numbers = as_numbers(first), as_numbers(second)
        if numbers[0] is not None and numbers[1] is not None:
            return numbers[0], numbers[1]
        if first.kind == second.kind == TEXT:
            if node.function in ("=", "!="):
                first, second = together(first, second)
                return first.values, second.values
            return self._in_order(node, first, second)
        raise self._wrong(node, f"{A[first.kind]} and {A[second.kind]} cannot be compared")

    def _as_date(self, value: Value, node: Node) -> np.ndarray:
        if isinstance(node, Text):
            return self._days(node)
        return np.asarray(self._as(value, DATE, node))

    def _in_order(self, node: Call, first: Value, second: Value) -> tuple[np.ndarray, np.ndarray]:
        """Levels of an ordinal column as their places in its order."""
        known = first if first.in_order else second
        other = second if first.in_order else first
        if not known.in_order or set(other.levels) - set(known.levels):
            raise self._wrong(
                node, "texts are compared by = and !=, and by their order where they have one"
            )
        place = np.array([float(known.levels.index(level)) for level in other.levels])
        values = Value(TEXT, other.values, other.levels)
        moved = _by_place(values, place)
        return (known.values, moved) if first.in_order else (moved, known.values)

    def _chosen(self, node: Call) -> Value:
        """if(condition, then, else): missing where the condition is."""
        if len(node.of) != 3:
            raise self._wrong(node, "if takes three in its brackets: a condition, then, else")
        condition = np.asarray(self._as(self.value(node.of[0]), TRUTH, node.of[0]))
        first, second = (self.value(each) for each in node.of[1:])
        if first.kind == second.kind == TEXT:
            first, second = together(first, second)
        elif first.kind != second.kind:
            raise self._wrong(
                node, f"if gives {A[first.kind]} or {A[second.kind]}; both must be alike"
            )
        values = np.where(condition == 1, first.values, second.values)
        values = np.where(np.isnan(condition), np.nan, values)
        return Value(first.kind, values, first.levels)

    def _date(self, node: Call) -> Value:
        """date("2024-05-31"), or the dates that a column of texts says."""
        if len(node.of) != 1:
            raise self._wrong(node, "date takes one in its brackets: a text such as 2024-05-31")
        if isinstance(node.of[0], Text):
            return Value(DATE, self._days(node.of[0]))
        value = self.value(node.of[0])
        if value.kind == DATE:
            return value
        if value.kind != TEXT:
            raise self._wrong(node.of[0], f"a text is expected here, and this is {A[value.kind]}")
        return Value(DATE, _by_place(value, np.asarray(dates.days(value.levels), dtype=float)))

    def _days(self, node: Text) -> np.ndarray:
        days = np.asarray(dates.days([node.value]), dtype=np.float64)
        if np.isnan(days).any():
            raise self._wrong(node, f"{node.value!r} is no date. Write it as 2024-05-31")
        return days

    def _wrong(self, node: Node, what: str) -> FormulaError:
        return wrong(self.formula, node.at, what)


def _by_place(value: Value, place: np.ndarray) -> np.ndarray:
    codes = np.where(np.isnan(value.values), len(place), value.values).astype(np.int64)
    return np.append(place, np.nan)[codes]


def _finite(values: np.ndarray) -> np.ndarray:
    """What has no finite value, such as 1 / 0, is missing."""
    return np.where(np.isfinite(values), values, np.nan)


def _near(name: str, known: tuple[str, ...]) -> str:
    near = get_close_matches(name, [each for each in known if each[:1].isalpha()], n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
