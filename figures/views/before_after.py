"""Two columns before and after the preparation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from figures.numbers.clouds import MOST_POINTS, Cloud, cloud_of
from figures.numbers.planes import NO_QUANTITIES, pair
from figures.numbers.sampled import sampled, taken
from figures.theme import LEGEND_ON_TOP, LIGHT, NO_TEMPLATE
from figures.view import TableColumn, View, joined, view
from figures.views.drawing import HEIGHT, counted_noun, drawn_of, named_axis, percent, points_of
from mlcore.carry import Whole
from mlcore.data.dataset import Dataset
from mlcore.errors import DataError
from mlcore.fit import Column


class Panel(NamedTuple):
    """Two columns, and what every column adds to the squared distances between rows."""

    cloud: Cloud
    columns: tuple[Column, Column]
    names: tuple[str, ...]  # (p,) of all columns of numbers
    shares: np.ndarray  # (p,) of the squared distance, adding up to 1


class BeforeAfter(NamedTuple):
    """The rows of the data before, and those that the method learns from after."""

    before: Panel
    after: Panel
    p: int  # columns before
    q: int  # and after
    n: int  # rows that are drawn before


@view(
    "before_after", title="Before and after preparation", on="preparation", order=10, is_wide=True
)
def before_after(dataset: Dataset, whole: Whole, *, x: str = "", y: str = "") -> View:
    """Two columns in their own units, and as the method gets them on equal axes."""
    b = numbers(dataset, whole, x=x, y=y)
    note = f"prepared on all {counted_noun(dataset.n, 'row')}"
    rows = whole.prepared.rows
    if b.n < dataset.n:
        note += f"; drawn are {drawn_of(b.n, dataset.n)}"
    if rows is not None:
        note += f"; after, the {counted_noun(len(rows), 'row')} to learn from"
    return joined(b, draw, reading, table, note=note)


def numbers(dataset: Dataset, whole: Whole, *, x: str = "", y: str = "") -> BeforeAfter:
    """Both pictures; where a column is no more, the first prepared ones stand in for it."""
    at = pair(dataset, x, y)
    if at[1] is None:
        raise DataError("This picture needs two columns; the data has one.")
    prepared = whole.prepared
    learned, Z = dataset, prepared.X
    if prepared.rows is not None:
        learned = taken(dataset, prepared.rows)
    elif dataset.n > MOST_POINTS:
        dataset = learned = sampled(dataset)
        Z = prepared.transform(dataset.X)
    before = _panel(dataset, dataset.X, dataset.columns, (at[0], at[1]))
    wanted = [dataset.columns[j].name for j in at if j is not None]
    shown = _prepared_pair(prepared.columns, wanted)
    after = _panel(learned, Z, prepared.columns, shown)
    return BeforeAfter(before, after, len(dataset.columns), len(prepared.columns), dataset.n)


def _prepared_pair(columns: tuple[Column, ...], wanted: list[str]) -> tuple[int, int]:
    found = [next((j for j, c in enumerate(columns) if c.variable == w), None) for w in wanted]
    spare = [j for j in range(len(columns)) if j not in found]
    first, second = (f if f is not None else spare.pop(0) if spare else 0 for f in found)
    return first, second


def _panel(
    dataset: Dataset, X: np.ndarray, columns: tuple[Column, ...], at: tuple[int, int]
) -> Panel:
    numeric = [j for j, c in enumerate(columns) if c.kind not in NO_QUANTITIES]
    variances = np.array([_variance(X[:, j]) for j in numeric])
    total = variances.sum()
    shares = variances / total if total > 0 else variances
    cloud = cloud_of(dataset, X[:, at[0]], X[:, at[1]])
    names = tuple(columns[j].name for j in numeric)
    return Panel(cloud, (columns[at[0]], columns[at[1]]), names, shares)


def _variance(values: np.ndarray) -> float:
    seen = values[np.isfinite(values)]
    return float(seen.var()) if len(seen) else 0.0


def draw(b: BeforeAfter) -> go.Figure:
    """Left in the units of the table, right on equal axes, as a distance sees it."""
    fig = make_subplots(1, 2, horizontal_spacing=0.16, subplot_titles=("Before", "After"))
    fig.update_layout(template=NO_TEMPLATE, height=HEIGHT, showlegend=bool(b.before.cloud.names))
    fig.update_annotations(font={"size": 13, "color": LIGHT.quiet})
    for col, panel in ((1, b.before), (2, b.after)):
        kinds = (panel.columns[0].kind, panel.columns[1].kind)
        for trace in points_of(panel.cloud, kinds=kinds):
            if col == 2:
                trace.update(showlegend=False)
                trace.marker.showscale = False
            fig.add_trace(trace, row=1, col=col)
        fig.update_xaxes(**named_axis(panel.columns[0]), row=1, col=col)
        fig.update_yaxes(**named_axis(panel.columns[1]), row=1, col=col)
    fig.update_yaxes(scaleanchor="x2", scaleratio=1, row=1, col=2)
    return fig.update_layout(legend=LEGEND_ON_TOP, margin_t=24)


def reading(b: BeforeAfter) -> str:
    """Which column rules the distances before, and which after."""
    if not len(b.before.shares) or not len(b.after.shares):
        return f"{b.p} columns before the preparation, {b.q} after it."
    first, then = int(b.before.shares.argmax()), int(b.after.shares.argmax())
    return (
        f"Before, {b.before.names[first]} makes up {percent(b.before.shares[first])} of the "
        f"squared distances between rows; after, no column makes up more than "
        f"{percent(b.after.shares[then])} ({b.after.names[then]}). {b.p} columns became {b.q}."
    )


def table(b: BeforeAfter) -> tuple[TableColumn, ...]:
    """One line a column: its share of the squared distances."""
    when = ["before"] * len(b.before.names) + ["after"] * len(b.after.names)
    return (
        TableColumn("when", when),
        TableColumn("column", (*b.before.names, *b.after.names)),
        TableColumn("share of the distances", np.concatenate([b.before.shares, b.after.shares])),
    )
