"""Projects written and opened by a worker: whatever a file does to its reader ends there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from mlcore.data.table import Table
from mlcore.runs import project
from mlcore.runs.project import Project
from mlcore.runs.project_lines import Line
from mlcore.spine.errors import FileError
from service import jobs, limits, reading
from service.fair_queue import Person
from service.kept_tables import SHARE
from service.pool import AT_ONCE
from service.tasks import JobError, Stored, Task, task

ENDING = ".mlscope"
NAME = "project"
OPENING, WRITING = "opening a project", "writing a project"


def is_one(name: str, content: bytes) -> bool:
    """Whether a file is to be opened as a project or a saved run, and not read as a table.

    A project is known by its first part under any name, as where a browser calls it a ZIP.
    """
    begins = content[:4] == b"PK\x03\x04" and content[30:].startswith(project.MANIFEST.encode())
    return begins or name.lower().endswith((ENDING, ".json"))


def opened(content: bytes, name: str, *, owner: str, person: Person | None = None) -> Project:
    """What stands in a project, or in the JSON of a run. Raises FileError where it is neither, or
    ends its worker; its tables take at most what one browser may hold of them."""
    most = limits.current_limits()
    if len(content) > most.upload_mb * 2**20:
        raise FileError(f"A project may have at most {most.upload_mb} MB here.")
    room = most.uploads_mb * 2**20 // SHARE
    wanted = task(project.read, content, room, most.rows)
    return _carried_out(wanted, name, OPENING, owner, person)


def written(
    lines: Sequence[Line], tables: Mapping[str, Table], *, owner: str, person: Person | None = None
) -> bytes:
    """The archive of these runs and tables. Raises FileError where they take too much room."""
    packed: dict[str, Any] = {digest: Stored(digest, table) for digest, table in tables.items()}
    wanted = task(project.written, tuple(lines), packed)
    return _carried_out(wanted, NAME, WRITING, owner, person)


def _carried_out(wanted: Task, name: str, place: str, owner: str, person: Person | None) -> Any:
    most = limits.current_limits()
    most = replace(most, seconds=min(most.seconds, reading.SECONDS))
    job = jobs.pool().submit(
        wanted, owner=owner, person=person, replaces=place, priority=AT_ONCE, limits=most
    )
    try:
        return job.result()
    except JobError as error:
        raise FileError(reading.why(error.failed, name, most)) from error
