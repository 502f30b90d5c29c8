"""The different texts of a column, each handled once however often it occurs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mlcore.data import cells, dates
from mlcore.data.importing.decisions import MISSING, MISSING_AMONG_NUMBERS

# ISO dates and moments that the calendar surely has; the others are looked at one by one.
_MOMENT = (
    "^[1-9][0-9]{3}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)"
    "|(?:0[13578]|1[02])-31)(?:[ T](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9])?)?$"
)
_DOTTED = r"^[0-9]{1,2}\.[0-9]{1,2}\."
NULL = pa.scalar(None, pa.string())


@dataclass(frozen=True)
class Levels:
    """The texts in order, the code of each row (-1: missing) and the markers of missing values.

    They stay in Arrow, which asks for a fifth of the room of Python's texts: a column of numbers
    with marks has as many as it has rows.
    """

    array: pa.Array  # of the texts, no null among them
    codes: np.ndarray  # (n,), whole numbers
    met: tuple[str, ...]
    _numbers: dict[str, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict, repr=False)
    _days: dict[str, np.ndarray] = field(default_factory=dict, repr=False)  # by order

    @classmethod
    def of(cls, column: pa.Array, missing: tuple[str, ...]) -> Levels:
        """The levels of a column of strings or codes, without blanks; `missing` are markers."""
        is_coded = pa.types.is_dictionary(column.type)
        raw = column if is_coded else column.dictionary_encode()
        bare = _bare(raw.dictionary).dictionary_encode()
        is_missing = pc.is_in(bare.dictionary, value_set=pa.array(["", *missing]))
        met = pc.filter(bare.dictionary, is_missing).to_pylist()
        order = pc.sort_indices(bare.dictionary).to_numpy()
        present = order[~is_missing.to_numpy(zero_copy_only=False)[order]]
        rank = np.full(len(order), -1, dtype=np.int64)
        rank[present] = np.arange(len(present))
        # From a row to its raw text, to the text without blanks, to its place in the order.
        place = np.append(rank[bare.indices.to_numpy()], -1)
        codes = pc.fill_null(raw.indices, -1).to_numpy(zero_copy_only=False)
        texts = bare.dictionary.take(pa.array(present))
        return cls(texts, place[codes], tuple(sorted(text for text in met if text)))

    @cached_property
    def texts(self) -> list[str]:
        """The same as Python's texts."""
        return self.array.to_pylist()

    @cached_property
    def words(self) -> list[str]:
        """The texts that would not mean missing among numbers."""
        return self._words.to_pylist()

    @cached_property
    def _words(self) -> pa.Array:
        return pc.filter(self.array, pa.array(~self.is_missing))

    @property
    def few(self) -> list[str]:
        """Some fifty of the words, evenly spaced, which tell whether the rest is worth reading."""
        n = len(self._words)
        return self._words.take(pa.array(np.arange(0, n, n // 50 + 1))).to_pylist()

    def first(self, pattern: str = "") -> str | None:
        """The first word with this pattern (of RE2) in it; None without any."""
        at = pc.index(pc.match_substring_regex(self._words, pattern), True).as_py()
        return None if at < 0 else self._words[at].as_py()

    @property
    def missing_among_numbers(self) -> tuple[str, ...]:
        """The texts that mean missing among numbers and dates only."""
        return tuple(pc.filter(self.array, pa.array(self.is_missing)).to_pylist())

    def spread(self, values: np.ndarray) -> np.ndarray:
        """One value a text, shape (texts,), made into one a row, shape (n,); NaN for missing."""
        return np.append(values, np.nan)[self.codes]

    def counts(self) -> np.ndarray:
        """How often each text occurs, shape (number of texts,)."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.array))

    def numbers(self, decimal: str, thousands: str) -> np.ndarray:
        """The number that each text says under these marks, shape (texts,); NaN where none.

        Plain ones are cast together, and those in groups of digits; only what is left is looked at
        text by text.
        """
        values, others = self._plain(decimal)
        values = values.copy()
        if thousands and len(others):
            some = self.array.take(pa.array(others))
            values[others] = _grouped(some, decimal, thousands)
            others = others[np.isnan(values[others])]
        texts = self.array.take(pa.array(others)).to_pylist()
        values[others] = cells.numbers(texts, decimal, thousands)
        return values

    def _plain(self, decimal: str) -> tuple[np.ndarray, np.ndarray]:
        """The plain numbers among the texts, NaN for the others, and where these are."""
        if decimal not in self._numbers:
            mark = re.escape(decimal)
            pattern = rf"^[+-]?(?:[0-9]+(?:{mark}[0-9]*)?|{mark}[0-9]+)(?:[eE][+-]?[0-9]+)?$"
            is_plain = pc.match_substring_regex(self.array, pattern)
            values = _cast(pc.if_else(is_plain, self.array, NULL), decimal)
            others = np.flatnonzero(~is_plain.to_numpy(zero_copy_only=False))
            self._numbers[decimal] = values, others
        return self._numbers[decimal]

    def days(self, order: str) -> np.ndarray:
        """The day that each text says in this order, shape (texts,); NaN where none.

        ISO dates and moments are read together; only what is left is looked at text by text.
        """
        if order in self._days:
            return self._days[order]
        is_plain = pc.match_substring_regex(self.array, _MOMENT)
        plain = pc.if_else(is_plain, self.array, NULL)
        moments = pc.cast(plain, pa.timestamp("s")).to_numpy(zero_copy_only=False)
        whole, rest = np.divmod(moments.astype(np.int64), dates.SECONDS_A_DAY)
        values = np.where(np.isnat(moments), np.nan, whole + rest / dates.SECONDS_A_DAY)
        others = np.flatnonzero(np.isnan(values))
        values[others] = dates.days(self.array.take(pa.array(others)).to_pylist(), order)
        self._days[order] = values
        return values

    @cached_property
    def date_orders(self) -> frozenset[str]:
        """The orders under which all the words are dates; empty if they are none."""
        few = self.few
        orders = {order for order in dates.DATE_ORDERS if few and self._are_dates(few, order)}
        # Dots stand only between dates that begin with the day.
        if "dmy" in orders and self.first(_DOTTED) is not None:
            orders -= {"mdy"}
        return frozenset(orders)

    def _are_dates(self, few: list[str], order: str) -> bool:
        if np.isnan(dates.days(few, order)).any():
            return False
        return not (np.isnan(self.days(order)) & ~self.is_missing).any()

    @cached_property
    def is_missing(self) -> np.ndarray:
        """Which texts mean missing among numbers and dates, shape (texts,)."""
        rare = pc.is_in(
            pc.utf8_lower(self.array), value_set=pa.array(sorted(MISSING_AMONG_NUMBERS))
        )
        usual = pc.is_in(self.array, value_set=pa.array(MISSING))
        return pc.and_not(rare, usual).to_numpy(zero_copy_only=False)


def _grouped(texts: pa.Array, decimal: str, thousands: str) -> np.ndarray:
    """The numbers of texts with marks of thousands and nothing else beside the digits, (n,); NaN
    for the others."""
    part = f"{re.escape(decimal)}[0-9]*"
    is_plain = pc.match_substring_regex(texts, f"^[+-]?(?:{cells.grouped(thousands)})(?:{part})?$")
    plain = pc.if_else(is_plain, texts, NULL)
    return _cast(pc.replace_substring_regex(plain, cells.group_mark(thousands), ""), decimal)


def _cast(texts: pa.Array, decimal: str) -> np.ndarray:
    """The numbers of plain texts, (n,); NaN for null."""
    texts = pc.replace_substring(texts, decimal, ".") if decimal != "." else texts
    return pc.cast(texts, pa.float64()).to_numpy(zero_copy_only=False)


def _bare(texts: pa.Array) -> pa.Array:
    """The texts without blanks around them, and without ="" around what a spreadsheet must not
    take for a number."""
    texts = pc.utf8_trim_whitespace(texts)
    if pc.any(pc.starts_with(texts, '="')).as_py():
        texts = pc.replace_substring_regex(texts, r'^="(.*)"$', r"\1")
    return texts
