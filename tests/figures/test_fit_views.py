"""Views of fits: numbers by value, readings, odd cases."""

from types import SimpleNamespace

import numpy as np
import pytest

from figures.numbers.apart import apart
from figures.numbers.planes import CELLS
from figures.view import views
from figures.views.classification import decision_regions as regions
from figures.views.clustering import cluster_map as clusters
from figures.views.clustering import silhouette_bars
from figures.views.evaluation import objective_trace
from figures.views.reduction import biplot, embedding_scatter, scree
from figures.views.regression import coefficient_path, coefficients, fit_plot
from mlcore.data.generators.shared import Truth
from mlcore.optimisation.path import Path
from mlcore.runs.run import Run
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.fit import Column
from mlcore.spine.iterate import Step, Stop
from mlcore.spine.registry import lookup
from tests.figures import made
from tests.figures.standins import FarIsNoise, NearestMeans, SilentMeans, named

CORNERS = np.array([[0.0, 0], [0, 1], [6, 0], [6, 1], [3, 9], [3, 10]])
THREE = ("a", "b", "c")


def corners():
    """Three classes of two rows each, far apart."""
    return made.dataset(CORNERS, [0, 0, 1, 1, 2, 2], THREE, rows=range(20, 26))


def kmeans(k=2):
    return lookup("clustering", "kmeans")(n_clusters=k)


class TestDecisionRegions:
    def test_cells_are_what_the_fit_predicts_there(self):
        data = corners()
        whole = made.whole(data, NearestMeans())
        d = regions.numbers(data, whole)
        assert d.regions.klass.shape == (CELLS, CELLS)
        np.testing.assert_array_equal(
            d.regions.klass.ravel(), whole.fit.predict(d.shown.plane.rows)
        )
        assert [d.regions.klass[at] for at in ((10, 0), (10, -1), (-1, 75))] == [0, 1, 2]
        assert d.regions.strength.max() <= 1.0

    def test_errors_are_those_on_rows_left_out(self):
        data = corners()
        folds = [made.fold(0, [0, 2], [0, 0], n=6), made.fold(1, [1, 4], [2, 2], n=6)]
        d = regions.numbers(data, made.whole(data, NearestMeans()), made.outcome(folds))
        assert d.errors.tolist() == [False, True, True, False, False, False]
        assert d.predicted.tolist() == ["a", "c", "a", "", "c", ""]
        assert "2 errors among 4 rows (50 %), on test rows." in regions.reading(d)
        ring = regions.draw(d).data[-1]
        assert ring.name == "Errors (2)"
        assert len(ring.x) == 2

    def test_one_fold_shows_its_training_rows_hollow(self):
        data = corners()
        folds = [made.fold(0, [0, 2], [0, 0], n=6), made.fold(1, [1, 4], [2, 2], n=6)]
        whole, out = made.whole(data, NearestMeans()), made.outcome(folds)
        d = regions.numbers(data, whole, out, fold=1)
        assert d.hollow.tolist() == [True, False, True, True, False, True]
        assert d.errors.tolist() == [False, True, False, False, False, False]
        symbols = {t.marker.symbol for t in regions.draw(d).data if t.type == "scatter"}
        assert {"circle", "circle-open", "diamond-open"} <= symbols
        with pytest.raises(ParamError, match="Fold 8 has no predictions"):
            regions.numbers(data, whole, out, fold=7)

    def test_without_folds_errors_are_those_on_the_fitted_rows(self):
        d = regions.numbers(corners(), made.whole(corners(), SilentMeans()))
        assert d.judged == "the training rows"
        assert not d.errors.any()
        assert "0 errors among 6 rows (0 %), on the training rows" in regions.reading(d)

    def test_rows_with_a_hole_on_an_axis_are_not_drawn(self):
        data = corners()
        whole = made.whole(data, NearestMeans())
        X = data.X.copy()
        X[3, 0] = np.nan
        held = made.dataset(X, data.y, THREE)
        fake = SimpleNamespace(fit=whole.fit, prepared=SimpleNamespace(
            X=data.X, columns=data.columns, fits=(), transform=np.nan_to_num))  # fmt: skip
        d = regions.numbers(held, fake)
        assert d.cloud.rows.tolist() == [0, 1, 2, 4, 5]
        assert len(d.predicted) == len(d.errors) == 5

    def test_one_column_is_drawn_as_bands(self):
        data = made.dataset(CORNERS[:, :1], [0, 0, 1, 1, 2, 2], THREE)
        d = regions.numbers(data, made.whole(data, NearestMeans()))
        assert d.regions.klass.shape == (1, CELLS)
        fig = regions.draw(d)
        assert fig.layout.yaxis.visible is False
        assert len(regions.table(d)) == 5

    def test_columns_of_names_are_axes_with_their_levels(self):
        kinds = (("nominal", ("red", "blue")), ("binary", ("no", "yes")))
        data = made.dataset([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 1, 1], ("a", "b"), kinds)
        d = regions.numbers(data, made.whole(data, NearestMeans()))
        assert d.regions.klass.tolist() == [[0, 1], [0, 1]]
        fig = regions.draw(d)
        assert list(fig.layout.xaxis.ticktext) == ["red", "blue"]
        assert list(fig.layout.xaxis.range) == [-0.5, 1.5]


class TestClusterMap:
    def test_labels_centers_and_cells(self):
        data = made.dataset(CORNERS)
        whole = made.whole(data, kmeans(3))
        c = clusters.numbers(data, whole)
        np.testing.assert_array_equal(c.cloud.klass, whole.fit.labels)
        np.testing.assert_allclose(c.centers, whole.fit.centers, atol=1e-9)
        np.testing.assert_array_equal(c.regions.klass.ravel(), whole.fit.predict(c.shown.cells))
        assert clusters.reading(c).startswith("3 clusters of 2 rows each.")

    def test_two_sizes_are_no_range(self):
        data = made.dataset(CORNERS)
        c = clusters.numbers(data, made.whole(data, kmeans(2)))
        assert clusters.reading(c).startswith("2 clusters of 2 and 4 rows.")

    def test_one_scale_where_the_ranges_are_alike_and_none_else(self):
        for stretch, expected in ((1.0, True), (100.0, False)):
            data = made.dataset(CORNERS * [1.0, stretch])
            c = clusters.numbers(data, made.whole(data, kmeans(3)))
            assert c.shown.is_geometric is expected
            assert (clusters.draw(c).layout.yaxis.scaleanchor == "x") is expected

    def test_known_classes_are_said_when_hovering(self):
        data = corners()
        c = clusters.numbers(data, made.whole(data, kmeans(3)))
        rows = next(t for t in clusters.draw(c).data if t.uid == "rows")
        assert rows.text[0].startswith("row 21, cluster ")
        assert rows.text[0].endswith(", a")

    def test_noise_has_no_cells_and_no_number(self):
        data = made.dataset(np.vstack([np.zeros((50, 2)), [[9.0, 9.0]]]))
        c = clusters.numbers(data, made.whole(data, FarIsNoise()))
        assert c.regions is None
        assert c.centers is None
        assert clusters.reading(c).startswith("1 cluster of 50 rows. 1 row is noise.")
        assert clusters.table(c)[-1].values[-1] == "noise"

    def test_rows_that_preparation_removed_are_predicted(self):
        data = made.dataset(CORNERS)
        whole = made.whole(data, kmeans(2), rows=[3, 2, 1, 0, 0, 0])  # as many as the data has
        expected = whole.fit.predict(CORNERS)
        np.testing.assert_array_equal(whole.labels(data.X), expected)
        assert not np.array_equal(whole.fit.labels, expected)


class TestSilhouettes:
    def test_widths_are_sorted_within_clusters(self):
        data = made.dataset([[0.0], [1.0], [10.0], [12.0]], rows=range(5, 9))
        s = silhouette_bars.numbers(data, made.whole(data, kmeans(2)))
        # Row 0: a = 1, b = 11; row 1: a = 1, b = 10; row 2: a = 2, b = 9.5; row 3: b = 11.5.
        expected = {5: 10 / 11, 6: 9 / 10, 7: 7.5 / 9.5, 8: 9.5 / 11.5}
        for row, width in zip(s.rows, s.widths, strict=True):
            assert width == pytest.approx(expected[int(row)])
        for label in (0, 1):
            assert (np.diff(s.widths[s.labels == label]) <= 0).all()
        assert "No row is nearer" in silhouette_bars.reading(s)
        assert len(silhouette_bars.draw(s).data) == 2

    def test_one_cluster_is_a_sentence(self):
        data = made.dataset(CORNERS)
        with pytest.raises(DataError, match="there is 1 cluster"):
            silhouette_bars.numbers(data, made.whole(data, kmeans(1)))

    def test_names_of_small_clusters_do_not_lie_on_one_another(self):
        X = np.concatenate([np.linspace(0, 9, 300), [50.0, 90.0]])[:, None]  # two rows alone
        data = made.dataset(X)
        axis = silhouette_bars.draw(silhouette_bars.numbers(data, made.whole(data, kmeans(3))))
        places, ends = axis.layout.yaxis.tickvals, axis.layout.yaxis.range
        assert min(np.diff(np.sort(places))) >= 0.03 * abs(np.subtract(*ends))
        assert min(ends) < min(places) and max(places) < max(ends)

    def test_many_rows_are_sampled_and_drawn_thinner(self):
        X = np.random.default_rng(0).normal(size=(6000, 1))
        data = made.dataset(X)
        s = silhouette_bars.numbers(data, made.whole(data, kmeans(2)))
        assert len(s.widths) == 5000
        assert "Computed on 5,000 of 6" in silhouette_bars.reading(s)
        assert sum(len(t.x) for t in silhouette_bars.draw(s).data) == 1500


class TestScree:
    def fit(self, spectrum, kept):
        total = float(np.sum(spectrum))
        v = np.array(spectrum, dtype=float)
        return SimpleNamespace(
            variances=v[:kept], shares=v[:kept] / total, spectrum=v,
        )  # fmt: skip

    def test_shares_count_what_is_not_kept(self):
        s = scree.numbers(self.fit([6, 2, 1, 1], 2))
        np.testing.assert_allclose(s.cumulative, [0.6, 0.8, 0.9, 1.0])
        assert (s.kept, s.needed) == (2, 3)
        text = scree.reading(s)
        assert "The first 2 directions hold 80 % of the variance. 3 of 4 hold" in text
        assert "2 are kept, with 80 %." in text
        assert scree.table(s)[-1].values.tolist() == [True, True, False, False]

    def test_one_direction_and_very_many(self):
        one = scree.numbers(self.fit([3.0], 1))
        assert scree.reading(one).startswith("The first direction holds 100 % of the variance.")
        many = scree.numbers(self.fit(np.ones(60), 60))
        assert len(scree.draw(many).data[0].x) == 40
        assert "The first 40 are drawn." in scree.reading(many)

    def test_negative_variances_are_orange(self):
        fig = scree.draw(scree.numbers(self.fit([3.0, 1.0, -0.5], 3)))
        assert fig.data[0].marker.color[2] == "#D55E00"


class TestReduction:
    def pca(self, X, **more):
        data = made.dataset(X, **more)
        return data, made.whole(data, lookup("reduction", "pca")())

    def test_coordinates_are_those_of_the_fit(self):
        data, whole = self.pca(CORNERS, y=[0, 0, 1, 1, 2, 2], classes=THREE)
        e = embedding_scatter.numbers(data, whole, first=1, second=0)
        Z = whole.fit.transform(CORNERS)
        np.testing.assert_allclose(e.cloud.x, Z[:, 1])
        assert e.names == ("PC2", "PC1")
        assert "Colour and symbol show y" in embedding_scatter.reading(e)
        with pytest.raises(ParamError, match="There are 2 coordinates; choose axes from 1 to 2"):
            embedding_scatter.numbers(data, whole, first=2)

    def test_one_coordinate_and_a_quantity_as_colour(self):
        data, whole = self.pca(CORNERS[:, :1], y=CORNERS[:, 1])
        e = embedding_scatter.numbers(data, whole)
        assert e.names == ("PC1", "")
        fig = embedding_scatter.draw(e)
        assert fig.layout.yaxis.visible is False
        assert fig.data[0].marker.colorscale is not None
        assert biplot.draw(biplot.numbers(data, whole)).data

    def test_few_rows_bear_the_names_that_a_column_gives_them(self):
        data = Run(data="cities").data.dataset({})
        e = embedding_scatter.numbers(data, made.whole(data, lookup("reduction", "mds")()))
        fig = embedding_scatter.draw(e)
        marks = fig.data[-1]
        assert marks.mode == "markers+text" and marks.text[:2] == ("Lisbon", "Madrid")
        assert marks.hovertext[0] == "row 1" and "%{hovertext}" in marks.hovertemplate
        assert "Each mark bears its city." in embedding_scatter.reading(e)
        assert embedding_scatter.table(e)[1].values[14] == "Istanbul"

    def test_biplot_arrows_are_the_entries_of_the_axes(self):
        rng = np.random.default_rng(0)
        a, b = rng.normal(size=(2, 50))
        data, whole = self.pca(np.column_stack([3 * a, 3 * a + 0.1 * b, b]))
        p = biplot.numbers(data, whole)
        np.testing.assert_allclose(p.loadings, whole.fit.axes[:2].T)
        longest = np.hypot(*p.loadings.T).max() * p.scale
        assert longest == pytest.approx(0.85 * np.hypot(p.cloud.x, p.cloud.y).max())
        assert "x1 and x2 point the same way" in biplot.reading(p)

    def test_biplot_names_tell_apart_and_a_pointer_reads_all_of_them(self):
        common, other = np.random.default_rng(0).normal(size=(2, 40))
        data, whole = self.pca(np.column_stack([common] * 9 + [other]))
        fig = biplot.draw(biplot.numbers(data, whole))
        alike = [a for a in fig.layout.annotations if a.text and a.text != "x10"]
        assert len({a.yshift for a in alike}) == len(alike) == 3
        assert sorted(fig.data[-1].customdata[:, 0]) == sorted(f"x{j}" for j in range(1, 11))

    def test_no_coordinates_is_a_sentence(self):
        data = made.dataset(CORNERS)
        with pytest.raises(DataError, match="no new coordinates"):
            embedding_scatter.numbers(data, made.whole(data, kmeans(2)))


class TestCoefficients:
    def fit(self, values, names=("u", "v", "w"), intercept=0.5):
        return SimpleNamespace(
            coefficients=np.array(values, dtype=float), intercept=intercept, columns=named(*names)
        )

    def test_they_stand_by_size_with_the_zeros_counted(self):
        c = coefficients.numbers(self.fit([0.0, -3.0, 1.0]))
        assert c.names == ("v", "w", "u")
        assert c.values.ravel().tolist() == [-3.0, 1.0, 0.0]
        text = coefficients.reading(c)
        assert (
            "Largest in size: v (−3.00) and w (1.00). 1 of 3 coefficients is exactly zero" in text
        )
        assert coefficients.table(c)[0].values[-1] == "(intercept)"

    def test_all_zero_is_said(self):
        assert "Every coefficient is zero" in coefficients.reading(
            coefficients.numbers(self.fit([0.0, 0.0, 0.0]))
        )

    def test_two_classes_speak_for_the_second_and_three_are_a_map(self):
        two = made.dataset(CORNERS[:4], [0, 0, 1, 1], ("no", "yes"))
        c = coefficients.numbers(self.fit([[1.0, 2.0, 3.0]], intercept=np.zeros(1)), two)
        assert c.heads == ("yes",)
        assert "A positive one raises yes." in coefficients.reading(c)
        c = coefficients.numbers(self.fit(np.eye(3), intercept=np.zeros(3)), corners())
        assert c.heads == THREE
        assert coefficients.draw(c).data[0].type == "heatmap"

    def test_only_the_largest_are_drawn(self):
        names = [f"c{j}" for j in range(50)]
        c = coefficients.numbers(self.fit(np.arange(50.0), names))
        assert len(coefficients.draw(c).data[0].x) == 30
        assert "The 30 largest are drawn." in coefficients.reading(c)


class TestCoefficientPath:
    columns = (Column("u"), Column("v"))

    def test_lines_stand_by_size_at_the_weak_end(self):
        values = np.array([[0.0, 0.0], [0.0, 2.0], [-1.0, 3.0]])
        path = Path(np.array([10.0, 1.0, 0.1]), values, np.zeros(3), np.zeros(3), np.arange(3.0))
        c = coefficient_path.numbers(path, self.columns, chosen=1.0)
        assert c.names == ("v", "u")
        text = coefficient_path.reading(c)
        assert "0 to 2 of 2 coefficients are not zero" in text
        assert "At 1.00 about 1 are not zero. First to come in: v." in text

    def test_a_path_that_would_hold_up_the_page_is_refused(self):
        data = made.dataset(np.random.default_rng(0).normal(size=(30, 2)), np.arange(30.0))
        whole = made.whole(data, lookup("regression", "ridge")())
        assert coefficient_path.coefficient_path(data, whole).figure.data
        card = whole.fit.made_by.card
        slow = SimpleNamespace(card=SimpleNamespace(cost=lambda n, p, it: (1.0, 0.0)))
        slow.title = card.title.title
        fit = SimpleNamespace(made_by=slow, path=None)
        with pytest.raises(DataError, match="for about 50 strengths; on 30 rows and 2 columns"):
            coefficient_path.coefficient_path(
                data, SimpleNamespace(fit=fit, prepared=whole.prepared)
            )

    def test_the_names_at_the_ends_are_within_the_axis(self):
        alphas = np.geomspace(10**6.25, 10**-2.75, 50)
        path = Path(alphas, np.ones((50, 2)), np.zeros(50), np.zeros(50), np.zeros(50))
        fig = coefficient_path.draw(coefficient_path.numbers(path, self.columns))
        at = np.array([name.x for name in fig.layout.annotations])
        assert len(at) == 2 and (at > np.log10(alphas[-1])).all() and (at < -2.749).all()

    def test_several_classes_have_a_line_each(self):
        values = np.ones((2, 2, 3)) * np.arange(1, 4)
        path = Path(
            np.array([1.0, 0.0]), values, np.zeros((2, 3)), np.zeros(2), np.zeros(2), log=True
        )
        c = coefficient_path.numbers(path, self.columns, THREE)
        assert c.names[0] == "u, c"
        assert not c.is_log  # zero has no place on a log axis
        assert len(coefficient_path.draw(c).data) == 6


class TestFitPlot:
    def test_the_curve_is_the_prediction_and_the_truth_is_shown(self):
        X = np.linspace(0, 1, 10)[:, None]
        data = made.dataset(X, 2 * X.ravel() + 1)
        object.__setattr__(data, "truth", Truth(signal=2 * X.ravel() + 1))
        whole = made.whole(data, lookup("regression", "ridge")(alpha=0.0))
        f = fit_plot.numbers(data, whole)
        np.testing.assert_allclose(f.curve, 2 * f.at + 1, atol=1e-9)
        np.testing.assert_allclose(f.truth[1], 2 * f.truth[0] + 1)
        assert "runs from 0.880 (at \N{MINUS SIGN}0.0600) to 3.12 (at 1.06)" in fit_plot.reading(f)

    def test_other_columns_stay_at_their_median(self):
        X = np.column_stack([np.arange(9.0), np.arange(9.0)[::-1] ** 2])
        data = made.dataset(X, X[:, 0])
        f = fit_plot.numbers(data, made.whole(data, lookup("regression", "ridge")()), x="x1")
        assert set(f.grid[:, 1]) == {np.median(X[:, 1])}
        assert "A slice: the other column held at the median" in fit_plot.reading(f)

    def test_a_constant_prediction_and_an_axis_of_names(self):
        kinds = (("nominal", ("a", "b")),)
        data = made.dataset([[0.0], [1.0], [1.0]], [1.0, 2.0, 3.0], kinds=kinds)
        f = fit_plot.numbers(data, made.whole(data, lookup("regression", "constant_regression")()))
        assert fit_plot.reading(f) == "The prediction of y is 2.00 everywhere."
        assert list(fit_plot.table(f)[0].values) == ["a", "b"]
        assert fit_plot.draw(f).data[-1].mode == "markers"


class TestObjectiveTrace:
    def test_a_fall_over_decades_is_drawn_on_a_log_axis(self):
        steps = [Step(k, 10.0 ** (4 - 2 * k), None, note=f"Step {k}.") for k in range(4)]
        steps[-1] = Step(3, 0.01, None, Stop("converged", "Converged: nothing moves."), "Last.")
        t = objective_trace.numbers(steps)
        assert t.is_log
        assert objective_trace.reading(t) == (
            "Objective 10,000 at the first step, 0.0100 after 4 steps. Converged: nothing moves."
        )
        assert objective_trace.draw(t).layout.yaxis.type == "log"

    def test_a_start_is_no_step(self):
        stop = Stop("limit", "Stopped after 3 iterations, as asked.")
        steps = [Step(0, 9.0, None, is_start=True), *(Step(k, 9.0 - k, None) for k in (1, 2))]
        t = objective_trace.numbers([*steps, Step(3, 2.0, None, stop)])
        assert t.k.tolist() == [0, 1, 2, 3]
        assert (
            objective_trace.reading(t) == f"Objective 9 at the start, 2 after 3 steps. {stop.why}"
        )

    @pytest.mark.parametrize(("apart", "by"), [(1, 1), (4, None)])
    def test_a_line_for_each_step_only_where_few_are_passed(self, apart, by):
        t = objective_trace.numbers([Step(apart * k, 5.0 - k, None) for k in range(7)])
        assert objective_trace.draw(t).layout.xaxis.dtick == by

    def test_negative_objectives_and_no_steps(self):
        t = objective_trace.numbers([Step(0, -5.0, None)], "log-likelihood")
        assert not t.is_log
        assert "Log-likelihood \N{MINUS SIGN}5.00 at the first step" in objective_trace.reading(t)
        assert objective_trace.reading(objective_trace.numbers([])) == "No step was recorded."

    def test_a_measure_beyond_all_counts_is_no_count(self):
        t = objective_trace.numbers([Step(0, 1e300, None), Step(1, 3e20, None)])
        assert len(objective_trace.reading(t)) < 80


def test_names_at_the_ends_of_lines_keep_their_order_and_their_distance():
    at = apart(np.array([0.0, 0.1, 5.0, 0.05]), 1.0)
    np.testing.assert_allclose(at, [-0.95, 1.05, 5.0, 0.05])
    assert apart(np.array([3.0]), 1.0).tolist() == [3.0]


def test_keys_of_one_and_two_standard_deviations_are_told_apart():
    """A key shows its own fill alone, without the one below it in the picture."""
    data = made.dataset(np.arange(6.0)[:, None], np.array([0.0, 1, 3, 2, 5, 4]))
    whole = made.whole(data, lookup("regression", "gp_regression")())
    drawn = views()["posterior_band"].make(data, whole)
    strengths = [
        float(trace.fillcolor.rstrip(")").split(",")[-1])
        for trace in drawn.figure.data
        if (trace.name or "").endswith(("standard deviation", "standard deviations"))
    ]
    assert len(strengths) == 2
    assert max(strengths) >= 2 * min(strengths)
