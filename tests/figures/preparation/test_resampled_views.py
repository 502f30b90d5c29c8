"""The pictures of steps that change the rows: classes before and after, and remote rows."""

from types import SimpleNamespace

import numpy as np
import pytest

from figures.drawing.words import fitted_on
from figures.views.preparation import before_after, class_balance, outlier_scores
from mlcore.classification.base_rates import prior_shift
from mlcore.preparation.balancer import Balancer
from mlcore.preparation.chain import Prepared, prepare, trained
from mlcore.preparation.outlier_remover import OutlierRemover
from mlcore.preparation.standardise import Standardise
from mlcore.runs.carry import Whole
from mlcore.spine.errors import DataError
from tests.figures import made

X = np.random.default_rng(0).normal(size=(100, 2)) * [1.0, 50.0]
X[7] = [30.0, 0.0]
Y = np.repeat([0, 1], [80, 20])
DATA = made.dataset(X, Y, ("common", "rare"), rows=np.arange(100) + 1000)


def prepared(*steps):
    """The steps fitted to all rows."""
    return prepare(steps, DATA.X, DATA.y, DATA.columns)


class TestClassBalance:
    def test_the_rows_learned_from_stand_beside_those_of_the_data(self):
        b = class_balance.numbers(DATA, prepared(Balancer()))
        assert (b.counts.tolist(), b.learned.tolist()) == ([80, 20], [20, 20])
        assert set(b.learned_rows[1].tolist()) == set(range(1080, 1100))
        assert len(class_balance.draw(b).data) == 2
        said = class_balance.reading(b)
        assert "learns from 40 rows, 20 of a class" in said
        assert "multiply that of common by 1.60 and rare by 0.400, and divide by their sum." in said
        assert [c.name for c in class_balance.table(b)][-2:] == [
            "rows learned from", "weight of its probability"
        ]  # fmt: skip

    def test_its_weights_are_the_shift_of_priors(self):
        b = class_balance.numbers(DATA, prepared(Balancer(ratio=0.5)))
        P = np.array([[0.3, 0.7], [0.9, 0.1]])
        weighed = P * b.weights
        expected = prior_shift(P, b.learned, b.counts)
        np.testing.assert_allclose(weighed / weighed.sum(axis=1, keepdims=True), expected)

    def test_nothing_is_added_where_the_rows_are_those_of_the_data(self):
        b = class_balance.numbers(DATA, prepared(Standardise()))
        assert b.learned is None
        assert "look at balanced accuracy too" in class_balance.reading(b)
        assert len(class_balance.draw(b).data) == 1


class TestOutlierScores:
    def test_the_most_remote_row_comes_first_and_is_out(self):
        r = outlier_scores.numbers(DATA, prepared(Standardise(), OutlierRemover(share=0.01)))
        assert r.rows[0] == 1007
        assert r.is_out.tolist() == [True] + [False] * 99
        assert r.scores[0] > r.threshold == r.scores[1]
        said = outlier_scores.reading(r)
        assert said.startswith("1 row of 100 (1 %) has a Mahalanobis distance above ")
        assert "The most remote are rows 1008 (" in said
        assert [trace.name for trace in outlier_scores.draw(r).data] == ["learned from", "removed"]

    def test_scores_are_of_the_rows_as_they_come_to_the_step(self):
        steps = (Standardise(), OutlierRemover(score="knn"))
        r = outlier_scores.numbers(DATA, prepared(*steps))
        Z = Standardise().fit(DATA.X).transform(DATA.X)
        expected = OutlierRemover(score="knn").fit(Z).scores(Z)
        np.testing.assert_allclose(r.scores, np.sort(expected)[::-1])

    def test_any_step_that_can_do_the_same_is_drawn(self):
        """Pictures ask for capabilities: a step of another class has its scores drawn too."""
        depth = SimpleNamespace(
            scores=lambda X: np.abs(X[:, 0]), threshold=20.0, score_name="depth", resample=len
        )
        r = outlier_scores.numbers(DATA, Prepared((depth,), X, None, ()))
        assert (r.name, r.rows[0], int(r.is_out.sum())) == ("depth", 1007, 1)

    def test_nothing_is_drawn_without_such_a_step(self):
        with pytest.raises(DataError, match="No step of the preparation removes outliers"):
            outlier_scores.numbers(DATA, prepared(Standardise()))


def test_the_picture_after_shows_the_rows_that_are_learned_from():
    whole = Whole(None, prepared(Standardise(), Balancer()), 0.0, 0)
    b = before_after.numbers(DATA, whole)
    assert (b.before.cloud.n, b.after.cloud.n) == (100, 40)
    np.testing.assert_array_equal(np.bincount(b.after.cloud.klass), [20, 20])
    np.testing.assert_array_equal(b.after.cloud.rows, 1000 + whole.prepared.rows)
    assert before_after.before_after(DATA, whole).note.endswith("the 40 rows to learn from")


def test_notes_say_how_many_rows_were_fitted_of_how_many():
    said = {
        Balancer(): "fitted on 40 of 100 rows",
        Balancer(method="oversample"): "fitted on 160 rows made from all 100",
        Standardise(): "fitted on all 100 rows",
    }
    for step, note in said.items():
        assert fitted_on(DATA, Whole(None, prepared(step), 0.0, 0)) == note


def test_the_score_says_what_was_learned_from():
    both = prepared(OutlierRemover(), Balancer())
    assert trained(both.summary()) == (
        "Trained without the most remote rows and on balanced classes; scored on rows as they came."
    )
    assert trained(prepared(Standardise()).summary()) == ""
