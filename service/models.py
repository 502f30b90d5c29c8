"""Saved models that people bring, opened and asked by a worker: whatever one does ends there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mlcore.runs.predicting import opened
from mlcore.runs.predicting.opened import Opened
from mlcore.spine.errors import FileError
from service import jobs, limits, reading
from service.fair_queue import Person
from service.pool import AT_ONCE
from service.tasks import JobError, Stored, Task, task

PLACE = "opening"


def open_model(content: bytes, name: str, *, owner: str, person: Person | None = None) -> Opened:
    """What stands in an archive. Raises FileError where it is no model, or ends its worker."""
    most = limits.current_limits()
    most = replace(most, seconds=min(most.seconds, reading.SECONDS))
    if len(content) > most.upload_mb * 2**20:
        raise FileError(f"A saved model may have at most {most.upload_mb} MB.")
    job = jobs.pool().submit(
        task(opened.opened, content), owner=owner, person=person, replaces=PLACE,
        priority=AT_ONCE, limits=most,
    )  # fmt: skip
    try:
        return job.result()
    except JobError as error:
        raise FileError(reading.why(error.failed, name, most)) from error


def asked(verb: str, content: bytes, digest: str, *given: Any) -> Task:
    """The task of a worker that matches or predicts; the archive is sent to it once."""
    return task(f"{opened.__name__}:{verb}", Stored(f"model {digest}", content), *given)
