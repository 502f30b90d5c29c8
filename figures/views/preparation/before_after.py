"""Two columns before and after the preparation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import BETWEEN, HEIGHT, named_axis, points_of
from figures.drawing.words import drawn_of
from figures.graph import make_subplots
from figures.names import cut
from figures.numbers.clouds import MOST_POINTS, Cloud, cloud_of
from figures.numbers.planes import NO_QUANTITIES, pair
from figures.numbers.sampled import sampled, taken
from figures.numbers.stages import bent
from figures.options import ANY_AXES, Axes
from figures.theme import LIGHT, NO_TEMPLATE, ON_SHARE, SHARE
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.preparation.chain import Prepared
from mlcore.runs.carry import Whole
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column
from mlcore.spine.wording import count, percent

MOST_PARTS = 5  # of the bar of shares that are named
ALIKE = 0.005  # shares that differ by less are called the same
LETTERS = 18  # of a name in the bar


class Panel(NamedTuple):
    """Two columns, and what every column adds to the squared distances between rows."""

    cloud: Cloud
    columns: tuple[Column, Column]
    names: tuple[str, ...]  # (p,) of all columns of numbers
    shares: np.ndarray  # (p,) of the squared distance, adding up to 1
    filled: np.ndarray  # (rows of the cloud,) whether a value on an axis was missing before


class BeforeAfter(NamedTuple):
    """The rows of the data before, and those that the method learns from after."""

    before: Panel
    after: Panel
    p: int  # columns before
    q: int  # and after
    n: int  # rows that are drawn before
    has_target: bool = False  # whether the target is the second axis, of one column


@view(
    "before_after", title="Before and after preparation", on="preparation", order=10, is_wide=True
)
def before_after(dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES) -> View:
    """Two columns, or one and the target, in their own units, and as the method gets them."""
    b = numbers(dataset, whole, x=axes.x, y=axes.y)
    note = f"prepared on all {count(dataset.n, 'row')}"
    rows = whole.prepared.rows
    if b.n < dataset.n:
        note += f"; drawn are {drawn_of(b.n, dataset.n)}"
    if rows is not None:
        note += f"; after, the {count(len(rows), 'row')} to learn from"
    return joined(b, draw, reading, table, note=note)


def numbers(dataset: Dataset, whole: Whole, *, x: str = "", y: str = "") -> BeforeAfter:
    """Both pictures; where a column is no more, the first prepared ones stand in for it."""
    at = pair(dataset, x, y)
    if at[1] is None and dataset.task != "regression":
        raise DataError("This picture needs two columns, or one and a quantity; the data has one.")
    prepared = whole.prepared
    learned, Z = dataset, prepared.X
    if prepared.rows is not None:
        learned = taken(dataset, prepared.rows)
    elif dataset.n > MOST_POINTS:
        dataset = learned = sampled(dataset)
        Z = prepared.transform(dataset.X)
    if not (x or y) and at[1] is not None:
        at = pair(dataset, *_telling(learned, prepared, Z))
    shown = [j for j in at if j is not None]
    before = _panel(dataset, dataset.X, dataset.columns, shown)
    wanted = [dataset.columns[j].name for j in shown]
    incomplete = learned.rows[np.isnan(learned.X[:, shown]).any(axis=1)]
    after = _panel(
        learned, Z, prepared.columns, _prepared_columns(prepared.columns, wanted), incomplete
    )
    counts = len(dataset.columns), len(prepared.columns), dataset.n
    return BeforeAfter(before, after, *counts, has_target=len(shown) == 1)


def _telling(dataset: Dataset, prepared: Prepared, Z: np.ndarray) -> tuple[str, str]:
    """Names of two columns on which the preparation is seen at work, in the order of the table."""
    best = bent(dataset, prepared, Z)[:2]
    best.sort(key=[column.name for column in dataset.columns].index)
    return (best[0] if best else "", best[1] if len(best) > 1 else "")


def _prepared_columns(columns: tuple[Column, ...], wanted: list[str]) -> list[int]:
    """The first prepared column of each that is wanted; where there is none, another."""
    columns_at = [next((j for j, c in enumerate(columns) if c.variable == w), None) for w in wanted]
    spare = [j for j in range(len(columns)) if j not in columns_at]
    return [f if f is not None else spare.pop(0) if spare else 0 for f in columns_at]


def _panel(
    dataset: Dataset,
    X: np.ndarray,
    columns: tuple[Column, ...],
    at: list[int],
    incomplete: np.ndarray | None = None,
) -> Panel:
    """Columns `at` of the rows X, and the target where that is one column alone.

    `incomplete` are the rows of the table with a filled value.
    """
    numeric = [j for j, c in enumerate(columns) if c.kind not in NO_QUANTITIES]
    variances = np.array([_variance(X[:, j]) for j in numeric])
    total = variances.sum()
    shares = variances / total if total > 0 else variances
    axes, values = [columns[j] for j in at], [X[:, j] for j in at]
    if len(at) == 1:
        assert dataset.y is not None  # a quantity, or there would be no picture
        axes.append(Column(dataset.target or "target"))
        values.append(dataset.y)
    cloud = cloud_of(dataset, values[0], values[1])
    names = tuple(columns[j].name for j in numeric)
    filled = np.isin(cloud.rows, [] if incomplete is None else incomplete)
    return Panel(cloud, (axes[0], axes[1]), names, shares, filled)


def _variance(values: np.ndarray) -> float:
    seen = values[np.isfinite(values)]
    return float(seen.var()) if len(seen) else 0.0


def draw(b: BeforeAfter) -> go.Figure:
    """Left in the units of the table, right on equal axes, as a distance sees it.

    Above each a bar that is parted as the squared distances are between the columns. A target
    takes part in no distance: its axis is no equal one.
    """
    fig = make_subplots(
        2, 2, row_heights=[0.08, 0.92], horizontal_spacing=BETWEEN, vertical_spacing=0.05,
        subplot_titles=("Before", "After"),
    )  # fmt: skip
    fig.update_layout(template=NO_TEMPLATE, height=HEIGHT, showlegend=bool(b.before.cloud.names))
    fig.update_annotations(font={"size": 13, "color": LIGHT.quiet})
    for col, panel in ((1, b.before), (2, b.after)):
        fig.add_traces(_bar(panel), rows=1, cols=col)
        kinds = (panel.columns[0].kind, panel.columns[1].kind)
        for trace in points_of(panel.cloud, kinds=kinds, hollow=panel.filled):
            if col == 2:
                trace.update(showlegend=False)
                trace.marker.showscale = False
            fig.add_trace(trace, row=2, col=col)
        fig.update_xaxes(**named_axis(panel.columns[0]), row=2, col=col)
        fig.update_yaxes(**named_axis(panel.columns[1]), row=2, col=col)
    fig.update_xaxes(visible=False, range=[0, 1], row=1)
    fig.update_yaxes(visible=False, row=1)
    if not b.has_target:
        fig.update_yaxes(scaleanchor="x4", scaleratio=1, row=2, col=2)
    fig.update_layout(barmode="stack", bargap=0, uniformtext={"minsize": 11, "mode": "hide"})
    return fig.update_layout(margin_t=56 if b.before.cloud.names else 24)


def _bar(panel: Panel) -> list[go.Bar]:
    """The shares of the distances side by side, the largest first; many small ones as one."""
    order = np.argsort(-panel.shares, kind="stable")
    parts = [(panel.names[j], float(panel.shares[j])) for j in order[:MOST_PARTS]]
    if rest := len(order) - len(parts):
        parts.append((f"{rest} others", float(panel.shares[order[MOST_PARTS:]].sum())))
    return [
        go.Bar(
            x=[share],
            y=[""],
            orientation="h",
            marker={"color": SHARE, "line": {"width": 1, "color": LIGHT.background}},
            text=f"{cut(name, LETTERS)} {percent(share)}",
            textfont={"color": ON_SHARE},
            textposition="inside",
            textangle=0,
            insidetextanchor="middle",
            hovertemplate=f"{name}: {percent(share)} of the squared distances<extra></extra>",
            showlegend=False,
        )
        for name, share in parts
    ]


def reading(b: BeforeAfter) -> str:
    """Which column rules the distances before, and which after; how many values were filled."""
    made = f"{count(b.p, 'column')} became {b.q}." if b.p != b.q else ""
    return " ".join(filter(None, (_of_shares(b), made, _of_filled(b.after))))


def _of_shares(b: BeforeAfter) -> str:
    if not len(b.before.shares) or not len(b.after.shares):
        return ""
    first, then = int(b.before.shares.argmax()), int(b.after.shares.argmax())
    name, share = b.before.names[first], percent(b.before.shares[first])
    new, now = b.after.names[then], percent(b.after.shares[then])
    if (name, share) == (new, now):
        return f"Before and after, {name} makes up {share} of the squared distances between rows."
    text = f"Before, {name} makes up {share} of the squared distances between rows; after, "
    if b.after.shares.max() - b.after.shares.min() < ALIKE < b.after.shares.max():
        return f"{text}every column adds alike, {now}."
    return text + (f"{now}." if name == new else f"{new} makes up most, {now}.")


def _of_filled(after: Panel) -> str:
    filled = int(after.filled.sum())
    if not filled or after.cloud.is_crowded:
        return ""
    return f"Hollow marks, {count(filled, 'row')}, had no value on one of these axes before."


def table(b: BeforeAfter) -> tuple[TableColumn, ...]:
    """One line a column: its share of the squared distances."""
    when = ["before"] * len(b.before.names) + ["after"] * len(b.after.names)
    return (
        TableColumn("when", when),
        TableColumn("column", (*b.before.names, *b.after.names)),
        TableColumn("share of the distances", np.concatenate([b.before.shares, b.after.shares])),
    )
