"""What this installation allows, read once from the environment; wrong values give a sentence.

`python -m service.limits` prints the table that the hosting guide shows.
"""

from __future__ import annotations

import logging
import math
import os
import sys
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from functools import cache
from typing import Any

from mlcore.spine.errors import ParamError
from mlcore.spine.threads import THREAD_VARIABLES, thread_settings
from mlcore.spine.wording import estimated
from mlcore.spine.wording import seconds as span

LOG = logging.getLogger(__name__)

# Below this estimate (seconds) a fit is carried out in the page's own thread.
IN_PLACE_SECONDS = 0.05

# What shortens a run, and what makes it smaller, by the unit in which its progress is counted.
LESS = {
    "folds": "Use fewer rows or folds, or a quicker method.",
    "fits": "Use fewer rows, folds or methods.",
    "candidates": "Use fewer rows, folds or candidates.",
    "attempts": "Use fewer replicates, steps or methods.",
    "": "Use fewer rows, or settings that ask for less.",
}
LESS_AT_ONCE = {
    "attempts": "Use fewer replicates or steps.",
    "": "Use fewer rows, or a method that needs less.",
}
LESS_KEPT = {  # of what whoever asked keeps
    "folds": "Use fewer folds, repeats or rows.",
    "models": "Use fewer folds, repeats or rows.",
    "fits": "Use fewer folds, repeats, rows or methods.",
    "candidates": "Use fewer folds, repeats or candidates.",
    "attempts": "Use fewer replicates or methods.",
    "": "Use fewer rows, or settings that ask for less.",
}


def cores() -> int:
    """How many processors this process may use (a container may be given fewer than there are)."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _limit(variable: str, default: float | None, doc: str, *, low: float = 1) -> Any:
    """Declare a limit: its variable, default (None: the number of cores), lowest value."""
    kind = int if default is None else type(default)
    metadata = {"variable": variable, "doc": doc, "low": low, "kind": kind}
    if default is None:
        return field(default_factory=cores, metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The limits of one installation. A field that is a float may be a fraction."""

    threads: int = _limit("MLSCOPE_THREADS", 1, "Threads of the app and of each worker.")
    workers: int = _limit("MLSCOPE_WORKERS", None, "Runs carried out at a time; default: cores.")
    memory_mb: int = _limit(
        "MLSCOPE_MEMORY_MB",
        2048,
        "Memory (MiB) that one run, or the reading of one file, may use.",
        low=512,
    )
    seconds: float = _limit("MLSCOPE_SECONDS", 600.0, "Seconds that one run may take.")
    autorun_seconds: float = _limit(
        "MLSCOPE_AUTORUN_SECONDS", 5.0, "A run expected to take longer waits for Run.", low=0
    )
    upload_mb: int = _limit("MLSCOPE_UPLOAD_MB", 200, "Size (MiB) of one uploaded file.")
    rows: int = _limit("MLSCOPE_ROWS", 1_000_000, "Rows of one table.", low=100)
    results_mb: int = _limit(
        "MLSCOPE_RESULTS_MB", 192, "Memory (MiB) for results that are kept; 0 keeps none.", low=0
    )
    result_mb: int = _limit(
        "MLSCOPE_RESULT_MB", 128, "Memory (MiB) that the results of one run may take in the app."
    )
    share_mb: int = _limit(
        "MLSCOPE_SHARE_MB", 20, "Size (MiB) of one shared run with its tables, unpacked."
    )
    shares: int = _limit(
        "MLSCOPE_SHARES", 500, "Shared runs that are kept at a time; 0 stores none.", low=0
    )
    shares_hour: int = _limit(
        "MLSCOPE_SHARES_HOUR", 20, "Runs that one browser may store within an hour."
    )
    shares_address: int = _limit(
        "MLSCOPE_SHARES_ADDRESS", 100, "Runs that one network address may store within an hour."
    )
    uploads_mb: int = _limit(
        "MLSCOPE_UPLOADS_MB",
        1024,
        "Memory (MiB) for the uploaded files of all sessions, and for tables kept; the oldest go.",
    )
    table_hours: float = _limit(
        "MLSCOPE_TABLE_HOURS",
        8.0,
        "Hours that a browser finds its tables again after it last used them; 0 keeps none.",
        low=0,
    )
    keep_days: float = _limit(
        "MLSCOPE_KEEP_DAYS",
        7.0,
        "Days that a browser finds tables and runs on disk, sealed with its key; 0 writes none.",
        low=0,
    )
    keep_mb: int = _limit(
        "MLSCOPE_KEEP_MB", 2048, "Room (MiB) for these on disk; a browser may have a quarter of it."
    )
    share_days: int = _limit("MLSCOPE_SHARE_DAYS", 30, "Days after which a shared run is removed.")

    def waits(self, seconds: float) -> bool:
        """Whether a run expected to take `seconds` waits until somebody starts it by hand."""
        return seconds > self.autorun_seconds

    def refusal(self, seconds: float, size: float, unit: str = "", kept: float = 0.0) -> str | None:
        """Why a run expected to take `seconds` and `size` bytes is not begun, or None.

        `unit` is what its progress is counted in, which says what it is made of; `kept` are the
        bytes of its outcome, which the app keeps outside any worker.
        """
        if seconds > self.seconds:
            return (
                f"This run would take about {estimated(seconds)}; this installation allows "
                f"{span(self.seconds)}. {LESS.get(unit, LESS[''])}"
            )
        if size > self.memory_mb * 2**20:
            return (
                f"This run would need about {memory(size / 2**20)} of memory; this installation "
                f"allows {memory(self.memory_mb)}. {LESS_AT_ONCE.get(unit, LESS_AT_ONCE[''])}"
            )
        if kept > self.result_mb * 2**20:
            return (
                f"The results of this run would take about {memory(kept / 2**20)}; this "
                f"installation keeps {memory(self.result_mb)} of one run. "
                f"{LESS_KEPT.get(unit, LESS_KEPT[''])}"
            )
        return None


def read(environment: Mapping[str, str]) -> Limits:
    """The limits that `environment` sets; ParamError names the first variable that is wrong."""
    given = {f.name: environment.get(f.metadata["variable"], "").strip() for f in fields(Limits)}
    return Limits(
        **{f.name: _number(given[f.name], **f.metadata) for f in fields(Limits) if given[f.name]}
    )


@cache
def current_limits() -> Limits:
    """The limits of this process, read from its environment the first time."""
    return read(os.environ)


def hold_threads() -> None:
    """Hold this process to its threads; the first thing an app does, before numpy is imported."""
    settings = thread_settings(current_limits().threads)
    others = any(os.environ.get(name) != settings[name] for name in THREAD_VARIABLES)
    late = "numpy" in sys.modules and others
    if late:
        LOG.warning("Threads are set after numpy was imported; last digits may differ from ours.")
    os.environ.update(settings)


def memory(mib: float) -> str:
    """A size in words: 2048 is "2 GB", 300 is "300 MB"."""
    return f"{mib / 1024:.3g} GB" if mib >= 1024 else f"{mib:.0f} MB"


def table() -> str:
    """Every variable with its default and meaning, as a Markdown table."""
    rows = [
        f"| `{f.metadata['variable']}` | {_default(f)} | {f.metadata['doc']} |"
        for f in fields(Limits)
    ]
    return "\n".join(["| variable | default | meaning |", "| --- | --- | --- |", *rows])


def _default(limit: Field) -> str:
    return "cores" if limit.default is MISSING else f"{limit.default:,}"


def _number(text: str, *, variable: str, kind: type, low: float, doc: str) -> Any:
    """The value that a variable's text gives, or the sentence that says what it must be."""
    try:
        value = kind(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= low):
        raise ParamError(
            f"{variable} must be {'a whole number' if kind is int else 'a number'} of at least "
            f"{low:g} ({doc[0].lower()}{doc[1:-1]}); got {text!r}. Correct it or leave it out."
        )
    return value


if __name__ == "__main__":
    print(table())
