"""Views of data: numbers by value, readings, odd cases."""

import numpy as np
import pytest

from figures.views.data import (
    column_profiles,
    correlation_map,
    missing_map,
    parallel_coordinates,
    scatter_pairs,
)
from figures.views.evaluation import fold_ribbon
from figures.views.preparation import before_after, class_balance
from mlcore.data.table import Table, coded, numeric
from mlcore.preparation.chain import Prepared, StepSummary
from mlcore.runs.carry import Whole
from mlcore.spine.errors import DataError
from mlcore.spine.registry import lookup
from tests.figures import made

NAMES = ("nominal", ("red", "blue"))


def table(**columns):
    """A table from lists; None is a missing value."""
    return Table.of(*(numeric(k, np.array(v, dtype=float)) for k, v in columns.items()))


class TestMissing:
    def test_patterns_are_counted_the_most_frequent_first(self):
        held = table(a=[1, None, 3, None], b=[1, 2, None, 2])
        m = missing_map.numbers(held)
        assert m.counts.tolist() == [2, 1, 1]
        assert m.patterns[0].tolist() == [True, False]
        assert m.rows[0].tolist() == [1, 3]
        text = missing_map.reading(m)
        assert (
            text == "3 cells (38 %) are missing; 1 of 4 rows are complete. Most: a (2) and b (1)."
        )
        assert missing_map.table(m)[0].values == ["a", "none", "b"]

    def test_what_a_preparation_fills_is_marked(self):
        held = table(a=[1, None, 3, 4], b=[1, 2, None, 2])
        data = made.dataset(held.matrix())
        fit = lookup("preparation", "impute")().fit(data.X[:, :], columns=data.columns, seed=0)
        m = missing_map.numbers_after(data, Prepared((fit,), data.X, None, fit.out_columns))
        assert m.filled is not None
        assert m.filled.tolist() == [True, True]
        assert missing_map.reading(m).endswith("The preparation fills all of them.")
        z = missing_map.draw(m).data[0].z
        assert np.unique(z).tolist() == [0, 1], "no cell is left missing"
        nothing = missing_map.numbers_after(data, Prepared((), data.X, None, data.columns))
        assert missing_map.draw(nothing).data[0].z.max() == 2
        assert missing_map.reading(nothing).endswith("The preparation fills none of them.")

    def test_nothing_missing(self):
        m = missing_map.numbers(table(a=[1, 2]))
        assert missing_map.reading(m) == "No cell is missing."
        assert missing_map.draw(m).layout.annotations[0].text == "No cell is missing."

    def test_names_can_be_missing_too(self):
        m = missing_map.numbers(Table.of(coded("c", ["x", "", "y"])))
        assert m.by_column.tolist() == [1]


class TestBalance:
    def test_counts_and_a_word_on_uneven_classes(self):
        data = made.dataset(np.zeros((9, 1)), [0] * 8 + [1], ("common", "rare"))
        b = class_balance.numbers(data)
        assert b.counts.tolist() == [8, 1]
        assert b.rows[1].tolist() == [8]
        text = class_balance.reading(b)
        assert "common has 89 % of the rows, rare 11 %." in text
        assert "always saying common is right at a rate of 0.889" in text

    def test_equal_classes_a_single_one_and_none(self):
        even = class_balance.numbers(made.dataset(np.zeros((4, 1)), [0, 0, 1, 1], ("a", "b")))
        assert class_balance.reading(even) == "2 classes of y with 2 rows each."
        one = class_balance.numbers(made.dataset(np.zeros((2, 1)), [0, 0], ("a",)))
        assert "nothing to tell apart" in class_balance.reading(one)
        with pytest.raises(DataError, match="no classes to count"):
            class_balance.numbers(made.dataset(np.zeros((2, 1))))


class TestCorrelations:
    def test_matrix_with_a_quantity_as_target(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(30, 3))
        X[:, 2] = -X[:, 0]
        y = X[:, 1] + 0.1 * rng.normal(size=30)
        c = correlation_map.numbers(made.dataset(X, y))
        expected = np.corrcoef(np.column_stack([y, X]).T)
        np.testing.assert_allclose(c.r, expected, atol=1e-12)
        text = correlation_map.reading(c)
        assert "x2 goes best with y" in text
        assert "1 pair of columns beyond 0.9: x1 with x3 (−1.00)." in text

    def test_classes_go_by_the_share_between_them(self):
        X = np.array([[0.0], [2.0], [4.0], [6.0], [8.0], [10.0]])
        c = correlation_map.numbers(made.dataset(X, [0, 0, 1, 1, 2, 2], ("a", "b", "c")))
        assert c.is_ratio
        assert c.r[0, 1] == pytest.approx(np.sqrt(64 / 70))

    def test_columns_of_names_are_left_out_and_one_column_is_too_few(self):
        data = made.dataset([[0, 1.0], [1, 2.0]], kinds=(NAMES,))
        c = correlation_map.numbers(data)
        assert c.names == ("x2",)
        assert correlation_map.reading(c) == "There are fewer than two columns of quantities."
        assert "two columns" in correlation_map.draw(c).layout.annotations[0].text


class TestManyColumns:
    def test_profiles_stop_at_sixteen_columns_and_say_so(self):
        data = made.dataset(np.random.default_rng(0).normal(size=(30, 20)))
        p = column_profiles.numbers(data)
        assert len(p.profiles) == 16
        assert "The first 16 of 20 columns are drawn." in column_profiles.reading(p)

    def test_pairs_are_the_columns_that_say_most(self):
        rng = np.random.default_rng(1)
        y = np.arange(60) % 2
        X = rng.normal(size=(60, 8))
        X[:, [1, 3, 4, 6, 7]] += 2 * y[:, None]
        p = scatter_pairs.numbers(made.dataset(X, y, ("a", "b")))
        assert [c.name for c in p.columns] == ["x2", "x4", "x5", "x7", "x8"]
        chosen = scatter_pairs.numbers(made.dataset(X, y, ("a", "b")), ("x8", "x1"))
        assert [c.name for c in chosen.columns] == ["x8", "x1"]
        assert scatter_pairs.draw(chosen).data[0].type == "scatter"
        with pytest.raises(DataError, match="no column 'z'"):
            scatter_pairs.numbers(made.dataset(X), ("z", "x1"))

    def test_a_single_column_stands_against_the_quantity_that_it_tells(self):
        p = scatter_pairs.numbers(made.dataset([[1.0], [2.0], [4.0]], np.array([5.0, 6.0, 9.0])))
        np.testing.assert_array_equal(p.X, [[1, 5], [2, 6], [4, 9]])
        assert p.value is None and "Colour" not in scatter_pairs.reading(p)
        assert scatter_pairs.draw(p).layout.yaxis.title.text == p.columns[1].name == "y"

    def test_many_rows_are_sampled_and_that_is_said(self):
        data = made.dataset(np.random.default_rng(2).normal(size=(4000, 3)))
        assert scatter_pairs.scatter_pairs(data).note.startswith("3,000 of")
        assert parallel_coordinates.parallel_coordinates(data).note.startswith("500 of")

    def test_all_pictures_of_a_large_table_show_the_same_rows(self):
        rng = np.random.default_rng(3)
        data = made.dataset(rng.normal(size=(21_000, 2)), rng.integers(0, 2, 21_000), ("a", "b"))
        p = column_profiles.numbers(data)
        drawn = np.sort(
            np.concatenate(
                [p.profiles[0].rows[k][b] for k in (0, 1) for b in range(len(p.profiles[0].counts))]
            )
        )
        assert len(drawn) == p.profiles[0].counts.sum() == 20_000
        b = class_balance.numbers(data)
        assert b.counts.sum() == 21_000, "counts are of all rows"
        np.testing.assert_array_equal(np.sort(np.concatenate(b.rows)), drawn)
        note = column_profiles.column_profiles(data).note
        assert note == "20,000 of 21,000 rows, at random"

    def test_one_column_is_too_few(self):
        data = made.dataset([[1.0], [2.0]])
        for view in (scatter_pairs, parallel_coordinates, before_after):
            with pytest.raises(DataError, match="two columns"):
                view.numbers(data, None) if view is before_after else view.numbers(data)


def test_parallel_lines_run_from_the_least_to_the_largest_value():
    data = made.dataset([[0, 10.0], [1, 20.0], [0, np.nan]], kinds=(NAMES,))
    p = parallel_coordinates.numbers(data)
    np.testing.assert_array_equal(p.heights, [[0, 0], [1, 1], [0, np.nan]])
    fig = parallel_coordinates.draw(p)
    assert [a.text for a in fig.layout.annotations] == ["red", "blue", "10.0", "20.0"]
    np.testing.assert_array_equal(parallel_coordinates.table(p)[2].values, [10, 20, np.nan])
    assert list(fig.data[0].customdata) == [0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_of_one_column_the_target_is_the_other_axis():
    """The income alone is no plane; what is done to it is seen beside what it is to predict."""
    data = made.dataset([[0.0], [2.0], [4.0]], y=[1.0, 9.0, 5.0])
    halved = Prepared((_Halves(),), data.X / 2, None, data.columns)
    b = before_after.numbers(data, Whole(None, halved, 0.0, 0))
    for panel, x in ((b.before, [0.0, 2.0, 4.0]), (b.after, [0.0, 1.0, 2.0])):
        np.testing.assert_array_equal(panel.cloud.x, x)
        np.testing.assert_array_equal(panel.cloud.y, [1.0, 9.0, 5.0])
        assert panel.columns[1].name == data.target
    assert before_after.draw(b).layout.yaxis4.scaleanchor is None, "a target is in no distance"


def test_before_and_after_say_who_rules_the_distances():
    X = np.array([[0.0, 0.0], [1.0, 100.0], [0.0, 100.0], [1.0, 0.0]])
    data = made.dataset(X)
    scaled = Prepared((_Halves(),), _Halves().transform(X), None, data.columns)
    b = before_after.numbers(data, Whole(None, scaled, 0.0, 0))
    np.testing.assert_allclose(b.before.shares, [1 / 10_001, 10_000 / 10_001])
    np.testing.assert_allclose(b.after.shares, [0.5, 0.5])
    assert "Before, x2 makes up 99.99 % of the squared distances" in before_after.reading(b)
    assert before_after.reading(b).endswith("after, every column adds alike, 50 %.")
    fig = before_after.draw(b)
    assert fig.layout.yaxis4.scaleanchor == "x4", "equal axes after"
    bars = [(bar.text, bar.x[0]) for bar in fig.data if bar.type == "bar"]
    assert bars[0] == ("x2 99.99 %", pytest.approx(10_000 / 10_001))
    assert len(bars) == 4


class _Halves:
    """Columns divided by their range."""

    out_columns = ()

    def transform(self, X):
        """The rows between 0 and 1."""
        return X / np.array([1.0, 100.0])


class TestFoldRibbon:
    def outcome(self, *learned):
        folds = [
            made.fold(k, [2 * k, 2 * k + 1], scores={"accuracy": 1.0}, summary=summary)
            for k, summary in enumerate(learned)
        ]
        return made.outcome(folds)

    def test_values_stand_by_how_much_they_differ(self):
        steps = [
            (StepSummary("Scale", (("u", "mean", 10.0), ("v", "mean", v)), note),)
            for v, note in ((1.0, ""), (3.0, "Something happened."))
        ]
        r = fold_ribbon.numbers(made.dataset(np.zeros((4, 1))), self.outcome(*steps))
        assert r.heads == ("Scale: v, mean", "Scale: u, mean")
        assert r.values.tolist() == [[1, 10], [3, 10]]
        assert r.off.tolist() == [[-1, 0], [1, 0]]
        layout = fold_ribbon.draw(r).layout
        across = layout.meta["least"] - 60  # beside the names of the folds
        low, high = layout.xaxis2.domain
        assert (high - low) * across / 2 > 78  # pixels of a line above a value, wherever it stands
        assert low * across + 78 < 330 - 50  # a phone shows the first value whole
        assert r.left_out.tolist() == [[1, 1, 0, 0], [0, 0, 1, 1]]
        assert r.notes == ("", "Something happened.")
        assert "that of Scale: v, mean differs most: 1 to 3." in fold_ribbon.reading(r)

    def test_a_value_that_a_fold_did_not_learn_is_empty(self):
        steps = [(StepSummary("S", (("u", "mean", 1.0),)),), (StepSummary("S", ()),)]
        r = fold_ribbon.numbers(made.dataset(np.zeros((4, 1))), self.outcome(*steps))
        assert np.isnan(r.values[1, 0])
        assert fold_ribbon.reading(r).endswith("1 learned value.")
        texts = [list(row) for row in fold_ribbon.draw(r).data[1].text]
        assert texts == [["1"], ["–"]]  # a count is whole

    def test_of_a_value_that_a_fold_did_not_learn_it_is_said(self):
        learned = [(("u", "n", 8.0),), (("u", "n", 11.0),), ()]
        steps = [(StepSummary("S", values),) for values in learned]
        r = fold_ribbon.numbers(made.dataset(np.zeros((6, 1))), self.outcome(*steps))
        assert fold_ribbon.reading(r).endswith("differs most: 8 to 11, and 1 fold has none.")
        r = fold_ribbon.numbers(made.dataset(np.zeros((8, 1))), self.outcome(*steps, steps[-1]))
        assert fold_ribbon.reading(r).endswith("differs most: 8 to 11, and 2 folds have none.")

    def test_heads_are_broken_into_lines_before_they_are_cut(self):
        names = ("sex", "female for missing values"), ("island=Torgersen", "mean")
        steps = [(StepSummary("S", tuple((*each, v) for each in names)),) for v in (1.0, 2.0)]
        r = fold_ribbon.numbers(made.dataset(np.zeros((4, 1))), self.outcome(*steps))
        heads = list(fold_ribbon.draw(r).layout.xaxis2.ticktext)
        assert heads == ["sex<br>female for<br>missing values", "island=<br>Torgersen<br>mean"]

    def test_no_preparation_and_no_fold(self):
        data = made.dataset(np.zeros((4, 1)))
        nothing = fold_ribbon.numbers(data, self.outcome((), ()))
        assert fold_ribbon.reading(nothing).endswith(
            "The preparation learns nothing from the rows."
        )
        assert fold_ribbon.draw(nothing).data
        none = fold_ribbon.numbers(data, made.outcome([]))
        assert fold_ribbon.reading(none) == "No fold is done."
        assert fold_ribbon.draw(none).data
