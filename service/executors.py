"""The pool as a `concurrent.futures.Executor`, or a Dask cluster in its place."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from concurrent.futures import wait as wait_for
from functools import cache
from typing import Any

from mlcore.errors import ParamError
from service.jobs import pool
from service.pool import Pool
from service.tasks import JobError, task
from service.work import Job

SCHEDULER = "MLSCOPE_SCHEDULER"  # tcp://host:port of a Dask scheduler


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

    def __init__(self, pool: Pool, *, owner: str = "", priority: int = 0) -> None:
        self._pool, self._owner, self._priority = pool, owner, priority
        self._lock = threading.Lock()
        self._open: set[JobFuture] = set()
        self._shut = False

    def submit(self, fn: Callable, /, *args: Any, **kwargs: Any) -> JobFuture:
        """Queue one call; results and arguments are pickled."""
        with self._lock:
            if self._shut:
                raise RuntimeError("The executor is shut down.")
            asked = task(fn, *args, **kwargs)
            job = self._pool.submit(asked, owner=self._owner, priority=self._priority)
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


def executor(owner: str = "") -> Executor:
    """Where folds and candidates go: our own workers, or the cluster that MLSCOPE_SCHEDULER names.

    Raises ParamError when a cluster is named that cannot be used.
    """
    address = os.environ.get(SCHEDULER, "").strip()
    return _cluster(address) if address else PoolExecutor(pool(), owner=owner)


@cache
def _cluster(address: str) -> Executor:
    try:
        from distributed import Client  # type: ignore[import-not-found]  # optional
    except ImportError:
        raise ParamError(
            f"{SCHEDULER} names a Dask scheduler ({address}), but the package distributed is not "
            "installed. Install it, or leave the variable out to use this computer."
        ) from None
    try:
        return Client(address).get_executor()
    except (OSError, ValueError) as error:
        raise ParamError(
            f"{SCHEDULER} must be the address of a running Dask scheduler; {address!r} cannot be "
            f"used ({error}). Correct it, or leave the variable out to use this computer."
        ) from None
