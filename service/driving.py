"""A run in a thread of the server: it is walked there, and its calls are carried out elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError
from typing import Any

from service import tasks
from service.fan import CallFailed, Fan
from service.tasks import Failed
from service.work import Work, crashed, out_of_memory


def drive(
    work: Work, fan: Callable[[], Fan], allowed: tuple[str, ...], settle: Callable[..., None]
) -> None:
    """Walk a run to its end, and `settle` it with its result or the reason why there is none."""
    try:
        result = _walked(work, fan, allowed)
    except CancelledError:
        settle(work, failed=crashed(work, f"{work.function}: its calls were cancelled."))
    except CallFailed as error:
        settle(work, failed=_told_of_run(work, error.failed))
    except Exception as error:  # whatever goes wrong is a sentence on the page
        settle(work, failed=tasks.failure(error))
    else:
        if work.keep:
            work.keep(result, tasks.size_of(result))  # before the key is free, as in the pool
        settle(work, result)
    finally:
        work.fan = None  # it holds the rows


def _walked(work: Work, fan: Callable[[], Fan], allowed: tuple[str, ...]) -> Any:
    work.fan = place = fan()
    if work.is_over:  # stopped before there was anything to stop
        raise CancelledError
    walk = tasks.walk(work.packed, allowed, place=place, before=work.before)
    while True:
        try:
            work.hear(next(walk))
        except StopIteration as end:
            return end.value


def _told_of_run(work: Work, failed: Failed) -> Failed:
    """A failed call as a failure of its run, which says how far that came."""
    if failed.kind == "crash":
        return crashed(work, failed.detail)
    return out_of_memory(work) if failed.kind == "memory" else failed
