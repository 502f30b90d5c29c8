"""Proposed kind and task of each column, with reasons; a person may change them."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from mlcore.data.table import ColumnData, Table, converted
from mlcore.spine.pool import side_by_side
from mlcore.spine.wording import count

NEITHER = "neutral"
# Each scale in its order; a column whose values are all among them is ordinal.
SCALES = (
    ("very poor", "poor", "fair", "good", "very good", "excellent"),
    ("very low", "low", "medium", "moderate", "high", "very high"),
    ("xs", "s", "m", "l", "xl", "xxl"),
    ("tiny", "small", "medium", "large", "huge"),
    ("never", "rarely", "sometimes", "often", "very often", "always"),
    ("never", "seldom", "sometimes", "usually", "always"),
    ("strongly disagree", "disagree", "somewhat disagree", "slightly disagree", NEITHER,
     "slightly agree", "somewhat agree", "agree", "strongly agree"),
    ("very dissatisfied", "dissatisfied", "somewhat dissatisfied", NEITHER, "somewhat satisfied",
     "satisfied", "very satisfied"),
    ("very unlikely", "unlikely", "somewhat unlikely", NEITHER, "somewhat likely", "likely",
     "very likely"),
    ("extremely unlikely", "unlikely", NEITHER, "likely", "extremely likely"),
    ("not at all important", "slightly important", "moderately important", "important",
     "very important", "extremely important"),
    ("not at all", "a little", "slightly", "somewhat", "moderately", "a lot", "very",
     "very much", "extremely"),
    ("stimme gar nicht zu", "stimme überhaupt nicht zu", "stimme nicht zu", "stimme eher nicht zu",
     NEITHER, "stimme eher zu", "stimme zu", "stimme voll zu", "stimme voll und ganz zu"),
    ("nie", "selten", "manchmal", "oft", "häufig", "immer"),
    ("mild", "moderate", "severe"),
)  # fmt: skip
# What stands in the middle of a scale, and is the same there.
MIDDLES = frozenset((
    "neutral", "undecided", "neither", "neither agree nor disagree", "neither disagree nor agree",
    "neither satisfied nor dissatisfied", "neither likely nor unlikely", "teils teils",
    "teils/teils", "weder noch", "unentschieden",
))  # fmt: skip
# Words in the name of a column that say what it holds.
ID_WORDS = {"id", "uuid", "guid", "rowid", "rownames"}  # nothing else is called so
ROW_WORDS = {*ID_WORDS, "key", "index", "row"}
CODE_WORDS = {"id", "code", "zip", "zipcode", "postcode", "plz", "class"}
AXIS_WORDS = {"x", "t", "time", "year", "month", "week", "day", "date", "hour", "age"}
GROUP_WORDS = {
    "group", "subject", "patient", "participant", "person", "customer", "client", "user", "member",
    "respondent", "student", "pupil", "employee", "household", "family", "animal",
}  # fmt: skip
_NUMBERED = re.compile(r"^[0-9]{1,2} ?[-=:.)] ?")
BINARY_CODES = ({0.0, 1.0}, {1.0, 2.0}, {-1.0, 1.0})
# Fewer rows are distinct, or in order, by chance.
ENOUGH_ROWS = 10
WORDS_OF_TEXT = 3
MAX_LEVELS = 50
FEW_CLASSES = 20
PEEKED = 1000
NEARLY_ALL = 0.95  # of the rows with a value of their own: a few copies of rows make no groups
ROWS_A_CLASS = 10


class Proposal(NamedTuple):
    """A kind, role or task, and why."""

    value: str
    reason: str


def typed(table: Table) -> Table:
    """The table with every column read as the kind that is proposed for it."""
    kinds = propose_kinds(table)
    return Table.of(*side_by_side(lambda c: _typed(c, kinds[c.name].value), table.columns))


def _typed(column: ColumnData, kind: str) -> ColumnData:
    if kind == column.kind:
        return column
    return converted(column, kind, scale_of(column.levels) if kind == "ordinal" else ())


def propose_kinds(table: Table) -> dict[str, Proposal]:
    """The kind of each column, and why."""
    proposals = side_by_side(propose_kind, table.columns)
    kinds = dict(zip(table.names, proposals, strict=True))
    useful = [name for name, kind in kinds.items() if kind.value not in ("identifier", "constant")]
    for c in table.columns:
        # Beside a single other column, rising whole numbers are rather what it is plotted against.
        is_axis = kinds[c.name].value == "identifier" and not c.is_coded and len(useful) == 1
        if is_axis and not words(c.name) & ROW_WORDS:
            kinds[c.name] = Proposal("count", "Whole numbers, beside one other column only.")
    return kinds


def propose_kind(column: ColumnData) -> Proposal:
    """The kind of one column, from its values and its name."""
    present = column.values[~np.isnan(column.values)]
    if not len(present):
        return Proposal("constant", "It has no value at all.")
    if present.min() == present.max():
        return Proposal("constant", f"Every value is {column.cell(_first_row(column))}.")
    if column.kind == "datetime":
        return Proposal("datetime", "Its values are dates.")
    return _kind_of_names(column, present) if column.is_coded else _kind_of_numbers(column, present)


def _first_row(column: ColumnData) -> int:
    return int(np.argmin(np.isnan(column.values)))


def _kind_of_numbers(column: ColumnData, present: np.ndarray) -> Proposal:
    # The first rows tell mostly, and cost nothing.
    if any((part != np.round(part)).any() for part in (present[:PEEKED], present)):
        return Proposal("number", "Its values are numbers with fractions.")
    name_words = words(column.name)
    if reason := _why_row_numbers(column, present, name_words):
        return Proposal("identifier", reason)
    if present.max() <= present.min() + 2 and set(np.unique(present)) in BINARY_CODES:
        return Proposal("binary", "It holds two different whole numbers only.")
    if name_words & CODE_WORDS:
        return Proposal("nominal", "Whole numbers under a name that says they are codes.")
    return Proposal("count", "Its values are whole numbers.")


def _why_row_numbers(column: ColumnData, present: np.ndarray, name_words: set[str]) -> str:
    """Why whole numbers name the rows, a few copies of rows aside; "" where they do not."""
    if column.is_rising:
        if name_words & ROW_WORDS or (_counts_rows(present) and not name_words & AXIS_WORDS):
            return "Whole numbers that are all different and in order."
        return ""
    is_id = bool(name_words & ID_WORDS)
    if not (is_id or _mostly_one_way(present)) or len(present) < NEARLY_ALL * len(column.values):
        return ""
    first = np.unique(present, return_index=True)[1]
    if len(first) < NEARLY_ALL * len(present):
        return ""
    if is_id:
        return f"Its name says so, and {_nearly_every_row(len(first), len(present))}."
    distinct = present[np.sort(first)]
    is_axis = bool(name_words & AXIS_WORDS) and not name_words & ROW_WORDS
    if is_axis or not _counts_rows(distinct) or not _is_one_way(distinct):
        return ""
    repeats = count(len(present) - len(distinct), "row")
    return f"Whole numbers in order; {repeats} repeat an earlier one."


def _nearly_every_row(distinct: int, n: int) -> str:
    """That nearly all of n rows have a value of their own, in words."""
    if distinct == n:
        return "every row has another value"
    return f"nearly every row has another value, {distinct:,} in {n:,}"


def _mostly_one_way(values: np.ndarray) -> bool:
    """Whether nearly every value is larger than the last, or nearly every one smaller."""
    rising = np.count_nonzero(values[1:] > values[:-1])
    falling = np.count_nonzero(values[1:] < values[:-1])
    # A copy that stands among the others breaks two steps.
    return bool(max(rising, falling) >= (2 * NEARLY_ALL - 1) * (len(values) - 1))


def _is_one_way(values: np.ndarray) -> bool:
    return bool((values[1:] > values[:-1]).all() or (values[1:] < values[:-1]).all())


def _counts_rows(present: np.ndarray) -> bool:
    """Whether rising whole numbers leave few gaps: a growing quantity leaves many."""
    return len(present) >= ENOUGH_ROWS and present.max() <= present.min() + 2 * len(present)


def _kind_of_names(column: ColumnData, present: np.ndarray) -> Proposal:
    levels, n = column.levels, len(present)
    is_apart, name_words = len(levels) >= NEARLY_ALL * n, words(column.name)
    if is_apart and (
        name_words & ROW_WORDS or (n >= ENOUGH_ROWS and not any(map(_has_blank, levels)))
    ):
        return Proposal("identifier", f"{_nearly_every_row(len(levels), n).capitalize()}.")
    if scale_of(levels):
        return Proposal("ordinal", f"Its values form a scale: {', '.join(scale_of(levels))}.")
    if len(levels) == 2:
        return Proposal("binary", f"It holds two different values, {levels[0]} and {levels[1]}.")
    counts = np.bincount(present.astype(np.int64), minlength=len(levels))
    lengths = np.array([len(level.split()) for level in levels])
    if counts @ lengths > WORDS_OF_TEXT * n:
        return Proposal("text", f"Its values have more than {WORDS_OF_TEXT} words on average.")
    if len(levels) > max(MAX_LEVELS, n / 2) and not name_words & {*GROUP_WORDS, *ID_WORDS}:
        return Proposal("text", f"It has {len(levels)} different values in {n} rows.")
    return Proposal("nominal", f"It has {len(levels)} different values, which are names.")


def _has_blank(text: str) -> bool:
    return " " in text


def scale_of(levels: tuple[str, ...]) -> tuple[str, ...]:
    """The levels in the order of the scale that they are all part of; () if there is none."""
    lower = {_step(level): level for level in levels}
    if len(lower) < len(levels) or len(levels) < 2:
        return ()
    for scale in SCALES:
        if lower.keys() <= set(scale):
            return tuple(lower[step] for step in scale if step in lower)
    return ()


def _step(level: str) -> str:
    """The step of a scale that a level says: without the number before it, the middle by one
    name."""
    bare = _NUMBERED.sub("", level.strip().lower())
    return NEITHER if bare in MIDDLES else bare


def words(name: str) -> set[str]:
    """The words of a name: customerId, customer_id and Customer ID all have the word id."""
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}


def task(column: ColumnData) -> Proposal:
    """What predicting this column is: classification, regression or none, and why."""
    if column.kind in ("binary", "ordinal", "nominal"):
        return Proposal("classification", "The target holds names.")
    if column.kind not in ("number", "count"):
        return Proposal("none", f"A {column.kind} column cannot be predicted.")
    if column.kind == "count":
        present = column.values[~np.isnan(column.values)]
        n_values = len(np.unique(present))
        if n_values <= FEW_CLASSES and len(present) >= ROWS_A_CLASS * n_values:
            reason = f"The target has {n_values} different whole numbers, each in many rows."
            return Proposal("classification", reason)
    return Proposal("regression", "The target holds quantities.")
