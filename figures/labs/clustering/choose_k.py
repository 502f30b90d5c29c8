"""How many clusters: the cost and its floor, the criterion, the rows."""

from __future__ import annotations

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import line, named_line
from figures.lab import picture, plot
from figures.view import TableColumn, View
from mlcore.labs.clustering.choose_k import ChooseK
from mlcore.spine.wording import plural, rough


def pictures(c: ChooseK) -> tuple[View, ...]:
    """Cost, criterion, rows."""
    return (
        picture("Cost by number of clusters", c, draw, reading, table),
        picture("Criterion (BIC), less is better", c, draw_bic, bic_reading, table),
        picture("The rows", c, draw_rows, rows_reading, rows_table),
    )


def draw(c: ChooseK) -> go.Figure:
    """The cost on a log axis, so that the drop to the floor can be seen."""
    cost = line(c.k, c.rss, 0, "cost")
    cost.mode = "lines+markers"
    fig = plot(cost, line(c.k, c.floor, 1, "what noise alone leaves"), x="Clusters", y="RSS")
    named_line(fig, "true number", x=c.truth)
    return fig.update_yaxes(type="log").update_xaxes(dtick=1)


def reading(c: ChooseK) -> str:
    """The three opinions."""
    floor = f"The cost reaches the floor at {c.by_floor}" if c.by_floor else "It stays above it"
    return (
        f"The knee is at {c.by_knee}. {floor}; the criterion is least at {c.by_bic}. "
        f"{c.truth} {plural(c.truth, 'cloud was', 'clouds were')} drawn."
    )


def table(c: ChooseK) -> tuple[TableColumn, ...]:
    """One line a number of clusters."""
    return (
        TableColumn("clusters", c.k),
        TableColumn("cost", c.rss),
        TableColumn("floor", c.floor),
        TableColumn("criterion", c.bic),
    )


def draw_bic(c: ChooseK) -> go.Figure:
    """The criterion with its least value marked."""
    curve = line(c.k, c.bic, 2, "criterion")
    curve.mode = "lines+markers"
    fig = plot(curve, x="Clusters", y="BIC")
    named_line(fig, f"least at {c.by_bic}", x=c.by_bic)
    return fig.update_xaxes(dtick=1).update_layout(margin_t=40)


def bic_reading(c: ChooseK) -> str:
    """How clear its choice is."""
    others = sorted(c.bic)[:2]
    return (
        f"The criterion is least at {c.by_bic}; the next best number is "
        f"{rough(float(others[1] - others[0]))} worse. More than ten is usually called decisive."
    )


def draw_rows(c: ChooseK) -> go.Figure:
    """Without colours: the method does not know them either."""
    rows = marks.points(c.X[:, 0], c.X[:, 1], klass=0, name="rows")
    return marks.equal_axes(plot(rows, x="Column 1", y="Column 2")).update_layout(height=420)


def rows_reading(c: ChooseK) -> str:
    """How many there are."""
    return f"{len(c.X)} rows in the plane; look how many clouds you would say there are."


def rows_table(c: ChooseK) -> tuple[TableColumn, ...]:
    """One line a row."""
    return (TableColumn("column 1", c.X[:, 0]), TableColumn("column 2", c.X[:, 1]))
