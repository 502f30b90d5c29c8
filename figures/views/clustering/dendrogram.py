"""The dendrogram: which clusters merge, at what height, and where the tree is cut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import CURVE
from figures.drawing.words import fitted_on
from figures.numbers.merges import MOST_MERGES, Layout, laid_out, members, spans
from figures.options import Offered, Options, Values, among
from figures.recording import Changes
from figures.theme import LIGHT, class_color, faded, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities import HasLabels
from mlcore.spine.capabilities_of_groups import HasMerges
from mlcore.spine.errors import DataError
from mlcore.spine.params import flag, integer
from mlcore.spine.wording import count, plural, rough

MOST_CUTS = 30  # clusters that a cut of the picture may leave
MOST_SPANS = 10  # numbers of clusters beside the tree
MOST_MEMBERS = 20_000  # rows that travel with the marks of merges
TALL = 460  # pixels
WARNING = "#D64545"  # for merges that lie lower than one before; readable on light and dark
CUT = "cut"
RANKS = ("", "second ", "third ", "fourth ", "fifth ", "sixth ", "seventh ", "eighth ", "ninth ")


def _cuts(offered: Offered) -> Values:
    """Every number of clusters that there may be, up to MOST_CUTS."""
    most = min(offered["fit"].n_groups, MOST_CUTS)
    several = {k: count(k, "cluster") for k in range(1, most + 1)}
    return {None: "as fitted"} | several


@dataclass(frozen=True, kw_only=True)
class DendrogramOptions(Options):
    """Where the tree of the picture is cut; nothing is fitted again."""

    cut: int | None = among(
        integer(
            None,
            low=1,
            soft=(2, 12),
            or_none="as fitted",
            label="Cut into",
            doc="How many clusters the cut of this picture leaves; the fit stays as it is.",
        ),
        _cuts,
    )
    below: bool = flag(
        False, label="Below the cut", doc="Show the tree below the cut alone, enlarged."
    )


class Dendrogram(NamedTuple):
    """A tree of merges and a cut."""

    layout: Layout
    n: int
    n_groups: int  # that merge: n unless some were given
    k: int  # clusters that the cut leaves
    spans: np.ndarray  # (s, 2) heights between which a cut leaves 1, 2 .. s clusters
    cut: tuple[float, float]  # those of k
    cluster: np.ndarray  # (m,) of each merge that is drawn, -1 above the cut
    foot_cluster: np.ndarray  # (m + 1,)
    cluster_sizes: np.ndarray  # (k,)
    is_inverted: np.ndarray  # (n - 1,) whether a merge lies lower than one that it contains
    rows: list[np.ndarray] | None  # of each drawn merge; None where they are too many to send
    children: np.ndarray  # (n - 1, 2)
    heights: np.ndarray  # (n - 1,)
    sizes: np.ndarray  # (n - 1,)
    below: bool


@view(
    "dendrogram",
    title="Dendrogram",
    asks=(HasMerges, HasLabels),
    options=DendrogramOptions,
    on="clustering report compare",
    order=117,  # with the map of the clusters beside it, which follows its cut
    sources=("epfl:hclust_single", "mi2:hier_single"),
    synonyms=("cluster tree", "merge table", "hierarchy", "linkage matrix"),
)
def dendrogram(dataset: Dataset, whole: Whole, *, options: DendrogramOptions) -> View:
    """The tree of merges with a cut, and beside it the heights that give each number of clusters.

    A merge stands at the distance of the two clusters that it joins; what lies below the cut has
    the colours of its clusters.
    """
    d = numbers(dataset, whole, cut=options.cut, below=options.below)
    return joined(d, draw, reading, table, note=fitted_on(dataset, whole), step=step)


def numbers(
    dataset: Dataset, whole: Whole, *, cut: int | None = None, below: bool = False
) -> Dendrogram:
    """Where every merge stands, and to which cluster of the cut it belongs."""
    fit: Any = whole.fit
    n, groups = len(fit.labels), fit.n_groups
    if groups < 2:
        raise DataError("A tree of merges needs at least two rows or groups; there is one.")
    k = min(groups, cut or n - fit.n_merges)
    layout = laid_out(fit)
    labels = fit.cut(k)
    of_node = _clusters(fit.children, labels, k)
    nodes = n + layout.first + np.arange(len(layout.x))
    between = spans(fit.heights[n - groups :], max(MOST_SPANS, k))
    rows = None
    if int(fit.sizes[layout.first :].sum()) <= MOST_MEMBERS:
        source = whole.prepared.rows
        names = dataset.rows if source is None else dataset.rows[source]
        rows = [names[own] for own in members(fit.children, nodes)]
    return Dendrogram(
        layout, n, groups, k, between[:MOST_SPANS],
        (float(between[k - 1, 0]), float(between[k - 1, 1])),
        of_node[nodes], of_node[layout.foot_nodes], np.bincount(labels, minlength=k),
        fit.inversions, rows,
        fit.children, fit.heights, fit.sizes, below,
    )  # fmt: skip


def _clusters(children: np.ndarray, labels: np.ndarray, k: int) -> np.ndarray:
    """The cluster of every node of the tree, -1 above the cut, shape (2 n - 1,)."""
    n = len(labels)
    of_node = np.concatenate([labels, np.full(n - 1, -1)])
    for t in range(n - k):
        of_node[n + t] = of_node[children[t, 0]]
    return of_node


def draw(d: Dendrogram) -> go.Figure:
    """The tree in grey, each cluster of the cut in its colour, the spans of heights beside it."""
    shown = [c for c in range(d.k) if (d.cluster == c).any()]
    fig = figure(
        _legs(d.layout, np.ones(len(d.layout.x), dtype=bool), LIGHT.quiet, 1.2),
        *(_colored(d, c) for c in shown),
        _feet(d),
        *([_inverted(d)] if d.is_inverted[d.layout.first :].any() else []),
        _nodes(d),
        *_beside(d),
        height=TALL,
        showlegend=True,
        barmode="overlay",
        bargap=0.35,
    )
    top = d.cut[1] if d.below and d.k > 1 else float(max(d.layout.heights.max(), d.cut[0]))
    bottom = float(min(d.layout.heights.min(), 0.0))
    room = (top - bottom) or 1.0
    m = len(d.layout.foot_sizes)
    fig.update_layout(
        xaxis={
            "domain": [0.0, 0.74], "range": [-0.02 * m - 0.5, 1.02 * m - 0.5],
            "showgrid": False, "zeroline": False, "showticklabels": False, "ticks": "",
            "title": {"text": _foot_title(d)},
        },
        xaxis2={
            "domain": [0.8, 1.0], "title": {"text": "Clusters"}, "tickangle": 0,
            "tickvals": list(range(2, len(d.spans) + 1, 2)), "showgrid": False,
            "range": [1.4, len(d.spans) + 0.6],
        },
        yaxis={"title": {"text": "Height"}, "range": [bottom - 0.06 * room, top + 0.05 * room]},
    )  # fmt: skip
    return fig


def _legs(layout: Layout, chosen: np.ndarray, color: str, width: float, **more: Any) -> go.Scatter:
    x, y = _path(layout, chosen)
    line = {"color": color, "width": width, "shape": "linear"}
    return go.Scatter(
        x=x, y=y, mode="lines", line=line, hoverinfo="skip", **({"showlegend": False} | more)
    )


def _path(layout: Layout, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Up from the one part, across and down to the other; NaN parts one merge from the next."""
    feet, low, top = layout.feet[chosen], layout.low[chosen], layout.heights[chosen]
    gap = np.full(len(top), np.nan)
    x = np.column_stack([feet[:, 0], feet[:, 0], feet[:, 1], feet[:, 1], gap])
    y = np.column_stack([low[:, 0], top, top, low[:, 1], gap])
    return x.ravel(), y.ravel()


def _colored(d: Dendrogram, c: int) -> go.Scatter:
    name = f"cluster {c + 1}, {count(int(d.cluster_sizes[c]), 'row')}"
    return _legs(
        d.layout, d.cluster == c, class_color(c), 1.8, name=name, uid=f"{CURVE} {c}",
        showlegend=True,
    )  # fmt: skip


def _feet(d: Dendrogram) -> go.Scatter:
    """A mark for what is not drawn further down, in the colour of its cluster."""
    many = d.layout.foot_sizes > 1
    below = np.concatenate([np.zeros(d.n), d.heights])[d.layout.foot_nodes]
    texts = [count(int(size), "row") for size in d.layout.foot_sizes]
    return go.Scatter(
        x=np.arange(len(many)), y=below, mode="markers", showlegend=False, text=texts,
        hovertemplate="%{text}<extra></extra>",
        marker={
            "color": [class_color(int(c)) if c >= 0 else LIGHT.quiet for c in d.foot_cluster],
            "symbol": ["triangle-down" if it else "line-ns" for it in many],
            "size": 6, "line": {"width": 0},
        },
    )  # fmt: skip


def _inverted(d: Dendrogram) -> go.Scatter:
    here = d.is_inverted[d.layout.first :]
    return go.Scatter(
        x=d.layout.x[here], y=d.layout.heights[here], mode="markers",
        name="lower than one before", hoverinfo="skip",
        marker={"symbol": "x-thin", "size": 8, "line": {"color": WARNING, "width": 2}},
    )  # fmt: skip


def _nodes(d: Dendrogram) -> go.Scatter:
    """A mark a merge, seen only by the pointer: what merges, and a click selects its rows."""
    at = d.layout.first + np.arange(len(d.layout.x))
    first, second = _part_sizes(d, at)
    texts = [
        f"Merge {t + 1 - _given(d)} of {d.n_groups - 1}, height {rough(float(d.heights[t]))}"
        f"<br>{a} + {b} rows"
        for t, a, b in zip(at, first, second, strict=True)
    ]
    trace = go.Scatter(
        x=d.layout.x, y=d.layout.heights, mode="markers", showlegend=False, text=texts,
        hovertemplate="%{text}<extra></extra>", marker={"size": 9, "opacity": 0.0},
    )  # fmt: skip
    return trace if d.rows is None else marks.numbered(trace, [own.tolist() for own in d.rows])


def _given(d: Dendrogram) -> int:
    """Merges before the first of those that are shown: of rows that were given as one group."""
    return d.n - d.n_groups


def _part_sizes(d: Dendrogram, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of the two parts of these merges."""
    sizes = np.concatenate([np.ones(d.n, dtype=np.int64), d.sizes])
    return sizes[d.children[at, 0]], sizes[d.children[at, 1]]


def _beside(d: Dendrogram) -> list[Any]:
    """A bar for each number of clusters over the heights that give it, and the cut through all."""
    k = np.arange(2, len(d.spans) + 1)
    low, high = d.spans[1:].T
    colors = [LIGHT.accent if each == d.k else faded(LIGHT.quiet, 0.45) for each in k]
    texts = [f"{rough(float(a))} to {rough(float(b))}" for a, b in zip(low, high, strict=True)]
    bars = go.Bar(
        x=k, y=high - low, base=low, xaxis="x2", marker={"color": colors}, showlegend=False,
        text=texts, textposition="none",
        hovertemplate="%{x} clusters<br>heights %{text}<extra></extra>",
    )  # fmt: skip
    level = _level(d)
    line = go.Scatter(
        x=[-0.5, len(d.layout.foot_sizes) - 0.5], y=[level, level], mode="lines", uid=CUT,
        line={"color": LIGHT.accent, "width": 2, "dash": "dash"}, showlegend=False,
        hoverinfo="skip",
    )  # fmt: skip
    return [bars, line]


def _level(d: Dendrogram) -> float:
    """The height at which the cut is drawn: halfway, which above all merges is just above."""
    return (d.cut[0] + d.cut[1]) / 2


def _foot_title(d: Dendrogram) -> str:
    if d.layout.first == _given(d):
        return _leaves(d)
    return f"{count(len(d.layout.foot_sizes), 'branch', 'branches')} of {_leaves(d)}"


def _leaves(d: Dendrogram) -> str:
    if not _given(d):
        return count(d.n, "row")
    return f"{count(d.n_groups, 'group')} of {count(d.n, 'row')}"


def step(d: Dendrogram, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a merge changes: the part of each cluster that is made, and how high the cut stands."""
    fit: Any = whole.fit
    number = d.layout.first + np.arange(len(d.layout.x))
    changes: Changes = {}
    for c in range(d.k):
        if (trace := at.get(f"{CURVE} {c}")) is not None:
            x, y = _path(d.layout, (d.cluster == c) & (number < fit.n_merges))
            changes[trace] = {"x": x, "y": y}
    if CUT in at:
        level = _level(d)
        if fit.n_merges < d.n - d.k:
            made = d.heights[: fit.n_merges]
            level = float((made.max(initial=0.0) + d.heights[: fit.n_merges + 1].max()) / 2)
        changes[at[CUT]] = {"y": np.array([level, level])}
    return changes


def reading(d: Dendrogram) -> str:
    """Between which heights the cut stays what it is, and how that compares with other cuts."""
    if d.k == 1:
        return f"One cluster of {count(d.n, 'row')}; its two parts merge last, at {_top(d)}."
    low, high = d.cut
    text = f"{d.k} clusters hold from height {rough(low)} to {rough(high)}"
    if 1 < d.k <= len(d.spans):
        lengths = d.spans[1:, 1] - d.spans[1:, 0]
        rank = RANKS[int((lengths > lengths[d.k - 2]).sum())]
        text += f", the {rank}longest stretch of 2 to {len(d.spans)} clusters"
    text += "."
    if inverted := int(d.is_inverted.sum()):
        text += (
            f" {count(inverted, 'merge')} {plural(inverted, 'lies', 'lie')} lower than one "
            "before: clusters are cut by the order of merges, and heights say little."
        )
    if d.layout.first > _given(d):
        text += f" The last {MOST_MERGES} of {count(d.n_groups - 1, 'merge')} are drawn."
    return text


def _top(d: Dendrogram) -> str:
    return rough(float(d.heights[-1]))


def table(d: Dendrogram) -> tuple[TableColumn, ...]:
    """One line a merge, the last first."""
    at = np.arange(d.n - 2, _given(d) - 1, -1)
    first, second = _part_sizes(d, at)
    gaps = np.diff(d.heights, prepend=0.0)
    return (
        TableColumn("merge", at + 1 - _given(d)),
        TableColumn("clusters left", d.n - 1 - at),
        TableColumn("height", d.heights[at]),
        TableColumn("above the one before", gaps[at]),
        TableColumn("rows of the one", first),
        TableColumn("rows of the other", second),
        TableColumn("lower than one before", np.where(d.is_inverted[at], "yes", "")),
    )
