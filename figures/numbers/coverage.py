"""How often intervals and label sets held the truth of rows left out, over levels and by group."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from figures.numbers.target import target_of
from mlcore.data.dataset import Dataset
from mlcore.evaluation.conformal.intervals import interval_errors
from mlcore.evaluation.conformal.kept import binomial_band, limits_by_other_folds
from mlcore.evaluation.conformal.own_intervals import OwnIntervals
from mlcore.evaluation.conformal.quantile import shares_of_groups
from mlcore.evaluation.conformal.sets import WAYS, label_errors
from mlcore.evaluation.intervals import wilson_interval
from mlcore.evaluation.pooled import Pooled, pooled
from mlcore.runs.carry import Outcome
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column
from mlcore.spine.random import generator
from mlcore.spine.wording import MINUS

LEVELS = np.array([0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.99])
MOST_GROUPS = 12
PARTS = 4  # of a column of numbers: quarters of its rows
ABSOLUTE, NORMALISED, OWN = "conformal", "conformal, normalised", "the method itself"
SETS = dict(zip(WAYS, ("least ambiguous sets", "adaptive sets (APS)"), strict=True))


class Line(NamedTuple):
    """One way to make intervals or sets, over the levels that are promised."""

    name: str
    levels: np.ndarray  # (a,)
    observed: np.ndarray  # (a,) share of the rows whose truth was inside
    size: np.ndarray  # (a,) mean width or number of labels; infinite where too few rows say it


class GroupLine(NamedTuple):
    """One way, at one level, within one group of rows."""

    way: int  # position among the lines
    group: str
    n: int
    observed: float
    low: float
    high: float
    size: float


class Coverage(NamedTuple):
    """What was promised and what was found."""

    lines: tuple[Line, ...]
    band: np.ndarray  # (a, 2) where the share lies by chance, at LEVELS
    n: int  # rows, or groups of rows, whose mean a line shows
    level: float
    by: str  # the column of the groups; "" for none
    groups: tuple[GroupLine, ...]
    n_groups: int  # those that are not drawn too
    unit: str  # of the sizes
    of: str = "row"  # what was left out, n of it: what rows that are alike are called


# Whether the truth of each row is inside at a level, and how wide: (n,) each.
Way = Callable[[float], tuple[np.ndarray, np.ndarray]]


def coverage(dataset: Dataset, outcome: Outcome, level: float, by: str | None) -> Coverage:
    """Of the rows left out, each once, judged by what the other folds missed."""
    outside = pooled(outcome.done, once=True)
    if outside is None:
        raise DataError("No fold has predictions for the rows it left out: nothing was promised.")
    is_classes = outcome.run.method.card.task == "classification"
    ways = (_sets if is_classes else _intervals)(dataset, outcome, outside)
    unit = "labels" if is_classes else dataset.target or ""
    alike = _alike(dataset, outside)
    w = np.ones(len(outside.rows)) if alike is None else shares_of_groups(alike)
    lines = tuple(_line(name, levels, way, w) for name, (levels, way) in ways.items())
    groups, n_groups = _by_group(dataset, outside, ways, level, by)
    n = round(float(w.sum()))
    band = binomial_band(n, LEVELS)
    of = "row" if alike is None else dataset.unit
    return Coverage(lines, band, n, level, by or "", groups, n_groups, unit, of)


def _alike(dataset: Dataset, outside: Pooled) -> np.ndarray | None:
    """The group or sequence of each row, (n,), where rows are of such."""
    return None if dataset.together is None else dataset.together[outside.rows]


def _line(name: str, levels: np.ndarray, way: Way, w: np.ndarray) -> Line:
    pairs = [way(level) for level in levels]
    hits, sizes = (
        np.array([np.average(each, weights=w) for each in side])
        for side in zip(*pairs, strict=True)
    )
    return Line(name, levels, hits, sizes)


def _sets(dataset: Dataset, outcome: Outcome, outside: Pooled) -> dict[str, tuple[np.ndarray, Way]]:
    """Both kinds of label sets."""
    if outside.probabilities is None:
        raise DataError(
            f"{outcome.run.method.title()} gives no probabilities, so it makes no sets of labels."
        )
    y, P = target_of(dataset)[outside.rows].astype(int), outside.probabilities
    u = generator(outcome.run.seed, "last labels").random(len(y))
    alike = _alike(dataset, outside)

    def way(name: str) -> Way:
        errors = label_errors(P, name, u)
        own = errors[np.arange(len(y)), y]

        def at(level: float) -> tuple[np.ndarray, np.ndarray]:
            limits = limits_by_other_folds(own, outside.folds, [level], alike)
            return own <= limits[:, 0], (errors <= limits).sum(axis=1)

        return at

    return {SETS[name]: (LEVELS, way(name)) for name in WAYS}


def _intervals(
    dataset: Dataset, outcome: Outcome, outside: Pooled
) -> dict[str, tuple[np.ndarray, Way]]:
    """Conformal intervals, scaled ones where there is a deviation, and those of the method."""
    predicted = outside.predictions
    predicted = predicted if predicted.ndim == 1 else predicted[:, 0]
    y, alone = target_of(dataset)[outside.rows], _own_intervals(outcome, outside)
    alike = _alike(dataset, outside)

    def way(scale: np.ndarray | None) -> Way:
        errors = interval_errors(y, predicted, scale)
        wide = np.ones(len(y)) if scale is None else scale

        def at(level: float) -> tuple[np.ndarray, np.ndarray]:
            limits = limits_by_other_folds(errors, outside.folds, [level], alike)[:, 0]
            return errors <= limits, 2 * wide * limits

        return at

    ways: dict[str, tuple[np.ndarray, Way]] = {ABSOLUTE: (LEVELS, way(None))}
    if alone is None:
        return ways
    if alone.deviation is not None:
        ways[NORMALISED] = (LEVELS, way(alone.deviation))

    def own(level: float) -> tuple[np.ndarray, np.ndarray]:
        ends = alone.near(level)
        return (ends[:, 0] <= y) & (y <= ends[:, 1]), np.ptp(ends, axis=1)

    return ways | {OWN: (alone.levels, own)}


def _own_intervals(outcome: Outcome, outside: Pooled) -> OwnIntervals | None:
    """What the method said of each row that is pooled."""
    folds = {fold.k: fold for fold in outcome.done if fold.predictions is not None}
    some = next(iter(folds.values())).own_intervals
    if some is None or any(fold.own_intervals is None for fold in folds.values()):
        return None
    n = len(outside.rows)
    ends = np.empty((n, *some.ends.shape[1:]))
    deviation = None if some.deviation is None else np.empty(n)
    for k, fold in folds.items():
        mine = np.flatnonzero(outside.folds == k)
        order = np.argsort(fold.test)
        at = order[np.searchsorted(fold.test, outside.rows[mine], sorter=order)]
        assert fold.own_intervals is not None  # looked at above
        ends[mine] = fold.own_intervals.ends[at]
        if deviation is not None and fold.own_intervals.deviation is not None:
            deviation[mine] = fold.own_intervals.deviation[at]
    return OwnIntervals(some.levels, ends, deviation)


# -- groups


def groupable(dataset: Dataset) -> tuple[str, ...]:
    """The columns by whose levels or quarters rows can be told apart."""
    names = [c.name for c in dataset.columns if c.kind != "text"]
    return ((dataset.target, *names) if dataset.target else tuple(names)) if names else ()


def _by_group(
    dataset: Dataset,
    outside: Pooled,
    ways: dict[str, tuple[np.ndarray, Way]],
    level: float,
    by: str | None,
) -> tuple[tuple[GroupLine, ...], int]:
    """A line a group and way, the smallest groups left out where there are many."""
    if by is None:
        return (), 0
    codes, names = groups_of(dataset, by)
    codes = codes[outside.rows]
    counts = np.bincount(codes[codes >= 0], minlength=len(names))
    kept = np.sort(np.argsort(-counts, kind="stable")[:MOST_GROUPS])
    lines = []
    for k, (_, way) in enumerate(ways.values()):
        inside, size = way(level)
        lines += [
            _group(k, names[g], inside[codes == g], size[codes == g]) for g in kept if counts[g]
        ]
    return tuple(lines), int((counts > 0).sum())


def _group(way: int, name: str, inside: np.ndarray, size: np.ndarray) -> GroupLine:
    share = wilson_interval(float(inside.sum()), len(inside))
    return GroupLine(way, name, len(inside), share.mean, share.low, share.high, float(size.mean()))


def groups_of(dataset: Dataset, by: str) -> tuple[np.ndarray, tuple[str, ...]]:
    """The group of each row, (n,), -1 where the value is missing, and the names of the groups."""
    if by == dataset.target:
        y: Any = dataset.y
        column = Column(by, levels=dataset.classes)
        return _parts(y, column)
    at = next(j for j, column in enumerate(dataset.columns) if column.name == by)
    return _parts(dataset.X[:, at], dataset.columns[at])


def _parts(values: np.ndarray, column: Column) -> tuple[np.ndarray, tuple[str, ...]]:
    missing = np.isnan(values)
    if column.levels:
        return np.where(missing, -1, np.nan_to_num(values)).astype(int), column.levels
    known = values[~missing]
    distinct = np.unique(known)
    if len(distinct) <= PARTS:
        codes = np.searchsorted(distinct, values)
        return np.where(missing, -1, codes), tuple(_told(v) for v in distinct)
    cuts = np.unique(np.quantile(known, np.arange(1, PARTS) / PARTS))
    codes = np.searchsorted(cuts, values, side="left")
    ends = [_told(v) for v in cuts]
    between = [f"{a} to {b}" for a, b in pairwise(ends)]
    names = (f"up to {ends[0]}", *between, f"above {ends[-1]}")
    return np.where(missing, -1, codes), names


def _told(value: float) -> str:
    """A bound of a group, as the column has it: 3, not 3.00."""
    return f"{value:.4g}".replace("-", MINUS)
