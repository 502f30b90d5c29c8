"""From a run to what can be shown of it: known, made at once, under way, waiting, or refused."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from mlcore.data.dataset import Dataset
from mlcore.data.table import Table
from mlcore.runs import carry, carry_comparison, carry_trial, cost
from mlcore.runs.run import Comparison, LabRun, Run, Trial
from mlcore.runs.tuning.cost import Preview
from mlcore.runs.tuning.tuning import Tuning
from mlcore.spine.errors import DataError, MlcoreError
from service import limits
from service.jobs import JobHere
from service.results import results
from service.tasks import task
from service.work import Job
from ui import state
from ui.runs import asked, orders
from ui.runs.held import held_for, held_tables, key_of
from ui.runs.orders import Order

# How long a page waits for a quick run before it shows progress instead.
PATIENCE = float(os.environ.get("MLSCOPE_PATIENCE", "0.6"))

SHARED = "shared"  # the page where a run is carried out again, though its result may be known
Parts = tuple[str, ...] | None


@dataclass(frozen=True)
class Shown:
    """A run as far as it has come. `status` is done, running, waiting, refused, failed, stopped."""

    status: str
    run: Any  # a Run with an Outcome, a Comparison, a Tuning or a Trial with theirs
    outcome: Any = None
    sentence: str = ""
    job: Job | None = None
    order: Order | None = None
    stale: bool = False  # the outcome is of earlier settings

    @property
    def may_go_on(self) -> bool:
        """Whether it was stopped or failed half-way, and can go on from there."""
        job, order = self.job, self.order
        if job is None or order is None or not order.is_of_calls:
            return False
        return self.status in ("stopped", "failed") and self.may_begin and bool(job.events)

    @property
    def may_begin(self) -> bool:
        """Whether it makes sense to begin it, perhaps again."""
        if self.status == "failed" and self.job and self.job.failed:
            return not self.job.failed.is_for_the_user
        return self.status in ("waiting", "stopped")


def dataset_of(run: Run | Comparison) -> Dataset:
    """The rows of a run; DataError where there are none."""
    found = key_of(run.data, "dataset")
    wanted = task("mlcore.runs.carry:dataset_of", run.data, held_for(run.data))
    return results().obtain(found, wanted, here=True).result()


def columns_of(run: Run) -> tuple[Table, dict[str, str]] | None:
    """The columns and their roles where there are no rows to learn from; None if not even these."""
    try:
        return run.data.columns(held_tables())
    except MlcoreError:
        return None


def carried(run: Run, dataset: Dataset, place: str, parts: Parts = None) -> Shown:
    """What there is to show of a run; begins it unless it is too long to begin unasked.

    `parts`, as `mlcore.runs.repeat` names them, are all that is carried out, here as below.
    """
    return completed(started(run, dataset, place, parts), place)


def started(run: Run, dataset: Dataset, place: str, parts: Parts = None) -> Shown:
    """A run that is begun, unless it is too long to begin unasked: a quick one as far as its whole
    fit, so that a page can draw that before it waits for the folds (`completed`)."""
    if reason := carry.does_not_apply(run, dataset):
        return Shown("refused", run, sentence=reason)
    try:
        order = orders.of_run(run, dataset, held_for(run))
    except MlcoreError as error:  # more folds than rows
        return _with_last(Shown("refused", run, sentence=str(error)), place)
    return _begun(order, place, parts)


def carried_comparison(run: Comparison, dataset: Dataset, place: str, parts: Parts = None) -> Shown:
    """What there is to show of a comparison; begins it unless it is too long to begin unasked."""
    if reason := carry_comparison.does_not_apply(run, dataset):
        return Shown("refused", run, sentence=reason)
    try:
        order = orders.of_comparison(run, (dataset, *_further(run)), held_for(run))
    except MlcoreError as error:  # more folds than rows
        return _with_last(Shown("refused", run, sentence=str(error)), place)
    return completed(_begun(order, place, parts), place)


def _further(run: Comparison) -> tuple[Dataset, ...]:
    """The further data sets that can be used; of the others the outcome says why not."""
    found = []
    for data in run.more:
        with suppress(MlcoreError):
            found.append(dataset_of(run.runs(data)[0]))
    return tuple(found)


def carried_tuning(
    run: Tuning, preview: Preview, place: str, parts: Parts = None, *, by_hand: bool = True
) -> Shown:
    """What there is to show of a tuning; it begins when a person says so, if `by_hand`."""
    order = orders.of_tuning(run, preview, held_for(run), held_tables())
    return completed(_begun(replace(order, by_hand=by_hand), place, parts), place)


def carried_trial(run: Trial, place: str, parts: Parts = None) -> Shown:
    """What there is to show of a trial; begins it unless it is too long to begin unasked."""
    if reason := carry_trial.does_not_apply(run):
        return Shown("refused", run, sentence=reason)
    return completed(_begun(orders.of_trial(run), place, parts), place)


def carried_lab(run: LabRun, place: str) -> Shown:
    """What there is to show of a lab; begins it unless it is too long to begin unasked."""
    return completed(_begun(orders.of_lab(run), place), place)


def _begun(order: Order, place: str, parts: Parts = None) -> Shown:
    """An order as far as it can be shown without waiting; it is begun if it may be unasked."""
    if parts is not None:
        order = order.only(parts, held_for(order.run))
    if place == SHARED:
        order = order.again(asked.owner())
    if reason := limits.current_limits().refusal(order.seconds, order.size, order.unit):
        return _with_last(Shown("refused", order.run, sentence=reason), place)
    try:
        job = asked.job(order, place)
    except DataError as error:  # it needs a table that this session has not
        return _with_last(Shown("refused", order.run, sentence=str(error)), place)
    if job is None:
        return _with_last(Shown("waiting", order.run, sentence=order.cost, order=order), place)
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


def steps_of(run: Run) -> tuple[Any, tuple[Any, ...]]:
    """The whole fit and the recorded steps of an iterative method; DataError where there are none.

    A quick method is recorded here, any other in a worker.
    """
    wanted = task("mlcore.runs.carry:recording", run, held_for(run))
    took, _ = cost.estimate(run, dataset_of(run))
    here = took < limits.IN_PLACE_SECONDS
    found = key_of(run, "steps")
    job = results().obtain(found, wanted, here=here, owner=asked.owner())
    if not job.wait(limits.current_limits().autorun_seconds):
        raise DataError("The steps are still being recorded. Look again in a moment.")
    return job.result()


def trial_steps_of(run: Trial, which: int) -> tuple[Any, tuple[Any, ...]]:
    """The fit and the recorded steps of one method of a trial, in its first replicate."""
    wanted = task("mlcore.runs.carry_trial:recording", run, which)
    found = key_of(run, f"steps {which}")
    return results().obtain(found, wanted, here=True, owner=asked.owner()).result()


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
