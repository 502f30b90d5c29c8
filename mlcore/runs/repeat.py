"""Repeating a run just as far as it had come when somebody stopped it.

An event of a run is named by its place in it, so that the same parts can be carried out elsewhere,
where they may end in another order, and give numbers to compare.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping, Sequence
from dataclasses import is_dataclass
from typing import Any

from mlcore.data.table import Table
from mlcore.runs.kinds import kind_of
from mlcore.runs.run import AnyRun
from mlcore.spine.errors import DataError

POSITIONS = ("table", "which", "method", "first", "stage", "candidate", "k")


def part(event: Any) -> str:
    """Which part of its run an event is about: "Fitted table 0 which 1 FoldResult k 2"."""
    words = [type(event).__name__]
    words += [f"{name} {getattr(event, name)}" for name in POSITIONS if hasattr(event, name)]
    result = getattr(event, "result", None)
    return " ".join([*words, part(result)] if is_dataclass(result) else words)


def carry_out(
    run: AnyRun, parts: Collection[str], uploads: Mapping[str, Table] | None = None
) -> Generator[Any, None, Any]:
    """Yield the events of these parts of a run as they end; return the outcome of these alone.

    Raises DataError if the run has none of them.
    """
    left, events, kind = set(parts), [], kind_of(run)
    for event in kind.carry_out(run, uploads) if kind.in_parts else ():
        if part(event) in left:
            left.remove(part(event))
            events.append(event)
            yield event
        if not left:
            break
    if not events:
        raise DataError("This run has none of the parts that are to be repeated.")
    return so_far(run, events, uploads)


def so_far(run: AnyRun, events: Sequence[Any], uploads: Mapping[str, Table] | None = None) -> Any:
    """The outcome of the events of a run of any kind; None where there is none yet."""
    return kind_of(run).so_far(run, events, uploads)
