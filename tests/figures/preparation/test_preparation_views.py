"""Pictures of what steps learned of texts and names, on tables made by hand."""

from __future__ import annotations

import numpy as np
import pytest

from figures.view import views_of_steps
from figures.views.preparation import encoding_table, term_matrix
from mlcore.preparation.chain import prepare
from mlcore.preparation.count_vectorizer import CountVectorizer
from mlcore.preparation.one_hot import OneHot
from mlcore.preparation.ordinal import Ordinal
from mlcore.runs.carry import carried_out
from mlcore.runs.run import Run
from mlcore.spine.fit import Column
from tests.figures import made

TEXTS = ("a b b", "b c", "")
LEVELS = ("low", "mid", "top")


def texts():
    data = made.dataset([[0.0], [1], [np.nan], [1]], [1, 0, 0, 1], ("no", "yes"))
    columns = (Column("note", "text", TEXTS, "note"),)
    return data, prepare((CountVectorizer(),), data.X, None, columns)


def test_terms_are_counted_for_each_text_the_classes_together():
    data, prepared = texts()
    m = term_matrix.numbers(data, prepared)
    assert m.terms == ("b", "c", "a")
    np.testing.assert_array_equal(m.with_term, [3, 2, 1])
    np.testing.assert_array_equal(m.rows, [1, 2, 0, 3])
    assert m.texts == ("b c", "", "a b b", "b c")
    np.testing.assert_array_equal(m.values, [[1, 1, 0], [0, 0, 0], [2, 0, 1], [1, 1, 0]])
    assert m.zeros == pytest.approx(0.5)
    assert "3 terms of note in 4 rows; 50 % of the cells are 0" in term_matrix.reading(m)


def test_only_steps_that_count_or_encode_offer_these_pictures():
    _, prepared = texts()
    assert views_of_steps(prepared) == ("term_matrix",)
    plain = prepare((CountVectorizer(), OneHot()), np.zeros((3, 1)), None, (Column("a"),))
    assert not views_of_steps(plain)


def encoded(step):
    run = Run(data="penguins", preparation=("impute", step, "standardise"), method="lda")
    out = carried_out(run)
    return encoding_table.numbers(run.data.dataset({}), out)


def test_levels_become_columns_of_their_variable():
    e = encoded(OneHot())
    assert e.levels[:3] == ("Biscoe", "Dream", "Torgersen")
    np.testing.assert_array_equal(e.counts[:3], [168, 124, 52])
    np.testing.assert_array_equal(e.numbers[:3, :3], np.eye(3))
    assert np.isnan(e.numbers[:3, 3:]).all()
    assert not e.unknown.any()
    assert "5 levels of 2 columns became 4 columns" in encoding_table.reading(e)


def test_levels_in_order_become_one_number_each():
    columns = (Column("size", "ordinal", LEVELS, "size"),)
    fit = Ordinal().fit([[0.0], [2.0], [np.nan]], columns=columns)
    (found,) = fit.encodings
    np.testing.assert_array_equal(found.numbers, [[-1], [0], [1]])
    assert (found.levels, found.names) == (LEVELS, ("size",))


def test_a_level_that_a_fold_has_never_seen_is_told():
    codes = np.array([0, 0, 1, 1, 2])
    column = Column("size", "nominal", LEVELS, "size")
    (encoding,) = OneHot().fit(codes[:, None], columns=(column,)).encodings
    last = made.fold(0, [3, 4], n=5)
    assert list(encoding_table._unknown(codes, 3, (last,))) == [0, 0, 1]
    assert list(encoding_table._codes(np.array([1.0, np.nan]), encoding, column)) == [1, -1]


def test_the_names_of_terms_have_a_line_each_however_narrow_the_picture():
    """Forty slanted names lay on one another on a phone."""
    m = term_matrix.numbers(*texts())
    many = m._replace(terms=tuple(map(str, range(40))), values=np.zeros((4, 40)))
    assert term_matrix.draw(many).layout.meta["least"] > 40 * 14
