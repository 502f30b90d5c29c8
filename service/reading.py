"""Files that people bring, read by a worker: whatever one does to its reader ends there, within the
memory and the time that a run may take."""

from __future__ import annotations

from dataclasses import replace

from mlcore.data.importing import Bounds, Decisions, Imported, reading
from mlcore.spine.errors import FileError
from service import jobs, limits
from service.fair_queue import Person
from service.pool import AT_ONCE, Pool
from service.tasks import Failed, JobError, task

SECONDS = 120.0  # a page waits for it; the largest files that are taken need a fraction of this
PLACE = "reading"
NAME = 60  # letters of a file's name in a sentence


def read(
    content: bytes,
    name: str,
    decisions: Decisions,
    *,
    owner: str = "",
    person: Person | None = None,
    pool: Pool | None = None,
) -> Imported:
    """The table of a file and how it was read. Raises FileError where it cannot be read, be it that
    the worker ended over it; a file that this owner brought before is read no further."""
    most = limits.current_limits()
    most = replace(most, seconds=min(most.seconds, SECONDS))
    bounds = Bounds(file=most.upload_mb * 2**20, rows=most.rows)
    asked = task(reading.read, content, name, decisions, bounds=bounds)
    job = (pool or jobs.pool()).submit(
        asked, owner=owner, person=person, replaces=PLACE, priority=AT_ONCE, limits=most
    )
    try:
        return job.result()
    except JobError as error:
        raise FileError(why(error.failed, name, most)) from error


def why(failed: Failed, name: str, most: limits.Limits) -> str:
    """The sentence of a reading that came to no end, in words for a file and not for a run."""
    short = name if len(name) <= NAME else f"{name[:NAME]}…"
    instead = "Bring a sample of its rows, or save the table as CSV and bring that."
    return ended(failed, f"The file {short!r}", most, instead)


def ended(failed: Failed, what: str, most: limits.Limits, instead: str) -> str:
    """The sentence of whatever was to be read, with what to do instead."""
    ends = {
        "memory": f"needs more than {limits.memory(most.memory_mb)} of memory to be read",
        "time": f"takes longer to be read than the {most.seconds:g} seconds allowed",
        "crash": "ended the process that read it",
        "fault": "cannot be read, through a fault in MLScope that is noted in its log",
    }
    if failed.kind not in ends:
        return failed.sentence
    return f"{what} {ends[failed.kind]}. {instead}"
