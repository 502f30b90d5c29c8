"""Runs of words by numbers, against each run written out."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from mlcore.preparation.words import counted, met


def written(words: list[str], lengths: range) -> Counter[str]:
    """How often each run of words stands in a text."""
    begins = ((length, k) for length in lengths for k in range(len(words) - length + 1))
    return Counter(" ".join(words[k : k + length]) for length, k in begins)


def texts(rng: random.Random, words: str) -> list[list[str]]:
    """Up to eight texts, some without a word."""
    return [rng.choices(words, k=rng.choice((0, 1, 2, 5, 12))) for _ in range(rng.randint(0, 8))]


def drawn(seed: int) -> tuple[random.Random, range]:
    rng = random.Random(seed)
    shortest = rng.randint(1, 4)
    return rng, range(shortest, rng.randint(shortest, 5) + 1)


@pytest.mark.parametrize("seed", range(30))
def test_every_run_is_met_as_often_as_it_is_written(seed):
    rng, lengths = drawn(seed)
    some = texts(rng, "abcd")
    runs = met(some, lengths)
    names = [runs.name(k) for k in range(len(runs.first))]
    assert len(set(names)) == len(names)
    for k, own in enumerate(some):
        at = runs.counts.text == k
        told = zip(runs.counts.term[at], runs.counts.count[at], strict=True)
        assert {names[term]: times for term, times in told} == written(own, lengths)


@pytest.mark.parametrize("seed", range(30))
def test_terms_are_counted_in_texts_with_other_words(seed):
    rng, lengths = drawn(seed)
    every = sorted(set().union(*(written(own, lengths) for own in texts(rng, "abcd"))))
    terms, new = rng.sample(every, rng.randint(0, len(every))), texts(rng, "abcdz")
    counts = counted(new, terms, lengths)
    table = np.zeros((len(new), len(terms)), dtype=np.int64)
    table[counts.text, counts.term] = counts.count
    for k, own in enumerate(new):
        right = written(own, lengths)
        assert table[k].tolist() == [right[term] for term in terms]
        assert counts.unknown[k] == right.total() - table[k].sum()
    order = counts.text * max(len(terms), 1) + counts.term
    assert (np.diff(order) > 0).all()
