"""RadViz and star coordinates: columns around a circle, rows where these pull them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing import spokes
from figures.drawing.traces import empty
from figures.numbers.standardised import TOO_FEW, Quantities, quantities
from figures.options import Options
from figures.theme import LIGHT
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.data.describing.circles import anchors, beside, circle_order, radviz, star_coordinates
from mlcore.data.describing.moments import correlation
from mlcore.spine.params import choice
from mlcore.spine.wording import count, fixed

HEIGHT = 480
MOST_COLUMNS = 12  # more names than this lie on one another around the circle
MOST_ROWS = 1_000
PLACES = {"radviz": radviz, "star_coordinates": star_coordinates}
HOLDS = {
    "radviz": "Each row lies at the mean of the names, weighted by its values from smallest to "
    "largest: nearer to a name where that column is high beside the others, and in the middle "
    "where all are alike, high or low.",
    "star_coordinates": "Each row is the sum of the spokes times its standardised values: towards "
    "a name where that column is high, away from it where it is low.",
}


class Radial(NamedTuple):
    """Rows between the columns, in the order in which these stand around the circle."""

    cells: Quantities
    names: tuple[str, ...]  # (p,)
    at: np.ndarray  # (m, 2)
    kind: str
    alike: float  # mean correlation of neighbours around the circle
    as_come: float  # the same in the order of the table


@dataclass(frozen=True, kw_only=True)
class RadialOptions(Options):
    """What may be chosen of the picture."""

    kind: str = choice(
        "radviz", "radviz", "star_coordinates", label="Projection",
        doc="RadViz shows which columns are high beside the others in a row and stays inside the "
        "circle; star coordinates are linear, and low values push away.",
    )  # fmt: skip
    order: str = choice(
        "correlation", "correlation", "table", label="Order of the columns",
        doc="Around the circle: columns that are correlated beside each other, so that they pull "
        "together, or as they come in the table.",
    )  # fmt: skip


@view(
    "radial_projection",
    title="RadViz and star coordinates",
    options=RadialOptions,
    on="data",
    order=44,
    synonyms=("RadViz", "star coordinates", "radial visualisation", "dimensional anchors"),
)
def radial_projection(dataset: Dataset, *, options: RadialOptions) -> View:
    """Rows between the columns around a circle, each drawn to those in which it is high."""
    r = numbers(dataset, options)
    return joined(r, draw, reading, table, note=r.cells.note, rows=r.cells.rows)


def numbers(dataset: Dataset, options: RadialOptions | None = None) -> Radial:
    """At most 1000 complete rows over at most 12 columns."""
    chosen = options or RadialOptions()
    cells = quantities(dataset, MOST_COLUMNS, MOST_ROWS)
    if not cells.names:
        return Radial(cells, (), np.zeros((0, 2)), chosen.kind, 0.0, 0.0)
    C = correlation(cells.Z)
    table_order = np.arange(len(cells.names))
    order = circle_order(C) if chosen.order == "correlation" else table_order
    return Radial(
        cells, tuple(cells.names[j] for j in order), PLACES[chosen.kind](cells.Z[:, order]),
        chosen.kind, beside(C, order), beside(C, table_order),
    )  # fmt: skip


def draw(r: Radial) -> go.Figure:
    """The spokes to the unit circle for RadViz; for star coordinates as far as the rows lie."""
    if not r.names:
        return empty(TOO_FEW)
    is_inside = r.kind == "radviz"
    reach = 1.0 if is_inside else float(np.hypot(*r.at.T).max()) or 1.0
    tips = reach * anchors(len(r.names))
    traces = spokes.traces(tips, r.names, reach) + spokes.rows_by_class(r.cells, r.at)
    fig = spokes.round_figure(traces, 1.25 * reach, HEIGHT, legend=bool(r.cells.classes))
    if is_inside:
        ring = {"x0": -1, "x1": 1, "y0": -1, "y1": 1, "line": {"color": LIGHT.hairline}}
        fig.add_shape(type="circle", layer="below", **ring)
    return fig


def reading(r: Radial) -> str:
    """What a place means, and how alike the neighbours around the circle are."""
    if not r.names:
        return TOO_FEW
    text = f"{count(len(r.at), 'row')} between {count(len(r.names), 'column')}. {HOLDS[r.kind]}"
    text += f" Neighbours around the circle are correlated by {fixed(r.alike)} on average"
    text += "" if r.alike == r.as_come else f", as they come by {fixed(r.as_come)}"
    return text + "; rows that differ may lie on one place." + r.cells.which


def table(r: Radial) -> tuple[TableColumn, ...]:
    """One line a row: where it lies, and its class or value."""
    across, up = TableColumn("across", r.at[:, 0]), TableColumn("up", r.at[:, 1])
    c = r.cells
    if c.y is None:
        return TableColumn("row", c.rows + 1), across, up
    names = [c.classes[k] if k >= 0 else "no class" for k in c.klass] if c.classes else c.y
    return TableColumn("row", c.rows + 1), TableColumn(f"target {c.target}", names), across, up
