"""Boosting round by round: the rule of a round, the rows by what they weigh, all rounds so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import CELLS, HEIGHT, dated, points_of
from figures.drawing.words import fitted_on
from figures.numbers.clouds import Cloud, cloud_of
from figures.numbers.projections import Projection, class_projection
from figures.numbers.regions import Regions, filled
from figures.options import ANY_AXES, Axes, Offered, Options, Values, among
from figures.recording import Changes
from figures.theme import LIGHT, figure
from figures.view import TableColumn, View, joined, view
from figures.views.classification.decision_regions import kinds_of, on_plane, region_trace
from mlcore.data.dataset import Dataset
from mlcore.ensembles.boosting_theory import boosting_weights
from mlcore.ensembles.capabilities import HasBoostingRounds
from mlcore.runs.carry import Whole
from mlcore.runs.fitting import weights_of
from mlcore.spine.params import integer
from mlcore.spine.wording import count, percent

USUAL = 7.0  # pixels across: a row that weighs as much as in the first round
SMALLEST, LARGEST = 2.0, 34.0
BORDER = "border"  # uid of the line of all rounds so far


class BoostingRound(NamedTuple):
    """The plane at a round."""

    shown: Projection
    round: int  # from 1
    rounds: int
    regions: Regions  # of the member of this round
    border: tuple[np.ndarray, np.ndarray]  # x and y of the border of all rounds so far
    cloud: Cloud
    shares: np.ndarray  # (n,) of the rows of the cloud in the error of this round
    alpha: float
    error: float


def _rounds(offered: Offered) -> Values:
    fit = offered.get("whole")
    rounds = len(fit.fit.alphas) if fit is not None else 0
    return {None: "the last"} | {t: f"round {t}" for t in range(1, min(rounds, 50) + 1)}


@dataclass(frozen=True, kw_only=True)
class RoundOptions(Options):
    """Which round is drawn."""

    round: int | None = among(
        integer(
            None, low=1, soft=(1, 50), or_none="the last", label="Round",
            doc="The round whose rule and weights are drawn; the player goes through all.",
        ),
        _rounds,
    )  # fmt: skip


@view(
    "boosting_rounds",
    title="Weighted rows, round by round",
    asks=HasBoostingRounds,
    options=RoundOptions,
    on="classification report",
    order=62,
    sources=("cs2:adaboost", "cs2:weighted_resampling", "s841:adaboost"),
    synonyms=("weights on points", "reweighting", "weak learner", "stump"),
)
def boosting_rounds(
    dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES, *, options: RoundOptions
) -> View:
    """What one round says of the plane, with each row as large as it weighs in that round.

    The area of a mark is the weight of its row. The line is the border of the votes of all rounds
    up to this one.
    """
    at = options.round or len(whole.fit.alphas)
    d = numbers(dataset, whole, axes.x, axes.y, at)
    return joined(
        d, draw, reading, table, note=fitted_on(dataset, whole), rows=d.cloud.rows, step=step
    )


def numbers(
    dataset: Dataset, whole: Whole, x: str = "", y: str = "", round: int | None = None
) -> BoostingRound:
    """A round of the fit, from 1; the last if none is given."""
    fit = whole.fit
    at = min(round or len(fit.alphas), len(fit.alphas))
    shown = class_projection(dataset, whole, x, y)
    cloud = cloud_of(dataset, shown.x, shown.y)
    shares = _shares(dataset, whole, at)[shown.here]
    return _stands(shown, cloud, whole, at)._replace(shares=shares)


def _stands(shown: Projection, cloud: Cloud, whole: Whole, at: int) -> BoostingRound:
    fit = whole.fit
    regions = filled(fit.members[at - 1], shown.cells, shown.plane, cloud)
    klass = fit.votes(shown.cells, at).argmax(axis=1).reshape(shown.plane.shape)
    return BoostingRound(
        shown, at, len(fit.alphas), regions, _border(shown, klass), cloud, np.empty(0),
        float(fit.alphas[at - 1]), float(fit.errors[at - 1]),
    )  # fmt: skip


def _shares(dataset: Dataset, whole: Whole, at: int) -> np.ndarray:
    weights = weights_of(whole.fit.made_by, dataset, np.arange(dataset.n))
    X = whole.prepared.transform(dataset.X)
    return boosting_weights(whole.fit, X, dataset.y, at - 1, weights)


def _border(shown: Projection, klass: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Between cells of different classes, a line each and a gap: x and y."""
    plane = shown.plane
    if plane.y is None:
        return np.empty(0), np.empty(0)
    across, up = _edges(plane.x.cells), _edges(plane.y.cells)
    i, start, end = _runs((klass[:, 1:] != klass[:, :-1]).T)
    v, left, right = _runs(klass[1:] != klass[:-1])
    gap = np.full(len(i) + len(v), np.nan)
    upright = across[i + 1]
    x = np.column_stack([np.append(upright, across[left]), np.append(upright, across[right]), gap])
    level = up[v + 1]
    y = np.column_stack([np.append(up[start], level), np.append(up[end], level), gap])
    return x.ravel(), y.ravel()


def _edges(cells: np.ndarray) -> np.ndarray:
    """Where cells at equal distances end, (a + 1,)."""
    half = (cells[1] - cells[0]) / 2
    return np.append(cells - half, cells[-1] + half)


def _runs(differs: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of a mask, and where each run in them starts and ends."""
    padded = np.pad(differs.astype(np.int8), ((0, 0), (1, 1)))
    change = np.diff(padded, axis=1)
    row, start = np.nonzero(change == 1)
    _, end = np.nonzero(change == -1)
    return row, start, end


def draw(d: BoostingRound) -> go.Figure:
    """The regions of the member, the rows by weight, the border of all."""
    kinds = kinds_of(d.shown.plane)
    fig = figure(
        region_trace(d.shown.plane, d.regions),
        *_marks(d, kinds),
        go.Scatter(
            x=dated(d.border[0], kinds[0]), y=dated(d.border[1], kinds[1] or "number"),
            mode="lines", uid=BORDER, name="border so far", hoverinfo="skip",
            line={"color": LIGHT.text, "width": 2},
        ),
        height=HEIGHT,
        showlegend=True,
    )  # fmt: skip
    return on_plane(fig, d.shown)


def _marks(d: BoostingRound, kinds: tuple[str, str]) -> list[Any]:
    """A trace a class, its marks as large as the rows weigh."""
    texts = [f"{d.cloud.names[k]}, {percent(s)} of the weight" for k, s in zip(
        d.cloud.klass, d.shares, strict=True)]  # fmt: skip
    traces = points_of(d.cloud, texts=texts, kinds=kinds)
    if d.cloud.is_crowded:
        return traces
    for trace, own in zip(traces, _own(d.cloud), strict=True):
        trace.update(uid=f"class {d.cloud.klass[own[0]]}")
        trace.update(marker={"size": _sizes(d.shares)[own], "opacity": 0.85})
    return traces


def _own(cloud: Cloud) -> list[np.ndarray]:
    """The rows of each class that has some, as `points_of` draws them."""
    each = (np.flatnonzero(cloud.klass == k) for k in range(len(cloud.names)))
    return [own for own in each if len(own)]


def _sizes(shares: np.ndarray) -> np.ndarray:
    """Pixels across a mark: the area is as large as the share, within limits."""
    across = USUAL * np.sqrt(shares * len(shares))
    return np.clip(across, SMALLEST, LARGEST).astype(np.float32)


def step(d: BoostingRound, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a round changes: the regions of its member, the sizes of the marks, the border."""
    last = len(whole.fit.members)  # the weights of later rounds are filled up with zeros
    now = _stands(d.shown, d.cloud, whole, last)
    kinds = kinds_of(d.shown.plane)
    changes: dict[int, dict[str, Any]] = {
        at[CELLS]: {"z": marks.region_levels(*now.regions)},
        at[BORDER]: {
            "x": dated(now.border[0], kinds[0]),
            "y": dated(now.border[1], kinds[1] or "number"),
        },
    }
    if not d.cloud.is_crowded:
        sizes = _sizes(_shares(dataset, whole, last)[d.shown.here])
        for own in _own(d.cloud):
            changes[at[f"class {d.cloud.klass[own[0]]}"]] = {"marker.size": sizes[own]}
    return changes


def reading(d: BoostingRound) -> str:
    """What the round errs on, what its vote counts, and how few rows carry the weight."""
    text = (
        f"Round {d.round} of {d.rounds} errs on {percent(d.error)} of the weight and votes with "
        f"{d.alpha:.3g}. "
    )
    falling = np.sort(d.shares)[::-1]
    if d.round > 1 and len(falling):
        half = int(np.searchsorted(np.cumsum(falling), 0.5 - 1e-9)) + 1
        text += f"Half of the weight lies on {count(half, 'row')} of {len(falling):,}. "
    return f"{text}{d.shown.how}".strip()


def table(d: BoostingRound) -> tuple[TableColumn, ...]:
    """One line a row of the data."""
    return (
        TableColumn("row", d.cloud.rows + 1),
        TableColumn("class", np.array(d.cloud.names)[d.cloud.klass]),
        TableColumn("share of the weight", d.shares),
    )
