"""What to look at in a table before anything is fitted to it: findings in plain sentences."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mlcore.data import cells
from mlcore.data.audit_names import many_levels
from mlcore.data.audit_others import of_others
from mlcore.data.audit_target import of_target
from mlcore.data.codes import few_values
from mlcore.data.findings import NOTE, WARNING, Finding, rows_text
from mlcore.data.missing import candidate_codes
from mlcore.data.proposed_roles import has_many_levels
from mlcore.data.remembered import remembered
from mlcore.data.table import ColumnData, Table
from mlcore.spine.records import function
from mlcore.spine.wording import count, listed, percent, plural

NEARLY_ALWAYS = 0.99
MUCH_MISSING = 0.3
FEW_ROWS = 10
FEWEST_ROWS = 5  # as many as there are folds, unless another number is chosen
UNIT_SHARE = 0.9
TITLE_MISSING = "Missing values"


@function("audit", title="Findings", sources=("cs1:attribute_typing",))
def audit(table: Table, target: str | None = None) -> tuple[Finding, ...]:
    """The findings on the columns, the rows and, if there is one, the target; most harmful first.

    Exact on all rows, but for likely leaks, which are judged on at most 1000 rows, and columns
    that follow from others, on at most 10,000.
    """
    # Sums of numbers near the largest that there are overflow, and then say nothing.
    with np.errstate(over="ignore", invalid="ignore"):
        findings = [f for c in table.columns for f in _of_column(c, is_target=c.name == target)]
        findings += [*_duplicate_rows(table), *_duplicate_columns(table)]
        findings += [
            *of_others(table, target),
            *_units(table, target),
            *_dimensions(table, target),
            *_time_order(table),
        ]
        if target is not None:
            findings += of_target(table, table.column(target))
    return tuple(sorted(findings, key=lambda f: f.rank))


# Columns


def _of_column(c: ColumnData, *, is_target: bool) -> Iterator[Finding]:
    if not is_target:
        yield from _as_feature(c)
    if c.summary.counts and not _is_useless(c):
        yield from _of_values(c)


def _as_feature(c: ColumnData) -> Iterator[Finding]:
    """What is said of a column that is to be learned from."""
    yield from _of_missing(c)
    if c.summary.counts and _is_useless(c):
        yield _useless(c)
    elif c.summary.counts and c.kind == "text":
        sentence = f"Column {c.name!r} holds text. With the role feature its words are counted."
        yield Finding(NOTE, c.name, "Text", sentence, ("role", c.name, "feature"))
    elif has_many_levels(c):
        yield many_levels(c)


def _is_useless(c: ColumnData) -> bool:
    return c.kind == "identifier" or c.summary.low == c.summary.high


@remembered
def _of_values(c: ColumnData) -> Iterator[Finding]:
    """What is said of the values, whatever the column is used for."""
    present = c.values[~np.isnan(c.values)]
    yield from _near_constant(c, present)
    if c.is_coded:
        yield from _rare_levels(c, present.astype(np.int64))
    elif c.kind != "datetime":
        yield from _sentinels(c)
        yield from _integer_codes(c)


def _of_missing(c: ColumnData) -> Iterator[Finding]:
    """The missing values of a column; those of a target are reported with the target."""
    if c.missing == len(c.values):
        sentence = f"Column {c.name!r} has no value in any row. Leave it out."
        yield Finding(WARNING, c.name, "No values", sentence, ("role", c.name, "ignore"))
    elif c.missing:
        yield _missing(c)


def _missing(c: ColumnData) -> Finding:
    share = c.missing / len(c.values)
    rows = np.flatnonzero(np.isnan(c.values))
    sentence = (
        f"Column {c.name!r} has {count(c.missing, 'missing value')} in {len(c.values):,} rows "
        f"({percent(share)}): {rows_text(rows)}."
    )
    if share > MUCH_MISSING:
        sentence += " What fills them would be mostly made up: consider leaving the column out."
        return Finding(WARNING, c.name, TITLE_MISSING, sentence, ("role", c.name, "ignore"))
    if c.kind == "text":
        sentence += " A row without text counts as one without words: nothing need be done."
        return Finding(NOTE, c.name, TITLE_MISSING, sentence)
    return Finding(NOTE, c.name, TITLE_MISSING, sentence, ("step", c.name, "impute"))


def _useless(c: ColumnData) -> Finding:
    if c.kind != "identifier":
        cell = c.cell(int(np.argmin(np.isnan(c.values))))
        title, sentence = "Constant", f"Column {c.name!r} is {cell} in every row that has a value."
    else:
        title = "Names the rows"
        rows = "every row" if len(c.levels) == len(c.values) else "nearly every row"
        sentence = f"Column {c.name!r} has another value in {rows}, like a name or a number of it."
    return Finding(NOTE, c.name, title, sentence, ("role", c.name, "ignore"))


def _near_constant(c: ColumnData, present: np.ndarray) -> Iterator[Finding]:
    if max(c.summary.counts) < NEARLY_ALWAYS * len(present):
        return  # all rows with one value stand in one bin of the summary
    # A value that more than half of the rows have is the middle one.
    middle = np.partition(present, len(present) // 2)[len(present) // 2]
    others = int((present != middle).sum())
    if 0 < others <= (1 - NEARLY_ALWAYS) * len(present):
        cell = c.cell(int(np.flatnonzero(c.values == middle)[0]))
        sentence = (
            f"Column {c.name!r} is {cell} in all but {count(others, 'row')}. Standardised, such "
            "rows lie far from all others, most of all those that were left out of a fit."
        )
        yield Finding(NOTE, c.name, "Nearly constant", sentence, ("role", c.name, "ignore"))


def _rare_levels(c: ColumnData, codes: np.ndarray) -> Iterator[Finding]:
    counts = np.bincount(codes, minlength=len(c.levels))
    once = [c.levels[at] for at in np.flatnonzero(counts == 1)]
    is_left_out = c.kind == "text" or has_many_levels(c)
    if once and not is_left_out and len(codes) >= FEW_ROWS * 2:
        sentence = (
            f"Column {c.name!r} has {count(len(once), 'value')} in a single row: {listed(once)}. "
            "Nothing can be learned about what is seen once; one-hot encoding can put rare values "
            "into one column."
        )
        yield Finding(NOTE, c.name, "Values seen once", sentence)


def _sentinels(c: ColumnData) -> Iterator[Finding]:
    for code in candidate_codes(c):
        rest = c.values[(c.values != code) & ~np.isnan(c.values)]
        text = cells.number_text(code)
        sentence = (
            f"Column {c.name!r} is {text} in {count(int((c.values == code).sum()), 'row')}, far "
            f"from all other values ({cells.number_text(rest.min())} to "
            f"{cells.number_text(rest.max())}). Does {text} mean missing?"
        )
        fix = ("missing", c.name, text)
        yield Finding(WARNING, c.name, "A code for missing?", sentence, fix)


def _integer_codes(c: ColumnData) -> Iterator[Finding]:
    if values := few_values(c):
        shown = ", ".join(cells.number_text(value) for value in values)
        sentence = (
            f"Column {c.name!r} holds only the whole numbers {shown}. If they are names, not "
            "amounts, their distances mean nothing."
        )
        yield Finding(NOTE, c.name, "Integer-coded columns", sentence, ("kind", c.name, "nominal"))


# Rows and the table as a whole


@remembered
def _duplicate_rows(table: Table) -> Iterator[Finding]:
    repeats = _repeated(table)
    if len(repeats):
        verb = plural(len(repeats), "repeats", "repeat")
        sentence = (
            f"{rows_text(repeats).capitalize()} {verb} an earlier row. Copies on both sides of a "
            "split make scores too good."
        )
        yield Finding(WARNING, None, "Duplicate rows", sentence, ("drop", "", "duplicates"))


def _repeated(table: Table) -> np.ndarray:
    """The rows that equal an earlier one, missing values included; by hash, then by value, (m,)."""
    keys = np.zeros(table.n_rows, dtype=np.uint64)
    for c in table.columns:
        bits = np.where(np.isnan(c.values), np.inf, c.values + 0.0).view(np.uint64)
        keys = (keys ^ bits) * np.uint64(0x9E3779B97F4A7C15)
        keys ^= keys >> np.uint64(29)
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    rows = np.flatnonzero(first[place] != np.arange(table.n_rows))
    same = np.ones(len(rows), dtype=bool)
    for c in table.columns:
        values, other = c.values[rows], c.values[first[place[rows]]]
        same &= (values == other) | (np.isnan(values) & np.isnan(other))
    return rows[same]


@remembered
def _duplicate_columns(table: Table) -> Iterator[Finding]:
    seen: dict[tuple, list[ColumnData]] = {}
    for c in table.columns:
        if c.missing == len(c.values) or c.kind == "constant":
            continue
        # Equal columns have equal sums; only those few are compared in full.
        likely = seen.setdefault((c.levels, c.missing, float(np.nansum(c.values))), [])
        twin = next((t for t in likely if np.array_equal(t.values, c.values, equal_nan=True)), None)
        likely.append(c)
        if twin is not None:
            sentence = f"Column {c.name!r} is the same as column {twin.name!r} in every row."
            yield Finding(WARNING, c.name, "Duplicate column", sentence, ("role", c.name, "ignore"))


def _features(table: Table, target: str | None) -> list[ColumnData]:
    out = ("identifier", "constant", "text")
    return [c for c in table.columns if c.kind not in out and c.name != target]


def _units(table: Table, target: str | None) -> Iterator[Finding]:
    numbers = [
        c
        for c in _features(table, target)
        if c.kind in ("number", "count") and c.missing < table.n_rows
    ]
    if len(numbers) < 2:
        return
    # Doubled, the sum of variances is the mean squared distance between two rows.
    with np.errstate(over="ignore", invalid="ignore"):
        spread = np.array([np.var(c.values[~np.isnan(c.values)]) for c in numbers])
        shares = spread / spread.sum()
    at = int(np.argmax(shares))
    if shares[at] > UNIT_SHARE:
        sentence = (
            f"Column {numbers[at].name!r} alone makes {percent(shares[at])} of the squared "
            "distance between rows, because of its unit. Standardise before methods that use "
            "distances, gradients or penalties."
        )
        name = numbers[at].name
        yield Finding(NOTE, name, "Units differ", sentence, ("step", name, "standardise"))


def _dimensions(table: Table, target: str | None) -> Iterator[Finding]:
    p = len(_features(table, target))
    if table.n_rows < FEWEST_ROWS:
        sentence = (
            f"The table has {count(table.n_rows, 'row')}. With fewer than {FEWEST_ROWS}, each is "
            "left out once, and scores of so few rows say next to nothing about others."
        )
        yield Finding(WARNING, None, "Hardly any rows", sentence)
    if table.n_rows < p:
        sentence = (
            f"There are {count(p, 'column')} to learn from and only "
            f"{count(table.n_rows, 'row')}: chance alone finds patterns. Choose few variables, "
            "or a method with a penalty."
        )
        yield Finding(WARNING, None, "Fewer rows than columns", sentence)


def _time_order(table: Table) -> Iterator[Finding]:
    for c in table.columns:
        if (
            c.kind == "datetime"
            and table.n_rows > 2
            and bool((c.values[1:] >= c.values[:-1]).all())
        ):
            sentence = (
                f"The rows follow column {c.name!r} in time. Test on later rows than those "
                "learned from, by giving it the role order."
            )
            yield Finding(NOTE, c.name, "Ordered in time", sentence, ("role", c.name, "order"))
