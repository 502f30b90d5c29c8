"""What a column shows that a person alone can decide: codes of missing values, and spellings."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mlcore.data.importing.report import Note, told
from mlcore.data.table import ColumnData
from mlcore.spine.wording import count, listed

# Markers of missing values that are words, and may be the name of something.
WORDS = frozenset(("NA", "None", "Null", "null", "NULL", "NaN", "nan", "NAN", "n/a", "N/A"))
NO_ANSWERS = frozenset((
    "prefer not to say", "prefer not to answer", "prefer not to disclose", "rather not say",
    "no answer", "refused", "refusal", "declined", "don't know", "dont know", "do not know",
    "not applicable", "not available", "not stated", "not specified", "missing", "unknown",
    "keine angabe", "k.a.", "weiß nicht", "weiss nicht", "sans réponse", "ne sait pas", "sin dato",
))  # fmt: skip
MOST_LEVELS = 1000


def notes(column: ColumnData, met: tuple[str, ...], missing: tuple[str, ...]) -> Iterator[Note]:
    """Notes on one column, each with the press that decides; `met` are its markers, `missing` all
    markers of the file."""
    if not column.is_coded or column.kind == "datetime":
        return  # codes such as -9 among numbers are findings (`mlcore/data/missing.py`)
    yield from _words(column, met)
    if len(column.levels) <= MOST_LEVELS:
        yield from _no_answers(column, missing)
        yield from _spellings(column)


def _words(column: ColumnData, met: tuple[str, ...]) -> Iterator[Note]:
    """Among names, NA may be a country and None a drug."""
    if names := [repr(marker) for marker in met if marker in WORDS]:
        sentence = (
            f"Column {told(column.name)!r} says {listed(names)}, read as missing in "
            f"{count(column.missing, 'cell')}, empty ones among them. It may be a value here."
        )
        fix = ("all_values", (column.name,))
        yield Note(sentence, column=column.name, fix=fix, press="Keep as a value")


def _no_answers(column: ColumnData, missing: tuple[str, ...]) -> Iterator[Note]:
    texts = tuple(level for level in column.levels if _is_no_answer(level))
    if texts and len(texts) < len(column.levels):
        sentence = (
            f"Column {told(column.name)!r} says {listed(map(repr, texts))}, a value of its own as "
            "it was read. It may be no answer."
        )
        yield Note(sentence, column=column.name, fix=("missing", (*missing, *texts)))


def _is_no_answer(level: str) -> bool:
    bare = " ".join(level.lower().replace("’", "'").rstrip(".! ").split())
    return bare.removeprefix("i would ").removeprefix("i'd ").removeprefix("i ") in NO_ANSWERS


def _spellings(column: ColumnData) -> Iterator[Note]:
    alike = [group for group in spellings(column.levels).values() if len(group) > 1]
    if alike:
        sentence = (
            f"Column {told(column.name)!r} has levels that differ in capitals or blanks alone: "
            f"{listed((told(level) for level in alike[0]), 3)}"
            + (f", and {count(len(alike) - 1, 'more group')}." if alike[1:] else ".")
        )
        fix = ("alike", (column.name,))
        yield Note(sentence, column=column.name, fix=fix, press="Make them one level")


def spellings(levels: tuple[str, ...]) -> dict[str, list[str]]:
    """The levels by what is left of them without capitals and blanks at the ends or doubled."""
    groups: dict[str, list[str]] = {}
    for level in levels:
        groups.setdefault(" ".join(level.casefold().split()), []).append(level)
    return groups


def joined(column: ColumnData) -> ColumnData:
    """The column with one level for all spellings of a word, that of the most rows."""
    rows = column.values[~np.isnan(column.values)].astype(np.int64)
    often = dict(zip(column.levels, np.bincount(rows, minlength=len(column.levels)), strict=True))
    heads = {
        level: max(group, key=often.__getitem__)
        for group in spellings(column.levels).values()
        for level in group
    }
    levels = tuple(sorted(set(heads.values())))
    place = np.array([levels.index(heads[level]) for level in column.levels], dtype=np.float64)
    codes = np.full(len(column.values), np.nan)
    is_there = ~np.isnan(column.values)
    codes[is_there] = place[rows]
    return ColumnData(column.name, "nominal", codes, levels)
