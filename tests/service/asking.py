"""What tests ask of workers, and how they wait: little to import, for programs that tests start."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from typing import Any

import pytest

from service import starting
from service.limits import Limits
from service.work import Job

LIMITS = Limits(workers=2, memory_mb=1024, seconds=60.0)
PROBES = "tests.service.probes:"
STARTED = starting._module


def bare_fork_servers(patch: pytest.MonkeyPatch) -> None:
    """Fork servers import what probes need: with the catalogue each takes four seconds, not 0.3."""

    def bare(name: str, *asked: Any, **files: Any) -> subprocess.Popen:
        return STARTED(name.replace("service.", "tests.service.bare_", 1), *asked, **files)

    patch.setattr(starting, "_module", bare)


def ask(name: str, *args: object) -> tuple:
    """The task of a probe."""
    return (PROBES + name, args)


def until(true: Callable[[], object], seconds: float = 20.0) -> bool:
    """Wait until something holds; says whether it came to that."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def is_running(job: Job) -> bool:
    return job.state == "running"


def exists(pid: int) -> bool:
    """Whether a process is there and not merely waiting to be buried."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return os.path.exists(f"/proc/{pid}")
