"""From a run to what can be shown of it: known, made at once, under way, waiting, or refused."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from mlcore.data.dataset import Dataset, TableData, share
from mlcore.data.sources import Source
from mlcore.data.steps import Applied
from mlcore.data.table import Table
from mlcore.runs import cost
from mlcore.runs.kinds import kind_of
from mlcore.runs.run import AnyRun, Comparison, Run, Trial
from mlcore.spine.errors import DataError, MlcoreError
from service import limits
from service.jobs import JobHere
from service.pool import AT_ONCE
from service.results import results
from service.tasks import task
from service.work import Job
from ui import state
from ui.runs import asked
from ui.runs.orders import Order, order_of
from ui.runs.session_tables import key_of, needed_tables, session_tables

# How long a page waits for a quick run before it shows progress instead.
PATIENCE = float(os.environ.get("MLSCOPE_PATIENCE", "0.6"))

IN_PLACE_BYTES = 2**26  # that a draw may take in the page's own process

SHARED = "shared"  # the page where a run is carried out again, though its result may be known
Parts = tuple[str, ...] | None


@dataclass(frozen=True)
class Shown:
    """A run as far as it has come. `status` is done, running, waiting, refused, failed, stopped."""

    status: str
    run: Any  # of any kind, the outcome with it
    outcome: Any = None
    sentence: str = ""
    job: Job | None = None
    order: Order | None = None
    stale: bool = False  # the outcome is of earlier settings
    smaller: Order | None = None  # waiting for a person: a design that costs less
    waited: float = 0.0  # seconds for its first part

    @property
    def may_go_on(self) -> bool:
        """Whether it was stopped or failed half-way, and can go on from there."""
        job, order = self.job, self.order
        if job is None or order is None or not order.is_of_calls:
            return False
        return self.status in ("stopped", "failed") and self.may_begin and bool(job.events)

    @property
    def does_not_apply(self) -> bool:
        """Whether the data do not allow it, and nothing is there to be shown instead.

        Some of that is known before it begins, the rest is found by fitting.
        """
        if self.outcome is not None and kind_of(self.run).has_something(self.outcome):
            return False
        return self.status == "refused" or self._is_refused_by_fit

    @property
    def _is_refused_by_fit(self) -> bool:
        failed = self.job.failed if self.status == "failed" and self.job else None
        return failed is not None and failed.is_for_the_user

    @property
    def may_begin(self) -> bool:
        """Whether it makes sense to begin it, perhaps again."""
        if self.status == "failed" and self.job and self.job.failed:
            return not self._is_refused_by_fit
        return self.status in ("waiting", "stopped")


def dataset_of(run: Run | Comparison) -> Dataset:
    """The rows of a run; DataError where there are none."""
    return _rows(run.data)


def dataset_if_any(run: AnyRun) -> Dataset | None:
    """The rows of a run, None for one of a kind that has none; DataError as above."""
    data = kind_of(run).data(run)
    return _rows(data[0]) if data else None


def _rows(data: Any) -> Dataset:
    dataset = _made("dataset", "mlcore.runs.carry:dataset_of", data)
    share(data, dataset)  # with the walks of runs, in this process too
    return dataset


def _made(what: str, function: str, data: Any) -> Any:
    """What a function makes of a table; one that is changed, or is long in the drawing, is made by
    a worker, and at once."""
    wanted = task(function, data, needed_tables(data))
    how: dict[str, Any] = {"here": True}
    if data.steps or _is_heavy(data.source):
        how = {**asked.sender(), "priority": AT_ONCE}
    return results().obtain(key_of(data, what), wanted, **how).result()


def _is_heavy(source: Source) -> bool:
    seconds, size = source.takes()
    return seconds > limits.IN_PLACE_SECONDS or size > IN_PLACE_BYTES


def changes_of(data: TableData) -> Applied:
    """The rows before and after each change of the table; DataError where there is no table."""
    asked_of = replace(data, target="proposed", roles=(), drop=())  # they play no part in it
    return _made("changes", "mlcore.runs.carry:changes_of", asked_of)


def columns_of(run: Run) -> tuple[Table, dict[str, str]] | None:
    """The columns and their roles where there are no rows to learn from; None if not even these."""
    try:
        return _made("columns", "mlcore.runs.carry:columns_of", run.data)
    except MlcoreError:
        return None


def carried(
    run: AnyRun, dataset: Dataset | None, place: str, parts: Parts = None, *, by_hand: bool = False
) -> Shown:
    """What there is to show of a run; begins it unless it is too long to begin unasked.

    `dataset` is its first data, if it names any; `parts`, as `mlcore.runs.repeat` names them, are
    all that is carried out. One that goes `by_hand` waits for a person, however short it is.
    """
    return completed(started(run, dataset, place, parts, by_hand=by_hand), place)


def started(
    run: AnyRun, dataset: Dataset | None, place: str, parts: Parts = None, *, by_hand: bool = False
) -> Shown:
    """A run that is begun, unless it is too long to begin unasked: a quick one as far as its first
    part, so that a page can draw that before it waits for the others (`completed`).

    Both wait together as long as one would.
    """
    datasets = () if dataset is None else (dataset, *_further(run))
    if reason := kind_of(run).why_not(run, datasets):
        return Shown("refused", run, sentence=reason)
    try:
        order = order_of(run, datasets, needed_tables(run), session_tables())
    except MlcoreError as error:  # more folds than rows
        return _with_last(Shown("refused", run, sentence=str(error)), place)
    shown = _begun(replace(order, by_hand=by_hand), place, parts)
    if shown.status not in ("waiting", "refused") or place == SHARED:
        return shown
    return replace(shown, smaller=_smaller(run, datasets))


def ordered(order: Order, place: str) -> Shown:
    """What there is to show of an order of one's own making; begins it like `carried`."""
    return completed(_begun(order, place), place)


def _smaller(run: AnyRun, datasets: tuple[Dataset, ...]) -> Order | None:
    """The order for the largest design that costs less than half, if the kind knows any."""
    less, limit = run, kind_of(run).cost(run, datasets).seconds / 2
    while (less := kind_of(run).smaller(less)) is not None:
        with suppress(MlcoreError):  # its folds may not fit the rows
            order = order_of(less, datasets, needed_tables(less), session_tables())
            if order.seconds < limit and not _refusal(order):
                return order
    return None


def _refusal(order: Order) -> str | None:
    return limits.current_limits().refusal(order.seconds, order.size, order.unit, order.kept)


def _further(run: AnyRun) -> tuple[Dataset, ...]:
    """The further data sets that can be used; of the others the outcome says why not."""
    datasets = []
    for data in kind_of(run).data(run)[1:]:
        with suppress(MlcoreError):
            datasets.append(_rows(data))
    return tuple(datasets)


def _begun(order: Order, place: str, parts: Parts = None) -> Shown:
    """An order as far as it can be shown without waiting; it is begun if it may be unasked."""
    if parts is not None:
        order = order.only(parts, needed_tables(order.run))
    if place == SHARED:
        order = order.again(asked.owner())
    if reason := _refusal(order):
        return _with_last(Shown("refused", order.run, sentence=reason), place)
    try:
        job = asked.job(order, place)
    except DataError as error:  # it needs a table that this session has not
        return _with_last(Shown("refused", order.run, sentence=str(error)), place)
    if job is None:
        return _with_last(Shown("waiting", order.run, sentence=order.cost, order=order), place)
    begun = time.monotonic()
    if isinstance(job, JobHere):
        job.step()
    else:
        job.work.wait_for_event(PATIENCE)
    return replace(_of(job, order), waited=time.monotonic() - begun)


def completed(shown: Shown, place: str) -> Shown:
    """The same as far as it comes while a page waits for it."""
    job, order = shown.job, shown.order
    if job is None or order is None:
        return shown
    job.wait(max(PATIENCE - shown.waited, 0.0))
    shown = _of(job, order)
    if shown.status == "done":
        st.session_state[f"last.{place}"] = shown.outcome
    state.note(shown.run, shown.status, shown.outcome)
    if shown.does_not_apply:
        return shown  # with the reason and ways on, where a former result would hide them
    # What has begun without anything to show must not take the former result away.
    bare = shown.status != "done" and shown.outcome is not None and not _has_something(shown)
    return _with_last(shown, place) if bare or shown.outcome is None else shown


def foreseen(run: Run, dataset: Dataset) -> Shown | None:
    """A run that nobody asked for yet, carried out if it is quick; None if it is not, or cannot be.

    It is no run of the session's list. Another rerun ends it between its parts.
    """
    try:
        reason = kind_of(run).why_not(run, (dataset,))
        order = order_of(run, (dataset,), needed_tables(run), session_tables())
    except MlcoreError:  # more folds than rows; said when somebody asks for it
        return None
    if reason or _refusal(order) or order.seconds >= limits.IN_PLACE_SECONDS:
        return None
    job = results().obtain(key_of(run, order.what), order.asked, here=True)
    while isinstance(job, JobHere) and job.step():
        state.session()
    return _of(job, order)


def _has_something(shown: Shown) -> bool:
    return kind_of(shown.run).has_something(shown.outcome)


def steps_of(run: Run) -> tuple[Any, tuple[Any, ...]]:
    """The whole fit and the recorded steps of an iterative method; DataError where there are none.

    A quick method is recorded here, any other in a worker.
    """
    wanted = task("mlcore.runs.carry:recording", run, needed_tables(run))
    took, _ = cost.estimate(run, dataset_of(run))
    here = took < limits.IN_PLACE_SECONDS
    cache_key = key_of(run, "steps")
    job = results().obtain(cache_key, wanted, here=here, expected=took, **asked.sender())
    if not job.wait(limits.current_limits().autorun_seconds):
        raise DataError("The steps are still being recorded. Look again in a moment.")
    return job.result()


def trial_steps_of(run: Trial, which: int) -> tuple[Any, tuple[Any, ...]]:
    """The fit and the recorded steps of one method of a trial, in its first replicate."""
    wanted = task("mlcore.runs.carry_trial:recording", run, which)
    cache_key = key_of(run, f"steps {which}")
    return results().obtain(cache_key, wanted, here=True, **asked.sender()).result()


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
        last = None  # pictures of something else are no help while waiting
    return shown if last is None else replace(shown, outcome=last, stale=True)


def last_of(place: str) -> Any:
    """The outcome that was completed last at a place, of whatever settings; None before one."""
    return st.session_state.get(f"last.{place}")


def _about(run: AnyRun) -> Any:
    return kind_of(run).about(run)
