"""Carrying out a count: all rows, resamples and references, each with every number of clusters."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.data.table import Table
from mlcore.runs import cost
from mlcore.runs.carry import does_not_suit
from mlcore.runs.counting.cluster_count import ClusterCount
from mlcore.runs.counting.counted import Counted, verdict
from mlcore.runs.counting.parts import SHARE, CountPart, counted_part, numbers_of, planned
from mlcore.runs.places import HERE, Place, each_counted
from mlcore.runs.refusals import refusal_of_all
from mlcore.runs.stamp import versions
from mlcore.spine.asking import can
from mlcore.spine.capabilities_of_groups import CostsDeviance, CountsGroups
from mlcore.spine.errors import DataError
from mlcore.spine.iterate import returned
from mlcore.spine.records import function
from mlcore.spine.wording import percent

LEAST = 20  # draws of a smaller count, of all kinds together


@function(
    "count_clusters",
    title="Number of clusters by several criteria",
    sources=("epfl:metric_consensus", "mi2:kmeans_resolution_curve"),
    synonyms=("k_sweep", "choosing K", "NbClust", "elbow method"),
)
def carry_out(
    run: ClusterCount,
    uploads: Mapping[str, Table] | None = None,
    place: Place = HERE,
    before: Sequence[CountPart] = (),
) -> Generator[CountPart, None, Counted]:
    """Yield each part as it ends; return the outcome.

    The events of an attempt that was stopped may be given as `before`: they are yielded again, and
    only the rest is carried out. Raises DataError if the run does not apply to the data.
    """
    dataset: Dataset = run.data.dataset(uploads)
    if reason := does_not_apply(run, dataset):
        raise DataError(reason)
    parts, known = planned(run), {(part.stage, part.k) for part in before}
    calls = [(run, dataset, *which) for which in parts if which not in known]
    events = yield from each_counted(place, counted_part, calls, before, total=len(parts))
    return _outcome(run, events)


def carried_out(run: ClusterCount, uploads: Mapping[str, Table] | None = None) -> Counted:
    """Carry out a count to its end."""
    return returned(carry_out(run, uploads))


def so_far(
    run: ClusterCount, events: Sequence[CountPart], uploads: Mapping[str, Table] | None = None
) -> Counted | None:
    """What is known from these parts, also after a stop; None before the first."""
    return _outcome(run, events) if events else None


def _outcome(run: ClusterCount, events: Sequence[CountPart]) -> Counted:
    """Parts end in any order; here they stand in one."""
    order = {which: at for at, which in enumerate(planned(run))}
    parts = sorted(events, key=lambda part: order[part.stage, part.k])
    return Counted(run, tuple(parts), versions())


def does_not_apply(run: ClusterCount, dataset: Dataset) -> str | None:
    """Why this count cannot be carried out on this data, as a sentence, or None."""
    if not can(run.method, CountsGroups):
        return (
            f"{run.method.title()} is not told how many clusters to make; choose a method with a "
            "number of clusters."
        )
    if dataset.n * SHARE < run.highest:
        return (
            f"{run.highest} clusters need more rows than that in every resample of "
            f"{percent(SHARE)}; there are {dataset.n}. Lower the most clusters."
        )
    base = run.run()
    if reason := does_not_suit(base, dataset):
        return reason
    every = (replace(base, method=run.method.with_groups(k)) for k in numbers_of(run))
    return refusal_of_all(every, dataset)


def estimate(run: ClusterCount, dataset: Dataset) -> tuple[float, float]:
    """What carrying out will take: (seconds, bytes), from the cost on the card of the method."""
    n, p = dataset.n, sum(max(len(column.levels), 1) for column in dataset.columns)
    gaps = cost.gap_sets(run.run(), dataset)
    methods = [run.method.with_groups(k) for k in numbers_of(run)]
    each = [cost.of_fit(method, n, p, gaps) for method in methods]
    draws = 1 + SHARE * run.resamples + run.splits + run.references
    pairs = run.resamples * (run.resamples - 1) / 2 * len(each)
    deviance = sum(m.cost_of_deviance(n, p) for m in methods if can(m, CostsDeviance))
    judging = deviance + len(each) * (1e-3 + 2e-8 * min(n, 2000) ** 2 * (1 + p / 20))
    seconds = draws * sum(s for s, _ in each) + pairs * (1e-4 + 1e-7 * n) + judging
    size = max(s for _, s in each) + kept(run, dataset) + 60.0 * n * p
    return seconds, size


def kept(run: ClusterCount, dataset: Dataset) -> float:
    """Bytes of the outcome: the cluster of each row for each number, in each resample."""
    return 2.0 * dataset.n * len(numbers_of(run)) * (run.resamples + 1)


def smaller(run: ClusterCount) -> ClusterCount | None:
    """The same with half the draws; None where there are few."""
    if run.resamples + run.splits + run.references < LEAST:
        return None
    return replace(
        run,
        resamples=run.resamples // 2,
        splits=run.splits // 2,
        references=run.references // 2,
    )


def report(counted: Counted) -> str:
    """The verdict, and every criterion in full precision."""
    lines = [f"{counted.run.method.title()}, {len(counted.parts)} of {counted.planned} parts"]
    lines.append(verdict(counted))
    for each in counted.opinions:
        lines.append(f"{each.criterion.title}, {each.criterion.rule}: {list(each.says)}")
        lines += [
            f"  {k} clusters: {float(value)!r}"
            for k, value in zip(counted.numbers, each.values, strict=True)
            if np.isfinite(value)
        ]
    return "\n".join(lines)
