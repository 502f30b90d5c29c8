"""How far every two rows lie apart: a map by class, and how often each distance occurs."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from figures.names import cut
from figures.numbers.distances import Distances, distances_of, has_distances
from figures.theme import CLASS_COLORS, LIGHT, NO_TEMPLATE, SEQUENTIAL, faded
from figures.view import TableColumn, View, joined, view
from figures.views.drawing import color_bar, counted_noun, listed, percent, rough
from mlcore.data.dataset import Dataset

HEIGHT = 420
BINS = 40
MOST_NAMED = 12  # classes with a name and lines between them
LETTERS = 12


@view(
    "distance_matrix",
    title="Distances",
    when=has_distances,
    sources=("prac:euclidean_distance_matrix", "mi2:distance_matrix_checks"),
)
def distance_matrix(dataset: Dataset) -> View:
    """The distance of every two rows, the rows of a class together, and their histogram."""
    d = numbers(dataset)
    some = f"{len(d.D)} of " if len(d.D) < d.n else ""
    note = f"{some}{counted_noun(d.n, 'row')} without holes, the rows of a class together"
    return joined(d, draw, reading, table, note=note)


def numbers(dataset: Dataset) -> Distances:
    """The matrix in the order in which it is drawn, and what it lacks."""
    return distances_of(dataset)


def draw(d: Distances) -> go.Figure:
    """The map at the left, dark where rows are near; the histogram at the right."""
    fig = make_subplots(1, 2, column_widths=[0.55, 0.45], horizontal_spacing=0.2)
    fig.update_layout(template=NO_TEMPLATE, height=HEIGHT, showlegend=len(d.names) > 1)
    fig.update_layout(barmode="overlay", bargap=0.02)
    below = {
        "orientation": "h",
        "x": 0.0,
        "xanchor": "left",
        "len": 0.4,
        "y": -0.1,
        "yanchor": "top",
    }
    bar = color_bar("distance") | below
    bar["title"] |= {"side": "bottom"}
    hover = "rows %{x} and %{y} in this order<br>%{z:.4~g}<extra></extra>"
    heat = go.Heatmap(
        z=d.D.astype(np.float32), colorscale=SEQUENTIAL, zmin=0, colorbar=bar, hovertemplate=hover
    )
    fig.add_trace(heat, row=1, col=1)
    _name_classes(fig, d)
    for trace in _bars(d):
        fig.add_trace(trace, row=1, col=2)
    fig.update_xaxes(title={"text": "Distance"}, row=1, col=2)
    return fig.update_yaxes(title={"text": "Pairs"}, row=1, col=2)


def _name_classes(fig: go.Figure, d: Distances) -> None:
    """Names and lines where the classes are, if they are few."""
    plain = {"showgrid": False, "showline": False, "ticks": "", "showticklabels": False}
    starts = np.flatnonzero(np.diff(d.klass)) + 0.5
    ends = np.concatenate([[-0.5], starts, [len(d.D) - 0.5]])
    shown = [cut(d.names[k], LETTERS) for k in dict.fromkeys(d.klass.tolist())]
    if 1 < len(shown) <= MOST_NAMED:
        plain |= {"tickvals": (ends[:-1] + ends[1:]) / 2, "ticktext": shown, "showticklabels": True}
        line = {"color": LIGHT.background, "width": 1.5}
        for at in starts:
            fig.add_shape(x0=at, x1=at, y0=ends[0], y1=ends[-1], line=line)
            fig.add_shape(x0=ends[0], x1=ends[-1], y0=at, y1=at, line=line)
    fig.update_xaxes(plain | {"constrain": "domain"}, row=1, col=1)
    reverse = {"autorange": "reversed", "scaleanchor": "x", "constrain": "domain"}
    fig.update_yaxes(plain | reverse, row=1, col=1)


def _bars(d: Distances) -> list[go.Bar]:
    """How many pairs of one class, and of two, lie so far apart."""
    edges = np.linspace(0.0, float(d.D.max()) or 1.0, BINS + 1)
    middles = (edges[:-1] + edges[1:]) / 2
    kinds = [
        ("of one class" if len(d.names) > 1 else "pairs", d.within),
        ("of two classes", d.between),
    ]
    return [
        go.Bar(
            x=middles.astype(np.float32),
            y=np.histogram(values, edges)[0],
            name=name,
            marker={"color": faded(CLASS_COLORS[k], 0.6), "pattern": {"shape": ("", "/")[k]}},
            hovertemplate=f"{name}<br>about %{{x:.3~g}}: %{{y}} pairs<extra></extra>",
        )
        for k, (name, values) in enumerate(kinds)
        if len(values)
    ]


def reading(d: Distances) -> str:
    """How far rows lie apart, in one class and in two, and whether points can lie so."""
    what = f"Euclidean distances of {counted_noun(d.p, 'standardised column')}"
    text = f"{what if d.p else 'The table holds the distances of its rows'}. "
    if len(d.within) and len(d.between):
        near, far = float(d.within.mean()), float(d.between.mean())
        text += f"Two rows of one class lie {rough(near)} apart on average, of two classes "
        text += f"{rough(far)}. "
    else:
        every = np.concatenate([d.within, d.between])
        text += f"Two rows lie {rough(float(every.mean()))} apart on average, from "
        text += f"{rough(float(every.min()))} to {rough(float(every.max()))}. "
    return text + _validity(d)


def _validity(d: Distances) -> str:
    """What the matrix lacks; of rows, what it would lack by other distances."""
    if d.p:
        shares = [
            f"{percent(c.negative)} by {name.capitalize()} distances" for name, c in d.checks[1:]
        ]
        return (
            "No eigenvalue is negative, as points of a plain space have it; their share would be "
            f"{listed(shares)}."
        )
    held = d.checks[0][1]
    lacks = [f"mirrored entries differ by up to {rough(held.asymmetry)}"] if held.asymmetry else []
    if held.n_shortcuts:
        lacks.append(f"{counted_noun(held.n_shortcuts, 'pair')} would be nearer by a detour")
    if held.negative:
        lacks.append(f"negative eigenvalues make up {percent(held.negative)}")
    if not lacks:
        return "No eigenvalue is negative: points of a plain space can lie like this."
    return f"No points of a plain space lie like this: {listed(lacks)}."


def table(d: Distances) -> tuple[TableColumn, ...]:
    """One line a kind of distance: its pairs, its triangles and its negative eigenvalues."""
    pairs = len(d.within) + len(d.between)
    held = [c for _, c in d.checks]
    return (
        TableColumn("distance", [name for name, _ in d.checks]),
        TableColumn("pairs", [pairs] * len(held)),
        TableColumn("nearer by a detour", [c.n_shortcuts for c in held]),
        TableColumn("largest difference of mirrored entries", [c.asymmetry for c in held]),
        TableColumn("share of negative eigenvalues", [c.negative for c in held]),
    )
