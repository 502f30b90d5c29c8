"""Texts as runs of words, and how often each run stands in each text."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from itertools import chain, count, repeat
from typing import NamedTuple

import numpy as np

PUNCTUATION = ("P", "S")  # Unicode categories: marks and symbols


class Counts(NamedTuple):
    """Which terms stand in which text, and how often; sorted by text, then by term."""

    text: np.ndarray  # (t,) position of the text
    term: np.ndarray  # (t,) number of the term
    count: np.ndarray  # (t,) at least 1
    unknown: np.ndarray  # (number of texts,) words and runs without a number


def terms_of(
    texts: Sequence[str], *, lowercase: bool, strip_punctuation: bool, runs: range
) -> list[list[str]]:
    """The words of each text, or its n-grams of the lengths in `runs`, in their order."""
    if lowercase:
        texts = [text.lower() for text in texts]
    if strip_punctuation:
        letters = set().union(*texts)
        marks = dict.fromkeys(ord(c) for c in letters if unicodedata.category(c)[0] in PUNCTUATION)
        texts = [text.translate(marks) for text in texts]
    words = [text.split() for text in texts]
    return words if runs == range(1, 2) else [_runs(text_words, runs) for text_words in words]


def _runs(words: list[str], lengths: range) -> list[str]:
    after = [words[k:] for k in range(lengths.stop)]
    by_length = (
        words if length == 1 else map(" ".join, zip(*after[:length], strict=False))
        for length in lengths
    )
    return list(chain.from_iterable(by_length))


def numbered(terms: Iterable[list[str]]) -> dict[str, int]:
    """A number for each term, as they come."""
    return dict(zip(dict.fromkeys(chain.from_iterable(terms)), count(), strict=False))


def counted(terms: Sequence[list[str]], number: dict[str, int]) -> Counts:
    """How often each term that has a number stands in each text."""
    n, width = len(terms), max(len(number), 1)
    lengths = np.array([len(text_terms) for text_terms in terms], dtype=np.int64)
    numbers = map(number.get, chain.from_iterable(terms), repeat(-1))
    term = np.fromiter(numbers, np.int64, int(lengths.sum()))
    text = np.repeat(np.arange(n), lengths)
    unknown = np.bincount(text[term < 0], minlength=n)
    text, term = text[term >= 0], term[term >= 0]
    # One number for a pair: sorted, equal pairs stand together.
    pairs, times = np.unique(text * width + term, return_counts=True)
    return Counts(pairs // width, pairs % width, times, unknown)
