"""How many clusters, from the page of a method: the criteria, and taking a number over."""

from __future__ import annotations

from functools import partial

import pytest

from tests.pages.conftest import address, shown
from ui.method.count import MARKS

SMALL = {"view__number_of_clusters__" + name: text for name, text in
         {"highest": "5", "resamples": "3", "splits": "2", "references": "4"}.items()}  # fmt: skip


@pytest.fixture
def counting(opened):
    """`counting(method="kmeans")`: the page of iris with the tab open, and few draws."""
    return partial(opened, "clustering", data="iris", view__tab="count", **SMALL)


def button(at, label):
    return next(b for b in at.button if b.label == label)


def verdict(at):
    """The sentence above the picture."""
    return next(h.proto.body for h in at.get("html") if 'class="verdict"' in h.proto.body)


def test_the_criteria_are_said_and_a_number_is_taken_over(counting):
    at = counting(method="kmeans")
    assert not at.exception, at.exception[0].stack_trace
    said = shown(at)
    assert "Number of clusters" in said
    assert "silhouette" in verdict(at)
    assert "By mean rank: 2." in verdict(at)
    assert "3 resamples, 2 splits, 4 references" in said
    assert "Consensus matrix" in said
    assert "3 clusters, 3 resamples, 1" in said  # as many as there are now
    assert button(at, "Set $K$ = 3").disabled  # it is 3 now
    button(at, "Set $K$ = 2").click().run()
    assert not at.exception, at.exception[0].stack_trace
    assert address(at)["method.n_clusters"] == "2"
    assert button(at, "Set $K$ = 2").disabled
    at.session_state["selection.table"] = MARKS  # as the picture says that was clicked
    at.session_state["selection.rows"] = (4,)
    at.run()
    assert address(at)["method.n_clusters"] == "4"


@pytest.mark.parametrize(
    ("method", "setting"),
    [("gaussian_mixture", "method.n_components"), ("agglomerative", "method.cut.n_clusters")],
)
def test_any_method_that_is_told_a_number_has_the_tab(counting, method, setting):
    at = counting(method=method)
    assert not at.exception, at.exception[0].stack_trace
    button(at, "Set $K$ = 2").click().run()
    assert address(at)[setting] == "2"


def test_a_method_that_finds_its_number_has_no_such_tab(counting):
    at = counting(method="dbscan")
    assert not at.exception
    assert "Number of clusters" not in [tab.label for tab in at.tabs]


def test_the_consensus_is_that_of_the_number_in_the_address(counting):
    at = counting(method="kmeans", view__consensus_map__clusters="4")
    assert not at.exception, at.exception[0].stack_trace
    assert "4 clusters, 3 resamples" in shown(at)
    assert address(at)["view.consensus_map.clusters"] == "4"


def test_without_resamples_there_is_no_consensus(counting):
    at = counting(method="kmeans", view__number_of_clusters__resamples="0")
    assert not at.exception, at.exception[0].stack_trace
    assert "Consensus matrix" not in shown(at)


def test_the_design_stands_in_the_address(counting):
    at = counting(method="kmeans")
    assert address(at)["view.number_of_clusters.highest"] == "5"
    assert {f.label for f in at.get("download_button")} >= {
        "Every criterion and number of clusters",
        "Report, one HTML file",
    }
