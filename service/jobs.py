"""Where jobs come from: the one pool of this server process, or this thread for what is quick."""

from __future__ import annotations

import atexit
import sys
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

from service import tasks
from service.limits import current_limits
from service.pool import Pool, log
from service.tasks import ALLOWED, Task
from service.work import Job, Work


def carry_out_here(asked: tuple, *, keep: Callable[[Any, int], None] | None = None) -> Job:
    """Carry out a task in this thread, for what takes a few milliseconds; the job is over."""
    task = Task(*asked)
    work = Work(task.function, tasks.pack(task), current_limits())
    job = Job(work, "", None, lambda job: None)
    work.begin()
    try:
        work.end(tasks.carry_out(work.packed, work.events.append, ALLOWED))
    except Exception as error:  # as in a worker: whatever goes wrong is a sentence on the page
        work.end(failed=tasks.failure(error))
        log(work)
    if keep and not work.failed:
        keep(work.result, tasks.size_of(work.result))
    job.close()
    return job


# Streamlit imports edited modules afresh. What there is one of in a process stays in a module
# that has no file, so that the pool of the code before the edit is found and closed.
_PROCESS: Any = sys.modules.setdefault("mlscope_process", ModuleType("mlscope_process"))
_MAKING = threading.Lock()


def pool() -> Pool:
    """The pool of this server process, begun when it is first asked for."""
    with _MAKING:
        held = getattr(_PROCESS, "pool", None)
        if not isinstance(held, Pool):
            _close_pool()
            _PROCESS.pool = held = Pool()
        return held


@atexit.register
def _close_pool() -> None:
    held = getattr(_PROCESS, "pool", None)
    if held is not None:
        held.close()
