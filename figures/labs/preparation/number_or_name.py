"""Number or name: distances of the colours both ways, and accuracy for every order."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing.traces import line, named_line
from figures.lab import picture, plot
from figures.theme import SEQUENTIAL, class_color
from figures.view import TableColumn, View
from mlcore.labs.preparation.number_or_name import LEVELS, ORDERS, NumberOrName
from mlcore.spine.wording import percent, rough

GAP = 1  # empty cells between the two tables


def pictures(it: NumberOrName) -> tuple[View, ...]:
    """Distances first."""
    note = "1, 2, 3, 4 are " + ", ".join(it.order)
    return (
        picture("How far apart two colours are", it, draw, reading, table, note=note),
        picture("Every order", it, draw_orders, orders_reading, orders_table,
                note="accuracy of neighbours on test rows"),
    )  # fmt: skip


def draw(it: NumberOrName) -> go.Figure:
    """Both tables side by side, with one colour scale."""
    cells = np.hstack([it.numbers, np.full((len(LEVELS), GAP), np.nan), it.names])
    texts = [[rough(v) if np.isfinite(v) else "" for v in row] for row in cells.tolist()]
    heat = go.Heatmap(
        z=cells, colorscale=SEQUENTIAL, text=texts, texttemplate="%{text}", xgap=2, ygap=2,
        colorbar={"thickness": 12},
    )  # fmt: skip
    fig = plot(heat, x="as numbers, and as columns of 0 and 1", y="")
    at = [*range(len(LEVELS)), *range(len(LEVELS) + GAP, 2 * len(LEVELS) + GAP)]
    fig.update_xaxes(tickvals=at, ticktext=[*it.order, *it.order], showgrid=False)
    fig.update_yaxes(tickvals=list(range(len(LEVELS))), ticktext=it.order, showgrid=False)
    return fig.update_yaxes(autorange="reversed")


def reading(it: NumberOrName) -> str:
    """The nearest and the farthest pair as numbers."""
    first, last = it.order[0], it.order[-1]
    return (
        f"As numbers {first} and {last} are {rough(float(it.numbers[0, -1]))} apart and "
        f"{first} and {it.order[1]} {rough(float(it.numbers[0, 1]))}; with a column for each, any "
        f"two are {rough(float(it.names[0, 1]))} apart."
    )


def table(it: NumberOrName) -> tuple[TableColumn, ...]:
    """One line a pair."""
    a, b = np.triu_indices(len(LEVELS), 1)
    return (
        TableColumn("colour", tuple(it.order[k] for k in a)),
        TableColumn("other colour", tuple(it.order[k] for k in b)),
        TableColumn("as numbers", it.numbers[a, b]),
        TableColumn("one-hot", it.names[a, b]),
    )


def _texts() -> tuple[str, ...]:
    return tuple(", ".join(LEVELS[k] for k in order) for order in ORDERS)


def draw_orders(it: NumberOrName) -> go.Figure:
    """Sorted by accuracy as numbers; the chosen order is marked."""
    best = np.argsort(-it.by_number, kind="stable")
    rank, texts = np.arange(1, len(best) + 1), _texts()
    dots = go.Scatter(
        x=rank, y=it.by_number[best], mode="markers", name="as numbers",
        text=[texts[k] for k in best], hovertemplate="%{text}<br>%{y:.1%}<extra></extra>",
        marker={"color": class_color(0), "size": 10},
    )  # fmt: skip
    fig = plot(
        dots, line(rank, it.by_name[best], 1, "a column for each"), x="Order, the best first",
        y="Accuracy",
    )  # fmt: skip
    named_line(fig, "here", x=int(np.flatnonzero(best == it.at)[0]) + 1)
    return fig.update_yaxes(tickformat=".0%")


def orders_reading(it: NumberOrName) -> str:
    """The range as numbers, and the one value with columns."""
    low, high = (percent(float(f(it.by_number))) for f in (np.min, np.max))
    same = it.by_name.max() == it.by_name.min()
    by_name = percent(float(it.by_name[it.at]))
    return (
        f"As numbers the accuracy lies between {low} and {high}, by the order of the list alone; "
        f"here it is {percent(float(it.by_number[it.at]))}. With a column for each colour it is "
        f"{by_name}" + (" in every order." if same else " here.")
    )


def orders_table(it: NumberOrName) -> tuple[TableColumn, ...]:
    """One line an order."""
    return (
        TableColumn("order", _texts()),
        TableColumn("as numbers", it.by_number),
        TableColumn("a column for each", it.by_name),
    )
