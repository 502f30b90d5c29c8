"""Rows in the space of three columns, which a person turns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import axis_name, color_bar, dated, empty, named_upright, row_texts
from figures.drawing.words import drawn_of
from figures.names import cut
from figures.numbers.planes import CODED, ranking
from figures.numbers.sampled import drawn_rows, sampled
from figures.options import Offered, Options, among
from figures.theme import LIGHT, SEQUENTIAL, class_color, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.spine.fit import Column
from mlcore.spine.params import column
from mlcore.spine.wording import count, listed, plural

HEIGHT = 540
MOST_ROWS = 2_000  # more marks than this hide each other, from wherever one looks
LETTERS = 22  # of a name along an edge
TOO_FEW = (
    "Three axes need three columns of numbers that vary; the data has {n}. The scatter matrix "
    "shows columns two by two."
)
GAPS = "No two rows have a value in all three columns; choose other axes."
# Plotly draws eight symbols in space, and most of those of a plane are none of them.
SYMBOLS = ("circle", "diamond", "square", "cross", "x", "circle-open", "diamond-open")


class Space(NamedTuple):
    """Rows that are complete in three columns, in their own units."""

    columns: tuple[Column, ...]  # (3,) or fewer, where there are too few
    X: np.ndarray  # (m, 3)
    rows: np.ndarray  # (m,) row numbers of the table
    y: np.ndarray | None  # (m,) codes of `classes`, or a quantity
    classes: tuple[str, ...]
    target: str
    n_columns: int  # columns of numbers that vary
    n: int  # rows of the data set
    n_lacking: int  # rows without a value on an axis

    @property
    def is_drawn(self) -> bool:
        """Whether there are three columns, and rows to draw."""
        return len(self.columns) == 3 and len(self.X) > 1


def _columns(offered: Offered) -> dict[Any, str]:
    """The columns of numbers that vary."""
    data = offered["dataset"]
    return {None: "what tells most"} | {data.columns[j].name: data.columns[j].name
                                        for j in sorted(_usable(data))}  # fmt: skip


def _axis(label: str, where: str) -> Any:
    doc = f"The column along the {where} axis; a column that another axis has is not taken twice."
    return among(column(None, or_none="what tells most", label=label, doc=doc), _columns)


@dataclass(frozen=True, kw_only=True)
class SpaceOptions(Options):
    """The three axes."""

    x: str | None = _axis("First axis", "first")
    y: str | None = _axis("Second axis", "second")
    z: str | None = _axis("Upright axis", "upright")


@view(
    "scatter_3d",
    title="Scatter plot in 3-D",
    options=SpaceOptions,
    on="data",
    order=34,
    synonyms=("3D scatter plot", "three-dimensional scatter plot", "rotating plot"),
)
def scatter_3d(dataset: Dataset, *, options: SpaceOptions) -> View:
    """Rows in the space of three columns, to be turned with the mouse or a finger."""
    s = numbers(dataset, options)
    return joined(s, draw, reading, table, note=_note(s), rows=s.rows)


def _note(s: Space) -> str:
    whole = s.n - s.n_lacking
    if len(s.rows) < whole or not s.n_lacking:
        return drawn_of(len(s.rows), whole)
    return f"{count(whole, 'complete row')} of {s.n:,}"


def _usable(dataset: Dataset) -> list[int]:
    """Columns of numbers that vary, by what they say about the target alone."""
    some = sampled(dataset)
    numeric = (j for j in ranking(some) if dataset.columns[j].kind not in CODED)
    return [j for j in numeric if _varies(some.X[:, j])]


def _varies(values: np.ndarray) -> bool:
    seen = values[np.isfinite(values)]
    return len(seen) > 1 and bool(np.ptp(seen) > 0)


def numbers(dataset: Dataset, options: SpaceOptions | None = None) -> Space:
    """At most 2000 rows; the columns that say most where none is chosen."""
    usable, chosen = _usable(dataset), options or SpaceOptions()
    at = _chosen(dataset, usable, (chosen.x, chosen.y, chosen.z))
    is_whole = np.isfinite(dataset.X[:, at]).all(axis=1) & bool(len(at) == 3)
    whole = np.flatnonzero(is_whole)
    rows = whole[drawn_rows(len(whole), MOST_ROWS)]
    return Space(
        tuple(dataset.columns[j] for j in at), dataset.X[rows][:, at], dataset.rows[rows],
        None if dataset.y is None else dataset.y[rows], dataset.classes, dataset.target or "",
        len(usable), dataset.n, dataset.n - len(whole),
    )  # fmt: skip


def _chosen(dataset: Dataset, usable: list[int], names: tuple[str | None, ...]) -> list[int]:
    """Three different columns: the chosen ones, with what tells most for the others."""
    known = {dataset.columns[j].name: j for j in usable}
    wanted = [known.get(name or "") for name in names]
    wanted = [j if j is not None and j not in wanted[:k] else None for k, j in enumerate(wanted)]
    rest = (j for j in usable if j not in wanted)
    axes = [next(rest, None) if j is None else j for j in wanted]
    return [j for j in axes if j is not None]


def draw(s: Space) -> go.Figure:
    """A cube whatever the units; the camera stays where a person turned it."""
    if not s.is_drawn:
        return empty(_why(s))
    fig = figure(*_traces(s), height=HEIGHT, showlegend=bool(s.classes))
    across, deep, upright = (_edge(c) for c in s.columns)
    # Looks a little below the middle: the names of the lower edges stand there.
    camera = {"eye": {"x": 1.5, "y": -1.7, "z": 0.8}, "center": {"x": 0, "y": 0, "z": -0.18}}
    fig.update_scenes(aspectmode="cube", camera=camera, xaxis=across, yaxis=deep, zaxis=upright)
    return named_upright(fig, cut(axis_name(s.columns[2].name), LETTERS))


def _edge(on: Column) -> dict[str, Any]:
    title = {"text": cut(axis_name(on.name), LETTERS), "font": {"color": LIGHT.text, "size": 11}}
    lines = {"zeroline": False, "showspikes": False, "linecolor": LIGHT.quiet, "showline": True}
    return {"title": title, "nticks": 5} | lines


def _traces(s: Space) -> list[Any]:
    codes = np.zeros(len(s.X), dtype=np.int64)
    if s.y is not None and s.classes:
        codes = s.y.astype(np.int64)
    return [_points(s, code, codes == code) for code in np.unique(codes).tolist()]


def _points(s: Space, code: int, own: np.ndarray) -> Any:
    name = "no class" if code < 0 else s.classes[code] if s.classes else "rows"
    marker: dict[str, Any] = {"size": 4.5, "color": class_color(code), "symbol": _symbol(code)}
    if s.y is not None and not s.classes:
        values = s.y[own].astype(np.float32)
        marker |= {"color": values, "colorscale": SEQUENTIAL, "colorbar": color_bar(s.target)}
    x, y, z = (dated(_small(v, c), c.kind) for v, c in zip(s.X[own].T, s.columns, strict=True))
    names = [cut(c.name, LETTERS) for c in s.columns]
    values = "<br>".join(f"{n} %{{{a}}}" for n, a in zip(names, "xyz", strict=True))
    extra = f"<extra>{name if s.classes else ''}</extra>"
    trace = go.Scatter3d(
        x=x, y=y, z=z, mode="markers", name=name, marker=marker, text=row_texts(s.rows[own]),
        hovertemplate=f"%{{text}}<br>{values}{extra}", showlegend=bool(s.classes),
    )  # fmt: skip
    return marks.numbered(trace, s.rows[own])


def _small(values: np.ndarray, of: Column) -> np.ndarray:
    return values if of.kind == "datetime" else values.astype(np.float32)


def _symbol(code: int) -> str:
    """Without a class none of those of the classes; no class is seen by its grey as well."""
    n = len(SYMBOLS)
    return "square-open" if code < 0 else SYMBOLS[(code + code // n) % n]


def _why(s: Space) -> str:
    return TOO_FEW.format(n=s.n_columns) if len(s.columns) < 3 else GAPS


def reading(s: Space) -> str:
    """Which columns stand on the axes, and what is not drawn."""
    if not s.is_drawn:
        return _why(s)
    text = f"{count(len(s.X), 'row')} at {listed([c.name for c in s.columns])}"
    text += f", coloured by {s.target}." if s.y is not None else "."
    text += " Each edge of the cube is the range of its column, so lengths compare along one edge"
    text += " only; what is near on the screen may lie far behind: turn it."
    if s.n_lacking:
        are = plural(s.n_lacking, "is", "are")
        text += f" {count(s.n_lacking, 'row')} without a value on an axis {are} not drawn."
    return text


def table(s: Space) -> tuple[TableColumn, ...]:
    """One line a row that is drawn."""
    columns = (TableColumn(c.name, s.X[:, k]) for k, c in enumerate(s.columns))
    return (TableColumn("row", s.rows + 1), *columns)
