"""Known classes against clusters that were not told of them: which cluster holds which class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.words import selects
from figures.names import cut
from figures.numbers.sampled import drawn_rows
from figures.options import Options
from figures.theme import SHARES, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.evaluation.metrics.clusters_of_classes import class_table, clustering_f1, purity
from mlcore.evaluation.metrics.groups import adjusted_rand
from mlcore.runs.carry import Whole
from mlcore.runs.labels import NOISE
from mlcore.spine.capabilities import HasLabels
from mlcore.spine.errors import DataError
from mlcore.spine.params import choice
from mlcore.spine.wording import count, percent, spaced

ROW, ROOM = 44, 120  # pixels of a class, and of the names
MOST_SHARES = 8  # with more clusters the small share below each count is left out
LONGEST = 22  # letters of the name of a class


def has_classes(dataset: Dataset, whole: Whole | None = None) -> bool:
    """Whether rows have classes that the clusters of a fit can be compared with."""
    return whole is not None and dataset.task == "classification"


@dataclass(frozen=True, kw_only=True)
class ShareOptions(Options):
    """What the shades are shares of."""

    of: str = choice(
        "class", "class", "cluster", label="Shares of",
        doc="Where the rows of a class are, or what the rows of a cluster are.",
    )  # fmt: skip


class ClassClusters(NamedTuple):
    """Rows by class and cluster; the last column is noise, if there is any."""

    classes: tuple[str, ...]  # (K,)
    clusters: tuple[str, ...]  # (k,) by the class that most of their rows are of
    counts: np.ndarray  # (K, k)
    shares: np.ndarray  # (K, k) of the class, or of the cluster
    f1: np.ndarray  # (K, k) 0 for noise
    rows: tuple[tuple[np.ndarray, ...], ...]  # (K, k) those in all pictures
    purity: float
    total_f1: float
    rand: float
    by_cluster: bool


@view(
    "class_cluster_table",
    title="Classes in the clusters",
    asks=HasLabels,
    when=has_classes,
    options=ShareOptions,
    sources=(
        "epfl:metric_f1_cluster", "epfl:metric_recall_cluster", "epfl:metric_precision_cluster",
    ),
    synonyms=(
        "contingency table", "cross tabulation", "purity", "external validation",
        "clusters against labels", "matching matrix",
    ),
)  # fmt: skip
def class_cluster_table(dataset: Dataset, whole: Whole, *, options: ShareOptions) -> View:
    """How many rows of each class are in each cluster; the method was told of no class."""
    c = numbers(dataset, whole, by_cluster=options.of == "cluster")
    return joined(c, draw, reading, table, note="all rows" + selects(dataset.n))


def numbers(dataset: Dataset, whole: Whole, *, by_cluster: bool = False) -> ClassClusters:
    """The counts, clusters in the order of the classes that most of their rows are of.

    Raises DataError where rows have no classes.
    """
    if dataset.task != "classification":
        raise DataError("Clusters are compared with classes; the target of this table has none.")
    y, labels = np.asarray(dataset.y), whole.labels(dataset.X)
    t = class_table(y, labels)
    order = _by_class(t.counts)
    has_noise = bool(((labels < 0) & (y >= 0)).any())
    clusters = [int(t.clusters[j]) for j in order] + [-1] * has_noise
    some = np.isin(np.arange(dataset.n), drawn_rows(dataset.n))  # a click selects rows in pictures
    cells = tuple(
        tuple(dataset.rows[some & (y == a) & (labels == b)] for b in clusters) for a in t.classes
    )
    lost = np.array([((y == a) & (labels < 0)).sum() for a in t.classes], dtype=float)
    counts = np.column_stack([t.counts[:, order], *([lost] * has_noise)])
    sizes = counts.sum(axis=0, keepdims=True) if by_cluster else t.sizes[:, None]
    f1 = np.column_stack([t.f1[:, order], *([np.zeros(len(lost))] * has_noise)])
    return ClassClusters(
        tuple(dataset.classes[int(a)] for a in t.classes),
        tuple(NOISE if b < 0 else f"cluster {b + 1}" for b in clusters),
        counts, counts / np.maximum(sizes, 1), f1, cells, purity(y, labels),
        clustering_f1(y, labels), adjusted_rand(y, labels), by_cluster,
    )  # fmt: skip


def _by_class(counts: np.ndarray) -> np.ndarray:
    """The clusters by the class that most of their rows are of, the largest part of it first."""
    commonest = counts.argmax(axis=0) if len(counts) else np.zeros(counts.shape[1])
    return np.lexsort((-counts.max(axis=0, initial=0.0), commonest))


def draw(c: ClassClusters) -> go.Figure:
    """One hue by the share; the count large, its share small below."""
    k = len(c.clusters)
    plain = {"showgrid": False, "ticks": "", "showline": False}
    across = [name.removeprefix("cluster ") for name in c.clusters]
    heat = go.Heatmap(
        z=c.shares, zmin=0, zmax=1, colorscale=SHARES, showscale=False, xgap=2, ygap=2,
        text=[[_label(c, a, b) for b in range(k)] for a in range(len(c.classes))],
        texttemplate="%{text}", textfont={"size": 15 if k <= 5 else 12 if k <= MOST_SHARES else 10},
        customdata=[list(c.clusters)] * len(c.classes),
        hovertemplate="%{y}, %{customdata}<br>%{text}<extra></extra>",
    )  # fmt: skip
    return figure(
        marks.numbered(heat, [[cell.tolist() for cell in row] for row in c.rows]),
        height=max(ROOM + ROW * len(c.classes), 260),
        xaxis=plain | {
            "tickvals": list(range(k)), "ticktext": across, "title": {"text": "Cluster"},
        },
        yaxis=plain | {
            "tickvals": list(range(len(c.classes))), "autorange": "reversed",
            "ticktext": [cut(name, LONGEST) for name in c.classes],
        },
    )  # fmt: skip


def _label(c: ClassClusters, a: int, b: int) -> str:
    rows = f"<b>{spaced(round(c.counts[a, b]))}</b>"
    if len(c.clusters) > MOST_SHARES:
        return rows
    return f"{rows}<br><span style='font-size:11px'>{percent(c.shares[a, b])}</span>"


def reading(c: ClassClusters) -> str:
    """Purity, F1 and the Rand index, and the class that is torn apart most."""
    groups = [name for name in c.clusters if name != NOISE]
    text = f"{count(len(groups), 'cluster')} and {count(len(c.classes), 'class', 'classes')}: "
    text += f"purity {c.purity:.2f}, F1 {c.total_f1:.2f}, adjusted Rand index {c.rand:.2f}."
    best = c.f1.max(axis=1, initial=0.0)
    if len(best) and best.min() < 1.0:
        a = int(best.argmin())
        text += f" Least of all {c.classes[a]} has a cluster of its own: F1 {best[a]:.2f}."
    return text


def table(c: ClassClusters) -> tuple[TableColumn, ...]:
    """One line a class and cluster."""
    names = [(a, b) for a in c.classes for b in c.clusters]
    return (
        TableColumn("class", [a for a, _ in names]),
        TableColumn("cluster", [b for _, b in names]),
        TableColumn("rows", c.counts.ravel().astype(np.int64)),
        TableColumn("share of the cluster" if c.by_cluster else "share of the class",
                    c.shares.ravel()),
        TableColumn("F1", c.f1.ravel()),
    )  # fmt: skip
