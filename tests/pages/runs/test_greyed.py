"""The former result stands, greyed, until the new one has something to show."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from mlcore.decisions.grid_world import GridWorld
from mlcore.evaluation.splits import KFold
from mlcore.runs import carry, carry_comparison, carry_trial
from mlcore.runs.kinds import kind_of
from mlcore.runs.run import Comparison, Run, Trial
from ui.runs import running
from ui.runs.orders import Order
from ui.runs.running import Shown

COMPARED = Comparison(data="iris", methods=("lda", "knn"), evaluation=KFold(n_splits=3))
TRIED = Trial(problem=GridWorld(slip=0.2), budget=50, replicates=2)


class UnderWay:
    """A job that has got as far as these events."""

    state, failure = "running", None

    def __init__(self, events: list[Any]) -> None:
        self.events = tuple(events)

    def wait(self, timeout: float) -> bool:
        """Not over."""
        return False


def shown_after(monkeypatch, run: Any, last: Any, events: list[Any]) -> Shown:
    """What a page shows of a run under way, `last` being the result that it showed before."""
    monkeypatch.setattr(running, "st", SimpleNamespace(session_state={"last.here": last}))
    monkeypatch.setattr(running.state, "note", lambda *_: None)
    so_far = lambda run, events: kind_of(run).so_far(run, events, {})  # noqa: E731
    order = Order(run, ("", (), {}), so_far, 1.0, 1.0, "")
    job: Any = UnderWay(events)
    return running.completed(Shown("running", run, job=job, order=order), "here")


def test_a_run_elsewhere_is_shown_with_its_first_part_before_the_folds(monkeypatch):
    run = Run(data="iris", method="lda")
    job: Any = UnderWay([])
    first = next(carry.carry_out(run))
    job.work = SimpleNamespace(wait_for_event=lambda timeout: setattr(job, "events", (first,)))
    job.wait = lambda timeout: waits.append(timeout)
    waits: list[float] = []
    monkeypatch.setattr(running.asked, "job", lambda order, place: job)
    monkeypatch.setattr(running.state, "note", lambda *_: None)
    so_far = lambda run, events: kind_of(run).so_far(run, events, {})  # noqa: E731
    shown = running._begun(Order(run, ("", (), {}), so_far, 1.0, 1.0, ""), "here")
    assert shown.outcome.whole is first and not shown.outcome.done
    running.completed(replace(shown, waited=running.PATIENCE - 1.0), "here")
    running.completed(replace(shown, waited=running.PATIENCE + 1.0), "here")
    assert waits == [pytest.approx(1.0), 0.0]  # not as long once more


def test_a_comparison_without_a_score_yet_shows_the_former_one(monkeypatch):
    last = carry_comparison.carried_out(COMPARED)
    run = replace(COMPARED, methods=("naive_bayes", "knn"))
    events = list(carry_comparison.carry_out(run))
    for n in range(3):  # nothing, and both methods on all rows, which is no score
        found = shown_after(monkeypatch, run, last, events[:n])
        assert (found.outcome, found.stale, found.status) == (last, True, "running")
    found = shown_after(monkeypatch, run, last, events[:3])
    assert not found.stale
    assert found.outcome.scored


@pytest.mark.parametrize("slip", [0.0, 0.4])
def test_a_trial_in_a_changed_world_shows_the_former_one(monkeypatch, slip):
    last = carry_trial.carried_out(TRIED)
    run = replace(TRIED, problem=GridWorld(slip=slip))
    found = shown_after(monkeypatch, run, last, [])
    assert (found.outcome, found.stale) == (last, True)


def test_pictures_of_another_kind_of_world_are_no_help(monkeypatch):
    last = carry_trial.carried_out(TRIED)
    run = Trial(problem="bandit_arms", methods=("ucb",), budget=50)
    assert shown_after(monkeypatch, run, last, []).outcome is None
