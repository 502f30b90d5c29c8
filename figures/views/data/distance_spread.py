"""How often rows lie how far apart, in one class and in two."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing.traces import HEIGHT
from figures.numbers.distances import Distances, distances_of, has_distances
from figures.theme import CLASS_COLORS, faded, figure
from figures.view import TableColumn, View, joined, view
from figures.views.data.distance_matrix import note
from mlcore.data.dataset import Dataset
from mlcore.spine.wording import rough

BINS = 40


@view(
    "distance_spread",
    title="Distribution of distances",
    when=has_distances,
    sources=("mi2:distance_matrix_checks",),
)
def distance_spread(dataset: Dataset) -> View:
    """How many pairs of one class, and of two, lie so far apart."""
    d = numbers(dataset)
    return joined(d, draw, reading, table, note=note(d))


def numbers(dataset: Dataset) -> Distances:
    """The distances of every two rows."""
    return distances_of(dataset)


def draw(d: Distances) -> go.Figure:
    """A bar a range of distances, one kind of pairs over the other."""
    edges, kinds = _counted(d)
    middles = ((edges[:-1] + edges[1:]) / 2).astype(np.float32)
    bars = [
        go.Bar(
            x=middles, y=counts, name=name,
            marker={"color": faded(CLASS_COLORS[k], 0.6), "pattern": {"shape": ("", "/")[k]}},
            hovertemplate=f"{name}<br>about %{{x:.3~g}}: %{{y}} pairs<extra></extra>",
        )
        for k, (name, counts) in enumerate(kinds.items())
    ]  # fmt: skip
    fig = figure(*bars, height=HEIGHT, showlegend=len(bars) > 1, barmode="overlay", bargap=0.02)
    return fig.update_xaxes(title={"text": "Distance"}).update_yaxes(title={"text": "Pairs"})


def _counted(d: Distances) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Ends of the ranges, and how many pairs of each kind lie in each."""
    edges = np.linspace(0.0, float(d.D.max()) or 1.0, BINS + 1)
    one = "of one class" if len(d.names) > 1 else "pairs"
    kinds = {one: d.within, "of two classes": d.between}
    return edges, {name: np.histogram(v, edges)[0] for name, v in kinds.items() if len(v)}


def reading(d: Distances) -> str:
    """How far rows lie apart, in one class and in two."""
    if len(d.within) and len(d.between):
        near, far = float(d.within.mean()), float(d.between.mean())
        return (
            f"Two rows of one class lie {rough(near)} apart on average, of two classes "
            f"{rough(far)}."
        )
    every = np.concatenate([d.within, d.between])
    return (
        f"Two rows lie {rough(float(every.mean()))} apart on average, from "
        f"{rough(float(every.min()))} to {rough(float(every.max()))}."
    )


def table(d: Distances) -> tuple[TableColumn, ...]:
    """One line a range of distances."""
    edges, kinds = _counted(d)
    columns = [TableColumn(name, counts) for name, counts in kinds.items()]
    return (TableColumn("from", edges[:-1]), TableColumn("to", edges[1:]), *columns)
