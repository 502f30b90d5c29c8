"""The condensed tree: how clusters split, shrink and end as the density rises."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import log_axis
from figures.drawing.traces import MOST_LISTED
from figures.drawing.words import fitted_on
from figures.theme import LIGHT, class_color, faded, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities import HasLabels
from mlcore.spine.capabilities_of_groups import HasCondensedTree
from mlcore.spine.wording import count, plural, rough

TALL = 440  # pixels
MOST_STEPS = 60  # corners on either side of a branch
MOST_BRANCHES = 400  # narrower ones cannot be seen
WIDE, DOWN = 0.02, 0.3  # share of the rows of a branch that bears its number, and how far down
TOP = 1.6  # the root begins this much below the least density at which a row leaves


class Branch(NamedTuple):
    """A cluster of the tree as an area."""

    cluster: int
    label: int  # the group that it is, -1 if it is none
    x: np.ndarray  # (m,) corners, in rows
    y: np.ndarray  # (m,) densities


class CondensedTree(NamedTuple):
    """The branches, and what stands in the table."""

    branches: tuple[Branch, ...]
    parents: np.ndarray
    births: np.ndarray
    ends: np.ndarray
    sizes: np.ndarray
    stabilities: np.ndarray
    labels: np.ndarray  # (c,) the group of a chosen cluster, else -1
    n: int
    noise: int


@view(
    "condensed_tree",
    title="Condensed tree",
    asks=(HasCondensedTree, HasLabels),
    on="clustering report compare",
    order=128,
    is_wide=True,
    synonyms=("icicle plot", "cluster hierarchy by density", "stability of clusters"),
)
def condensed_tree(dataset: Dataset, whole: Whole) -> View:
    """As wide as a cluster has rows, from the density where it splits off to where it ends.

    Density grows downwards, as 1 over a distance. Chosen clusters have the colours of their groups;
    a branch gets narrower as rows leave it to become noise.
    """
    t = numbers(whole)
    return joined(t, draw, reading, table, note=fitted_on(dataset, whole))


def numbers(whole: Whole) -> CondensedTree:
    """Where every branch stands."""
    fit: Any = whole.fit
    births, ends = fit.births.copy(), np.zeros(len(fit.births))
    np.maximum.at(ends, fit.row_clusters, fit.row_densities)
    np.maximum.at(ends, fit.parents[1:], fit.births[1:])
    leaving = fit.row_densities[fit.row_densities > 0]
    births[0] = (float(leaving.min()) if len(leaving) else 1.0) / TOP
    labels = np.where(fit.chosen, np.cumsum(fit.chosen) - 1, -1)
    starts = _starts(fit)
    big = np.sort(np.argsort(-fit.sizes, kind="stable")[:MOST_BRANCHES])
    branches = tuple(
        _branch(fit, c, float(starts[c]), float(births[c]), float(ends[c]), int(labels[c]))
        for c in big.tolist()
    )
    return CondensedTree(
        branches, fit.parents, fit.births, ends, fit.sizes, fit.stabilities, labels,
        len(fit.labels), int((fit.labels < 0).sum()),
    )  # fmt: skip


def _starts(fit: Any) -> np.ndarray:
    """The left end of each cluster at its birth, in rows: children stand side by side, (c,)."""
    starts = np.zeros(len(fit.parents))
    taken = np.zeros(len(fit.parents))  # rows of children that already have a place
    inside = np.zeros(len(fit.parents))
    np.add.at(inside, fit.parents[1:], fit.sizes[1:])
    for c in range(1, len(starts)):
        above = fit.parents[c]
        lost = fit.sizes[above] - inside[above]  # rows that left before: half on either side
        starts[c] = starts[above] + lost / 2 + taken[above]
        taken[above] += fit.sizes[c]
    return starts


def _branch(fit: Any, c: int, start: float, birth: float, end: float, label: int) -> Branch:
    """The corners of a cluster that shrinks towards its middle as rows leave."""
    own = np.sort(fit.row_densities[fit.row_clusters == c])
    own = own[own < end]
    at = np.unique(np.linspace(0, len(own) - 1, MOST_STEPS).round().astype(np.int64))
    y, lost = (own[at], at + 1.0) if len(own) else (np.empty(0), np.empty(0))
    y = np.concatenate([[birth], np.repeat(y, 2), [max(end, birth)]])
    lost = np.concatenate([[0.0, 0.0], np.repeat(lost, 2)])
    size = float(fit.sizes[c])
    left, right = start + lost / 2, start + size - lost / 2
    return Branch(c, label, np.concatenate([left, right[::-1]]), np.concatenate([y, y[::-1]]))


def draw(t: CondensedTree) -> go.Figure:
    """Grey branches, chosen ones in the colours of their groups."""
    chosen = sum(b.label >= 0 for b in t.branches)
    return figure(
        *(_area(t, b) for b in t.branches),
        _numbers(t),
        height=TALL,
        showlegend=chosen <= MOST_LISTED,
        xaxis={"title": {"text": "Rows"}, "range": [-0.02 * t.n, 1.02 * t.n], "showgrid": False},
        yaxis={"title": {"text": "Density, 1 / distance"}, "autorange": "reversed"}
        | log_axis(np.concatenate([b.y for b in t.branches])),
    )


def _area(t: CondensedTree, b: Branch) -> go.Scatter:
    is_chosen = b.label >= 0
    color = class_color(b.label) if is_chosen else LIGHT.quiet
    text = f"{count(int(t.sizes[b.cluster]), 'row')}, stability {rough(t.stabilities[b.cluster])}"
    name = f"cluster {b.label + 1}" if is_chosen else "no group"
    return go.Scatter(
        x=b.x.astype(np.float32), y=b.y, mode="lines", fill="toself",
        fillcolor=faded(color, 0.55 if is_chosen else 0.18),
        line={"color": color, "width": 2 if is_chosen else 0.8},
        name=name, showlegend=is_chosen, text=f"{name}<br>{text}", hoverinfo="text",
    )  # fmt: skip


def _numbers(t: CondensedTree) -> go.Scatter:
    """The number of each group in its branch: with many groups some have the same colour."""
    own = [b for b in t.branches if b.label >= 0 and t.sizes[b.cluster] >= WIDE * t.n]
    births, ends = (np.array([f(b.y) for b in own]) for f in (np.min, np.max))
    return go.Scatter(
        x=[float(b.x.mean()) for b in own],
        y=births ** (1 - DOWN) * ends**DOWN,
        mode="text", text=[str(b.label + 1) for b in own], textfont={"color": LIGHT.text},
        showlegend=False, hoverinfo="skip",
    )  # fmt: skip


def reading(t: CondensedTree) -> str:
    """How many clusters were chosen of how many, and which lasts longest."""
    chosen = np.flatnonzero(t.labels >= 0)
    noise = f"{count(t.noise, 'row')} {plural(t.noise, 'is', 'are')} noise."
    if not len(chosen):
        return f"No cluster is chosen of {len(t.parents)}; {noise}"
    best = int(chosen[t.stabilities[chosen].argmax()])
    return (
        f"{count(len(chosen), 'cluster')} {plural(len(chosen), 'is', 'are')} chosen of "
        f"{len(t.parents)} in the tree; the most stable is cluster {t.labels[best] + 1}, with "
        f"{rough(float(t.stabilities[best]))}. {noise}"
    )


def table(t: CondensedTree) -> tuple[TableColumn, ...]:
    """One line a cluster of the tree."""
    return (
        TableColumn("branch", np.arange(1, len(t.parents) + 1)),
        TableColumn("splits off", np.where(t.parents < 0, "", (t.parents + 1).astype(str))),
        TableColumn("rows", t.sizes),
        TableColumn("density at birth", t.births),
        TableColumn("density at end", t.ends),
        TableColumn("stability", t.stabilities),
        TableColumn("cluster", np.where(t.labels < 0, "", (t.labels + 1).astype(str))),
    )
