"""Carrying out a lab: its numbers, read-only, with what they may depend on beside the run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlcore.data.table import Table
from mlcore.runs.run import LabRun
from mlcore.runs.stamp import versions
from mlcore.spine.fit import freeze

FEW = 12  # values of an array that a report writes out


@dataclass(frozen=True, eq=False)
class LabOutcome:
    """The numbers of a lab, as its `compute` returned them."""

    run: LabRun
    numbers: Any  # a named tuple
    versions: tuple[tuple[str, str], ...]

    def __post_init__(self) -> None:
        freeze(self)  # the numbers are a tuple, so their arrays too

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        freeze(self)


def carried_out(run: LabRun, uploads: Mapping[str, Table] | None = None) -> LabOutcome:
    """The numbers of a lab, with the versions that they may depend on."""
    return LabOutcome(run, run.lab.compute(run.seed), versions())


def so_far(
    run: LabRun, events: Sequence[Any], uploads: Mapping[str, Table] | None = None
) -> LabOutcome | None:
    """Nothing: a lab has no part that could be shown before its end."""
    return None


def estimate(run: LabRun) -> tuple[float, float]:
    """What a lab will take: (seconds, bytes)."""
    cost = run.lab.card.cost
    return cost(0, 0, run.lab) if cost else (0.001, 0.0)


def report(outcome: LabOutcome) -> str:
    """The numbers in full precision, one line each; long arrays by shape, mean and range."""
    lines = [f"{outcome.run.lab.title()}, seed {outcome.run.seed}"]
    return "\n".join(lines + [f"{k}: {_in_words(v)}" for k, v in _named(outcome.numbers)])


def _named(numbers: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every number by name; those of a named tuple among them as `its_name.name`."""
    for name, value in numbers._asdict().items():
        if hasattr(value, "_asdict"):
            yield from _named(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _in_words(value: Any) -> str:
    if not isinstance(value, np.ndarray):
        return repr(value)
    if value.size <= FEW or value.dtype.kind not in "fiu":
        return repr(value.tolist())
    low, mean, high = (float(f(value)) for f in (np.min, np.mean, np.max))
    return f"{value.shape} values, mean {mean!r}, from {low!r} to {high!r}"
