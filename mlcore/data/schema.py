"""Proposed kind, role and task of each column, with reasons; a person may change them."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from mlcore.data.table import ColumnData, Table, converted
from mlcore.maths.pool import side_by_side
from mlcore.spine.records import function

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
ROW_WORDS = {"id", "key", "uuid", "guid", "index", "row", "rownames", "rowid"}
CODE_WORDS = {"id", "code", "zip", "zipcode", "postcode", "plz", "class"}
AXIS_WORDS = {"x", "t", "time", "year", "month", "week", "day", "date", "hour", "age"}
GROUP_WORDS = {"group", "subject", "patient", "participant", "person"}
WEIGHT_NAMES = {"sample_weight", "sample_weights", "weights", "case_weight", "row_weight"}
TARGET_NAMES = (
    "target", "class", "classes", "label", "labels", "species", "y", "outcome", "response",
    "diagnosis",
)  # fmt: skip
_NUMBERED = re.compile(r"^[0-9]{1,2} ?[-=:.)] ?")
BINARY_CODES = ({0.0, 1.0}, {1.0, 2.0}, {-1.0, 1.0})
# Fewer rows are distinct, or in order, by chance.
ENOUGH_ROWS = 10
WORDS_OF_TEXT = 3
MAX_LEVELS = 50
FEW_CLASSES = 20
PEEKED = 1000
LEAST_GROUPS = 8
ROWS_A_CLASS = 10


class Proposal(NamedTuple):
    """A kind, role or task, and why."""

    value: str
    reason: str


class Inferred(NamedTuple):
    """What a column holds and what it is good for, each with its reason."""

    kind: Proposal
    role: Proposal
    levels: tuple[str, ...]  # in their order, of a column of names


@function(
    "infer_schema",
    title="Schema inference",
    sources=("cs1:attribute_typing", "prac:label_types"),
)
def infer_schema(table: Table) -> dict[str, Inferred]:
    """Kind, role and levels of every column, from all its values and its name."""
    kinds, read = propose_kinds(table), typed(table)
    roles_of = propose_roles(read)
    return {c.name: Inferred(kinds[c.name], roles_of[c.name], c.levels) for c in read.columns}


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
    if column.is_rising and (
        name_words & ROW_WORDS or (_counts_rows(present) and not name_words & AXIS_WORDS)
    ):
        return Proposal("identifier", "Whole numbers that are all different and in order.")
    if present.max() <= present.min() + 2 and set(np.unique(present)) in BINARY_CODES:
        return Proposal("binary", "It holds two different whole numbers only.")
    if name_words & CODE_WORDS:
        return Proposal("nominal", "Whole numbers under a name that says they are codes.")
    return Proposal("count", "Its values are whole numbers.")


def _counts_rows(present: np.ndarray) -> bool:
    """Whether rising whole numbers leave few gaps: a growing quantity leaves many."""
    return len(present) >= ENOUGH_ROWS and present.max() <= present.min() + 2 * len(present)


def _kind_of_names(column: ColumnData, present: np.ndarray) -> Proposal:
    levels, n = column.levels, len(present)
    distinct, name_words = len(levels) == n, words(column.name)
    if distinct and (
        name_words & ROW_WORDS or (n >= ENOUGH_ROWS and not any(map(_has_blank, levels)))
    ):
        return Proposal("identifier", "Every row has another value.")
    if scale_of(levels):
        return Proposal("ordinal", f"Its values form a scale: {', '.join(scale_of(levels))}.")
    if len(levels) == 2:
        return Proposal("binary", f"It holds two different values, {levels[0]} and {levels[1]}.")
    counts = np.bincount(present.astype(np.int64), minlength=len(levels))
    lengths = np.array([len(level.split()) for level in levels])
    if counts @ lengths > WORDS_OF_TEXT * n:
        return Proposal("text", f"Its values have more than {WORDS_OF_TEXT} words on average.")
    if len(levels) > max(MAX_LEVELS, n / 2):
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


def propose_target(table: Table) -> str | None:
    """The column that is most likely to be predicted, or None where none stands out."""
    usable = {
        c.name.strip().lower(): c.name
        for c in table.columns
        if c.kind not in ("identifier", "text", "constant", "datetime")
    }
    for name in TARGET_NAMES:
        if name in usable and len(table.columns) > 1:
            return usable[name]
    last = table.column(table.names[-1])
    is_class = last.kind in ("binary", "nominal", "ordinal") and len(last.levels) <= FEW_CLASSES
    if is_class and len(table.columns) > 1 and table.n_rows >= ROWS_A_CLASS * len(last.levels):
        return last.name
    return None


def roles(table: Table) -> dict[str, str]:
    """The role that is proposed for each column."""
    return {name: role.value for name, role in propose_roles(table).items()}


def propose_roles(table: Table) -> dict[str, Proposal]:
    """A role for each column (feature, target, group, weight, order, ignore), and why."""
    target = propose_target(table)
    proposals = {c.name: _role(c) for c in table.columns}
    if target is not None:
        proposals[target] = Proposal("target", _why_target(target))
    order = next((c.name for c in table.columns if _is_order(c)), None)
    others = [name for name, role in proposals.items() if role.value == "feature" and name != order]
    # With one other column, which may be the target, the dates are what there is to learn from.
    if order is not None and len(others) > 1:
        proposals[order] = Proposal("order", "Dates in order say in which order the rows came.")
    if not others and order is None:
        proposals |= {c.name: _ONLY_TEXT for c in table.columns if _is_text(c) and c.name != target}
    return proposals


_ONLY_TEXT = Proposal("feature", "There is nothing but text to learn from: its words are counted.")


def _is_text(column: ColumnData) -> bool:
    return column.kind == "text"


def _why_target(name: str) -> str:
    if name.strip().lower() in TARGET_NAMES:
        return f"A column called {name} is usually what is to be predicted."
    return "The last column has few different values, as classes have."


def _is_order(column: ColumnData) -> bool:
    return column.kind == "datetime" and column.is_rising


def _role(column: ColumnData) -> Proposal:
    if column.kind == "identifier":
        return Proposal("ignore", "It names the rows and says nothing about new ones.")
    if column.kind == "constant":
        return Proposal("ignore", "It is the same in every row.")
    if _is_text(column):
        return Proposal("ignore", "Free text needs to be turned into counts of words first.")
    if column.name.strip().lower() in WEIGHT_NAMES and _is_weight(column):
        return Proposal("weight", "Its name says that it weighs the rows.")
    grouped = column.kind in ("nominal", "count") and words(column.name) & GROUP_WORDS
    if grouped and _repeats(column):
        return Proposal("group", "Rows that belong together share its value.")
    return Proposal("feature", f"A {column.kind} column can be learned from.")


def _is_weight(column: ColumnData) -> bool:
    return not column.is_coded and not column.missing and bool((column.values >= 0).all())


def _repeats(column: ColumnData) -> bool:
    """Whether there are many groups, of several rows each: few are rather a treatment."""
    present = column.values[~np.isnan(column.values)]
    return LEAST_GROUPS <= len(np.unique(present)) <= len(present) / 2


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
