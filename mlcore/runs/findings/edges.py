"""The rule about a search whose choice lies at the edge of what was tried."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtrit

from mlcore.data.dataset import Dataset
from mlcore.evaluation.intervals import corrected_sd
from mlcore.evaluation.summary import sizes
from mlcore.runs.findings.finding import WARNING, Press, Statement, rule
from mlcore.runs.labels import noun_at
from mlcore.runs.paths import param_at
from mlcore.runs.tuning.judging import inner_splits
from mlcore.runs.tuning.search import GridSearch
from mlcore.runs.tuning.tuned import ALL_ROWS, Tuned
from mlcore.spine.param_kinds import Number
from mlcore.spine.wording import listed, rough

LEVEL = 0.95  # one-sided: that the edge is better than the value beside it
BEYOND = 3  # values that a press tries beyond the edge, at the distance of those before
LEAST_VALUES = 3  # of two values one is always at an edge


@dataclass(frozen=True, eq=False)
class Searched:
    """What a search knows: the tuning with every candidate on its inner folds."""

    tuned: Tuned
    dataset: Dataset

    task = ""


@dataclass(frozen=True)
class Edge:
    """A setting whose best value is the smallest or largest that was tried."""

    path: str
    value: float
    gain: float  # over the value beside it, in the units of the score
    wider: tuple[float, ...]  # all values to try


@rule(
    "edge_of_range", WARNING, "The choice lies at the edge of its range",
    source="Hsu, Chang and Lin (2003), A Practical Guide to Support Vector Classification, 3.2",
)  # fmt: skip
def edge_of_range(searched: Searched) -> Statement | None:
    """The value that all rows choose is the last one tried, and surely better than the one beside.

    Surely: the one-sided corrected t interval of the difference over the inner folds is above 0. On
    a plateau the choice lies at an edge by chance, and nothing is gained beyond.
    """
    tuned = searched.tuned
    search: Any = tuned.run.search
    if tuned.overall is None or not isinstance(search, GridSearch):
        return None  # random draws are not spaced, so nothing lies beside the last
    edges = [edge for path in tuned.paths if (edge := _edge(searched, path))]
    if not edges:
        return None
    parts = [
        f"{noun_at(tuned.run, edge.path)} = {edge.value:g} is the last value tried and better than "
        f"the one beside it (by {rough(edge.gain)} in {tuned.metric.title}, more than chance over "
        "the inner folds)"
        for edge in edges
    ]
    sentence = f"{listed(parts)}: what lies beyond was not tried, and may be better still."
    values = dict(search.over)
    values |= {edge.path: ", ".join(f"{v:g}" for v in edge.wider) for edge in edges}
    first = edges[0]
    label = (
        f"Try {noun_at(tuned.run, first.path)} from {min(first.wider):g} to {max(first.wider):g}"
    )
    gains = {f"gain of {noun_at(tuned.run, edge.path)}": edge.gain for edge in edges}
    return Statement(sentence, Press(label, values=tuple(values.items())), gains)


def _edge(searched: Searched, path: str) -> Edge | None:
    """The edge on which the choice lies, where it is one, is real, and may be passed."""
    tuned = searched.tuned
    assert tuned.overall is not None  # asked before
    best = dict(tuned.candidates[tuned.overall.best])
    param, value = param_at(tuned.run.run(), path), best[path]
    values = sorted({dict(c)[path] for c in tuned.candidates if _is_number(dict(c)[path])})
    if not isinstance(param, Number) or len(values) < LEAST_VALUES or value not in values:
        return None
    if value not in (values[0], values[-1]):
        return None
    inward = values if value == values[0] else values[::-1]
    wider = _wider(param, inward)
    gain = _sure_gain(searched, best, path, inward[1])
    if not wider or gain is None:
        return None
    return Edge(path, float(value), gain, tuple(sorted([*values, *wider])))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _wider(param: Number, inward: list[Any]) -> list[Any]:
    """Values beyond the first of `inward`, spaced as the values are, as far as they are valid."""
    edge, next_ = float(inward[0]), float(inward[1])
    by_factor = param.log and min(edge, next_) > 0
    beyond = [
        edge * (edge / next_) ** k if by_factor else edge + k * (edge - next_)
        for k in range(1, BEYOND + 1)
    ]
    plain = [round(v) if param.whole else float(f"{v:.4g}") for v in beyond]
    return [v for v in dict.fromkeys(plain) if param.problem(v) is None and v not in inward]


def _sure_gain(searched: Searched, best: dict[str, Any], path: str, beside: Any) -> float | None:
    """How much better the choice is than with the value beside; None where that may be chance."""
    tuned = searched.tuned
    assert tuned.overall is not None  # asked before
    wanted = best | {path: beside}
    others = [k for k, candidate in enumerate(tuned.candidates) if dict(candidate) == wanted]
    scores = {j.candidate: j.scores for j in tuned.judged if j.stage == ALL_ROWS}
    if tuned.overall.best not in scores or others[0] not in scores:
        return None
    sign = 1.0 if tuned.metric.better == "higher" else -1.0
    gains = sign * (scores[tuned.overall.best] - scores[others[0]])
    there = np.isfinite(gains)
    gains, (train, test) = gains[there], _sizes(searched)[:, there]
    if len(gains) < 3:
        return None
    half = corrected_sd(gains, train, test) * stdtrit(len(gains) - 1, LEVEL)
    return float(gains.mean()) if gains.mean() > half else None


def _sizes(searched: Searched) -> np.ndarray:
    """How many rows each inner fold of all rows is fitted to and leaves out, shape (2, folds)."""
    every = np.arange(searched.dataset.n)
    splits = inner_splits(searched.tuned.run, searched.dataset, every)
    return sizes(splits)
