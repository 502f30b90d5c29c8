"""What test rows bring that no training row had: counted, and said of every fold."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.preparation.chain import prepare
from mlcore.preparation.count_vectorizer import CountVectorizer
from mlcore.preparation.impute import Impute
from mlcore.preparation.min_max import MinMax
from mlcore.preparation.one_hot import OneHot
from mlcore.preparation.outlier_clipper import OutlierClipper
from mlcore.preparation.quantile import QuantileTransformer
from mlcore.preparation.some_columns import SomeColumns
from mlcore.runs.carry import carried_out
from mlcore.runs.run import Run
from mlcore.spine.fit import Column

SEEN = np.array([[0.0, 5.0], [10.0, 7.0], [4.0, 6.0]])
NEW = np.array([[-1.0, 5.0], [11.0, 8.0], [np.nan, 6.0]])
NAMES = (Column("island", "nominal", ("Biscoe", "Dream", "Torgersen")), Column("mass"))


@pytest.mark.parametrize(
    ("step", "wanted"),
    [
        (MinMax(), (3, 5, "values outside 0 to 1")),
        (MinMax(high=2.0, clip=True), (3, 5, "values moved to an end of 0 to 2")),
        (QuantileTransformer(), (3, 5, "values beyond the training range")),
        (OutlierClipper(rule="quantile", share=0.0), (3, 5, "values moved to a fence")),
        (SomeColumns(names=("x1",), step=MinMax()), (2, 2, "values outside 0 to 1")),
    ],
)
def test_values_that_training_did_not_reach_are_counted(step, wanted):
    fit = step.fit(SEEN)
    assert fit.met(NEW) == wanted
    assert fit.met(SEEN)[0] == 0


def test_names_and_words_that_training_did_not_have_are_counted():
    X = np.array([[0.0, 1.0], [1.0, 1.0]])
    fit = OneHot().fit(X, columns=NAMES)
    assert fit.met([[2.0, 1.0], [0.0, 1.0]]) == (1, 2, "names of levels that no fitted row has")
    texts = (Column("mail", "text", ("a calm sea", "the calm wind", "a sea, a calm")),)
    words = CountVectorizer().fit([[0.0], [0.0]], columns=texts)
    assert words.met([[1.0], [2.0], [np.nan]]) == (2, 7, "words in no vocabulary")
    assert list(words.unknown([[1.0], [2.0], [np.nan]])) == [2, 0, 0]
    assert OneHot().fit(SEEN).met(SEEN) is CountVectorizer().fit(SEEN).met(SEEN) is None


def test_a_later_step_meets_the_rows_as_the_earlier_ones_leave_them():
    prepared = prepare((Impute(), MinMax()), SEEN, None, (Column("a"), Column("b")))
    assert prepared.met(NEW) == (None, (3, 6, "values outside 0 to 1"))


def test_every_fold_says_what_its_rows_left_out_bring():
    run = Run(data="iris", method="constant", preparation=(MinMax(),))
    folds = carried_out(run).done
    dataset = run.data.dataset()
    for fold in folds:
        seen, left = dataset.X[fold.train], dataset.X[fold.test]
        beyond = (left < seen.min(axis=0)) | (left > seen.max(axis=0))
        assert fold.met == ((beyond.sum(), left.size, "values outside 0 to 1"),)
    assert sum(fold.met[0].count for fold in folds) > 0
