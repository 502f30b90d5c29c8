"""Worth a look, after a run: calm where nothing is amiss, and each press does what it says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mlcore.data.table import coded, numeric
from tests.pages.conftest import address, shown, unfold
from tests.pages.data.test_asking import at_table
from ui.method import worth

HEADING = "Worth a look"


def press(at, name):
    """The page after the press of a finding."""
    at.button(key=f"worth-{name}.press").click().run()
    assert not at.exception, at.exception[0].stack_trace
    return at


def labels(at):
    return [b.label for b in at.button if str(b.key).startswith("worth-")]


@pytest.mark.parametrize(
    ("page", "data", "method"),
    [("classification", "iris", "qda"), ("regression", "diabetes", "random_forest_regression"),
     ("clustering", "iris", "kmeans"), ("dimensionality_reduction", "iris", "pca")],
)  # fmt: skip
def test_nothing_stands_there_where_nothing_is_amiss(opened, page, data, method):
    at = opened(page, data=data, method=method)
    assert not at.exception, at.exception[0].stack_trace
    assert HEADING not in shown(at)
    assert labels(at) == []


# What a press changes in the address, of findings that bundled data have.
CHANGES = [
    ("regression", {"data": "diabetes", "method": "linear_regression"}, "correlated_columns",
     {"data.roles": "s1:ignore"}),
    ("regression", {"data": "diabetes", "method": "regression_tree"}, "overfitting",
     {"method.max_leaf_nodes": "8"}),
    ("regression", {"data": "diabetes", "method": "elastic_net", "method.alpha": "30"},
     "useless_columns", {}),
    ("regression", {"data": "co2", "method": "linear_regression"}, "time_overlap",
     {"evaluation": "time_series_split"}),
    ("regression", {"data": "counts", "method": "linear_regression"}, "impossible_predictions",
     {"method": "generalised_linear", "method.family": "poisson"}),
    ("classification", {"data": "iris", "method": "logistic", "method.max_iter": "1"},
     "not_converged", {"method.max_iter": "10"}),
    ("clustering", {"data": "iris", "method": "dbscan", "method.eps": "0.2"}, "much_noise",
     {"method.eps": "0.497"}),  # within which three fifths of the rows are core
    ("clustering", {"data": "moons", "method": "agglomerative", "method.linkage": "single"},
     "one_cluster", {"method.linkage": "ward"}),
]  # fmt: skip


@pytest.mark.parametrize(("page", "pairs", "name", "changed"), CHANGES)
def test_a_press_changes_the_run_and_undo_takes_it_back(opened, page, pairs, name, changed):
    at = opened(page, **{k.replace(".", "__"): v for k, v in pairs.items()})
    assert HEADING in shown(at)
    before = address(at)
    press(at, name)
    after = address(at)
    assert after != before
    defaults = {"method.linkage": "ward", "method.family": "poisson"}
    for pair, value in changed.items():
        assert after.get(pair, defaults.get(pair)) == value
    at.button(key="strip.Undo").click().run()
    assert not at.exception
    assert address(at) == before
    assert HEADING in shown(at)


@pytest.mark.parametrize(
    ("page", "pairs", "name", "tab"),
    [("regression", {"data": "nile", "method": "linear_regression"},
      "no_better_than_baseline", "curves"),
     ("clustering", {"data": "diabetes", "method": "kmeans"}, "no_structure", "count")],
)  # fmt: skip
def test_a_press_opens_the_tab_that_says_more(opened, page, pairs, name, tab):
    at = press(opened(page, **pairs), name)
    assert address(at)["view.tab"] == tab
    assert HEADING in shown(at)  # of the same run


@pytest.mark.parametrize(
    ("page", "pairs", "name", "reading"),
    [("regression", {"data": "cars", "method": "linear_regression"}, "curved_residuals",
      "Predicted against true"),
     ("regression", {"data": "cars", "method": "linear_regression"}, "fanning_residuals",
      "Predicted against true"),
     ("classification", {"data": "iris", "method": "decision_tree"}, "calibration",
      "**Calibration**")],
)  # fmt: skip
def test_a_press_shows_the_evidence_beside_the_finding_and_puts_it_away(
    opened, page, pairs, name, reading
):
    at = opened(page, **pairs)
    before, pictures = address(at), len(at.get("component_instance"))
    at = press(at, name)
    assert at.button(key=f"worth-{name}.press").label == "Close"
    assert reading in shown(at)
    assert address(at) == before
    at = press(at, name)
    assert at.button(key=f"worth-{name}.press").label.startswith("Look at")
    assert len(at.get("component_instance")) == pictures


def test_notes_are_folded_below_warnings(opened):
    at = opened("regression", data="diabetes", method="linear_regression")
    assert labels(at) == ["Leave s1 out"]
    assert "2 findings" in shown(at)
    at = unfold(at, "worth.more")
    assert labels(at) == ["Leave s1 out", "Leave age out"]
    press(at, "useless_columns")
    assert "age" in address(at)["data.roles"]


def test_a_search_that_ends_at_its_edge_is_widened_at_one_press(opened):
    at = opened("regression", data="diabetes", method="ridge", view__tab="tune")
    field = next(t for t in at.text_input if t.label == "Values of alpha")
    field.input("1000, 10000, 100000").run()
    next(b for b in at.button if b.label == "Tune").click().run()
    assert "edge of its range" in shown(at)
    press(at, "edge_of_range")
    field = next(t for t in at.text_input if t.label == "Values of alpha")
    assert field.value == "1, 10, 100, 1000, 10000, 100000"
    assert "6 candidates" in shown(at)  # the wider search waits, with what it will cost


def noisy(n=200, apart=4.0, seed=6):
    """A table of two normal classes."""
    rng = np.random.default_rng(seed)
    k = np.arange(n) % 2
    return k, {f"x{j}": apart * k + rng.normal(size=n) for j in range(6)}


def columns(numbers, y):
    names = coded("y", y) if y.dtype.kind == "U" else numeric("y", y)
    return *(numeric(name, values) for name, values in numbers.items()), names


def rare(n):
    """Classes a and b, and n rows of a class that lies within b."""
    k, numbers = noisy()
    y = np.where(k == 1, "b", "a")
    y[np.flatnonzero(k == 1)[:n]] = "rare"
    return columns(numbers, y)


def test_a_class_that_is_never_predicted_is_given_weight(opened):
    at = at_table(opened, "classification", *rare(8), method="lda", **{"data.target": "y"})
    at = press(at, "never_predicted")
    assert "balancer" in address(at)["preparation"]


def test_a_class_with_fewer_rows_than_folds_takes_fewer_folds(opened):
    at = at_table(opened, "classification", *rare(3), method="lda", **{"data.target": "y"})
    at = press(at, "rare_class")
    assert address(at)["evaluation.n_splits"] == "3"


def test_perfect_scores_lead_to_what_they_rest_on(opened):
    k, numbers = noisy(apart=3.5)
    table = columns(numbers, np.where(k == 1, "b", "a"))
    at = at_table(opened, "classification", *table, method="lda", **{"data.target": "y"})
    assert address(press(at, "perfect_scores"))["view.tab"] == "explain"


def test_underfitting_loosens_the_penalty(opened):
    rng = np.random.default_rng(1)
    a = rng.normal(size=6000)
    table = columns({"a": a, "b": rng.normal(size=6000)}, 0.3 * a + rng.normal(size=6000))
    pairs = {"method": "ridge", "method.alpha": "100", "data.target": "y"}
    at = press(at_table(opened, "regression", *table, **pairs), "underfitting")
    assert address(at)["method.alpha"] == "10.0"


def test_a_leak_in_a_table_of_ones_own_is_told_once(opened):
    k, numbers = noisy(apart=1.0)
    y = np.where(k == 1, "b", "a")
    table = columns(numbers | {"after": 3.0 * k + np.linspace(0, 1, 200)}, y)
    pairs = {"method": "decision_tree", "data.target": "y"}
    at = at_table(opened, "classification", *table, **pairs)
    assert [b.label for b in at.button if b.key == "leaks.out"] == ["Leave it out"]
    assert "Leave after out" not in labels(at)


def test_a_rule_that_fails_is_told_and_the_others_still_speak(opened, monkeypatch):
    def broken(known):
        raise ZeroDivisionError

    rule = replace(worth.RULES[0], tasks=(), find=broken)
    monkeypatch.setattr(worth, "RULES", (rule, *worth.RULES))
    worth._findings.clear()
    at = opened("regression", data="diabetes", method="linear_regression")
    assert "1 check came to no end, through a fault in MLScope" in shown(at)
    assert any(str(b.key) == "worth-correlated_columns.press" for b in at.button)
    worth._findings.clear()
