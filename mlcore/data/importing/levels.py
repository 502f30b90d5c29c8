"""The different texts of a column, each handled once however often it occurs."""

# Arrow makes its functions when it is imported, where no checker of types sees them.
# pyright: reportAttributeAccessIssue=false

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
_DOTTED = re.compile(r"[0-9]{1,2}\.[0-9]{1,2}\.")


@dataclass(frozen=True)
class Levels:
    """The texts in order, the code of each row (-1: missing) and the markers of missing values."""

    texts: list[str]
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
        texts = bare.dictionary.take(pa.array(present)).to_pylist()
        return cls(texts, place[codes], tuple(sorted(text for text in met if text)))

    @cached_property
    def array(self) -> pa.Array:
        """The texts as an Arrow array."""
        return pa.array(self.texts, pa.string())

    @cached_property
    def words(self) -> list[str]:
        """The texts that would not mean missing among numbers."""
        is_missing = self.is_missing.tolist()
        return [text for text, skipped in zip(self.texts, is_missing, strict=True) if not skipped]

    @property
    def missing_among_numbers(self) -> tuple[str, ...]:
        """The texts that mean missing among numbers and dates only."""
        return tuple(self.texts[at] for at in np.flatnonzero(self.is_missing))

    def spread(self, values: np.ndarray) -> np.ndarray:
        """One value a text, shape (texts,), made into one a row, shape (n,); NaN for missing."""
        return np.append(values, np.nan)[self.codes]

    def counts(self) -> np.ndarray:
        """How often each text occurs, shape (number of texts,)."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.texts))

    def numbers(self, decimal: str, thousands: str) -> np.ndarray:
        """The number that each text says under these marks, shape (texts,); NaN where none.

        Plain ones are cast together; only what is left is looked at text by text.
        """
        values, others = self._plain(decimal)
        values = values.copy()
        values[others] = cells.numbers((self.texts[at] for at in others), decimal, thousands)
        return values

    def _plain(self, decimal: str) -> tuple[np.ndarray, np.ndarray]:
        """The plain numbers among the texts, NaN for the others, and where these are."""
        if decimal not in self._numbers:
            mark = re.escape(decimal)
            pattern = rf"^[+-]?(?:[0-9]+(?:{mark}[0-9]*)?|{mark}[0-9]+)(?:[eE][+-]?[0-9]+)?$"
            is_plain = pc.match_substring_regex(self.array, pattern)
            plain = pc.if_else(is_plain, self.array, pa.scalar(None, pa.string()))
            if decimal != ".":
                plain = pc.replace_substring(plain, decimal, ".")
            values = pc.cast(plain, pa.float64()).to_numpy(zero_copy_only=False)
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
        plain = pc.if_else(is_plain, self.array, pa.scalar(None, pa.string()))
        moments = pc.cast(plain, pa.timestamp("s")).to_numpy(zero_copy_only=False)
        whole, rest = np.divmod(moments.astype(np.int64), dates.SECONDS_A_DAY)
        values = np.where(np.isnat(moments), np.nan, whole + rest / dates.SECONDS_A_DAY)
        others = np.flatnonzero(np.isnan(values))
        values[others] = dates.days((self.texts[at] for at in others), order)
        self._days[order] = values
        return values

    @cached_property
    def date_orders(self) -> frozenset[str]:
        """The orders under which all the words are dates; empty if they are none."""
        words = self.words
        orders = {order for order in dates.DATE_ORDERS if words and self._are_dates(words, order)}
        # Dots stand only between dates that begin with the day.
        if "dmy" in orders and any(_DOTTED.match(word) for word in words):
            orders -= {"mdy"}
        return frozenset(orders)

    def _are_dates(self, words: list[str], order: str) -> bool:
        few = words[:: len(words) // 50 + 1]
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


def _bare(texts: pa.Array) -> pa.Array:
    """The texts without blanks around them, and without ="" around what a spreadsheet must not
    take for a number."""
    texts = pc.utf8_trim_whitespace(texts)
    if pc.any(pc.starts_with(texts, '="')).as_py():
        texts = pc.replace_substring_regex(texts, r'^="(.*)"$', r"\1")
    return texts
