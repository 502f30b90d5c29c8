"""The pool as a `concurrent.futures.Executor`, or a Dask cluster in its place."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from concurrent.futures import wait as wait_for
from functools import cache, partial
from typing import Any
from weakref import WeakValueDictionary

from mlcore.spine.errors import ParamError
from service.fan import Fan
from service.pool import Pool
from service.tasks import JobError, Stored, called, task
from service.work import Job, Work

SCHEDULER = "MLSCOPE_SCHEDULER"  # tcp://host:port of a Dask scheduler
QUEUED_PER_CORE = 2  # calls of a run that a cluster is given: one to carry out, one to come


class JobFuture(Future):
    """A job as a future. Cancelling works at any time, also while it is running."""

    def __init__(self, job: Job) -> None:
        super().__init__()
        self._job = job
        job.when_over(self._settle)

    def cancel(self) -> bool:
        """Stop the job; false if it is over already."""
        self._job.cancel()
        return self.cancelled()

    def running(self) -> bool:
        """Whether a worker is at it."""
        return self._job.state == "running"

    def _settle(self, job: Job) -> None:
        if job.state == "stopped":
            super().cancel()
        if not self.set_running_or_notify_cancel():
            return
        if job.failed:
            self.set_exception(JobError(job.failed))
        else:
            self.set_result(job.result())


class PoolExecutor(Executor):
    """Module-level functions of allowed packages, carried out by the workers of a pool."""

    def __init__(self, pool: Pool, *, owner: str = "", part_of: Work | None = None) -> None:
        self._pool, self._owner, self._part_of = pool, owner, part_of
        self._lock = threading.Lock()
        self._open: set[JobFuture] = set()
        self._shut = False

    def submit(self, fn: Callable, /, *args: Any, **kwargs: Any) -> JobFuture:
        """Queue one call; results and arguments are pickled."""
        with self._lock:
            if self._shut:
                raise RuntimeError("The executor is shut down.")
            asked = task(fn, *args, **kwargs)
            job = self._pool.submit(asked, owner=self._owner, part_of=self._part_of)
            future = JobFuture(job)
            self._open.add(future)
        future.add_done_callback(self._open.discard)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more calls; the pool itself stays, other people use it."""
        with self._lock:
            self._shut = True
            left = list(self._open)
        if cancel_futures:
            for future in left:
                future.cancel()
        if wait:
            wait_for(left)


class ClusterExecutor(Executor):
    """The same functions, carried out by the workers of a Dask cluster."""

    def __init__(self, client: Any) -> None:
        self._executor = client.get_executor(pure=False)

    def submit(self, fn: Callable, /, *args: Any, **kwargs: Any) -> Future:
        """Queue one call; the cluster looks the function up by its name, as our workers do."""
        return self._executor.submit(called, task(fn).function, *args, **kwargs)


def fan(size: float = 0.0) -> Callable[[Pool, Work], Fan]:
    """Where the calls of a run go: to our own workers, or the cluster that MLSCOPE_SCHEDULER names.

    `size` is the number of bytes that one call is expected to need: of calls that need much, fewer
    are carried out at once. Raises ParamError when a cluster is named that cannot be used.
    """

    def made(pool: Pool, work: Work) -> Fan:
        if address := os.environ.get(SCHEDULER, "").strip():
            client = _client(address)
            pool.begin(work)  # who waits for whom is for the scheduler to know
            at_once = QUEUED_PER_CORE * sum(client.ncores().values())
            return Fan(ClusterExecutor(client), max(at_once, 1), partial(_scattered, client))
        fitting = int(work.limits.memory_mb * 2**20 / max(size, 1.0))
        # One more than are carried out, so that no worker waits for the next one.
        at_once = min(pool.size + 1, max(fitting, 1))
        return Fan(PoolExecutor(pool, owner=work.owner, part_of=work), at_once, Stored)

    return made


# What a cluster holds, by client and digest, as long as somebody here needs it.
_SCATTERED: WeakValueDictionary[tuple[str, str], Any] = WeakValueDictionary()


def _scattered(client: Any, digest: str, value: Any) -> Any:
    """The future of a value that the cluster holds; runs that need the same one share it.

    The cluster's own name for it is new each time: sent again under a name that is just being let
    go, it would be lost, and the calls that need it would wait or be cancelled.
    """
    future = _SCATTERED.get((client.id, digest))
    if future is None or future.status != "finished":
        future = _SCATTERED[client.id, digest] = client.scatter(value, hash=False)
    return future


@cache
def _client(address: str) -> Any:
    try:
        from distributed import Client  # optional
    except ImportError:
        raise ParamError(
            f"{SCHEDULER} names a Dask scheduler ({address}), but the package distributed is not "
            "installed. Install it, or leave the variable out to use this computer."
        ) from None
    try:
        return Client(address)
    except (OSError, ValueError) as error:
        raise ParamError(
            f"{SCHEDULER} must be the address of a running Dask scheduler; {address!r} cannot be "
            f"used ({error}). Correct it, or leave the variable out to use this computer."
        ) from None
