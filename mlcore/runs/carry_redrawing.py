"""Carrying out a stability of maps: the map of all rows, then each that is drawn again."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace

from mlcore.data.dataset import Dataset
from mlcore.data.table import Table
from mlcore.runs.carry import does_not_apply as run_does_not_apply
from mlcore.runs.places import HERE, Place, each_counted
from mlcore.runs.redrawing.map_stability import SHARE, MapStability, draws_maps
from mlcore.runs.redrawing.parts import MOST_ROWS, MapPart, drawn_map, looked_at, planned
from mlcore.runs.redrawing.redrawn import Redrawn, verdict
from mlcore.runs.stamp import versions
from mlcore.spine.errors import DataError
from mlcore.spine.iterate import returned
from mlcore.spine.records import function

LEAST_ROWS = 10  # a resample of fewer has too few to lay a map by
FEWEST = 3  # maps of a smaller run


@function(
    "map_stability",
    title="Stability of a map",
    synonyms=("Procrustes", "reproducibility of an embedding"),
)
def carry_out(
    run: MapStability,
    uploads: Mapping[str, Table] | None = None,
    place: Place = HERE,
    before: Sequence[MapPart] = (),
) -> Generator[MapPart, None, Redrawn]:
    """Yield each map as it ends; return the outcome.

    The events of an attempt that was stopped may be given as `before`: they are yielded again, and
    only the rest is carried out. Raises DataError if the run does not apply to the data.
    """
    dataset: Dataset = run.data.dataset(uploads)
    if reason := does_not_apply(run, dataset):
        raise DataError(reason)
    parts, known = planned(run), {(part.stage, part.k) for part in before}
    calls = [(run, dataset, *which) for which in parts if which not in known]
    events = yield from each_counted(place, drawn_map, calls, before, total=len(parts))
    return _outcome(run, events, dataset)


def carried_out(run: MapStability, uploads: Mapping[str, Table] | None = None) -> Redrawn:
    """Carry out a stability of maps to its end."""
    return returned(carry_out(run, uploads))


def so_far(
    run: MapStability, events: Sequence[MapPart], uploads: Mapping[str, Table] | None = None
) -> Redrawn | None:
    """What is known from these parts, also after a stop; None before the first."""
    return _outcome(run, events, run.data.dataset(uploads)) if events else None


def _outcome(run: MapStability, events: Sequence[MapPart], dataset: Dataset) -> Redrawn:
    """Parts end in any order; here they stand in one."""
    order = {which: at for at, which in enumerate(planned(run))}
    parts = sorted(events, key=lambda part: order[part.stage, part.k])
    return Redrawn(run, tuple(parts), looked_at(run, dataset.n), versions())


def does_not_apply(run: MapStability, dataset: Dataset) -> str | None:
    """Why this stability cannot be had of this data, as a sentence, or None."""
    title = run.method.title()
    if not draws_maps(run.method):
        return (
            f"{title} gives rows no new coordinates, so there is no map to draw again. Choose a "
            "method of dimensionality reduction."
        )
    if run.again == "starts" and not run.method.card.random:
        return (
            f"{title} draws no random numbers, so every start gives the same map. Draw it again "
            "from resamples."
        )
    if dataset.n < LEAST_ROWS:
        return (
            f"Maps are laid on one another by {LEAST_ROWS} rows or more; there are {dataset.n}. "
            "Add rows."
        )
    return run_does_not_apply(run.run(), dataset)


def estimate(run: MapStability, dataset: Dataset) -> tuple[float, float]:
    """What carrying out will take: (seconds, bytes), from the cost on the card of the method."""
    n, p = dataset.n, sum(max(len(column.levels), 1) for column in dataset.columns)
    share = SHARE if run.again == "resamples" else 1.0
    cost = run.method.card.cost
    whole, size = cost(n, p, run.method) if cost else (0.001, 0.0)
    each, _ = cost(int(share * n), p, run.method) if cost else (0.001, 0.0)
    laying = run.refits * (2e-3 + 5e-6 * min(n, MOST_ROWS))
    return whole + run.refits * each + laying, size + 16.0 * n * p + kept(run, dataset)


def kept(run: MapStability, dataset: Dataset) -> float:
    """Bytes of the outcome: the coordinates of the rows in each map."""
    return 8.0 * (run.refits + 1) * min(dataset.n, MOST_ROWS) * run.coordinates


def smaller(run: MapStability) -> MapStability | None:
    """The same with half the maps; None where there are few."""
    return replace(run, refits=run.refits // 2) if run.refits // 2 >= FEWEST else None


def report(redrawn: Redrawn) -> str:
    """The verdict, and both numbers of every map in full precision."""
    lines = [f"{redrawn.run.method.title()}, {len(redrawn.parts)} of {redrawn.planned} maps"]
    lines.append(verdict(redrawn))
    for part, residual, stay in zip(redrawn.again, redrawn.residuals, redrawn.staying, strict=True):
        lines.append(f"{part.where}: residual {float(residual)!r}, neighbours {float(stay)!r}")
    return "\n".join(lines)
