"""From a run to what can be shown of it: known, made at once, under way, waiting, or refused."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from mlcore import carry, carry_comparison, carry_lab, carry_trial, codec
from mlcore.data.dataset import Dataset
from mlcore.data.table import Table
from mlcore.errors import DataError, MlcoreError
from mlcore.run import AnyRun, Comparison, LabRun, Run, Trial
from service import limits
from service.jobs import JobHere
from service.results import key, results
from service.tasks import Held, Task, task
from service.work import Job
from ui import state
from ui.wording import count, plain, seconds

# How long a page waits for a quick run before it shows progress instead.
PATIENCE = float(os.environ.get("MLSCOPE_PATIENCE", "0.6"))
POLL = 0.3  # seconds between looks at a running job


@dataclass(frozen=True)
class Shown:
    """A run as far as it has come. `status` is done, running, waiting, refused, failed, stopped."""

    status: str
    run: Any  # a Run with an Outcome, a Comparison or a Trial with theirs
    outcome: Any = None
    sentence: str = ""
    job: Job | None = None
    order: Order | None = None
    stale: bool = False  # the outcome is of earlier settings


@dataclass(frozen=True)
class Order:
    """A run of any kind: how it is carried out, and what that will cost."""

    run: AnyRun
    asked: Task
    so_far: Callable[[Any, Sequence[Any]], Any]  # the outcome of a run and its events
    seconds: float
    size: float  # bytes
    said: str  # the cost as a sentence
    what: str = "run"  # tells several orders of one run apart

    @property
    def name(self) -> str:
        """By which a session knows its job."""
        return f"{self.run.digest()} {self.what}"


def held_tables() -> dict[str, Table]:
    """The tables that this session brought, by digest."""
    return st.session_state.setdefault("held_tables", {})


def owner() -> str:
    """This browser session, for the fair queue."""
    return st.session_state.setdefault("owner", uuid.uuid4().hex)


def held_for(run: Run | Comparison) -> Mapping[str, Any]:
    """The uploads that a run needs, as workers get them: sent once, then named by digest."""
    sources = [data.source for data in (run.data, *getattr(run, "more", ()))]
    digests = [source.digest for source in sources if source.card.name == "upload"]
    held = held_tables()
    return {digest: Held(digest, held[digest]) for digest in digests if digest in held}


def dataset_of(run: Run | Comparison) -> Dataset:
    """The rows of a run; DataError where there are none."""
    held = held_for(run)
    if run.data.source.card.name == "upload" and not held:
        # The cache belongs to everybody; an upload is shown to the session that brought it alone.
        return run.data.dataset(held)
    found = key(codec.digest(run.data), "", "dataset")
    asked = task("mlcore.carry:dataset_of", run.data, held)
    return results().obtain(found, asked, here=True).result()


def columns_of(run: Run) -> tuple[Table, dict[str, str]] | None:
    """The columns and their roles where there are no rows to learn from; None if not even these."""
    try:
        return run.data.columns(held_tables())
    except MlcoreError:
        return None


def cost_of(run: Run, dataset: Dataset) -> tuple[float, float, str]:
    """Seconds, bytes, and both as a sentence."""
    took, size = carry.estimate(run, dataset)
    fits = count(len(carry.splits_of(run, dataset)) + 1, "fit")
    return took, size, f"{fits}, about {seconds(took)}"


def carried(run: Run, dataset: Dataset, place: str) -> Shown:
    """What there is to show of a run; begins it unless it is too long to begin unasked."""
    return completed(started(run, dataset, place), place)


def started(run: Run, dataset: Dataset, place: str) -> Shown:
    """A run that is begun, unless it is too long to begin unasked: a quick one as far as its whole
    fit, so that a page can draw that before it waits for the folds (`completed`)."""
    if reason := carry.does_not_apply(run, dataset):
        return Shown("refused", run, sentence=reason)
    try:
        took, size, said = cost_of(run, dataset)
    except MlcoreError as error:  # more folds than rows
        return _with_last(Shown("refused", run, sentence=str(error)), place)
    asked = task("mlcore.carry:carry_out", run, held_for(run))
    return _begun(Order(run, asked, carry.so_far, took, size, said), place)


def carried_comparison(run: Comparison, dataset: Dataset, place: str) -> Shown:
    """What there is to show of a comparison; begins it unless it is too long to begin unasked."""
    if reason := carry_comparison.does_not_apply(run, dataset):
        return Shown("refused", run, sentence=reason)
    more = _further(run)
    try:
        took, size = carry_comparison.estimate(run, dataset, more)
        each = [1 + len(carry.splits_of(run.runs()[0], rows)) for rows in (dataset, *more)]
    except MlcoreError as error:  # more folds than rows
        return _with_last(Shown("refused", run, sentence=str(error)), place)
    said = f"{count(len(run.methods) * sum(each), 'fit')}, about {seconds(took)}"
    asked = task("mlcore.carry_comparison:carry_out", run, held_for(run))
    order = Order(run, asked, carry_comparison.so_far, took, size, said)
    return completed(_begun(order, place), place)


def _further(run: Comparison) -> tuple[Dataset, ...]:
    """The further data sets that can be used; of the others the outcome says why not."""
    found = []
    for data in run.more:
        with suppress(MlcoreError):
            found.append(dataset_of(run.runs(data)[0]))
    return tuple(found)


def carried_trial(run: Trial, place: str) -> Shown:
    """What there is to show of a trial; begins it unless it is too long to begin unasked."""
    if reason := carry_trial.does_not_apply(run):
        return Shown("refused", run, sentence=reason)
    took, size = carry_trial.estimate(run)
    said = f"{count(carry_trial.planned(run), 'attempt')}, about {seconds(took)}"
    asked = task("mlcore.carry_trial:carry_out", run)
    return completed(_begun(Order(run, asked, carry_trial.so_far, took, size, said), place), place)


def carried_lab(run: LabRun, place: str) -> Shown:
    """What there is to show of a lab; begins it unless it is too long to begin unasked."""
    took, size = carry_lab.estimate(run)
    asked = task("mlcore.carry_lab:carried_out", run)
    said = f"About {seconds(took)}"
    return completed(_begun(Order(run, asked, carry_lab.so_far, took, size, said), place), place)


def _begun(order: Order, place: str) -> Shown:
    """An order as far as it can be shown without waiting; it is begun if it may be unasked."""
    run = order.run
    if reason := limits.current_limits().refusal(order.seconds, order.size):
        return _with_last(Shown("refused", run, sentence=reason), place)
    job = _job(order, place)
    if job is None:
        return _with_last(Shown("waiting", run, sentence=order.said), place)
    if isinstance(job, JobHere):
        job.step()
    return _of(job, order)


def completed(shown: Shown, place: str) -> Shown:
    """The same as far as it comes while a page waits for it."""
    job, order = shown.job, shown.order
    if job is None or order is None:
        return shown
    job.wait(PATIENCE)
    shown = _of(job, order)
    if shown.status == "done":
        st.session_state[f"last.{place}"] = shown.outcome
    state.note(shown.run, shown.status, shown.outcome)
    return shown if shown.outcome else _with_last(shown, place)


def begin(run: AnyRun) -> None:
    """A person pressed Run: carry it out whatever it costs."""
    st.session_state.setdefault("begun", set()).add(run.digest())
    jobs: dict[str, Job] = st.session_state.setdefault("jobs", {})
    st.session_state["jobs"] = {n: j for n, j in jobs.items() if not n.startswith(run.digest())}
    state.moved()


def job_of(run: AnyRun) -> Job | None:
    """The job by which this session has what it shows of a run, if it has asked for one."""
    return st.session_state.get("jobs", {}).get(f"{run.digest()} run")


def _job(order: Order, place: str) -> Job | None:
    """The job of a run: the one of this session, or a new one; None if a person must begin it."""
    digest, name = order.run.digest(), order.name
    jobs: dict[str, Job] = st.session_state.setdefault("jobs", {})
    if name in jobs and jobs[name].state != "failed":
        return jobs[name]
    found = key(digest, "", order.what)
    begun = digest in st.session_state.setdefault("begun", set())
    known = found in results()
    if not (begun or known) and limits.current_limits().waits(order.seconds):
        return None
    here = order.seconds < limits.IN_PLACE_SECONDS
    job = results().obtain(found, order.asked, here=here, owner=owner(), replaces=place)
    # Older ones of this place were replaced, or are in the cache.
    kept = {d: j for d, j in jobs.items() if j.place not in (None, place)}
    st.session_state["jobs"] = kept | {name: job}
    return job


def steps_of(run: Run) -> tuple[Any, tuple[Any, ...]]:
    """The whole fit and the recorded steps of an iterative method; DataError where there are none.

    A quick method is recorded here, any other in a worker.
    """
    asked = task("mlcore.carry:recording", run, held_for(run))
    took, _, _ = cost_of(run, dataset_of(run))
    here = took < limits.IN_PLACE_SECONDS
    found = key(run.digest(), "", "steps")
    job = results().obtain(found, asked, here=here, owner=owner())
    if not job.wait(limits.current_limits().autorun_seconds):
        raise DataError("The steps are still being recorded. Look again in a moment.")
    return job.result()


def trial_steps_of(run: Trial, which: int) -> tuple[Any, tuple[Any, ...]]:
    """The fit and the recorded steps of one method of a trial, in its first replicate."""
    asked = task("mlcore.carry_trial:recording", run, which)
    found = key(run.digest(), "", f"steps {which}")
    return results().obtain(found, asked, here=True, owner=owner()).result()


def _of(job: Job, order: Order) -> Shown:
    if job.state == "done":
        return Shown("done", order.run, job.result(), job=job, order=order)
    part = order.so_far(order.run, job.events)
    status = "running" if job.state in ("queued", "running") else job.state
    return Shown(status, order.run, part, job.failure or "", job, order)


def _with_last(shown: Shown, place: str) -> Shown:
    """With the outcome of earlier settings on these data, to be shown greyed."""
    last = st.session_state.get(f"last.{place}")
    if last is not None and _about(last.run) != _about(shown.run):
        last = None
    return replace(shown, outcome=last, stale=last is not None)


def _about(run: Any) -> Any:
    """What a run is carried out on: pictures of something else are no help while waiting."""
    if isinstance(run, LabRun):
        return type(run.lab)
    return run.problem if isinstance(run, Trial) else run.data


def status_line(shown: Shown, place: str = "run") -> None:
    """Progress with Stop, the sentence of a failure, or the cost with Run: whatever fits.

    `place` tells the buttons of several runs on one page apart.
    """
    if shown.status == "running" and shown.job:
        _progress(shown)
        # Beside the fragment: a press then interrupts the drawing of the page, and is not put off
        # until that is done.
        st.button(
            "Stop",
            icon=":material/stop:",
            key=f"{place}.stop",
            on_click=state.moved,
            args=(shown.job.cancel,),
        )
    elif shown.status == "waiting":
        left, right = st.columns([4, 1], vertical_alignment="center")
        left.markdown(f"**Not started yet.** {plain(shown.sentence)}.")
        _run_button(right, shown, place)
    elif shown.status in ("failed", "refused"):
        st.error(plain(shown.sentence))
    elif shown.status == "stopped":
        left, right = st.columns([4, 1], vertical_alignment="center")
        left.warning(plain(shown.sentence))
        _run_button(right, shown, place)


def _run_button(where: Any, shown: Shown, place: str) -> None:
    where.button(
        "Run",
        type="primary",
        icon=":material/play_arrow:",
        shortcut="Ctrl+Enter",
        key=f"{place}.now",
        on_click=begin,
        args=(shown.run,),
    )


@st.fragment(run_every=POLL)
def _progress(shown: Shown) -> None:
    """Looks at the job again and again, and at the whole page when there is more to show."""
    job = shown.job
    if job is None:
        return
    at = job.progress
    if job.is_over or (at is not None and shown.outcome is None):
        state.rerun()
    left = job.seconds_left
    done = f"{_one(at.unit)} {at.done} of {at.total}" if at else "waiting for a free worker"
    more = f", about {seconds(left)} left" if left is not None else ""
    st.progress(at.done / max(at.total, 1) if at else 0.0, f"{_title(shown.run)}, {done}{more}")
    kept = count(at.done, f"finished {_one(at.unit)}") if at and at.done else ""
    st.caption(f"Stopping keeps the {kept}." if kept else "")


def _one(unit: str) -> str:
    """The singular of a unit: folds, attempts."""
    return unit.removesuffix("s")


def _title(run: Any) -> str:
    if isinstance(run, Trial):
        return ", ".join(dict.fromkeys(method.label for method in run.methods))
    if isinstance(run, Comparison):
        return count(len(run.methods), "method")
    return run.lab.title() if isinstance(run, LabRun) else run.method.title()
