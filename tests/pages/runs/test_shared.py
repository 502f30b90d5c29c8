"""The page of a shared run: what it says of a run that was stored, of every kind."""

from __future__ import annotations

from typing import Any

import pytest

from mlcore.data import bundled
from mlcore.data.dataset import TableData
from mlcore.data.upload import Upload
from mlcore.runs import repeat
from mlcore.runs.carry import carried_out
from mlcore.runs.differences import numbers
from mlcore.runs.kinds import kind_of
from mlcore.runs.run import AnyRun, Comparison, LabRun, Run, Trial
from mlcore.runs.tuning.search import GridSearch
from mlcore.runs.tuning.tuning import Tuning
from service import database
from service.database import StoreError
from service.records import Shared
from service.results import key, results
from service.store import NOTHING, Links, store
from tests.pages.conftest import shown

IRIS = bundled.load("iris")
MINE = TableData(source=Upload(digest=IRIS.digest(), name="mine.csv"), target="species")
RUNS = {
    "classification": Run(data=MINE, method="lda"),
    "clustering": Run(data="iris", method="kmeans"),
    "regression": Run(data="diabetes", method="ridge"),
    "dimensionality_reduction": Run(data="iris", method="pca"),
    "kernels": Run(data="iris", method="svc"),
    "neural_networks": Run(data="iris", method="mlp_classifier"),
    "sequences": Run(data="animal_tracks", preparation=(), method="hmm"),
    "compare": Comparison(data=MINE, methods=("lda", "constant")),
    "sequential_decision_making": Trial(problem="grid_world", budget=60, replicates=6),
}


def events_of(run: AnyRun) -> list[Any]:
    return list(kind_of(run).carry_out(run, {IRIS.digest(): IRIS}))


def stored(page: str, run: AnyRun, share: float | None = 1.0, **more: Any) -> Links:
    """Put a run into the store as far as a share of it; None is a run that nobody computed."""
    found = parts = None
    if share is not None:
        events = events_of(run)
        done = events[: round(share * len(events))]
        found = numbers(repeat.so_far(run, done, {IRIS.digest(): IRIS}))
        parts = None if share == 1.0 else tuple(map(repeat.part, done))
    tables = {IRIS.digest(): IRIS} if "mine.csv" in run.to_json() else {}
    fields = {"view": {}, "numbers": found, "parts": parts, "tables": tables} | more
    return store().put(Shared(run=run, page=page, **fields), f"test {page} {share}")


def verdict(at: Any) -> str:
    (found,) = [item.proto.body for item in at.get("html") if "data-kind" in item.proto.body]
    return found


def scored(at: Any) -> str:
    return " ".join(item.proto.body for item in at.get("html"))


TUNING = Tuning(
    data="diabetes", method="ridge", search=GridSearch(over=(("method.alpha", "0.3, 30"),))
)


@pytest.mark.parametrize("share", [1.0, 0.7])
def test_a_search_repeats_identically(opened, share):
    at = opened("shared", id=stored("regression", TUNING, share).id)
    assert not at.exception
    assert 'data-kind="identical"' in verdict(at)
    assert "All rows choose **alpha = " in shown(at)
    (link,) = [link for link in at.get("page_link") if link.proto.label == "Open on the page"]
    assert "method=ridge" in link.proto.query_string
    assert "search" not in link.proto.query_string


def test_a_known_result_is_not_taken_for_a_repetition(opened):
    run = RUNS["clustering"]
    other = carried_out(Run(data="iris", method="kmeans", seed=run.seed + 1))
    known = key(run, ())
    results().put(known, other, 1)
    try:
        at = opened("shared", id=stored("clustering", run).id)
        assert 'data-kind="identical"' in verdict(at)
    finally:
        results().clear()


def test_who_comes_back_without_the_id_sees_the_run_again(opened):
    id = stored("clustering", RUNS["clustering"]).id
    at = opened("shared", id=id)
    at.query_params.clear()
    at.run()
    assert 'data-kind="identical"' in verdict(at)
    assert at.query_params["id"] in (id, [id])


@pytest.mark.parametrize(("page", "run"), RUNS.items(), ids=RUNS)
def test_a_run_of_every_page_repeats_identically(opened, page, run):
    at = opened("shared", id=stored(page, run).id)
    assert not at.exception
    assert not at.error
    assert 'data-kind="identical"' in verdict(at)
    said = shown(at)
    assert "Shared on" in said
    assert "Then and now: mlcore" in said and "threads 1." in said
    assert ("mine.csv" in said) == ("mine.csv" in run.to_json())


@pytest.mark.parametrize("page", ["classification", "compare", "sequential_decision_making"])
def test_a_run_that_was_stopped_is_repeated_as_far(opened, page):
    at = opened("shared", id=stored(page, RUNS[page], 0.5).id)
    assert not at.exception
    assert 'data-kind="identical"' in verdict(at)
    assert "The run was shared before its end" in shown(at)
    if page == "classification":
        assert "2 folds, n = 60" in scored(at)


def test_a_comparison_says_what_was_found(opened):
    at = opened("shared", id=stored("compare", RUNS["compare"]).id)
    found, table = (item.proto.body for item in at.get("html") if "discriminant" in item.proto.body)
    assert "It is better than Dummy classifier." in found
    assert 'class="scores' in table


def test_a_lab_repeats_identically(opened):
    from mlcore.runs import carry_lab
    from ui.method.labs import of_page

    lab = next(iter(of_page("clustering").values()))()
    run = LabRun(lab=lab)
    found = numbers(carry_lab.carried_out(run))
    at = opened("shared", id=stored("clustering", run, None, numbers=found).id)
    assert not at.exception
    assert 'data-kind="identical"' in verdict(at)


def test_what_differs_is_named_with_what_it_may_rest_on(opened):
    run = RUNS["clustering"]
    found = numbers(repeat.so_far(run, events_of(run)))
    name = next(iter(found["values"]))
    found["values"][name][0] += 1.0
    found["versions"]["numpy"] = "1.0"
    at = opened("shared", id=stored("clustering", run, numbers=found).id)
    assert 'data-kind="different"' in verdict(at)
    assert name in verdict(at)
    assert "numpy: 1.0 then" in verdict(at)
    assert "Different from what was shared" in verdict(at)
    assert "Then: mlcore" in shown(at) and "numpy 1.0" in shown(at) and ". Now: " in shown(at)


def test_rounding_is_equal(opened):
    run = RUNS["clustering"]
    found = numbers(repeat.so_far(run, events_of(run)))
    name = next(iter(found["values"]))
    found["values"][name][0] *= 1 + 1e-13
    at = opened("shared", id=stored("clustering", run, numbers=found).id)
    assert 'data-kind="equal"' in verdict(at)


def test_a_run_that_nobody_computed_is_opened_without_a_verdict(opened):
    at = opened("shared", id=stored("data", Run(data=MINE), None).id)
    assert not at.exception
    assert "Nothing had been computed when this was shared" in shown(at)
    assert "data-kind" not in scored(at)


@pytest.mark.parametrize("pairs", [{}, {"id": "x" * 32}, {"id": "ä"}, {"delete": "y" * 32}])
def test_links_to_nothing_are_a_sentence(opened, pairs):
    at = opened("shared", **pairs)
    assert not at.exception
    assert [error.value for error in at.error] == [NOTHING]


def test_a_run_is_deleted_after_one_question(opened):
    links = stored("clustering", RUNS["clustering"])
    at = opened("shared", delete=links.token)
    assert "This cannot be taken back." in shown(at)
    assert store().get(links.id)
    at.button(key="shared.delete").click().run()
    assert not at.exception
    assert "Deleted." in shown(at)
    assert [error.value for error in opened("shared", id=links.id).error] == [NOTHING]


def test_a_page_that_does_not_exist_is_a_sentence(opened):
    at = opened("shared", id=stored("nowhere", RUNS["clustering"], None).id)
    assert not at.exception
    assert "its page cannot be read" in shown(at) + " ".join(e.value for e in at.error)


def refuse(*_: object) -> None:
    raise StoreError("The disk of the server is full.")


def test_a_deletion_that_fails_says_why_and_can_be_tried_again(opened, monkeypatch):
    links = stored("clustering", RUNS["clustering"], None)
    at = opened("shared", delete=links.token)

    with monkeypatch.context() as patched:
        patched.setattr(type(store()), "delete", refuse)
        at.button(key="shared.delete").click().run()
    assert not at.exception
    assert [error.value for error in at.error] == ["The disk of the server is full."]
    at.button(key="shared.delete").click().run()
    assert "Deleted." in shown(at)


def test_a_deletion_that_is_not_overwritten_yet_says_so(opened, monkeypatch):
    links = stored("clustering", RUNS["clustering"], None)
    at = opened("shared", delete=links.token)
    monkeypatch.setattr(database, "wipe", refuse)
    at.button(key="shared.delete").click().run()
    assert not at.exception
    assert "Its link opens nothing any more." in shown(at)
    assert "could not be overwritten at once" in shown(at)
    assert "gone" not in shown(at)
