"""Long runs on pages: stopped, resumed, killed, waiting their turn, found again from elsewhere."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Callable
from typing import Any

import pytest

from mlcore.data.generators.classes.blobs import Blobs
from mlcore.evaluation.splits import KFold
from mlcore.runs.carry import carried_out
from mlcore.runs.run import Trial
from service import jobs, limits
from service.work import Job
from tests.pages.conftest import shown
from ui.runs import leaving, running

# Enough restarts for every fold to take a while, on a set without a target.
LONG = {"data": "breast_cancer", "method": "kmeans", "method__n_init": "200"}

ENDLESS = Trial(problem="bandit_arms", methods=("ucb",), budget=10_000, replicates=10_000)


@pytest.fixture
def hasty(monkeypatch) -> None:
    """Pages show progress at once."""
    monkeypatch.setattr(running, "PATIENCE", 0.0)


def page_of(opened: Callable, **more: str) -> Any:
    """The page of a long run, begun."""
    at = opened("clustering", **LONG | more)
    if "Run" in labels(at):
        button(at, "Run").click().run()
    assert not at.exception, at.exception[0].stack_trace
    return at


def labels(at: Any) -> list[str]:
    return [b.label for b in at.button]


def button(at: Any, label: str) -> Any:
    return next(b for b in at.button if b.label == label)


def job_of(at: Any, place: str = "clustering") -> Job:
    return next(h.job for h in at.session_state["jobs"].values() if h.job.place == place)


def carried_by(job: Job) -> set[int]:
    """The processes that carry out calls of a run."""
    held = jobs.pool()
    with held._lock:
        return {p.pid for work, p in held._busy.items() if work.part_of is job.work}


def until(true: Callable[[], object], seconds: float = 90.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it never came about"
        time.sleep(0.02)


@pytest.mark.slow
def test_a_stopped_run_keeps_its_folds_and_is_resumed_to_the_same_numbers(hasty, opened):
    at = page_of(opened, seed="11")
    job = job_of(at)
    until(lambda: len(job.events) >= 2)
    button(at, "Stop").click().run()
    kept = {fold.k: fold.seconds for fold in job.events[1:]}
    assert job.state == "stopped"
    assert f"stopped after {len(kept)} of 5 folds" in shown(at)
    assert {"Run", "Resume"} <= set(labels(at))
    button(at, "Resume").click().run()
    again = job_of(at)
    assert again is not job
    until(lambda: again.is_over)
    outcome = again.result()
    assert {f.k: f.seconds for f in outcome.folds if f.k in kept} == kept  # not carried out again
    alone = carried_out(outcome.run)
    assert [f.scores for f in outcome.folds] == [f.scores for f in alone.folds]
    at.run()
    assert not at.exception
    assert "Resume" not in labels(at)


@pytest.mark.slow
def test_a_killed_worker_is_a_sentence_that_stays_until_the_run_is_resumed(hasty, opened):
    at = page_of(opened, seed="12")
    job = job_of(at)
    until(lambda: len(job.events) >= 2 and carried_by(job))
    os.kill(next(iter(carried_by(job))), signal.SIGKILL)
    until(lambda: job.is_over)
    for _ in range(2):  # drawing the page again begins nothing
        at.run()
        assert "ended unexpectedly after" in shown(at)
        assert job_of(at) is job
    other = opened("classification", data="iris", method="lda")
    assert not other.exception
    button(at, "Resume").click().run()
    again = job_of(at)
    until(lambda: again.is_over)
    assert again.state == "done"


def test_a_run_goes_on_while_other_pages_are_looked_at(hasty, opened):
    at = page_of(opened, seed="13")
    job = job_of(at)
    at.switch_page("pages/classification.py").run()
    links = [link.label for link in at.get("page_link")]
    assert any(label.startswith("k-means on Clustering: ") for label in links), links
    at.switch_page("pages/clustering.py").run()
    assert job_of(at) is job
    assert not any("on Clustering" in link.label for link in at.get("page_link"))
    until(lambda: job.is_over)
    assert job.state == "done"
    at.switch_page("pages/classification.py").run()
    assert not any("on Clustering" in link.label for link in at.get("page_link"))


@pytest.mark.slow
def test_a_run_that_waits_says_how_many_are_ahead(hasty, opened):
    blocks = [
        jobs.pool().submit(("mlcore.runs.carry_trial:carried_out", (ENDLESS,)), owner=f"block {k}")
        for k in range(jobs.pool().size + 2)
    ]
    until(lambda: sum(b.state == "running" for b in blocks) == jobs.pool().size)
    at = page_of(opened, seed="14")
    job = job_of(at)
    until(lambda: jobs.pool().ahead(job) == 2)
    at.run()
    assert any("waiting for a free worker, 2 runs are ahead" in p.text for p in at.get("progress"))
    for block in blocks:
        block.cancel()
    until(lambda: job.is_over)
    assert job.state == "done"


def test_the_runs_of_a_session_that_is_gone_are_stopped(hasty, opened, monkeypatch):
    at = page_of(opened, seed="16")
    job, who = job_of(at), at.session_state["owner"]
    leaving._lost(who)  # as Streamlit tells when the line is gone
    assert who in leaving._LEAVING
    leaving._line.__wrapped__(who)  # as on the next line of the same session
    assert who not in leaving._LEAVING
    assert job.state != "stopped"
    monkeypatch.setattr(leaving, "GRACE", 0.0)
    leaving._lost(who)
    until(lambda: job.is_over)
    assert job.state == "stopped"
    assert who not in leaving._LEAVING


@pytest.mark.slow
def test_the_cost_before_a_long_run_says_fits_time_and_memory(opened, monkeypatch):
    monkeypatch.setenv("MLSCOPE_AUTORUN_SECONDS", "0")
    monkeypatch.setattr(limits, "current_limits", lambda: limits.read(os.environ))
    at = opened("clustering", **LONG, seed="15")
    time = r"[\d.]+ (m?s|min)"
    asked = rf"Not started yet.\*\* It will take {time} to {time} \(6 fits, 1 MB\): press Run"
    assert re.search(asked, shown(at))


@pytest.mark.slow
def test_a_smaller_design_is_one_press_away(opened, monkeypatch):
    monkeypatch.setenv("MLSCOPE_AUTORUN_SECONDS", "0")
    monkeypatch.setattr(limits, "current_limits", lambda: limits.read(os.environ))
    splits = {"evaluation__n_splits": "10", "evaluation__n_repeats": "10"}
    at = opened("clustering", **LONG, **splits, seed="15")
    assert "101 fits" in shown(at)
    smaller = at.button(key="run.smaller")
    assert smaller.label.startswith("Run smaller, ")
    smaller.click()
    at.run()
    assert "101 fits" not in shown(at)
    assert "Not started yet" not in shown(at)
    state = at.session_state["mlscope"].states["clustering"]
    assert state.run.evaluation == KFold(n_splits=5)
    until(lambda: job_of(at).is_over)
    assert job_of(at).state == "done"


def test_a_refused_run_has_a_smaller_one_and_says_what_it_is_made_of(opened, monkeypatch):
    monkeypatch.setattr(limits, "current_limits", lambda: limits.Limits(seconds=1.0))
    at = opened(
        "sequential_decision_making", problem="bandit_arms", methods="ucb",
        budget="10000", replicates="10000",
    )  # fmt: skip
    assert [each.key for each in at.button if "smaller" in str(each.key)] == ["run.smaller"]
    assert "this installation allows 1.0 s. Use fewer replicates, steps or methods." in shown(at)


def test_a_table_that_takes_something_to_be_drawn_is_drawn_by_a_worker(monkeypatch, opened):
    """A link may ask for it, and whatever it takes then ends with the worker."""

    def unexpected(*_: Any) -> None:
        raise AssertionError("drawn in the server's process")

    monkeypatch.setattr(Blobs, "origin", unexpected)  # workers are copies of another process
    size = {"data.source.n_samples": "20000", "data.source.n_features": "50"}
    at = opened("data", data="blobs", **size)
    assert not at.exception, at.exception[0].stack_trace
    assert "20,000" in shown(at)
    walked = at.session_state["mlscope"].states["data"].run.data.dataset()  # as a run does there
    assert walked.n == 20_000
