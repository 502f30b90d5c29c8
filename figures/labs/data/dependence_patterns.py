"""Uncorrelated is not independent: the cloud, nine correlations, and mutual information."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import SIGNED, named_line
from figures.lab import picture, plot
from figures.theme import SHARE
from figures.view import TableColumn, View
from mlcore.labs.data.dependence_patterns import FUNCTIONS, SHUFFLES, Dependence
from mlcore.spine.wording import rough


def pictures(d: Dependence) -> tuple[View, ...]:
    """The rows first."""
    note = f"{len(d.X)} rows, {d.pattern}"
    return (
        picture("The cloud", d, draw, reading, table, note=note),
        picture("Nine pairs of functions", d, draw_products, products_reading, products_table),
        picture("All functions at once", d, draw_information, information_reading,
                information_table, note=f"columns shuffled {SHUFFLES} times"),
    )  # fmt: skip


def draw(d: Dependence) -> go.Figure:
    """Equal axes, so that a ring is round."""
    fig = plot(marks.points(*d.X.T, klass=0, name="rows"), x="Column 1", y="Column 2")
    return marks.equal_axes(fig).update_layout(height=420)


def reading(d: Dependence) -> str:
    """Covariance and correlation."""
    r = float(d.products[0, 0])
    return (
        f"The covariance is {rough(d.covariance)}, the correlation {rough(r)}. For independent "
        f"columns a correlation beyond {rough(2 / np.sqrt(len(d.X)))} would be rare."
    )


def table(d: Dependence) -> tuple[TableColumn, ...]:
    """One line a row."""
    return (TableColumn("column 1", d.X[:, 0]), TableColumn("column 2", d.X[:, 1]))


def draw_products(d: Dependence) -> go.Figure:
    """Blue is positive, orange negative."""
    heat = go.Heatmap(
        x=FUNCTIONS, y=FUNCTIONS, z=d.products, zmin=-1, zmax=1, colorscale=SIGNED,
        text=[[rough(r, 0.01) for r in row] for row in d.products.tolist()],
        texttemplate="%{text}", xgap=2, ygap=2, colorbar={"thickness": 12},
    )  # fmt: skip
    fig = plot(heat, x="Function of column 2", y="Function of column 1")
    return fig.update_yaxes(autorange="reversed", showgrid=False).update_xaxes(showgrid=False)


def _strongest(d: Dependence) -> tuple[int, int]:
    a, b = np.unravel_index(np.abs(d.products).argmax(), d.products.shape)
    return int(a), int(b)


def products_reading(d: Dependence) -> str:
    """The pair that is most correlated."""
    a, b = _strongest(d)
    return (
        f"The strongest correlation, {rough(float(d.products[a, b]), 0.01)}, is that of "
        f"{FUNCTIONS[a]} in column 1 with {FUNCTIONS[b]} in column 2; that of the columns "
        f"themselves is {rough(float(d.products[0, 0]), 0.01)}."
    )


def products_table(d: Dependence) -> tuple[TableColumn, ...]:
    """One line a function of column 1."""
    columns = zip(FUNCTIONS, d.products.T, strict=True)
    return (
        TableColumn("of column 1", FUNCTIONS),
        *(TableColumn(f"{name} of column 2", values) for name, values in columns),
    )


def draw_information(d: Dependence) -> go.Figure:
    """A bar beside the shuffled ones."""
    names = ["as they are", *[f"shuffled {k + 1}" for k in range(SHUFFLES)]]
    bars = go.Bar(x=names, y=[d.information, *np.sort(d.shuffled)[::-1]], marker_color=SHARE)
    fig = plot(bars, x="", y="Mutual information in nats")
    fig.update_xaxes(
        tickvals=[names[0], names[SHUFFLES // 2 + 1]], ticktext=[names[0], "each time shuffled"],
        tickangle=0, showgrid=False,
    )  # fmt: skip
    return named_line(fig, "largest of the shuffled", y=float(d.shuffled.max()))


def information_reading(d: Dependence) -> str:
    """The estimate against chance."""
    most = float(d.shuffled.max())
    text = (
        f"The columns share an estimated {rough(d.information)} nats; shuffled they share at most "
        f"{rough(most)}. "
    )
    if d.information > most:
        return text + "So they depend on each other, whatever the covariance says."
    return text + "There is no sign of dependence."


def information_table(d: Dependence) -> tuple[TableColumn, ...]:
    """One line a bar."""
    names = ("as they are", *(f"shuffled {k + 1}" for k in range(SHUFFLES)))
    return (TableColumn("columns", names), TableColumn("nats", [d.information, *d.shuffled]))
