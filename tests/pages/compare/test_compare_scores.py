"""The score table of a comparison as HTML: what is said of each line."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from itertools import islice

import numpy as np

from figures.numbers.comparisons import Row, rows_of
from mlcore.evaluation.intervals import score_interval
from mlcore.runs.carry_comparison import carried_out, carry_out, so_far
from mlcore.runs.comparing.outcome import ComparisonOutcome
from mlcore.runs.comparing.pairs import compare_methods, metric_of
from mlcore.runs.run import Comparison
from tests.pages.conftest import address
from ui.compare import copy as compare_copy
from ui.compare import scores as compare_scores

RUN = Comparison(data="wine", methods=("lda", "decision_tree", "ridge"))


@cache
def stopped(fits: int) -> ComparisonOutcome:
    """The comparison after so many events."""
    found = so_far(RUN, list(islice(carry_out(RUN), fits)))
    assert found is not None
    return found


def html(outcome: ComparisonOutcome) -> str:
    pairs = compare_methods(outcome, against="best")
    beside = {pair.second.which: pair for pair in pairs.pairs}
    rows = rows_of(outcome.entrants, metric_of(outcome))
    return compare_scores.table(rows, pairs.metric, beside)


def lines(text: str) -> list[str]:
    return text.split("<tbody>")[1].split("<tr ")[1:]


def row(label: str, values: list[float], failure: str = "") -> Row:
    """A line made by hand."""
    interval = score_interval(values, [50] * len(values), [10] * len(values))
    return Row(0, label, np.array(values), interval, 0.9, 0.01, failure)


def test_a_whole_comparison_has_a_dot_a_fold_and_a_word_a_method():
    found = lines(html(stopped(100)))
    assert [line.count("<i class=") for line in found] == [5, 5, 5, 0]
    assert "best mean" in found[1]
    assert ">worse<" in found[2] or ">undecided<" in found[2]
    assert found[3].startswith('class="failed"')
    assert "predicts a quantity" in found[3]


def test_methods_that_share_the_best_mean_have_one_word():
    twice = carried_out(replace(RUN, methods=("lda", "lda", "decision_tree")))
    words = [re.search(r"<em[^>]*>([^<]*)", line).group(1) for line in lines(html(twice))]
    assert words[1:3] == ["best mean", "best mean"] and words[3] != "best mean"


def test_after_a_stop_the_folds_that_are_done_are_counted():
    # Two whole fits and one method that cannot be used, then fold by fold.
    outcome = stopped(3 + 2 * 3 + 1)
    done = [len(entrant.outcome.done) for entrant in outcome.scored]
    assert sorted(done) == [3, 4]
    counts = re.findall(r"\b([34]) of 5 folds", html(outcome))
    assert sorted(counts) == ["3", "4", "4"]  # the baseline stands beside the one that has most


def test_foreign_text_is_shown_letter_by_letter():
    bad = "<img src=x onerror=alert(1)>"
    made = [row(bad, [0.5, 0.6, 0.7]), row("b", [], f"{bad} is no class.")._replace(which=1)]
    metric = metric_of(stopped(100))
    said = compare_scores.table(tuple(made), metric, {})
    assert "<img" not in said
    assert said.count("&lt;img") == 2
    assert "<img" not in compare_scores.failures([type("E", (), {"label": bad, "failure": bad})()])


def test_the_same_fold_stands_at_the_same_place_in_every_line():
    found = lines(html(stopped(100)))
    folds = [re.findall(r'class="(f\d)"', line) for line in found[:3]]
    assert folds == [["f0", "f1", "f2", "f3", "f4"]] * 3


def test_dots_stay_inside_their_strip():
    said = html(stopped(100))
    left = [float(v) for v in re.findall(r"left:([\d.]+)%", said)]
    top = [float(v) for v in re.findall(r"top:([\d.-]+)px", said)]
    assert 0 <= min(left) <= max(left) <= 100
    assert 0 <= min(top) <= max(top) <= compare_scores.HIGH - compare_scores.DOT


def test_many_equal_folds_are_pressed_together():
    values = [0.5] * 200
    heights = compare_scores._heights(np.arange(200), np.array(values))
    assert heights.min() >= 0
    assert heights.max() <= compare_scores.HIGH - compare_scores.DOT


def test_equal_scores_everywhere_have_an_axis_too():
    low, high = compare_scores._ends((row("a", [1.0, 1.0, 1.0]),))
    assert low < 1 < high
    assert compare_scores._ends((row("a", []),)) == (0.0, 1.0)


def test_the_table_is_copied_as_it_stands():
    outcome = stopped(100)
    pairs = compare_methods(outcome, against="best")
    beside = {pair.second.which: pair for pair in pairs.pairs}
    lines = compare_scores.texts(
        rows_of(outcome.entrants, metric_of(outcome)), pairs.metric, beside
    )
    assert lines[0][:3] == ("Method", pairs.metric.title, "Verdict")
    best = min(outcome.scored, key=lambda entrant: -entrant.outcome.mean(pairs.metric.name))
    assert lines[2][:3] == (best.label, lines[2][1], "best mean")
    assert "predicts a quantity" in lines[4][2]
    other = next(line for line in lines if "[" in line[3])
    told = next(pair for pair in pairs.pairs if pair.second.label == other[0])
    difference, interval = other[3].split(" ", 1)
    said = f"{difference} (95 % interval {interval.strip('[]').replace(', ', ' to ')})"
    assert said.replace("−", "") in told.verdict.sentence.replace("−", "")
    assert f"Accuracy {lines[2][1].split()[0]} on" in pairs.headline
    copied = compare_copy.markdown(lines, "of wine").splitlines()
    assert [line.count(" | ") for line in copied[:2]] == [4, 4]
    assert copied[-1] == "of wine"


def test_foreign_text_in_a_copied_table_stays_text():
    lines = [("Method", "a|b"), (r"50 % of $x_1$ & \y", "0.9 ± 0.1 − 1")]
    assert compare_copy.markdown(lines, "").splitlines()[0] == r"| Method | a\|b |"
    row = compare_copy.latex(lines, "note").splitlines()[5]
    assert row == r"50 \% of \$x\_1\$ \& \textbackslash{}y & 0.9 $\pm$ 0.1 $-$ 1 \\"


def test_one_press_gives_all_the_same_number_of_coordinates(opened):
    asked = {"data": "iris", "methods": "pca~kernel_pca", "evaluation": "hold_out"}
    at = opened("compare", methods__1__n_components="2", **asked)
    at = next(button for button in at.button if button.key == "compare.equal").click().run()
    assert not at.exception
    assert address(at)["methods.0.n_components"] == "2"
    assert "compare.equal" not in {button.key for button in at.button}
