"""Silhouettes: how much nearer every row is to its own cluster than to the next."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import HEIGHT, named_line, row_texts
from figures.numbers.apart import apart
from figures.theme import NO_CLASS, class_color, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.evaluation.metrics.groups import silhouette_samples
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities import HasLabels
from mlcore.spine.capabilities_of_groups import HasLattice
from mlcore.spine.errors import DataError
from mlcore.spine.wording import count, plural, rough, spaced

MOST_ROWS = 5_000  # the widths take time n^2; of more rows a random part stands for all
MOST_BARS = 1_500  # bars thinner than a pixel cannot be seen
MOST_NAMED = 24  # clusters whose names stand beside them
LINE_HEIGHT = 0.04  # of the height of the bars: names beside them are no nearer
GAP = 0.015  # of the number of bars, between clusters


class Silhouettes(NamedTuple):
    """Widths, cluster by cluster, the largest first."""

    widths: np.ndarray  # (m,)
    labels: np.ndarray  # (m,) ascending
    rows: np.ndarray  # (m,) row numbers of the table
    means: np.ndarray  # (k,) by cluster
    mean: float
    n: int  # rows of the data set that are in a cluster
    n_clusters: int


@view(
    "silhouette_bars",
    title="Silhouette plot",
    asks=HasLabels,
    unless=HasLattice,  # whose neighbouring units are meant to be alike
    on="clustering report compare",
    order=230,
    synonyms=("silhouette coefficient", "cluster validity"),
)
def silhouette_bars(dataset: Dataset, whole: Whole) -> View:
    """A bar a row: how much nearer its own cluster is than the next one, in [-1, 1]."""
    s = numbers(dataset, whole)
    return joined(s, draw, reading, table, note="in the prepared coordinates", rows=s.rows)


def numbers(dataset: Dataset, whole: Whole) -> Silhouettes:
    """Silhouette widths of the clustered rows, of a random part of them if there are many."""
    labels = whole.labels(dataset.X)
    Z = whole.prepared.transform(dataset.X)
    at = np.flatnonzero((labels >= 0) & np.isfinite(Z).all(axis=1))  # distances need all values
    n = len(at)
    k = len(np.unique(labels[at]))
    if k < 2:
        raise DataError(
            f"Silhouettes compare a cluster with the next one; there {plural(k, 'is', 'are')} "
            f"{count(k, 'cluster')}. Ask for more clusters."
        )
    if n > MOST_ROWS:
        at = np.sort(np.random.default_rng(0).choice(at, MOST_ROWS, replace=False))
    widths = silhouette_samples(Z[at], labels[at])
    order = np.lexsort((-widths, labels[at]))
    at, widths = at[order], widths[order]
    means = np.array([widths[labels[at] == c].mean() for c in np.unique(labels[at])])
    return Silhouettes(
        widths, labels[at], dataset.rows[at], means, float(widths.mean()), n, len(means)
    )


def draw(s: Silhouettes) -> go.Figure:
    """Bars to the right of zero are well placed; those to the left are nearer another cluster."""
    shown = _drawn(s)
    gap = max(1.0, GAP * len(shown))
    clusters = np.unique(s.labels)
    cluster_at = np.searchsorted(clusters, s.labels[shown])
    height = np.arange(len(shown)) + gap * cluster_at
    fig = figure(
        height=HEIGHT,
        bargap=0,
        xaxis={"title": {"text": "Silhouette width"}, "range": _range(s)},
        yaxis={"showgrid": False, "showline": False, "ticks": ""},
        showlegend=False,
    )
    middles = []
    drawn = np.isin(np.arange(len(clusters)), cluster_at)  # a sample of rows may miss small ones
    for j, label in enumerate(clusters):
        own = cluster_at == j
        if not drawn[j]:
            continue
        middles.append(height[own].mean())
        fig.add_trace(_bars(s, shown[own], height[own], int(label)))
    told = zip(clusters[drawn], np.asarray(s.means)[drawn], strict=True)
    names = [f"cluster {label + 1}  {m:.2f}" for label, m in told]
    has_names = len(names) <= MOST_NAMED  # else hovering tells the rows, the table their clusters
    line = LINE_HEIGHT * float(height[-1] + 1) if has_names else 0.0
    at = apart(np.array(middles), line)
    ends = [max(height[-1], at[-1] + line / 2) + 0.5, min(0.0, at[0] - line / 2) - 0.5]
    fig.update_yaxes(tickvals=at, ticktext=names, showticklabels=has_names, range=ends)
    fig.update_layout(margin_t=24)
    return named_line(fig, f"mean {rough(s.mean)}", x=s.mean)


def _drawn(s: Silhouettes) -> np.ndarray:
    """Positions of the bars that are drawn: all, or evenly spaced ones."""
    return np.unique(np.linspace(0, len(s.widths) - 1, MOST_BARS).round().astype(np.int64))


def _bars(s: Silhouettes, at: np.ndarray, height: np.ndarray, label: int) -> go.Bar:
    bars = go.Bar(
        x=s.widths[at].astype(np.float32),
        y=height,
        width=1.0,
        orientation="h",
        marker={"color": class_color(label) if label >= 0 else NO_CLASS},
        text=row_texts(s.rows[at]),
        textposition="none",
        hovertemplate="%{text}<br>width %{x:.3f}<extra></extra>",
    )
    return marks.numbered(bars, s.rows[at])


def _range(s: Silhouettes) -> list[float]:
    return [min(-0.05, float(s.widths.min()) - 0.02), 1.0]


def reading(s: Silhouettes) -> str:
    """The mean, the rows that lie nearer another cluster, and the loosest cluster."""
    clusters = np.unique(s.labels)
    loosest = int(clusters[s.means.argmin()]) + 1
    misplaced = int((s.widths < 0).sum())
    many = count(misplaced, "row") if misplaced else "No row"
    are, own = plural(misplaced or 1, "is", "are"), plural(misplaced or 1, "its", "their")
    text = (
        f"Mean silhouette {rough(s.mean)} over {s.n_clusters} clusters. {many} {are} "
        f"nearer to another cluster than to {own} own; cluster {loosest} is the loosest, "
        f"with a mean of {rough(float(s.means.min()))}."
    )
    if len(s.widths) < s.n:
        text += f" Computed on {spaced(len(s.widths))} of {count(s.n, 'row')}, drawn at random."
    return text


def table(s: Silhouettes) -> tuple[TableColumn, ...]:
    """One line a row of the data."""
    return (
        TableColumn("row", s.rows + 1),
        TableColumn("cluster", s.labels + 1),
        TableColumn("width", s.widths),
    )
