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


class JobHere(Job):
    """A job for what takes milliseconds: whoever waits for it carries it out, in that thread."""

    def __init__(self, asked: tuple, keep: Callable[[Any, int], None] | None = None) -> None:
        task = Task(*asked)
        work = Work(task.function, tasks.pack(task), current_limits())
        super().__init__(work, "", None, lambda job: None)
        self._walk, self._keep = tasks.walk(work.packed, ALLOWED), keep
        work.begin()

    def step(self) -> bool:
        """Go on to the next event; says whether there was one. If not, the job is over."""
        if self.is_over:
            return False
        try:
            self.work.hear(next(self._walk))
            return True
        except StopIteration as end:
            self.work.end(end.value)
        except Exception as error:  # as in a worker: whatever goes wrong is a sentence on the page
            self.work.end(failed=tasks.failure(error))
            log(self.work)
        if self._keep and not self.work.failed:
            self._keep(self.work.result, tasks.size_of(self.work.result))
        self.close()
        return False

    def wait(self, timeout: float | None = None) -> bool:
        """Carry out what is left of it, whatever the time."""
        while self.step():
            pass
        return True


# Streamlit imports edited modules afresh. What there is one of in a process stays in a module
# that has no file, so that the pool of the code before the edit is found and closed.
_PROCESS: Any = sys.modules.setdefault("mlscope_process", ModuleType("mlscope_process"))
_MAKING = threading.Lock()


def pool() -> Pool:
    """The pool of this server process, begun when it is first asked for."""
    with _MAKING:
        current = getattr(_PROCESS, "pool", None)
        if not isinstance(current, Pool):
            _close_pool()
            _PROCESS.pool = current = Pool()
        return current


@atexit.register
def _close_pool() -> None:
    current = getattr(_PROCESS, "pool", None)
    if current is not None:
        current.close()
