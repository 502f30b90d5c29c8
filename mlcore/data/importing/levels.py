"""The different texts of a column, each handled once however often it occurs."""

# Arrow makes its functions when it is imported, where no checker of types sees them.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mlcore.data import dates
from mlcore.data.importing.decisions import is_missing_among_numbers

_DOTTED = re.compile(r"[0-9]{1,2}\.[0-9]{1,2}\.")


@dataclass(frozen=True)
class Levels:
    """The texts in order, the code of each row (-1: missing) and the markers of missing values."""

    texts: list[str]
    codes: np.ndarray  # (n,), whole numbers
    met: tuple[str, ...]

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

    @property
    def words(self) -> list[str]:
        """The texts that would not mean missing among numbers."""
        return [text for text in self.texts if not is_missing_among_numbers(text)]

    @property
    def missing_among_numbers(self) -> tuple[str, ...]:
        """The texts that mean missing among numbers and dates only."""
        return tuple(text for text in self.texts if is_missing_among_numbers(text))

    def spread(self, values: np.ndarray) -> np.ndarray:
        """One value a text, shape (texts,), made into one a row, shape (n,); NaN for missing."""
        return np.append(values, np.nan)[self.codes]

    def counts(self) -> np.ndarray:
        """How often each text occurs, shape (number of texts,)."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.texts))

    @cached_property
    def date_orders(self) -> frozenset[str]:
        """The orders under which all the words are dates; empty if they are none."""
        words = self.words
        orders = {order for order in dates.DATE_ORDERS if words and _are_dates(words, order)}
        # Dots stand only between dates that begin with the day.
        if "dmy" in orders and any(_DOTTED.match(word) for word in words):
            orders -= {"mdy"}
        return frozenset(orders)


def _bare(texts: pa.Array) -> pa.Array:
    """The texts without blanks around them, and without ="" around what a spreadsheet must not
    take for a number."""
    texts = pc.utf8_trim_whitespace(texts)
    if pc.any(pc.starts_with(texts, '="')).as_py():
        texts = pc.replace_substring_regex(texts, r'^="(.*)"$', r"\1")
    return texts


def _are_dates(words: list[str], order: str) -> bool:
    few = words[:: len(words) // 50 + 1]
    return not any(np.isnan(dates.days(some, order)).any() for some in (few, words))
