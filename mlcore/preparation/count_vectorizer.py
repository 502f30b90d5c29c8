"""Word counts: a text becomes how often each word of a vocabulary stands in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.preparation.chain import Met, StepSummary
from mlcore.preparation.step import StepFit, coded, holds_text, refuse_width
from mlcore.preparation.words import Counts, counted, met, words_of
from mlcore.spine.component import Card, enter
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column, freeze
from mlcore.spine.method import Given, Method
from mlcore.spine.params import choice, flag, integer

KINDS = {"count": "count", "binary": "binary", "tfidf": "number"}


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The terms of one column of text, sorted, and what the training rows say of them."""

    column: int  # position in X
    terms: tuple[str, ...]  # (q,)
    rows: np.ndarray  # (q,) training rows that have the term
    weights: np.ndarray  # (q,) what an occurrence weighs
    filled: int  # cells of the training rows that are not 0
    left_out: int  # terms of the training rows that are too rare

    def __post_init__(self) -> None:
        freeze(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        freeze(self)


@dataclass(frozen=True, eq=False, kw_only=True)
class CountVectorizerFit(StepFit):
    """A vocabulary for each column of text."""

    made_by: CountVectorizer
    vocabularies: tuple[Vocabulary, ...]
    plain: np.ndarray  # positions of the columns that pass as they are: they come first
    n_training: int  # rows

    def transform(self, X: Any) -> np.ndarray:
        """The columns that pass, then one a term, shape (m, q); a missing text has only zeros."""
        X = self._rows(X)
        if not self.vocabularies:
            return X
        return np.hstack([X[:, self.plain], *(self.block(X, v) for v in self.vocabularies)])

    @property
    def bags(self) -> tuple[Vocabulary, ...] | None:
        """The vocabularies; None where no column holds text."""
        return self.vocabularies or None

    def unknown(self, X: Any) -> np.ndarray:
        """How many words and runs of words of each row are in no vocabulary, shape (m,)."""
        return self._tally(self._rows(X))[0]

    def met(self, X: Any) -> Met | None:
        """Words and runs of words that are in no vocabulary; None where no column holds text."""
        if not self.vocabularies:
            return None
        new, known = (int(words.sum()) for words in self._tally(self._rows(X)))
        return Met(new, new + known, "words in no vocabulary")

    def _tally(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Words of each row that are in no vocabulary, and those that are counted, each (m,)."""
        new, known = np.zeros((2, len(X)), dtype=np.int64)
        for vocabulary in self.vocabularies:
            counts, at = self._counts(X, vocabulary)
            new += np.append(counts.unknown, 0)[at]
            of_text = np.bincount(counts.text, counts.count, minlength=len(counts.unknown) + 1)
            known += of_text[at].astype(np.int64)
        return new, known

    def summary(self) -> StepSummary:
        """The size of each vocabulary, the share of zeros, and what was left out."""
        values, notes = [], []
        for vocabulary in self.vocabularies:
            name = self.columns[vocabulary.column].name
            cells = self.n_training * len(vocabulary.terms)
            values.append((name, "terms", float(len(vocabulary.terms))))
            values.append((name, "zeros", 1 - vocabulary.filled / cells if cells else 1.0))
            if vocabulary.left_out:
                notes.append(f"{name}: {vocabulary.left_out:,} rarer terms are not counted.")
        notes = notes if self.vocabularies else ["No column holds text."]
        return StepSummary(self.made_by.title(), tuple(values), " ".join(notes))

    def block(self, X: np.ndarray, vocabulary: Vocabulary) -> np.ndarray:
        """The columns of terms of one column of text, shape (m, q), for rows X, shape (m, p)."""
        counts, at = self._counts(X, vocabulary)
        values = self.made_by.weighted(counts, vocabulary.weights)
        # The last row is that of a missing text.
        table = np.zeros((len(counts.unknown) + 1, len(vocabulary.terms)))
        table[counts.text, counts.term] = values
        return table[at]

    def _counts(self, X: np.ndarray, vocabulary: Vocabulary) -> tuple[Counts, np.ndarray]:
        """The counts of each different text, and which of them each row has, shape (m,)."""
        column = self.columns[vocabulary.column]
        texts, at = self.made_by.texts(X[:, vocabulary.column], column)
        made_by = self.made_by
        return counted(made_by.words(texts), vocabulary.terms, made_by.lengths), at


@enter(
    Card(
        "count_vectorizer",
        "Bag of words",
        ("preparation",),
        stage="encode",
        paper="Salton and Buckley (1988), Information Processing and Management 24",
        peer="sklearn.feature_extraction.text.CountVectorizer",
        sources=("cs1:text_bow", "cs1:text_ngrams"),
        takes=("columns", "missing"),
        cost=lambda n, p, self: (1e-4 + 1e-4 * n, 16_000.0 * n),
        formula=r"\varphi(d) = \bigl(f(m_1, d), \dots, f(m_V, d)\bigr)",
        synonyms=(
            "TF-IDF",
            "term frequency",
            "CountVectorizer",
            "TfidfVectorizer",
            "n-grams",
            "text features",
        ),
        line="counts of the words of a text",
    )
)
@dataclass(frozen=True, kw_only=True)
class CountVectorizer(Method):
    r"""Counts how often each word of a vocabulary stands in a text: the bag of words.

    A text loses its punctuation and capitals and is cut at blanks. The vocabulary is that of the
    training rows, sorted; new words are left out. Terms are single words or runs of neighbouring
    ones. With tfidf a count is multiplied by $\ln\frac{1 + n}{1 + n_m} + 1$, where $n_m$ of n
    training rows have the term m, and each row is divided by its length. A missing or empty text
    is a row of zeros; columns without text pass as they are.

    For mails, titles, answers in words: methods then see which words are there, and naive Bayes or
    a linear method with a penalty goes far. The order of words is lost but for the runs, "not
    good" is both words, and inflected words are different ones. Makes no more than 2000 columns:
    keep the most frequent terms, or drop rare ones. O(n L) for texts of L words, and O(n V) cells.
    """

    shortest: int = integer(
        1, low=1, high=5, soft=(1, 5), label="Shortest n-gram", doc="Fewest words of a term."
    )
    longest: int = integer(
        1, low=1, high=5, soft=(1, 5), label="Longest n-gram", doc="Most words of a term."
    )
    lowercase: bool = flag(True, doc="Read capitals as small letters.")
    strip_punctuation: bool = flag(
        True,
        label="Leave out punctuation",
        doc="Remove all marks and symbols; without, they belong to the word beside them.",
    )
    min_count: int = integer(
        1,
        low=1,
        soft=(1, 50),
        label="Minimum document frequency",
        doc="Terms that stand in fewer training rows than this are not counted.",
    )
    max_features: int | None = integer(
        None,
        low=1,
        high=2000,
        soft=(10, 2000),
        or_none="all of them",
        label="Maximum number of terms",
        doc="The terms that occur oftenest are counted, of equal ones the first by alphabet.",
    )
    weighting: str = choice(
        "count",
        "count",
        "binary",
        "tfidf",
        doc="How often a term stands in the text, whether it does (binary), or how often for so "
        "common a term, in a row of length 1 (tfidf).",
    )

    def conflict(self) -> str | None:
        """Refuse runs whose shortest length is above the longest."""
        if self.shortest > self.longest:
            return (
                f"The shortest run of words, {self.shortest}, is longer than the longest, "
                f"{self.longest}. Exchange them."
            )
        return None

    def _fit(self, given: Given) -> CountVectorizerFit:
        texts = [j for j, column in enumerate(given.columns) if holds_text(column)]
        vocabularies = tuple(self._vocabulary(given.X[:, j], j, given.columns[j]) for j in texts)
        refuse_width(
            sum(len(vocabulary.terms) for vocabulary in vocabularies),
            f"{self.title()} of {' and '.join(given.columns[j].name for j in texts)}",
            "Set max_features to keep the most frequent, or raise min_count.",
        )
        plain = [j for j in range(given.p) if j not in texts]
        if not plain and not any(vocabulary.terms for vocabulary in vocabularies):
            raise DataError(
                f"{self.title()} found no word to count. Lower min_count, or choose other columns."
            )
        return CountVectorizerFit(
            made_by=self,
            columns=given.columns,
            out_columns=self._columns(given.columns, plain, vocabularies),
            vocabularies=vocabularies,
            plain=np.array(plain, dtype=np.int64),
            n_training=given.n,
        )

    def texts(self, values: np.ndarray, column: Column) -> tuple[list[str], np.ndarray]:
        """The different texts of a column, and which of them each row has, shape (m,).

        A missing text is numbered after the others.
        """
        codes = coded(values, column, self.title())
        distinct, at = np.unique(codes, return_inverse=True)
        is_text = distinct < len(column.levels)
        return [column.levels[code] for code in distinct[is_text]], at

    @property
    def lengths(self) -> range:
        """How many words a term may have."""
        return range(self.shortest, self.longest + 1)

    def words(self, texts: list[str]) -> list[list[str]]:
        """The words of each text."""
        return words_of(texts, lowercase=self.lowercase, strip_punctuation=self.strip_punctuation)

    def weighted(self, counts: Counts, weights: np.ndarray) -> np.ndarray:
        """The value of each pair of text and term, shape (t,), with the weights of terms, (q,)."""
        if self.weighting == "binary":
            return np.ones(len(counts.count))
        if self.weighting == "count":
            return counts.count.astype(np.float64)
        values = counts.count * weights[counts.term]
        # Added up in the order of terms, a text gets the same bits whatever stands beside it.
        squares = np.bincount(counts.text, values**2, minlength=len(counts.unknown))
        return values / np.sqrt(squares)[counts.text]

    def _vocabulary(self, values: np.ndarray, j: int, column: Column) -> Vocabulary:
        texts, at = self.texts(values, column)
        every = met(self.words(texts), self.lengths)
        counts, q = every.counts, len(every.first)
        times = np.bincount(at, minlength=len(texts))[: len(texts)][counts.text]  # rows of a text
        rows = np.bincount(counts.term, times, minlength=q).astype(np.int64)
        often = np.bincount(counts.term, times * counts.count, minlength=q)
        names = {k: every.name(k) for k in np.flatnonzero(rows >= self.min_count).tolist()}
        chosen = self._chosen(names, often)
        idf = np.log((1 + len(values)) / (1 + rows[chosen])) + 1
        return Vocabulary(
            column=j,
            terms=tuple(names[k] for k in chosen),
            rows=rows[chosen],
            weights=idf if self.weighting == "tfidf" else np.ones(len(chosen)),
            filled=int(rows[chosen].sum()),
            left_out=q - len(chosen),
        )

    def _chosen(self, names: dict[int, str], often: np.ndarray) -> np.ndarray:
        """Which terms are counted, in the order of the alphabet."""
        chosen = np.array(sorted(names, key=names.__getitem__), dtype=np.int64)
        if self.max_features is not None:
            best = np.argsort(-often[chosen], kind="stable")[: self.max_features]
            chosen = chosen[np.sort(best)]
        return chosen

    def _columns(
        self, columns: tuple[Column, ...], plain: list[int], vocabularies: tuple[Vocabulary, ...]
    ) -> tuple[Column, ...]:
        kind = KINDS[self.weighting]
        words = (
            Column(f"{column.name}: {term}", kind, (), column.variable)
            for vocabulary in vocabularies
            for column in (columns[vocabulary.column],)
            for term in vocabulary.terms
        )
        return (*(columns[j] for j in plain), *words)
