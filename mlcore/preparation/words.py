"""Texts as runs of words, and how often each run stands in each text.

A run is a number made of that of the run without its last word and that of this word, so that
texts of many words need no string a run: only the terms that are counted get their names.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, count, repeat
from typing import NamedTuple

import numpy as np

PUNCTUATION = ("P", "S")  # Unicode categories: marks and symbols
BLANK = " "  # between the words of a term; no word holds one


class Counts(NamedTuple):
    """Which terms stand in which text, and how often; sorted by text, then by term."""

    text: np.ndarray  # (t,) position of the text
    term: np.ndarray  # (t,) number of the term
    count: np.ndarray  # (t,) at least 1
    unknown: np.ndarray  # (number of texts,) words and runs without a number


class Met(NamedTuple):
    """Every run of words that some texts hold."""

    counts: Counts
    words: list[str]  # all words of the texts
    first: np.ndarray  # (q,) where in `words` each run begins, in one of the places it stands
    length: np.ndarray  # (q,) of how many words it is

    def name(self, k: int) -> str:
        """The words of run k."""
        return BLANK.join(self.words[self.first[k] : self.first[k] + self.length[k]])


class _Runs(NamedTuple):
    """The runs of one length, wherever they stand."""

    length: int
    at: np.ndarray  # (r,) place of the first word of each, rising
    code: np.ndarray  # (r,) equal runs have equal ones, from 0 on; -1 for one that is unknown


def words_of(texts: Sequence[str], *, lowercase: bool, strip_punctuation: bool) -> list[list[str]]:
    """The words of each text, in their order."""
    if lowercase:
        texts = [text.lower() for text in texts]
    if strip_punctuation:
        letters = set().union(*texts)
        marks = dict.fromkeys(ord(c) for c in letters if unicodedata.category(c)[0] in PUNCTUATION)
        texts = [text.translate(marks) for text in texts]
    return [text.split() for text in texts]


def met(texts: Sequence[list[str]], lengths: range) -> Met:
    """All runs of so many words, and how often each stands in each text; none is unknown."""
    words, of_text = _in_line(texts)
    number = dict(zip(dict.fromkeys(words), count(), strict=False))
    word = _numbers(words, number)
    text, term, first, length, q = [], [], [], [], 0
    for runs in _runs(word, of_text, lengths.stop, len(number), _as_they_come):
        if runs.length not in lengths or not len(runs.code):
            continue
        own = np.empty(int(runs.code.max()) + 1, dtype=np.int64)
        own[runs.code] = runs.at
        text.append(of_text[runs.at])
        term.append(runs.code + q)
        first.append(own)
        length.append(np.full(len(own), runs.length))
        q += len(own)
    counts = _counts(_joined(text), _joined(term), len(texts), q)
    return Met(counts, words, _joined(first), _joined(length))


def counted(texts: Sequence[list[str]], terms: Sequence[str], lengths: range) -> Counts:
    """How often each of these terms, of words in `lengths`, stands in each text."""
    split = [term.split(BLANK) for term in terms]
    words, of_text = _in_line(texts)
    known = _Known(split)
    text, term = [], []
    unknown = np.zeros(len(texts), dtype=np.int64)
    word, n_words = _numbers(words, known.number), len(known.number)
    for runs in _runs(word, of_text, lengths.stop, n_words, known.next):
        if runs.length in lengths:
            own = known.terms(runs)
            unknown += np.bincount(of_text[runs.at[own < 0]], minlength=len(texts))
            text.append(of_text[runs.at[own >= 0]])
            term.append(own[own >= 0])
    return _counts(_joined(text), _joined(term), len(texts), len(terms), unknown)


class _Known:
    """The beginnings of terms that are looked for: those of one word more with every step."""

    def __init__(self, terms: list[list[str]]) -> None:
        self.number = dict(zip(dict.fromkeys(chain.from_iterable(terms)), count(), strict=False))
        self.ends = np.array([len(words) for words in terms], dtype=np.int64)
        self.of_terms = [self._numbers(words) for words in terms]
        # The code of the beginning of each term; of a term that is shorter, -1.
        self.code = np.array([own[0] for own in self.of_terms], dtype=np.int64)
        self.length = 1

    def _numbers(self, words: list[str]) -> list[int]:
        return [self.number[word] for word in words]

    def next(self, pairs: np.ndarray) -> np.ndarray:
        """The codes of runs of one word more, given the `pairs` of code and word; -1: no term."""
        at, longer = self.length, self.ends > self.length
        last = np.array([own[at] if len(own) > at else 0 for own in self.of_terms], dtype=np.int64)
        wanted = np.where(longer, self.code * len(self.number) + last, -1)
        every = np.unique(wanted[longer])
        self.code = np.where(longer, np.searchsorted(every, wanted), -1)
        self.length += 1
        if not len(every):
            return np.full(len(pairs), -1)
        place = np.minimum(np.searchsorted(every, pairs), len(every) - 1)
        return np.where(every[place] == pairs, place, -1)

    def terms(self, runs: _Runs) -> np.ndarray:
        """The term that each run is, (r,); -1 for none."""
        whole = np.flatnonzero(self.ends == runs.length)
        term = np.full(int(max(runs.code.max(initial=-1), self.code.max(initial=-1))) + 2, -1)
        term[self.code[whole]] = whole
        return term[runs.code]  # the last place is that of unknown runs


def _runs(
    word: np.ndarray,
    of_text: np.ndarray,
    stop: int,
    n_words: int,
    coded: Callable[[np.ndarray], np.ndarray],
) -> Iterator[_Runs]:
    """The runs of 1, 2, ... words below `stop`, given the number of each word and its text, (t,).

    Numbers are below `n_words`, or -1. `coded` makes codes of numbers that stand for a run and the
    word behind it, -1 where one of both is unknown.
    """
    at, code = np.arange(len(word)), word
    yield _Runs(1, at, code)
    for length in range(2, stop):
        last = at + length - 1
        fits = last < len(word)
        fits[fits] = of_text[last[fits]] == of_text[at[fits]]
        at, code, last = at[fits], code[fits], last[fits]
        pairs = np.where((code >= 0) & (word[last] >= 0), code * n_words + word[last], -1)
        code = coded(pairs)
        yield _Runs(length, at, code)


def _as_they_come(pairs: np.ndarray) -> np.ndarray:
    return np.unique(pairs, return_inverse=True)[1]


def _in_line(texts: Sequence[list[str]]) -> tuple[list[str], np.ndarray]:
    """The words of all texts, (t,), and which text each is of."""
    sizes = np.array([len(words) for words in texts], dtype=np.int64)
    return list(chain.from_iterable(texts)), np.repeat(np.arange(len(texts)), sizes)


def _numbers(words: list[str], number: dict[str, int]) -> np.ndarray:
    """The number of each word, (t,); -1 for one that has none."""
    return np.fromiter(map(number.get, words, repeat(-1)), np.int64, len(words))


def _joined(parts: Iterable[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.empty(0, dtype=np.int64), *parts])


def _counts(
    text: np.ndarray, term: np.ndarray, n: int, q: int, unknown: np.ndarray | None = None
) -> Counts:
    # One number for a pair: sorted, equal pairs stand together.
    width = max(q, 1)
    pairs, times = np.unique(text * width + term, return_counts=True)
    unknown = np.zeros(n, dtype=np.int64) if unknown is None else unknown
    return Counts(pairs // width, pairs % width, times, unknown)
