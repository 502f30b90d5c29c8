"""Views of scores and predictions: numbers by value, readings, odd cases."""

import numpy as np
import pytest

from figures.numbers.curves import ClassCurve
from figures.views.evaluation import complexity_curves, learning_curve_view, pr, roc
from figures.views.evaluation import confusion_heatmap as confusion
from figures.views.evaluation import fold_dots as dots
from figures.views.regression import residuals
from mlcore.evaluation.metrics.metric import Metric
from mlcore.evaluation.metrics.ranking import ThresholdCurve
from mlcore.runs.curves import Curve, CurvePoint
from mlcore.runs.run import Run
from mlcore.spine.errors import DataError, ParamError
from tests.figures import made

ACCURACY = Metric("accuracy", "Accuracy", "higher", "", 0.0, 1.0, True)


def scored(*values, baseline=0.4):
    """An outcome whose folds have these accuracies."""
    folds = [
        made.fold(
            k, [k], scores={"accuracy": v}, fitted_scores={"accuracy": 1.0},
            baseline={"accuracy": baseline}, n=9,
        )
        for k, v in enumerate(values)
    ]  # fmt: skip
    return made.outcome(folds)


class TestFoldDots:
    def test_mean_spread_and_range(self):
        s = dots.numbers(scored(0.8, 0.9, 1.0))
        assert s.mean == pytest.approx(0.9)
        assert s.spread == pytest.approx(0.1)
        assert s.baseline == pytest.approx(0.4)
        assert (s.low, s.high) == (pytest.approx(0.352), pytest.approx(1.048))
        assert s.folds.tolist() == [1, 2, 3]

    def test_equal_dots_stand_on_one_another_and_none_overlap(self):
        assert sorted(dots.stacked(np.array([1.0, 1.0, 1.0, 5.0]), 0.5)) == [0, 0, 1, 2]
        rng = np.random.default_rng(0)
        values = rng.normal(size=40)
        level = dots.stacked(values, 0.2)
        for k in range(level.max() + 1):
            assert np.diff(np.sort(values[level == k])).min(initial=9.0) >= 0.2

    def test_reading_counts_the_folds_that_beat_the_baseline(self):
        text = dots.reading(dots.numbers(scored(0.8, 0.3, 1.0)))
        assert "Accuracy on test rows is 0.70" in text
        assert "standard deviation of 0.36" in text
        assert text.endswith("The baseline, largest class, reaches 0.400 and is beaten in 2 of 3.")

    def test_a_score_is_told_as_the_page_writes_it_large(self):
        text = dots.reading(dots.numbers(scored(0.98324, 0.98776)))
        assert "Accuracy on test rows is 0.986 with a standard deviation of 0.003" in text

    def test_a_baseline_that_is_nothing_beside_the_mean_is_told_as_0(self):
        s = dots.numbers(scored(0.8, 0.9, baseline=2.26e-4))
        assert [note.text for note in dots.draw(s).layout.annotations] == ["largest class 0.000"]
        assert "reaches 0.000 and" in dots.reading(s)

    def test_one_fold_has_no_spread_and_no_fold_has_no_score(self):
        one = dots.numbers(scored(0.8))
        assert np.isnan(one.spread)
        assert "standard deviation" not in dots.reading(one)
        none = dots.numbers(scored(np.nan, np.nan))
        assert dots.reading(none) == "Accuracy is defined in no fold."
        for s in (one, none):
            assert dots.draw(s).layout.height == dots.HEIGHT

    def test_failed_folds_are_said(self):
        folds = [
            made.fold(0, [0], scores={"accuracy": 0.8}),
            made.fold(1, [1], failure="One class in the training part."),
        ]
        s = dots.numbers(made.outcome(folds))
        assert (len(s.values), s.failed) == (1, 1)
        assert "1 fold failed." in dots.reading(s)

    def test_an_unknown_score_is_named(self):
        with pytest.raises(ParamError, match="no score of this run called 'acuracy'"):
            dots.numbers(scored(0.8), "acuracy")


class TestConfusion:
    data = made.dataset(np.zeros((6, 1)), [0, 0, 0, 1, 1, 2], ("a", "b", "c"), rows=range(10, 16))

    def numbers(self, said):
        return confusion.numbers(self.data, made.outcome([made.fold(0, range(6), said)]))

    def test_counts_shares_and_rows(self):
        c = self.numbers([0, 0, 1, 1, 1, 1])
        assert c.counts.tolist() == [[2, 1, 0], [0, 2, 0], [0, 1, 0]]
        np.testing.assert_allclose(c.shares[0], [2 / 3, 1 / 3, 0])
        assert c.rows[0][1].tolist() == [12]
        assert c.rows[2][1].tolist() == [15]

    def test_reading_names_the_most_common_error(self):
        text = confusion.reading(self.numbers([0, 1, 1, 1, 1, 1]))
        assert text == (
            "4 of 6 rows are predicted right. Most common error: a taken for b, 2 of 3."
        ).replace("4 of 6", "3 of 6")
        assert confusion.reading(self.numbers([0, 0, 0, 1, 1, 2])).endswith("There is no error.")

    def test_no_predictions_is_a_sentence(self):
        with pytest.raises(DataError, match="No fold has predictions"):
            confusion.numbers(self.data, made.outcome([made.fold(0, [0], failure="It failed.")]))


def test_groups_are_no_classes_and_no_quantities():
    out = made.outcome([made.fold(0, [0], [0])], "kmeans")
    data = made.dataset(np.zeros((2, 1)), [0, 1], ("a", "b"))
    with pytest.raises(DataError, match="k-means predicts no classes"):
        confusion.numbers(data, out)
    with pytest.raises(DataError, match="k-means predicts no quantity"):
        residuals.numbers(data, out)


class TestCurves:
    data = made.dataset(np.zeros((4, 1)), [0, 0, 1, 1], ("no", "yes"))

    def outcome(self, scores):
        scores = np.asarray(scores)
        P = np.column_stack([1 - scores, scores])
        return made.outcome([made.fold(0, range(4), scores > 0.5, probabilities=P)])

    def test_roc_of_a_perfect_and_of_a_half_ranking(self):
        perfect = roc.numbers(self.data, self.outcome([0.1, 0.2, 0.8, 0.9]))
        assert [c.name for c in perfect.curves] == ["yes"]
        assert perfect.curves[0].area == 1.0
        half = roc.numbers(self.data, self.outcome([0.1, 0.8, 0.2, 0.9]))
        assert half.curves[0].area == 0.75
        assert half.curves[0].curve.y.tolist() == [0, 0.5, 0.5, 1, 1]
        assert "for yes: 0.750" in roc.reading(half)

    def test_a_curve_of_folds_that_are_not_of_one_scale_tells_its_own_area(self):
        P = np.column_stack([1 - (yes := np.array([0.1, 0.2, 0.8, 0.9])), yes])
        folds = [
            made.fold(k, rows, [0, 1], probabilities=P[2 * k : 2 * k + 2])
            for k, rows in enumerate(([0, 2], [1, 3]))
        ]
        for view in (roc, pr):
            r = view.numbers(self.data, made.outcome(folds))
            assert r.curves[0].area == 1.0 > r.curves[0].drawn
            told = f"all folds together, {r.curves[0].drawn:.3f}: probabilities of different folds"
            assert told in view.reading(r)
            alone = view.numbers(self.data, self.outcome([0.1, 0.2, 0.8, 0.9]))
            assert "folds together" not in view.reading(alone)

    def test_the_positive_class_can_be_chosen(self):
        r = roc.numbers(self.data, self.outcome([0.1, 0.8, 0.2, 0.9]), positive="no")
        assert r.curves[0].name == "no"
        with pytest.raises(DataError, match="no class 'maybe'"):
            roc.numbers(self.data, self.outcome([0.1] * 4), positive="maybe")

    def test_precision_starts_where_rows_are_called_positive(self):
        r = pr.numbers(self.data, self.outcome([0.1, 0.8, 0.2, 0.9]))
        assert r.curves[0].area == pytest.approx(0.5 + 0.5 * 2 / 3)
        assert r.curves[0].share == 0.5
        assert "guessing gives its share of the rows, 0.500" in pr.reading(r)

    def test_three_classes_have_a_curve_each_and_a_missing_one_none(self):
        data = made.dataset(np.zeros((4, 1)), [0, 0, 1, 1], ("a", "b", "c"))
        P = np.eye(3)[[0, 1, 1, 0]]
        out = made.outcome([made.fold(0, range(4), [0, 1, 1, 0], probabilities=P)])
        r = roc.numbers(data, out)
        assert [c.name for c in r.curves] == ["a", "b"]
        assert [c.folds for c in r.curves] == [(), ()]
        for view, numbers in ((roc, r), (pr, pr.numbers(data, out))):
            assert view.reading(numbers).startswith(("Each class", "Average precision"))
            assert view.draw(numbers).data

    def test_a_method_without_probabilities_is_a_sentence(self):
        out = made.outcome([made.fold(0, range(4), [0, 0, 1, 1])])
        with pytest.raises(DataError, match="Dummy classifier gives no probabilities"):
            roc.numbers(self.data, out)

    def test_long_curves_keep_their_ends(self):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, 5000)
        data = made.dataset(np.zeros((5000, 1)), y, ("no", "yes"))
        p = rng.random(5000)
        P = np.column_stack([1 - p, p])
        r = roc.numbers(data, made.outcome([made.fold(0, range(5000), y, probabilities=P)]))
        curve = r.curves[0].curve
        assert len(curve.x) <= 800
        assert (curve.x[0], curve.y[0], curve.x[-1], curve.y[-1]) == (0, 0, 1, 1)


class TestResiduals:
    data = made.dataset(np.zeros((4, 1)), [1.0, 2.0, 3.0, 4.0], rows=[0, 2, 4, 6])

    def numbers(self, said):
        folds = [made.fold(0, range(4), said)]
        return residuals.numbers(self.data, made.outcome(folds, "constant_regression"))

    def test_rmse_bias_and_the_worst_row(self):
        r = self.numbers([1.0, 2.0, 3.0, 8.0])
        assert r.rmse == pytest.approx(2.0)
        assert r.bias == pytest.approx(1.0)
        text = residuals.reading(r)
        assert "too high by 1.00 on average" in text
        assert "Largest error: row 7, predicted 8.00, true 4.00." in text
        assert residuals.table(r)[0].values.tolist() == [7, 1, 3, 5]

    def test_perfect_predictions_can_be_drawn(self):
        r = self.numbers([1.0, 2.0, 3.0, 4.0])
        assert "average" not in residuals.reading(r)
        assert len(residuals.draw(r).data) == 4


def curve(values, left_out, fitted, over="rows", metric=ACCURACY):
    """A curve of three folds around the given means."""
    off = np.array([-0.01, 0.0, 0.01])
    points = tuple(
        CurvePoint(k, len(values), v, a + off, b + off, np.full(3, 10), np.full(3, 5))
        for k, (v, a, b) in enumerate(zip(values, left_out, fitted, strict=True))
    )
    return Curve(Run(), metric, over, points)


class TestScoreCurves:
    def test_a_curve_that_still_gains_says_so(self):
        gains = learning_curve_view.numbers(curve([10, 50, 100], [0.5, 0.7, 0.9], [1, 1, 0.98]))
        assert "since 50 rows" in learning_curve_view.reading(gains)
        flat = learning_curve_view.numbers(curve([10, 50, 100], [0.5, 0.9, 0.9], [1, 1, 1]))
        assert "more rows add little" in learning_curve_view.reading(flat)
        assert "With 100 rows accuracy is 0.900 on test rows" in learning_curve_view.reading(flat)

    def test_a_curve_without_scores_can_be_read_and_drawn(self):
        c = learning_curve_view.numbers(curve([10, 20], [np.nan, np.nan], [np.nan, np.nan]))
        assert "defined at no point" in learning_curve_view.reading(c)
        assert learning_curve_view.draw(c).data

    def test_the_best_value_is_found_for_errors_too(self):
        rmse = Metric("rmse", "RMSE", "lower", "")
        held = curve([0.1, 1.0, 10.0], [3.0, 2.0, 4.0], [1.0, 1.5, 3.9], "method.alpha", rmse)
        c = complexity_curves.numbers(held)
        assert (c.curve.best, c.label, c.axis) == (1, "alpha", "log")
        text = complexity_curves.reading(c)
        assert text.startswith("RMSE on test rows is best at alpha 1: 2.000.")
        assert "end of the range" not in text

    def test_a_best_value_at_the_end_is_said_and_names_are_categories(self):
        c = complexity_curves.numbers(curve([1, 2, 3], [0.5, 0.6, 0.7], [1, 1, 1], "method.k"))
        assert c.axis == "linear"
        assert "best at k 3: 0.700" in complexity_curves.reading(c)
        assert [note.text for note in complexity_curves.draw(c).layout.annotations] == ["best 3"]
        assert "at the end of the range" in complexity_curves.reading(c)
        named = complexity_curves.numbers(curve(["a", "b"], [0.5, 0.6], [1, 1], "method.kernel"))
        assert named.axis == "category"
        assert "best at kernel b" in complexity_curves.reading(named)
        assert complexity_curves.draw(named).data


@pytest.mark.parametrize(
    ("x", "y", "at"),
    [
        ([0.0, 0.1, 1.0], [0.9, 0.9, 0.8], ("right", "above")),
        ([0.0, 0.5, 1.0, 1.0], [1.0, 0.9, 0.8, 0.3], ("left", "above")),  # falls to the share
        ([0.0, 0.1, 1.0], [0.36, 0.33, 0.3], ("right", "below")),  # lies on it everywhere
    ],
)
def test_the_name_of_the_share_stands_where_the_curve_does_not_run(x, y, at):
    curve = ThresholdCurve(np.array(x), np.array(y), np.zeros(len(x)))
    r = pr.PrecisionRecall((ClassCurve(1, "b", curve, (), 0.5, False, 0.3, 0.5),))
    (name,) = pr.draw(r).layout.annotations
    assert (name.xanchor, name.yanchor) == (at[0], {"above": "bottom", "below": "top"}[at[1]])
