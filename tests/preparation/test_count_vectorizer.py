"""Word counts: the reference, texts by hand, new texts, and texts from the table to a file."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.feature_extraction import text as sk

from mlcore.data.table import Table, coded
from mlcore.interop.experiment import pipeline
from mlcore.preparation.chain import prepare
from mlcore.preparation.count_vectorizer import CountVectorizer
from mlcore.runs import saved
from mlcore.runs.carry import carried_out
from mlcore.runs.run import Run
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.fit import Column
from mlcore.spine.registry import entries
from tests.preparation.test_contract import COLUMNS, mixed

TEXTS = (
    "Call me now! Call.",
    "the cat, the dog",
    "DOG & cat: 2 dogs?",
    "... !",
    "a b c d",
    "Ça coûte 5 €; don't pay",
)
DOCUMENTS = "data=documents&data.roles=sentence:feature~words:ignore&preparation=count_vectorizer"


def rows(*codes: float) -> np.ndarray:
    return np.array(codes or range(len(TEXTS)), dtype=float)[:, None]


def column(texts: tuple[str, ...] = TEXTS) -> tuple[Column, ...]:
    return (Column("note", "text", texts, "note"),)


def bare(text: str) -> str:
    """What is left without marks and symbols."""
    return "".join(c for c in text.lower() if c.isalnum() or c.isspace())


PARITY = [
    ({}, sk.CountVectorizer, {}),
    ({"shortest": 1, "longest": 3}, sk.CountVectorizer, {"ngram_range": (1, 3)}),
    ({"shortest": 2, "longest": 2}, sk.CountVectorizer, {"ngram_range": (2, 2)}),
    ({"min_count": 2}, sk.CountVectorizer, {"min_df": 2}),
    ({"weighting": "binary"}, sk.CountVectorizer, {"binary": True}),
    ({"weighting": "tfidf"}, sk.TfidfVectorizer, {}),
    ({"lowercase": False, "strip_punctuation": False}, sk.CountVectorizer, {"lowercase": False}),
]


@pytest.mark.parametrize(("ours", "peer", "theirs"), PARITY, ids=[repr(o) for o, _, _ in PARITY])
def test_terms_are_counted_as_by_the_reference(ours, peer, theirs):
    X = rows(0, 1, 2, 3, 4, 5, 1, 1)
    texts = [TEXTS[int(code)] for code in X[:, 0]]
    clean = str if ours.get("strip_punctuation") is False else bare
    reference = peer(token_pattern=r"\S+", preprocessor=None, **theirs).fit(map(clean, texts[:6]))
    fit = CountVectorizer(**ours).fit(X[:6], columns=column())
    assert [c.name for c in fit.out_columns] == [f"note: {t}" for t in _terms(reference)]
    wanted = reference.transform(map(clean, texts)).toarray()
    np.testing.assert_allclose(fit.transform(X), wanted, atol=1e-15)


def _terms(reference) -> list[str]:
    return reference.get_feature_names_out().tolist()


def test_counts_by_hand():
    fit = CountVectorizer().fit(rows(0, 1), columns=column())
    assert fit.vocabularies[0].terms == ("call", "cat", "dog", "me", "now", "the")
    np.testing.assert_array_equal(
        fit.transform(rows(0, 1)), [[2, 0, 0, 1, 1, 0], [0, 1, 1, 0, 0, 2]]
    )
    assert {c.variable for c in fit.out_columns} == {"note"}
    assert fit.summary().values == (("note", "terms", 6.0), ("note", "zeros", 0.5))


def test_the_most_frequent_terms_are_kept_and_the_rest_is_named():
    fit = CountVectorizer(max_features=3).fit(rows(0, 1, 2), columns=column())
    assert fit.vocabularies[0].terms == ("call", "cat", "dog")
    assert fit.summary().note == "note: 5 rarer terms are not counted."


def test_new_words_are_left_out_and_counted_and_no_text_is_a_row_of_zeros():
    fit = CountVectorizer().fit(rows(1), columns=column())
    new = rows(2, 3, np.nan)
    np.testing.assert_array_equal(fit.transform(new), [[1, 1, 0], [0, 0, 0], [0, 0, 0]])
    np.testing.assert_array_equal(fit.unknown(new), [2, 0, 0])


def test_only_the_words_of_training_rows_are_known():
    X = rows()
    first, second = (
        prepare((CountVectorizer(),), X[:2], None, column(t)) for t in (TEXTS, other())
    )
    assert first.summary() == second.summary()
    assert first.columns == second.columns
    every = prepare((CountVectorizer(),), X, None, column())
    assert len(every.columns) > len(first.columns)


def other() -> tuple[str, ...]:
    """The same texts, but for those of the test rows."""
    return (*TEXTS[:2], *(f"other words {k}" for k in range(4)))


def test_row_by_row_equals_all_at_once_and_what_stands_beside_text_passes():
    X = np.hstack([rows(0, 1, 2, 3, np.nan), rows(7, 8, 9, np.nan, 1)])
    columns = (*column(), Column("age"))
    fit = CountVectorizer(weighting="tfidf", longest=2).fit(X, columns=columns)
    Z = fit.transform(X)
    np.testing.assert_array_equal(Z, np.vstack([fit.transform(row[None]) for row in X]))
    np.testing.assert_array_equal(Z[:, 0], X[:, 1])
    assert fit.out_columns[0] == columns[1]


def test_too_wide_a_vocabulary_and_none_at_all_are_refused():
    texts = (" ".join(f"w{k}" for k in range(2001)),)
    with pytest.raises(DataError, match=r"Bag of words of note would make 2,001 columns.*max_feat"):
        CountVectorizer().fit(rows(0), columns=column(texts))
    assert CountVectorizer(max_features=9).fit(rows(0), columns=column(texts)).out_columns[8:]
    with pytest.raises(DataError, match="found no word to count"):
        CountVectorizer(min_count=4).fit(rows(), columns=column())
    with pytest.raises(ParamError, match="shortest run of words, 3, is longer"):
        CountVectorizer(shortest=3, longest=2)


@pytest.mark.parametrize("name", [n for n in entries("preparation") if n != "count_vectorizer"])
def test_every_other_step_lets_text_pass_or_refuses_it(name):
    step, y = entries("preparation")[name](), np.arange(60) % 2
    X = np.column_stack([mixed(missing=False), np.arange(60) % len(TEXTS)])
    if "missing" in step.card.takes:
        X[::7, -1] = np.nan
    target = y if "target" in step.card.takes else None
    four = [0, 1, 5, 7]  # numbers and the text: as many as a square image has
    columns = (*COLUMNS, *column())
    if reason := refusal(step, X[:, four], target, tuple(columns[j] for j in four)):
        assert "column note holds text. Add word counts to the preparation before it" in reason
        return
    fit = step.fit(X, target, columns=columns)
    if hasattr(fit, "transform"):
        at = fit.out_columns.index(*column())
        np.testing.assert_array_equal(fit.transform(X)[:, at], X[:, -1])
    else:
        texts = fit.resample(X, y)[0][:, -1]
        assert set(texts[~np.isnan(texts)]) == set(range(len(TEXTS)))


def refusal(step, X: np.ndarray, y: np.ndarray | None, columns: tuple[Column, ...]) -> str:
    """Why a step is not fitted, empty if it is."""
    try:
        step.fit(X, y, columns=columns)
    except DataError as error:
        return str(error)
    return ""


def test_a_method_refuses_text_and_says_which_step_helps():
    for method in ("lda", "decision_tree", "naive_bayes"):
        run = Run.from_link({"data": "documents", "data.roles": "sentence:feature",
                             "preparation": "", "method": method})[0]  # fmt: skip
        with pytest.raises(DataError, match=r"column sentence holds text\. Add word counts"):
            carried_out(run)


def test_an_ignored_text_is_noted_with_the_way_to_use_it():
    dataset = Run(data="documents").data.dataset({})
    assert "sentence" not in [c.name for c in dataset.columns]
    assert any("holds text. To learn from it" in note for note in dataset.notes)


@pytest.fixture(scope="module")
def read():
    """A run on the sentences alone, carried out."""
    return carried_out(
        Run.from_link(dict(p.split("=") for p in f"{DOCUMENTS}&method=naive_bayes".split("&")))[0]
    )


def test_the_words_of_ten_sentences_tell_their_topic(read):
    assert not [fold.failure for fold in read.folds if fold.failure]
    assert read.mean("accuracy") > 0.7


def test_a_saved_model_reads_texts_that_it_has_never_seen(read):
    dataset = read.run.data.dataset({})
    whole = saved.model_of(read, dataset)
    written = saved.written(whole)
    assert b"bakery sells" not in written
    model = saved.read(written)
    assert not any("bakery sells" in level for c in model.columns for level in c.levels)
    again = model.outputs_of(dataset.table)
    fitted = read.whole.fit.probabilities(read.whole.prepared.X)
    np.testing.assert_array_equal(again["probability of food"], fitted[:, 0])
    new = coded("sentence", ["A train to the lake", "Salt the soup", ""], "text")
    said = model.outputs_of(Table.of(new))
    assert list(said["predicted topic"][:2]) == ["travel", "food"]
    assert list(said["unknown words"]) == [0, 0, 0]
    rare = Table.of(coded("sentence", ["Quarks and bread"], "text"))
    assert list(model.outputs_of(rare)["unknown words"]) == [1]
    assert len(said["predicted topic"]) == 3
    with pytest.raises(DataError, match="codes from 0"):
        model.predict(dataset.X)


def test_no_experiment_for_another_package_is_written_with_text(read):
    with pytest.raises(ParamError, match="sentence holds text"):
        pipeline(read.run, read.run.data.dataset({}))
