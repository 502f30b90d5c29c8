"""The pool of warm workers: who waits, who runs, who is stopped, and what takes over.

Each worker process is looked after by one thread of ours, which starts it, hands it one job after
another, and starts the next when it was killed. Stop, time limit, memory limit, hang and crash are
one mechanism: the process ends, and its job gets the sentence why.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from itertools import count
from multiprocessing import AuthenticationError
from typing import Any

from service import tasks
from service.driving import drive
from service.fair_queue import SHORT_SECONDS, FairQueue, Person
from service.fan import Fan
from service.limits import Limits, current_limits
from service.process import WorkerProcess, memory_is_watched
from service.starting import Starter
from service.tasks import ALLOWED, Failed, Task
from service.work import Job, Work, crashed, no_worker, out_of_memory, out_of_time

LOG = logging.getLogger(__name__)

WATCH_SECONDS = 0.05  # between looks at clock and memory: a run fills some 100 MB meanwhile
# A call of a run that was stopped is often about to end; killing its worker costs a second of a
# processor for the next one. So it has a moment, while others begin in its place.
GRACE_SECONDS = 0.25
# The priority of what a page cannot be drawn without: it may have the spare, so that it waits for
# no run of others.
AT_ONCE = -1
LONGEST_PAUSE = 30.0  # seconds between attempts to start a worker that does not start


class Pool:
    """Warm workers that carry out jobs, `size` at a time, with one spare ready to take over.

    Functions are looked up in packages whose names begin as `allowed` says. Returns at once and
    starts in the background; jobs wait until the first worker is ready.
    """

    def __init__(
        self,
        size: int | None = None,
        *,
        limits: Limits | None = None,
        allowed: tuple[str, ...] = ALLOWED,
    ) -> None:
        self.limits = limits or current_limits()
        self.size = size or self.limits.workers
        self._allowed = allowed
        self._starter = Starter(self.limits.threads)
        self._lock = threading.Condition()  # everything that follows changes under it
        self._queue: FairQueue[Work] = FairQueue()
        self._live: set[Work] = set()  # waiting or running, those that are driven too
        self._keyed: dict[Hashable, Work] = {}
        self._driven: set[Work] = set()  # runs whose calls are works of their own
        self._busy: dict[Work, WorkerProcess] = {}
        self._processes: set[WorkerProcess] = set()
        self._closing = threading.Event()
        # Starting keeps a processor busy: half of them at a time, so that the first is ready soon.
        self._starting = threading.Semaphore(max(1, self.size // 2))
        loops = [*[self._serve] * (self.size + 1), self._watch]
        self._threads = [threading.Thread(target=loop, daemon=True) for loop in loops]
        for thread in self._threads:
            thread.start()

    def submit(
        self,
        asked: tuple,
        *,
        owner: str = "",
        key: Hashable = None,
        replaces: str | None = None,
        priority: int = 0,
        person: Person | None = None,
        expected: float = 0.0,
        limits: Limits | None = None,
        keep: Callable[[Any, int], None] | None = None,
        part_of: Work | None = None,
        fan: Callable[[Pool, Work], Fan] | None = None,
        before: Sequence[Any] = (),
    ) -> Job:
        """Queue a task, ("package.module:function", args, kwargs), and return its job at once.

        A job asked for under the `key` of one that waits or runs joins it. With `replaces` (a place
        on a page, say) the older jobs of this owner at this place are stopped. Lower `priority`
        goes first, and `AT_ONCE` may have the spare worker too. The queue is fair to the `person`
        (by default the owner), and what is `expected` to take few seconds goes before what takes
        many. `keep` is given the result and its bytes before anybody else is. Arguments that do
        not pickle raise here.

        With `fan` the function is a run: it is walked in a thread of this process and told its
        `place`, made by `fan`, and the events of an attempt `before`; each of its calls is a task
        that is `part_of` its work.
        """
        task = Task(*asked)
        work = Work(task.function, tasks.pack(task), limits or self.limits, owner)
        work.priority, work.key, work.keep = priority, key, keep
        work.part_of, work.before = part_of, tuple(before)
        work.resumed = bool(before)
        work.person, work.expected = person or work.person, expected
        if part_of:
            work.asked_as(part_of)
        with self._lock:
            if self._closing.is_set():
                raise RuntimeError("The pool is closed.")
            job = Job(self._joined(work, fan), owner, replaces, self._stop)
        self.replace(owner, replaces, job)  # only now, so that work asked for again goes on
        return job

    def follow(self, key: Hashable, owner: str, place: str | None) -> Job | None:
        """A job of this owner on what waits or runs under a key, if anything does."""
        with self._lock:
            work = self._keyed.get(key)
            return Job(work, owner, place, self._stop) if work else None

    def replace(self, owner: str, place: str | None, newer: Job | None = None) -> None:
        """Stop the jobs of an owner at one place, but for the newer one."""
        with self._lock:
            older = [job for job in self._jobs(owner) if place and job.place == place]
        for job in older:
            if job is not newer:
                self._stop(job, "replaced by a newer one")

    def cancel(self, owner: str | None = None) -> None:
        """Stop every job of an owner who is gone, or every job."""
        with self._lock:
            jobs = self._jobs(owner)
        for job in jobs:
            job.cancel()

    def pids(self) -> list[int]:
        """The process ids of the workers."""
        with self._lock:
            return [process.pid for process in self._processes]

    def ready(self) -> int:
        """How many workers have started and could take a job or have one."""
        with self._lock:
            return sum(process.is_ready and process.is_alive() for process in self._processes)

    def begin(self, work: Work) -> None:
        """Say that a run is under way, carried out by others than the workers of this pool."""
        with self._lock:
            if work.state == "queued":
                work.begin()
                self._lock.notify_all()

    def ahead(self, job: Job) -> int:
        """How many other runs will begin before one that waits."""
        with self._lock:
            return self._queue.ahead(job.work, lambda work: work.part_of or work)

    def close(self) -> None:
        """Stop every job, end every worker, and wait until they have ended."""
        with self._lock:
            self._closing.set()
            jobs = self._jobs()
        for job in jobs:
            self._stop(job, "stopped because the server is closing")
        with self._lock:
            for process in self._processes:
                process.kill()
            self._lock.notify_all()
        self._starter.close()
        for thread in self._threads:
            thread.join()

    # What follows under "locked" is called with the lock held.

    def _jobs(self, owner: str | None = None) -> list[Job]:
        """Locked: the jobs of an owner, or all, that wait or run; the calls of a run go with it."""
        jobs = [job for work in self._live if not work.part_of for job in work.askers]
        return [job for job in jobs if owner is None or job.owner == owner]

    def _joined(self, work: Work, fan: Callable[[Pool, Work], Fan] | None) -> Work:
        """Locked: the work under the same key that waits or runs, or this one, now begun."""
        if work.key is not None and (first := self._keyed.setdefault(work.key, work)) is not work:
            return first
        self._live.add(work)
        if fan:
            self._driven.add(work)
            how = (work, partial(fan, self, work), self._allowed, self._settle)
            threading.Thread(target=drive, args=how, daemon=True).start()
        else:
            self._queue.add(work)
        self._lock.notify_all()
        return work

    def _kill(self, work: Work, why: Failed) -> None:
        """Locked: end a running job by ending its worker; the thread that serves it notices."""
        work.verdict = why
        self._busy[work].kill()

    def _over(self, work: Work, result: Any = None, failed: Failed | None = None) -> list[Job]:
        """Locked: settle a work that waits or ran; returns the jobs to close without the lock."""
        if self._busy.pop(work, None):
            if not work.must_end:
                self._queue.over(work)
        elif work not in self._driven:
            self._queue.remove(work)
        work.end(result, failed)
        self._forget(work)
        self._lock.notify_all()
        return list(work.askers)

    def _forget(self, work: Work) -> None:
        """Locked: nobody may join it any more."""
        self._live.discard(work)
        self._driven.discard(work)
        if self._keyed.get(work.key) is work:
            del self._keyed[work.key]

    def _stop(self, job: Job, how: str = "stopped") -> None:
        """Let one asker go; when it was the last, the work is dropped or its worker killed."""
        with self._lock:
            work = job.work
            if job.has_left or work.is_over:
                return
            why = job.leave(how)
            if not work.askers:
                self._end(work, why)
        self._stop_calls(work)
        job.close()

    def _end(self, work: Work, why: Failed) -> list[Job]:
        """Locked: end a work early; returns the jobs to close, none where that comes later."""
        if work not in self._busy:
            return self._over(work, failed=why)
        if work.part_of and why.kind == "stopped":
            work.verdict, work.must_end = why, time.monotonic() + GRACE_SECONDS
            self._queue.over(work)
            self._lock.notify_all()
        else:
            self._kill(work, why)
        self._forget(work)
        return []

    def _stop_calls(self, work: Work) -> None:
        """End the calls of a run that is over, wherever they are carried out."""
        if work.is_over and (fan := work.fan):
            fan.stop()

    def _settle(self, work: Work, result: Any = None, failed: Failed | None = None) -> None:
        """Close a work that came to its end, unless it was ended before."""
        with self._lock:
            jobs = [] if work.is_over else self._over(work, result, failed)
        for job in jobs:
            job.close()
        if jobs:
            log(work)

    def _serve(self) -> None:
        """Look after one worker process at a time, until the pool closes."""
        while process := self._started():
            while work := self._next(process):
                self._carry_out(work, process)
            self._release(process)

    def _started(self) -> WorkerProcess | None:
        """A worker that is ready, after as many attempts as it takes; None when the pool closes."""
        for attempt in count():
            if self._closing.wait(min(attempt**2, LONGEST_PAUSE)):
                break
            with self._starting:
                process = self._attempt()
            if process:
                return process
            if attempt:  # once may be bad luck
                self._give_up_waiting()
        return None

    def _attempt(self) -> WorkerProcess | None:
        """Start a worker once; None when it does not come to be ready."""
        try:
            process = WorkerProcess(self.limits, self._allowed, self._starter)
        except OSError:
            if not self._closing.is_set():
                LOG.exception("No worker process could be started.")
            return None
        with self._lock:
            self._processes.add(process)
            if self._closing.is_set():
                process.kill()
        try:
            process.connect()
        except (OSError, EOFError, ValueError, AuthenticationError) as error:
            code = self._release(process)
            if not self._closing.is_set():
                LOG.error("A worker ended with exit code %s before it was ready: %r", code, error)
            return None
        return process

    def _release(self, process: WorkerProcess) -> int:
        code = process.close()
        with self._lock:
            self._processes.discard(process)
        return code

    def _give_up_waiting(self) -> None:
        """When there is no worker at all and none can be started, say so to whoever waits."""
        with self._lock:
            if self.ready():
                return
            waiting = [work for work in self._live if work not in self._busy]
            jobs = [job for work in waiting for job in self._over(work, failed=no_worker())]
        for job in jobs:
            job.close()

    def _next(self, process: WorkerProcess) -> Work | None:
        """The next job for this worker; None when the worker is gone or the pool closes."""
        with self._lock:
            while process.is_alive() and not self._closing.is_set():
                if len(self._queue) and self._queue.running < self._room(self._queue.next):
                    work = self._queue.take()
                    work.begin()
                    if work.part_of and work.part_of.state == "queued":
                        work.part_of.begin()
                    self._busy[work] = process
                    self._lock.notify_all()
                    return work
                self._lock.wait()
            self._lock.notify_all()  # the call that woke us may have been meant for another worker
        return None

    def _room(self, work: Work) -> int:
        """Locked: how many may run if this one is the next.

        Short work of somebody who has nothing running may have the spare where all others are
        long: nobody watches a page for as long as the runs of one person take.
        """
        is_urgent = work.priority <= AT_ONCE or (
            work.expected <= SHORT_SECONDS
            and not self._queue.runs_for(work.person)
            and all(max(it.expected, it.seconds()) > SHORT_SECONDS for it in self._busy)
        )
        return self.size + is_urgent

    def _carry_out(self, work: Work, process: WorkerProcess) -> None:
        """Have one job done, pass on what is heard of it, and settle it."""
        try:
            verb, what, size = self._conversation(work, process)
        except (EOFError, OSError):  # the worker is gone: killed by us, or by something else
            detail = f"{work.function}: the worker ended with exit code {process.close()}."
            verb, what, size = "failed", work.verdict or crashed(work, detail), 0
        except Exception as error:  # a large argument that does not pickle
            process.kill()
            verb, what, size = "failed", tasks.failure(error), 0
        if verb == "done" and work.keep:
            work.keep(what, size)  # before the key is free: or the same could be begun again
        self._settle(work, **({"result": what} if verb == "done" else {"failed": what}))
        if process.has_swollen():
            process.kill()

    def _conversation(self, work: Work, process: WorkerProcess) -> tuple[str, Any, int]:
        """Give the task and hear every event; the last message and its size."""
        process.give(work.packed)
        while True:
            verb, what, size = process.receive()
            if verb != "event":
                return verb, what, size
            work.hear(what)

    def _watch(self) -> None:
        """Kill what exceeds its time or memory."""
        if not memory_is_watched():
            LOG.warning("Memory is not limited: this system does not say how much a worker uses.")
        while not self._closing.is_set():
            with self._lock:
                self._lock.wait_for(lambda: self._busy or self._driven or self._closing.is_set())
                ended = [(work, self._end(work, why)) for work, why in self._excesses()]
                for work, process in self._busy.items():
                    if work.must_end and time.monotonic() > work.must_end:
                        process.kill()
            for work, jobs in ended:
                self._stop_calls(work)
                for job in jobs:
                    job.close()
            time.sleep(WATCH_SECONDS)

    def _excesses(self) -> list[tuple[Work, Failed]]:
        """Locked: what exceeds a limit, and which; the calls of a run count together."""
        by_run: dict[Work, list[WorkerProcess]] = {run: [] for run in self._driven}
        for work, process in self._busy.items():
            if not work.verdict:
                by_run.setdefault(work.part_of or work, []).append(process)
        verdicts = ((work, _excess(work, processes)) for work, processes in by_run.items())
        return [(work, why) for work, why in verdicts if why and not work.is_over]


def _excess(work: Work, processes: Sequence[WorkerProcess]) -> Failed | None:
    """Which limit a job exceeds that is carried out by these processes, if any."""
    if work.seconds() > work.limits.seconds:
        return out_of_time(work)
    # What a worker occupies before it does anything counts once, whatever their number.
    occupied = sum(process.resident() or 0 for process in processes)
    if occupied - sum(p.resident_at_start for p in processes[1:]) > work.limits.memory_mb * 2**20:
        return out_of_memory(work)
    return None


def log(work: Work) -> None:
    """Whoever runs the server is told what a user cannot put right."""
    if work.failed and work.failed.detail:
        LOG.error("%s: %s\n%s", work.function, work.failed.sentence, work.failed.detail)
