"""Pictures of comparisons on values that can be checked by hand."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import figures.graph as go
from figures.numbers.comparisons import rows_of
from figures.numbers.differences import names_of
from figures.numbers.shared import share_axes
from figures.view import views
from figures.views.comparison import (
    cd_diagram,
    difference_forest,
    mcnemar_matrix,
    method_dots,
    rope_posterior,
    score_time,
)
from mlcore.data.dataset import TableData
from mlcore.evaluation.comparing.bayes import density
from mlcore.runs import carry_comparison
from mlcore.runs.comparing.outcome import ComparisonOutcome
from mlcore.runs.comparing.pairs import BASELINE, compare_methods, metric_of
from mlcore.runs.comparing.tables import over_tables
from mlcore.runs.run import Comparison, Pipeline
from mlcore.spine.errors import DataError, ParamError

METHODS = ("lda", "decision_tree", "constant")
MORE = ("iris", "wine", "crabs", "moons", "blobs")


@cache
def outcome(name: str) -> ComparisonOutcome:
    """A small comparison."""
    runs = {
        "classes": Comparison(data="penguins", methods=METHODS),
        "quantity": Comparison(data="diabetes", methods=("ridge", "regression_tree")),
        "groups": Comparison(data="iris", methods=("kmeans", "kmeans")),
        "mixed": Comparison(data="penguins", methods=("lda", "ridge", Pipeline(preparation=()))),
        "tables": Comparison(
            data="penguins", methods=METHODS, more=tuple(TableData(source=s) for s in MORE)
        ),
        "two tables": Comparison(data="penguins", methods=METHODS, more=("iris",)),
    }
    return carry_comparison.carried_out(runs[name])


def test_rows_begin_with_the_baseline_and_then_the_best():
    found = outcome("classes")
    rows = rows_of(found.entrants, metric_of(found))
    assert [row.which for row in rows] == [BASELINE, 0, 1, 2]
    assert rows[0].label == "Baseline, largest class"
    assert rows[1].mean == found.entrants[0].outcome.mean("accuracy")
    np.testing.assert_array_equal(rows[0].values, rows[3].values)  # both say the largest class
    np.testing.assert_array_equal(rows[1].values, found.entrants[0].outcome.values("accuracy"))


def test_of_a_loss_the_smallest_is_the_best():
    found = outcome("quantity")
    rows = rows_of(found.entrants, metric_of(found))
    assert [row.which for row in rows[1:]] == [0, 1]
    assert rows[1].mean < rows[2].mean
    assert rows[2].fitted < rows[1].fitted  # the tree knows its rows by heart


def test_what_cannot_be_compared_is_a_row_with_the_reason():
    found = outcome("mixed")
    rows = rows_of(found.entrants, metric_of(found))
    failed = {row.label: row.failure for row in rows if not row.done}
    assert "predicts a quantity" in failed["Ridge regression"]
    assert "Add one-hot" in failed["Linear discriminant analysis after no preparation"]
    assert [row.done for row in rows] == [5, 5, 0, 0]


def test_a_score_that_only_some_methods_have_says_so():
    found = outcome("classes")
    with pytest.raises(ParamError, match="score of this comparison"):
        metric_of(found, "rmse")


def test_dots_join_the_same_fold():
    m = method_dots.numbers(outcome("classes"))
    assert m.joined.shape == (5, 4)
    assert m.firsts.sum() == pytest.approx(5)
    assert m.firsts[0] == 0  # the baseline is no method
    lines = method_dots.draw(m).data[0]
    first = np.asarray(lines.x)[:3]
    np.testing.assert_allclose(first, [row.values[0] for row in m.rows[1:]])
    assert np.isnan(lines.x[3])
    assert "has the best mean" in method_dots.reading(m)


def test_a_method_is_worth_its_time_if_no_faster_one_is_as_good():
    s = score_time.numbers(outcome("classes"))
    assert list(s.seconds) == sorted(s.seconds)
    assert s.is_worth[0]
    np.testing.assert_array_equal(score_time._worth(np.array([0.5, 0.4, 0.9, 0.9]), "higher"),
                                  [True, False, True, False])  # fmt: skip
    np.testing.assert_array_equal(score_time._worth(np.array([3.0, 2.0, 5.0]), "lower"),
                                  [True, True, False])  # fmt: skip
    row = s.rows[0]._replace(label="Support vector classification")
    assert score_time.draw(s._replace(rows=(row,) * len(s.rows))).data[1].name == row.label
    best = s.rows[int(s.scores.argmax())].label
    assert best in score_time.reading(s).split(".")[0]


def test_a_forest_holds_the_tests_it_shows():
    pairs = compare_methods(outcome("classes"), against="best")
    f = difference_forest.numbers(pairs)
    assert f.names == ("Decision tree", "Dummy classifier")
    assert f.mean[0] < f.mean[1]
    test = pairs.pairs[0].test
    assert (f.mean[0], f.low[0], f.high[0]) == (test.difference, test.low, test.high)
    fig = difference_forest.draw(f)
    symbols = [trace.marker.symbol for trace in fig.data]
    assert symbols == ["circle-open" if p.verdict.kind == "unknown" else "circle" for p in f.pairs]
    band = [shape for shape in fig.layout.shapes if shape.type == "rect"]
    assert (band[0].x0, band[0].x1) == (-0.01, 0.01)
    assert "of 2 differences are decided" in difference_forest.reading(f)


def test_one_pair_is_said_as_one():
    two = Comparison(data=TableData(source="iris"), methods=("logistic", "decision_tree"))
    pairs = compare_methods(carry_comparison.carried_out(two), truth=two.data.dataset({}).y)
    assert "1 difference is decided" in difference_forest.reading(difference_forest.numbers(pairs))
    m = mcnemar_matrix.numbers(two.data.dataset({}), pairs)
    assert "1 pair differs by more than chance" in mcnemar_matrix.reading(m)


@pytest.mark.parametrize(
    ("against", "names"),
    [
        ("best", ("Decision tree", "Dummy classifier")),
        ("baseline", ("Dummy classifier", "Decision tree", "Linear discriminant analysis")),
        (1, ("Linear discriminant analysis", "Dummy classifier")),
    ],
)
def test_a_pair_is_named_by_what_sets_it_apart(against, names):
    pairs = compare_methods(outcome("classes"), against=against).pairs
    assert set(names_of(pairs)) == set(names)


def test_all_pairs_are_named_by_both():
    names = names_of(compare_methods(outcome("classes"), against="all").pairs)
    assert "Linear discriminant analysis \N{MINUS SIGN} Decision tree" in names


def test_a_posterior_is_cut_into_the_parts_it_tells():
    pairs = compare_methods(outcome("classes"), against="best", rope=0.02)
    r = rope_posterior.numbers(pairs)
    p = r.posteriors[0]
    height = density(p, np.array([p.center]))[0]
    area = np.trapezoid(r.y[0], r.x[0]) * height
    assert area == pytest.approx(1, abs=0.02)
    inside = np.abs(r.x[0]) <= 0.02
    assert np.trapezoid(r.y[0][inside], r.x[0][inside]) * height == pytest.approx(p.same, abs=0.02)
    fig = rope_posterior.draw(r)
    parts = [trace for trace in fig.data if trace.fill == "toself"]
    assert len(parts) == 3 * len(r.names)
    assert rope_posterior._shares(p).count("/") == 2
    sure: Any = SimpleNamespace(worse=1e-6, same=0.0, better=1 - 1e-6)
    assert rope_posterior._shares(sure) == "&lt;0.01 / 0 / &gt;99.99"


def test_the_surest_pair_is_told_by_both_names_and_which_is_better():
    r = rope_posterior.numbers(compare_methods(outcome("classes"), against="best", rope=0.02))
    sure = rope_posterior.Posterior(-0.3, 0.01, 4, 0.02, 0.999, 0.001, 0.0)
    less = sure._replace(worse=0.5, better=0.5)
    one = r._replace(posteriors=(sure, less), sides=(("PCA", "Kernel PCA"), ("PCA", "MDS")))
    assert "Kernel PCA is better than PCA, by 99.9 %" in rope_posterior.reading(one)
    assert r.sides[0][0] != r.sides[0][1]


def test_an_error_whose_sign_is_turned_round_is_said_to_be():
    pairs = compare_methods(outcome("classes"), against="best", rope=0.02)
    error = pairs.metric._replace(title="Root mean squared error", better="lower")
    turned = pairs._replace(metric=error)
    for view in (difference_forest.difference_forest, rope_posterior.rope_posterior):
        shown = view(turned)
        assert "root mean squared error turned round, so that more is better" in shown.note
        assert "turned round" not in view(pairs).note
        axis = shown.figure.layout.xaxis.title.text.replace("<br>", " ")
        assert axis == "Difference in root mean squared error, turned round"


def test_folds_that_all_moved_alike_are_an_upright_line():
    x, y = rope_posterior._curve(rope_posterior.Posterior(0.1, 0.0, 4, 0.01, 0.0, 0.0, 1.0))
    assert set(x) == {0.1}
    assert y.max() == 1


def test_rows_that_one_gets_right_can_be_selected():
    run = outcome("classes").run
    dataset = run.data.dataset({})
    pairs = compare_methods(outcome("classes"), truth=dataset.y)
    m = mcnemar_matrix.numbers(dataset, pairs)
    lda, tree = (e.outcome for e in outcome("classes").entrants[:2])
    right = [np.zeros(dataset.n, dtype=bool) for _ in range(2)]
    for found, mine in zip((lda, tree), right, strict=True):
        for fold in found.done:
            mine[fold.test] = fold.predictions == dataset.y[fold.test]
    np.testing.assert_array_equal(m.rows[0][1], dataset.rows[right[0] & ~right[1]])
    np.testing.assert_array_equal(m.rows[1][0], dataset.rows[right[1] & ~right[0]])
    assert m.counts[0, 1] == (right[0] & ~right[1]).sum()
    assert m.counts[0, 0] == -1
    heat = mcnemar_matrix.draw(m).data[0]
    assert heat.meta == "rows"
    assert "alone is right" in mcnemar_matrix.reading(m)
    long = m._replace(labels=("Quadratic discriminant analysis", *m.labels[1:]))
    assert (
        mcnemar_matrix.draw(long).layout.xaxis.ticktext[0] == "Quadratic discriminant<br>analysis"
    )


def test_numbers_are_not_compared_row_by_row():
    found = outcome("quantity")
    dataset = found.run.data.dataset({})
    with pytest.raises(DataError, match="two classifiers"):
        mcnemar_matrix.numbers(dataset, compare_methods(found, truth=dataset.y))


def test_mean_ranks_hang_in_order_with_their_groups():
    over = over_tables(outcome("tables"))
    r = cd_diagram.numbers(over)
    assert list(r.ranks) == sorted(over.mean_ranks)
    assert r.labels[-1] == "Dummy classifier"
    assert r.tables == 6
    assert r.critical == pytest.approx(over.posthoc.critical_difference)
    bars = [t for t in cd_diagram.draw(r).data if t.line.width == 5]
    assert len(bars) == len(r.groups) > 0
    assert (
        cd_diagram.numbers(over_tables(outcome("tables"), posthoc="wilcoxon_holm")).critical is None
    )


def test_few_tables_have_ranks_and_the_reason_for_no_test():
    r = cd_diagram.numbers(over_tables(outcome("two tables")))
    assert r.groups == ()
    assert "Ranks only" in cd_diagram.reading(r)


def _scatter(x, y, **layout) -> go.Figure:
    return go.Figure(go.Scatter(x=x, y=y), layout=layout)


def test_figures_side_by_side_get_the_range_that_holds_all():
    left, right = _scatter([0, 1], [0, 10]), _scatter([3, 4], [-10, 0])
    share_axes([left, right])
    assert left.layout.xaxis.range == right.layout.xaxis.range
    low, high = left.layout.xaxis.range
    assert low < 0 < 4 < high
    assert left.layout.yaxis.range[0] < -10


def test_ranges_that_a_figure_has_are_joined_and_names_left_alone():
    left = _scatter([0], [0], xaxis_range=[0, 1], yaxis={"tickvals": [0], "ticktext": ["a"]})
    right = _scatter([0], [5], xaxis_range=[-2, 0], yaxis={"tickvals": [5], "ticktext": ["b"]})
    share_axes([left, right])
    assert tuple(left.layout.xaxis.range) == tuple(right.layout.xaxis.range) == (-2, 1)
    assert left.layout.yaxis.range is None


def test_every_panel_of_a_picture_is_shared():
    found = outcome("quantity")
    data = found.run.data.dataset({})
    drawn = [views()["residuals"].make(data, e.outcome).figure for e in found.entrants]
    share_axes(drawn)
    for axis in ("xaxis", "yaxis", "xaxis2", "yaxis2"):
        left, right = (fig.layout[axis].range for fig in drawn)
        assert left == right
        assert left is not None


def test_a_legend_without_marks_does_not_count():
    left = go.Figure([go.Scatter(x=[None], y=[None]), go.Scatter(x=[1, 2], y=[1, 2])])
    share_axes([left, _scatter([0], [0])])
    assert left.layout.xaxis.range[0] < 0


@pytest.mark.parametrize("view", [difference_forest, rope_posterior])
def test_names_of_pairs_stand_above_their_lines_and_take_no_width(view):
    fig = view.draw(view.numbers(compare_methods(outcome("classes"), against="best", rope=0.02)))
    names = [note.text for note in fig.layout.annotations if note.x == 0 and note.xref == "paper"]
    assert names == ["Decision tree", "Dummy classifier"]
    assert not fig.layout.yaxis.showticklabels
    assert fig.layout.margin.l == fig.layout.margin.r == 16
    assert fig.layout.meta["high"]  # drawn lower, a name would lie on the line above it
    # Nor do the differences that do not matter pass behind them, whatever lines they take.
    heads = [note.y for note in fig.layout.annotations]
    between = [{shape.y0, shape.y1} for shape in fig.layout.shapes]
    assert between and all("domain" not in (shape.yref or "") for shape in fig.layout.shapes)
    assert all(min(ends) >= head - 1e-9 or max(ends) <= head - 0.3
               for ends in between for head in heads)  # fmt: skip
