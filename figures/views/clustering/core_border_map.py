"""Which rows of a clustering by density are core, which are border, and which are noise."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import HEIGHT, ROWS, located, mixed_points
from figures.drawing.words import fitted_on
from figures.numbers.clouds import Cloud, seen
from figures.numbers.projections import Projection, spread_projection
from figures.options import ANY_AXES, Axes
from figures.recording import Changes
from figures.theme import LIGHT, figure
from figures.view import TableColumn, View, joined, view
from figures.views.classification.decision_regions import kinds_of, on_plane
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.runs.labels import NOISE
from mlcore.spine.capabilities import HasLabels
from mlcore.spine.capabilities_of_groups import HasCoreRows
from mlcore.spine.errors import DataError
from mlcore.spine.wording import count, plural

CORE, BORDER, RING, LARGE = 9.0, 5.0, 12.0, 24.0  # pixels
LOOKED, AROUND = "looked", "around"
FAINT = 0.55  # opacity of the border
KINDS = (NOISE, "border", "core")


class CoreBorder(NamedTuple):
    """Rows in a plane by cluster and kind."""

    shown: Projection
    cloud: Cloud
    kind: np.ndarray  # (n,) of the rows that have a place, codes of `KINDS`
    sizes: np.ndarray  # (3,) rows of each kind, of all rows


@view(
    "core_border_map",
    title="Core, border and noise",
    asks=(HasCoreRows, HasLabels),
    on="clustering report compare",
    order=122,
    sources=("epfl:dbscan",),
    synonyms=("core points", "border points", "density-reachable"),
)
def core_border_map(dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES) -> View:
    """Rows with enough others around them large, those at the border of a cluster small.

    Played, the clusters grow: each core row, in the large ring, takes those around it, in small
    rings, into its cluster. With more than two columns: the plane in which the prepared rows
    spread most, unless two columns are named.
    """
    c = numbers(dataset, whole, x=axes.x, y=axes.y)
    note = fitted_on(dataset, whole)
    return joined(c, draw, reading, table, note=note, rows=c.cloud.rows, step=step)


def numbers(dataset: Dataset, whole: Whole, *, x: str = "", y: str = "") -> CoreBorder:
    """Places and kinds. Raises DataError if the method learned from other rows."""
    fit = whole.fit
    if whole.prepared.rows is not None:
        raise DataError(
            "A step gave the method other rows than those of the table, and only these are core or "
            "border. Remove that step to see it."
        )
    shown = spread_projection(dataset, whole, x, y)
    names = tuple(f"cluster {k + 1}" for k in range(int(fit.labels.max(initial=-1)) + 1))
    kind = np.where(fit.core, 2, np.where(fit.labels >= 0, 1, 0))
    cloud = seen(Cloud(shown.x, shown.y, dataset.rows, fit.labels, names))
    return CoreBorder(shown, cloud, kind[shown.here], np.bincount(kind, minlength=len(KINDS)))


def draw(c: CoreBorder) -> go.Figure:
    """A mark a row, its size by its kind."""
    kinds = kinds_of(c.shown.plane)
    rows = mixed_points(
        c.cloud, texts=[KINDS[k] for k in c.kind], no_class=NOISE, kinds=kinds
    )  # fmt: skip
    for trace in rows:
        if trace.uid == ROWS:
            trace.marker.size = np.where(c.kind == 1, BORDER, CORE).astype(np.float32)
            trace.marker.opacity = np.where(c.kind == 1, FAINT, 1.0).astype(np.float32)
    fig = on_plane(figure(*rows, height=HEIGHT, showlegend=True), c.shown)
    fig.update_xaxes(constrain="range")  # a legend of three lines leaves little room
    return fig.add_traces([_rings(AROUND, RING, 1.2), _rings(LOOKED, LARGE, 2.5)])


def _rings(name: str, size: float, width: float) -> go.Scatter:
    """Rings of the player, none before it runs."""
    return go.Scatter(
        x=[], y=[], mode="markers", uid=name, showlegend=False, hoverinfo="skip",
        marker={"symbol": "circle-open", "size": size, "color": LIGHT.text,
                "line": {"width": width}},
    )  # fmt: skip


def step(c: CoreBorder, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: which rows a cluster has, and which row looks around."""
    if ROWS not in at:
        return {}
    near = whole.fit.around
    changes: dict[int, Any] = {at[ROWS]: {"class": whole.fit.labels[c.shown.here]}}
    for name, rows in ((LOOKED, near[:1]), (AROUND, near)):
        here = rows[c.shown.here[rows]]
        changes[at[name]] = {"x": c.shown.x[here], "y": c.shown.y[here]}
    return changes


def reading(c: CoreBorder) -> str:
    """How many rows are of each kind."""
    noise, border, core = (int(n) for n in c.sizes)
    text = f"{count(core, 'row')} {plural(core, 'is', 'are')} core, large; {border} at the border "
    text += f"of a cluster, small; {noise} noise, hollow."
    return f"{text} {c.shown.how}".strip()


def table(c: CoreBorder) -> tuple[TableColumn, ...]:
    """One line a row of the data."""
    return (
        *located(c.shown.plane, c.cloud),
        TableColumn("cluster", [NOISE if k < 0 else str(k + 1) for k in c.cloud.klass]),
        TableColumn("kind", [KINDS[k] for k in c.kind]),
    )
