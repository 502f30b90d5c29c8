"""How far every two rows lie apart, as a map whose rows can be put in another order."""

from __future__ import annotations

from typing import Any

import numpy as np

import figures.graph as go
from figures.drawing.traces import color_bar
from figures.names import cut
from figures.numbers.distances import Distances, distances_of, has_distances
from figures.theme import LIGHT, SEQUENTIAL, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.spine.wording import count, listed, percent, rough

HEIGHT = 460
MOST_NAMED = 12  # classes with a name and lines between them
LETTERS = 12


@view(
    "distance_matrix",
    title="Distance matrix",
    when=has_distances,
    sources=("prac:euclidean_distance_matrix", "mi2:distance_matrix_checks"),
    synonyms=("dissimilarity matrix", "similarity matrix", "heatmap"),
)
def distance_matrix(dataset: Dataset) -> View:
    """The distance of every two rows: by class, by likeness, or in the order of the table."""
    d = numbers(dataset)
    return joined(d, draw, reading, table, note=note(d))


def note(d: Distances) -> str:
    """How many rows are looked at."""
    some = f"{len(d.D)} of " if len(d.D) < d.n else ""
    return f"{some}{count(d.n, 'row')} without missing values"


def numbers(dataset: Dataset) -> Distances:
    """The matrix in the order in which it is drawn, and what it lacks."""
    return distances_of(dataset)


def draw(d: Distances) -> go.Figure:
    """The map, dark where rows are near, and a button for each order of its rows."""
    names = [str(row + 1) for row in d.rows]
    hover = "rows %{x} and %{y}<br>%{z:.4~g} apart<extra></extra>"
    heat = go.Heatmap(
        x=names, y=names, z=d.D.astype(np.float32), colorscale=SEQUENTIAL, zmin=0,
        colorbar=color_bar("distance"), hovertemplate=hover,
    )  # fmt: skip
    orders = _orders(d, np.array(names))
    fig = figure(heat, height=HEIGHT)
    plain = {"type": "category", "categoryorder": "array", "showgrid": False, "showline": False}
    fig.update_xaxes(plain | {"ticks": "", "constrain": "domain"})
    fig.update_yaxes(plain | {"ticks": "", "constrain": "domain", "autorange": "reversed"})
    fig.update_yaxes(scaleanchor="x")
    first = next(iter(orders.values()))
    fig.update_layout(first, margin={"t": 32, "b": 76})
    return fig.update_layout(updatemenus=[_buttons(orders)]) if len(orders) > 1 else fig


def _orders(d: Distances, names: np.ndarray) -> dict[str, dict[str, Any]]:
    """What to change in the layout for each order in which the rows may stand."""
    likeness, in_table = names[d.by_likeness], names[np.argsort(d.rows)]
    plain = {"By likeness": _placed(likeness), "As in the table": _placed(in_table)}
    if len(set(d.klass.tolist())) == 1:
        return plain
    return {"By class": _placed(names) | _class_marks(d, names)} | plain


def _placed(names: np.ndarray) -> dict[str, Any]:
    axes = {f"{axis}axis.categoryarray": names.tolist() for axis in "xy"}
    bare = {f"{axis}axis.showticklabels": False for axis in "xy"}
    return axes | bare | {"shapes": []}


def _class_marks(d: Distances, names: np.ndarray) -> dict[str, Any]:
    """Names and lines where the classes are, if they are few."""
    starts = np.flatnonzero(np.diff(d.klass)) + 0.5
    ends = np.concatenate([[-0.5], starts, [len(d.D) - 0.5]])
    shown = [cut(d.names[k], LETTERS) for k in dict.fromkeys(d.klass.tolist())]
    if len(shown) > MOST_NAMED:
        return {}
    middles = names[((ends[:-1] + ends[1:]) / 2).astype(int)].tolist()
    changes = {f"{axis}axis.showticklabels": True for axis in "xy"}
    changes |= {f"{axis}axis.tickvals": middles for axis in "xy"}
    changes |= {f"{axis}axis.ticktext": shown for axis in "xy"}
    line = {"color": LIGHT.background, "width": 1.5}
    whole = {"x0": -0.5, "x1": len(d.D) - 0.5, "y0": -0.5, "y1": len(d.D) - 0.5, "line": line}
    across = [whole | {"y0": at, "y1": at} for at in starts]
    return changes | {"shapes": [whole | {"x0": at, "x1": at} for at in starts] + across}


def _buttons(orders: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Below the map, side by side; the browser does what they say without a trip to the server."""
    buttons = [
        {"label": name, "method": "relayout", "args": [changes]} for name, changes in orders.items()
    ]
    return {
        "type": "buttons", "direction": "right", "buttons": buttons, "showactive": True,
        "x": 0.5, "xanchor": "center", "y": 0.0, "yanchor": "top", "pad": {"t": 34},
        "bgcolor": LIGHT.background, "bordercolor": LIGHT.hairline,
        "font": {"color": LIGHT.text, "size": 12},
    }  # fmt: skip


def reading(d: Distances) -> str:
    """What is measured, and whether points can lie so."""
    what = f"Euclidean distances of {count(d.p, 'standardised column')}"
    return f"{what if d.p else 'The table holds the distances of its rows'}. {_validity(d)}"


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
    valid = d.checks[0][1]
    lacks = (
        [f"mirrored entries differ by up to {rough(valid.asymmetry)}"] if valid.asymmetry else []
    )
    if valid.n_shortcuts:
        lacks.append(f"{count(valid.n_shortcuts, 'pair')} would be nearer by a detour")
    if valid.negative:
        lacks.append(f"negative eigenvalues make up {percent(valid.negative)}")
    if not lacks:
        return "No eigenvalue is negative: points of a plain space can lie like this."
    return f"No points of a plain space lie like this: {listed(lacks)}."


def table(d: Distances) -> tuple[TableColumn, ...]:
    """One line a kind of distance: its pairs, its triangles and its negative eigenvalues."""
    pairs = len(d.within) + len(d.between)
    results = [c for _, c in d.checks]
    return (
        TableColumn("distance", [name for name, _ in d.checks]),
        TableColumn("pairs", [pairs] * len(results)),
        TableColumn("nearer by a detour", [c.n_shortcuts for c in results]),
        TableColumn("largest difference of mirrored entries", [c.asymmetry for c in results]),
        TableColumn("share of negative eigenvalues", [c.negative for c in results]),
    )
