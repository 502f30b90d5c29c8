"""What is brought from elsewhere is asked for by a worker, within the limits of a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from mlcore.spine.errors import FileError
from service import jobs, limits
from service.bringing import fetching, sql
from service.fair_queue import Person
from service.pool import AT_ONCE, Pool
from service.reading import ended
from service.tasks import JobError, task

SECONDS = 90.0  # a page waits for it; names are looked up and databases answer within them
PLACE = "bringing"


def fetched(
    text: str,
    *,
    owner: str = "",
    person: Person | None = None,
    pool: Pool | None = None,
    open_to: tuple[tuple[str, int], ...] = (),
) -> fetching.Fetched:
    """The file at an address. Raises FileError where it is not to be had.

    `open_to` are (address, port) of machines that tests may ask although they are not public.
    """
    most = limits.current_limits()
    ports = (*fetching.addresses.OPEN_PORTS, *(port for _, port in open_to))
    seconds = min(most.seconds, fetching.SECONDS)
    bounds = fetching.Bounds(most.upload_mb * 2**20, seconds, ports, open_to)
    return _carried(fetching.fetch, "The address", text, bounds,
                    owner=owner, person=person, pool=pool)  # fmt: skip


def queried(
    database: str,
    statement: str,
    *,
    owner: str = "",
    person: Person | None = None,
    pool: Pool | None = None,
) -> sql.Answer:
    """The rows of a statement as a Parquet file. Raises FileError where there are none."""
    most = limits.current_limits()
    bounds = sql.Bounds(
        most.rows, min(most.seconds, sql.SECONDS), most.upload_mb * 2**20, most.memory_mb
    )
    return _carried(sql.answer, "The statement", database, statement, bounds,
                    owner=owner, person=person, pool=pool)  # fmt: skip


def _carried(
    function: Callable,
    subject: str,
    *args: Any,
    owner: str,
    person: Person | None,
    pool: Pool | None,
) -> Any:
    most = limits.current_limits()
    most = replace(most, seconds=min(most.seconds, SECONDS))
    job = (pool or jobs.pool()).submit(
        task(function, *args), owner=owner, person=person, replaces=PLACE, priority=AT_ONCE,
        limits=most,
    )  # fmt: skip
    try:
        return job.result()
    except JobError as error:
        instead = "Ask for fewer rows, or bring a file."
        raise FileError(ended(error.failed, subject, most, instead)) from error
