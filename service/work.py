"""Jobs as pages see them: state, events so far, progress, result or the sentence why there is none.

A `Work` is carried out once; everybody who asked for the same thing has a `Job` on it. Stopping a
job lets go of the work, which is killed when nobody is left.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from service.admission import PAGES
from service.fair_queue import Person
from service.limits import LESS, Limits, memory
from service.tasks import Failed, JobError, Packed

if TYPE_CHECKING:
    from service.fan import Fan


class Progress(NamedTuple):
    """How far a job is: `done` of `total`, counted in `unit` ("folds")."""

    done: int
    total: int
    unit: str


def progress_of(events: Iterable[Any]) -> Progress | None:
    """How far the last event that says so is: any event with `done`, `total` and `unit` does."""
    for event in reversed(tuple(events)):
        if all(hasattr(event, name) for name in Progress._fields):
            return Progress(event.done, event.total, event.unit)
    return None


class Work:
    """One task and what has become of it; everything is changed under the lock of its pool."""

    def __init__(self, function: str, packed: Packed, limits: Limits, owner: str = "") -> None:
        self.function, self.limits, self.owner = function, limits, owner
        self.person, self.expected, self.asked = Person(owner), 0.0, time.monotonic()
        self.packed = packed
        self.part_of: Work | None = None  # the run of which it is one call
        self.fan: Fan | None = None  # where the calls of a run go
        self.before: tuple[Any, ...] = ()  # events of an earlier attempt
        self.resumed = False  # whether there were some
        self.priority = 0
        self.key: Any = None
        self.keep: Callable[[Any, int], None] | None = None  # given the result and its bytes
        self.state = "queued"
        self.events: list[Any] = []
        self._heard = threading.Event()  # whether there is an event, or will never be one
        self.verdict: Failed | None = None  # why its worker is being killed
        self.started = self.ended = 0.0  # monotonic seconds
        self.must_end = 0.0  # when a call that nobody waits for is killed; 0 where somebody does
        self.result: Any = None
        self.failed: Failed | None = None
        self.askers: set[Job] = set()

    @property
    def is_over(self) -> bool:
        """Whether it has a result or never will."""
        return self.state in ("done", "failed", "stopped")

    def asked_as(self, run: Work) -> None:
        """Stand in the queue as the run of which it is a call."""
        self.person, self.expected, self.asked = run.person, run.expected, run.asked

    def hear(self, event: Any) -> None:
        """Take in what it has to tell under way."""
        self.events.append(event)
        self._heard.set()

    def wait_for_event(self, timeout: float) -> None:
        """Block until there is an event, it is over or `timeout` seconds passed."""
        if not self._heard.is_set():
            with PAGES.outside():
                self._heard.wait(timeout)

    def begin(self) -> None:
        """It was handed to a worker."""
        self.state, self.started = "running", time.monotonic()

    def end(self, result: Any = None, failed: Failed | None = None) -> None:
        """It is over: with a result, or with the reason why there is none."""
        stopped = failed is not None and failed.kind == "stopped"
        self.state = "stopped" if stopped else "failed" if failed else "done"
        self.ended = time.monotonic()
        self.packed, self.before = Packed(b"", {}), ()  # large arguments need room
        self.result, self.failed = result, failed
        self._heard.set()

    def seconds(self) -> float:
        """How long it has been running, or ran."""
        if not self.started:
            return 0.0
        return (self.ended or time.monotonic()) - self.started

    def after(self) -> str:
        """How far it came, for the sentences about an early end: " after 12 of 30 folds"."""
        at = progress_of(self.events)
        return f" after {at.done} of {at.total} {at.unit}" if at else ""


class Job:
    """One asker's hold on a piece of work. Safe to use from any thread."""

    def __init__(self, work: Work, owner: str, place: str | None, let_go: Callable) -> None:
        self.owner, self.place = owner, place
        self.work, self._let_go = work, let_go
        work.askers.add(self)
        self._left: Failed | None = None
        self._left_with: tuple[Any, ...] = ()
        self._over = threading.Event()
        self._telling = threading.Lock()
        self._told: list[Callable[[Job], None]] = []

    @property
    def has_left(self) -> bool:
        """Whether this asker stopped it for itself."""
        return self._left is not None

    @property
    def state(self) -> str:
        """queued, running, done, failed or stopped."""
        return "stopped" if self._left else self.work.state

    @property
    def events(self) -> tuple[Any, ...]:
        """Every event so far, such as finished folds; kept after an early end."""
        return self._left_with if self._left else tuple(self.work.events)

    @property
    def progress(self) -> Progress | None:
        """How far it is, by the last event that said so."""
        return progress_of(self.events)

    @property
    def seconds(self) -> float:
        """How long it has been running, or ran."""
        return self.work.seconds()

    @property
    def seconds_left(self) -> float | None:
        """An estimate by what is done so far, or None when nothing is or the job does not run."""
        at, before = self.progress, progress_of(self.work.before)
        if self.state != "running" or at is None:
            return None
        done = at.done - (before.done if before else 0)
        return self.seconds * (at.total - at.done) / done if done else None

    @property
    def failed(self) -> Failed | None:
        """Why there is no result: sentence, kind and detail."""
        return self._left or self.work.failed

    @property
    def failure(self) -> str | None:
        """The sentence why there is no result, or None."""
        return self.failed.sentence if self.failed else None

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come."""
        return self._over.is_set()

    def wait(self, timeout: float | None = None) -> bool:
        """Block until it is over or `timeout` seconds passed; says whether it is over."""
        if self.is_over:  # a page that has nothing to wait for goes on
            return True
        with PAGES.outside():
            return self._over.wait(timeout)

    def result(self, timeout: float | None = None) -> Any:
        """What the task returned; JobError with the sentence if there is nothing to return."""
        if not self.wait(timeout):
            raise TimeoutError(f"The job is not over after {timeout:g} seconds.")
        if self.failed:
            raise JobError(self.failed)
        return self.work.result

    def cancel(self) -> None:
        """Stop it now and keep its events; work that others wait for goes on for them."""
        self._let_go(self)

    def when_over(self, tell: Callable[[Job], None]) -> None:
        """Call `tell` with this job when it is over, in whichever thread ends it."""
        with self._telling:
            if not self.is_over:
                self._told.append(tell)
                return
        tell(self)

    def leave(self, how: str) -> Failed:
        """Freeze what this asker sees and say why; for the pool, under its lock."""
        before = "" if self.work.started else " before it began"
        sentence = f"The run was {how}{self.work.after() or before}."
        self._left_with = tuple(self.work.events)
        self._left = Failed(sentence, "stopped")
        self.work.askers.discard(self)
        return self._left

    def close(self) -> None:
        """Wake and tell whoever waits; for the pool, without its lock."""
        with self._telling:
            self._over.set()
        for tell in self._told:
            tell(self)


def finished(result: Any) -> Job:
    """A job that is done, for a result that is known already."""
    work = Work("", Packed(b"", {}), Limits())
    work.end(result)
    job = Job(work, "", None, lambda job: None)
    job.close()
    return job


def out_of_time(work: Work) -> Failed:
    """The run took longer than it may."""
    at = progress_of(work.events)
    sentence = (
        f"The run took longer than the {work.limits.seconds:g} seconds it may take and was "
        f"stopped{work.after()}. {LESS.get(at.unit if at else '', LESS[''])}"
    )
    return Failed(sentence, "time")


def out_of_memory(work: Work) -> Failed:
    """The run occupied more memory than it may."""
    sentence = (
        f"The run needed more than {memory(work.limits.memory_mb)} of memory and was stopped"
        f"{work.after()}; use fewer rows, or a method that needs less memory."
    )
    return Failed(sentence, "memory")


def crashed(work: Work, detail: str) -> Failed:
    """The worker process died of something else."""
    sentence = (
        f"The process that carried out the run ended unexpectedly{work.after()}, often because "
        "the computer ran out of memory. Other runs are not affected. Try again, or use fewer rows."
    )
    return Failed(sentence, "crash", detail)


def no_worker() -> Failed:
    """There is nothing to carry it out."""
    sentence = (
        "The run could not begin: no worker process can be started on this server. Whoever runs "
        "the server finds the reason in its log."
    )
    return Failed(sentence, "fault")
