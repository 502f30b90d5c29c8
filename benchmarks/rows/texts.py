"""Counts of words against scikit-learn."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from sklearn.feature_extraction import text

from benchmarks.pairs import Pair
from mlcore.preparation.count_vectorizer import CountVectorizer
from mlcore.spine.fit import Column

MAILS, WORDS, LENGTH = 2000, 1800, 120


@lru_cache(maxsize=1)
def mails() -> tuple[str, ...]:
    """Mails of 120 words on average, of which few are common and most are rare."""
    rng = np.random.default_rng(0)
    words = np.array(["".join(rng.choice(list("aeinorst"), 7)) for _ in range(WORDS)])
    often = 1 / np.arange(1.0, WORDS + 1)
    lengths = rng.poisson(LENGTH, MAILS)
    return tuple(
        " ".join(rng.choice(words, n, p=often / often.sum())).capitalize() + "." for n in lengths
    )


def ours(step: CountVectorizer) -> np.ndarray:
    """Fitted and applied to the same mails."""
    levels = tuple(sorted(set(mails())))
    code = {level: float(k) for k, level in enumerate(levels)}
    X = np.array([[code[mail]] for mail in mails()])
    return step.fit(X, columns=(Column("mail", "text", levels),)).transform(X)


def text_pair(name: str, step: CountVectorizer, peer: text.CountVectorizer) -> Pair:
    """The same counts by both; theirs stay sparse."""
    return Pair(
        name,
        f"sklearn.{type(peer).__name__}",
        f"{MAILS} mails",
        lambda: ours(step),
        lambda: peer.fit(mails()).transform(mails()),
        lambda a, b: float(np.abs(a - b.toarray()).max()),
    )


PAIRS = [
    text_pair("count_vectorizer", CountVectorizer(), text.CountVectorizer()),
    text_pair("count_vectorizer tfidf", CountVectorizer(weighting="tfidf"), text.TfidfVectorizer()),
    text_pair(
        "count_vectorizer runs",
        CountVectorizer(longest=2, min_count=30),
        text.CountVectorizer(ngram_range=(1, 2), min_df=30),
    ),
]
