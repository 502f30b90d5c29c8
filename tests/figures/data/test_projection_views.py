"""Pictures that join several columns: definitions, bounds, odd tables."""

from typing import Any

import numpy as np
import pytest

from figures.numbers.standardised import TOO_FEW, quantities
from figures.view import views
from figures.views.data import andrews_curves, informative_pairs
from figures.views.data.andrews_curves import AndrewsOptions, waves
from tests.figures import made


def rng():
    return np.random.default_rng(3)


def told_by_two(n=120, p=5):
    """The target is the sign of x2 * x4: only their plane tells it, neither of them alone."""
    X = rng().normal(size=(n, p))
    return made.dataset(X, (X[:, 1] * X[:, 3] > 0).astype(int), ("minus", "plus"))


def titles(r):
    fig: Any = informative_pairs.draw(r)
    return fig.layout.annotations


class TestStandardised:
    def test_columns_have_mean_zero_and_spread_one_on_complete_rows(self):
        X = rng().normal(3.0, 7.0, size=(50, 3))
        X[4, 1] = np.nan
        q = quantities(made.dataset(X), 12, 100)
        assert q.Z.shape == (49, 3)
        assert 4 not in q.rows
        assert q.Z.mean(axis=0) == pytest.approx(np.zeros(3), abs=1e-12)
        assert q.Z.std(axis=0) == pytest.approx(np.ones(3))
        assert q.note.startswith("49 complete rows of 50")

    def test_columns_of_names_constants_and_gaps_are_left_out(self):
        X = rng().normal(size=(20, 5))
        X[:, 0] = 0
        X[:, 1] = 5.0
        X[:12, 2] = np.nan
        q = quantities(made.dataset(X, kinds=(("nominal", ("red", "blue")),)), 12, 100)
        assert q.names == ("x4", "x5")
        assert len(q.rows) == 20

    def test_rows_and_columns_are_bounded(self):
        q = quantities(made.dataset(rng().normal(size=(300, 40))), 10, 100)
        assert q.Z.shape == (100, 10)
        assert q.which.startswith(" 10 of 40 columns of numbers are drawn")

    @pytest.mark.parametrize("X", [[[1.0], [2.0]], [[1.0, 2.0]], [[1.0, 2.0], [1.0, 3.0]]])
    def test_too_little_is_a_sentence(self, X):
        drawn = views()["andrews_curves"].make(made.dataset(X))
        assert drawn.reading == TOO_FEW
        layout: Any = drawn.figure.layout
        assert layout.annotations[0].text.replace("<br>", " ") == TOO_FEW


class TestAndrews:
    @pytest.mark.parametrize("p", [1, 2, 5, 8])
    def test_waves_are_orthogonal_with_squared_norm_pi(self, p):
        t = np.linspace(-np.pi, np.pi, 200, endpoint=False)
        of = waves(p, t)
        assert of @ of.T * (2 * np.pi / len(t)) == pytest.approx(np.pi * np.eye(p), abs=1e-10)

    def test_distances_of_rows_are_kept_up_to_pi(self):
        a = andrews_curves.numbers(told_by_two(p=6))
        gap = (a.curves[0] - a.curves[1])[:-1]  # both ends of a period are one place
        squared = (gap**2).sum() * (a.t[1] - a.t[0])
        assert squared == pytest.approx(np.pi * ((a.cells.Z[0] - a.cells.Z[1]) ** 2).sum())

    def test_the_mean_of_curves_is_the_curve_of_the_mean(self):
        a = andrews_curves.numbers(told_by_two())
        for k, code in enumerate(a.codes):
            mean = a.cells.Z[a.cells.klass == code].mean(axis=0)
            assert a.means[k] == pytest.approx(mean @ waves(5, a.t))

    def test_the_column_that_says_most_has_the_lowest_frequency(self):
        X = rng().normal(size=(60, 3))
        data = made.dataset(X, (X[:, 2] > 0).astype(int), ("a", "b"))
        assert andrews_curves.numbers(data).cells.names[0] == "x3"
        assert andrews_curves.numbers(data, AndrewsOptions(order="table")).cells.names[0] == "x1"


class TestPairs:
    def test_a_pair_that_only_tells_together_comes_first(self):
        r = informative_pairs.numbers(told_by_two())
        assert r.pairs[0].tolist() == [1, 3]
        assert r.scores[0] > 0.8 > r.scores[1]
        assert r.scores.tolist() == sorted(r.scores, reverse=True)
        assert len(r.pairs) == 10
        assert "no score for rows to come" in informative_pairs.reading(r)

    @pytest.mark.parametrize("task", ["classes", "quantity"])
    def test_scores_are_those_of_nearest_neighbours_left_out_one_by_one(self, task):
        neighbors = pytest.importorskip("sklearn.neighbors")
        selection = pytest.importorskip("sklearn.model_selection")
        X = rng().normal(size=(40, 2))
        y = X[:, 0] + 0.3 * X[:, 1]
        data = made.dataset(X, y)
        kind = neighbors.KNeighborsRegressor
        if task == "classes":
            y, kind = (y > 0).astype(int), neighbors.KNeighborsClassifier
            data = made.dataset(X, y, ("a", "b"))
        Z = (X - X.mean(axis=0)) / X.std(axis=0)
        said = selection.cross_val_predict(kind(10), Z, y, cv=selection.LeaveOneOut())
        expected = (said == y).mean()
        if task == "quantity":
            expected = 1 - ((y - said) ** 2).sum() / ((y - y.mean()) ** 2).sum()
        assert informative_pairs.numbers(data).scores[0] == pytest.approx(expected)

    def test_one_pair_is_drawn_large_and_a_rank_too_many_is_the_last(self):
        small, large = (informative_pairs.numbers(told_by_two(), k) for k in (0, 2))
        assert len(titles(small)) == 6
        (title,) = titles(large)
        assert title.text.startswith("2. ")
        data = made.dataset(rng().normal(size=(9, 2)), np.arange(9) % 2, ("a", "b"))
        last = informative_pairs.numbers(data, 6)
        assert last.rank == 1
        assert "There is no pair 6; the last is drawn." in informative_pairs.reading(last)

    def test_without_a_target_it_says_what_to_do(self):
        drawn = views()["informative_pairs"].make(made.dataset(rng().normal(size=(9, 3))))
        assert drawn.reading == informative_pairs.NO_TARGET
