"""The main picture at the values beside that of a moved slider: what is sent before it is asked."""

from __future__ import annotations

import pytest

from service.admission import PAGES
from service.fair_queue import Person
from tests.pages.conftest import unfold
from ui.method import ahead, page, panels


@pytest.fixture
def sent_ahead(monkeypatch):
    """What the browser is sent ahead, as by a server, where nobody has to wait for a browser."""
    calls = []
    monkeypatch.setattr(ahead.runtime, "exists", lambda: True)
    monkeypatch.setattr(page, "UNDISTURBED", 0.0)
    monkeypatch.setattr(ahead, "ahead", lambda *sent: calls.append(sent))
    return calls


@pytest.fixture
def drawn(monkeypatch):
    """The data of the pictures that were sent, by name; the last of each."""
    last = {}

    def noted(figure, key, **fields):
        last[key] = {"figure": figure} | fields
        return picture(figure, key, **fields)

    picture = panels.picture
    monkeypatch.setattr(panels, "picture", noted)
    return last


@pytest.mark.parametrize(
    ("address", "name", "values"),
    [
        ({"page": "clustering", "data": "iris", "method": "kmeans"}, "cluster_map", (4, 5, 3)),
        # with the errors of its folds
        ({"page": "classification", "data": "iris", "method": "knn"}, "decision_regions",
         (7, 8, 6)),
    ],
)  # fmt: skip
def test_they_are_those_that_are_sent_when_somebody_comes_there(
    opened, sent_ahead, drawn, address, name, values
):
    at = opened(**address)
    assert sent_ahead == []
    moved, *beside = values
    at.sidebar.number_input[0].set_value(moved).run()
    [(picture, figure, control, sheets)] = sent_ahead
    assert (picture, figure) == (name, drawn[name]["figure"])
    assert list(sheets) == [str(moved), *(str(value) for value in sorted(beside))]
    assert sheets[str(moved)] == {}
    assert control.startswith("number-")
    for value in beside:
        at.sidebar.number_input[0].set_value(value).run()
        assert sheets[str(value)].items() <= drawn[name].items()
    assert not at.exception


def test_a_move_within_a_part_of_the_method_is_looked_ahead_of_too(opened, sent_ahead):
    at = opened(
        "kernels", data="iris", method="svc", method__kernel="rbf", method__kernel__gamma="0.1"
    )
    box = next(b for b in at.sidebar.number_input if ".kernel.rbf." in str(b.key))
    box.set_value(box.value * 2).run()
    assert len(sent_ahead[-1][-1]) == 3


def test_nothing_is_made_ahead_while_somebody_waits_or_of_a_run_in_a_worker(
    opened, sent_ahead, monkeypatch
):
    at = opened("clustering", data="iris", method="kmeans")
    with PAGES.inside(Person("another")):
        at.sidebar.number_input[0].set_value(4).run()
    monkeypatch.setattr("service.limits.IN_PLACE_SECONDS", 0.0)
    at.sidebar.number_input[0].set_value(5).run()
    assert sent_ahead == []


def test_the_first_value_of_a_track_has_one_beside_it_whose_picture_is_not_waited_for(
    opened, sent_ahead, monkeypatch
):
    waits = []
    monkeypatch.setattr(page, "pause", waits.append)
    at = opened("clustering", data="iris", method="kmeans")
    at.sidebar.number_input[0].set_value(2).run()
    assert list(sent_ahead[-1][-1]) == ["2", "3"]
    assert waits.count(page.UNDISTURBED) == 2
    at.sidebar.number_input[0].set_value(3).run()
    assert waits.count(page.UNDISTURBED) == 2


def test_more_folds_than_rows_are_said_when_somebody_comes_there(opened, sent_ahead):
    at = opened("regression", data="longley", method="ridge", evaluation="k_fold")
    unfold(at, "left-out")
    folds = next(b for b in at.sidebar.number_input if "n_splits" in str(b.key))
    folds.set_value(16).run()  # of 16 rows
    assert not at.exception, at.exception[0].stack_trace
    assert list(sent_ahead[-1][-1]) == ["16", "15"]
