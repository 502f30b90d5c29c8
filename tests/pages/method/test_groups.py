"""Groups on the pages: a method that labels its own rows alone, and beside one with centers."""

from __future__ import annotations

from tests.pages.conftest import shown

MOONS = {"data": "moons", "method": "dbscan", "method.eps": "0.3", "evaluation.folds": "3"}


def html(at):
    """The scores and tables, which are HTML."""
    return "\n".join(item.proto.body for item in at.get("html"))


def test_what_only_labels_its_rows_is_judged_and_drawn(opened):
    at = opened("clustering", **MOONS)
    assert not at.exception, at.exception[0].stack_trace
    assert not at.error, [error.value for error in at.error]
    said = html(at)
    assert "Stability over resamples of the training rows" in said
    assert "Silhouette of the training rows" in said
    assert "Noise among the training rows" in said
    assert "rows left out" not in said  # no number of training rows is called that
    assert "**Clusters**" in shown(at)


def test_it_stands_beside_k_means_by_what_both_share(opened):
    at = opened("compare", data="moons", methods="kmeans~dbscan", evaluation="hold_out")
    assert not at.exception, at.exception[0].stack_trace
    said = html(at)
    assert "DBSCAN" in said
    assert "Stability" in said
    assert "other measures" not in said
    box = next(box for box in at.selectbox if box.label == "Sorted and tested by")
    assert box.options == [
        "Stability", "Silhouette of the training rows",
        "Elliptical BIC a training row", "Elliptical AIC a training row",
    ]  # fmt: skip
