"""What a regression predicts over two columns, as a surface in space with the rows about it."""

from __future__ import annotations

from itertools import islice
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import CELLS, axis_name, dated, named_upright, row_texts, value_text
from figures.drawing.words import fitted_on
from figures.names import cut
from figures.numbers.left_out import of_outputs
from figures.numbers.planes import CODED, Axis, ranking, span, typical
from figures.numbers.sampled import drawn_rows
from figures.numbers.target import target_of
from figures.options import ANY_AXES, Axes
from figures.recording import Changes
from figures.theme import LIGHT, SEQUENTIAL, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.asking import can
from mlcore.spine.capabilities import HasLabels, JudgesRows, Predicts
from mlcore.spine.wording import count, rough

HEIGHT = 540
PLACES = 41  # along each axis: the stairs of a tree are still stairs, and a step is soon sent
MOST_ROWS = 600  # drawn about the surface: more of them hide it
FEW_LEVELS = 200  # heights of a surface of 1,681 places that are told as levels
LETTERS = 22  # of a name along an edge


class PredictionSurface(NamedTuple):
    """The predictions over a lattice of two columns, and rows above and below them."""

    across: Axis
    deep: Axis
    grid: np.ndarray  # (b * a, p) rows of the data at the places, the first axis running fastest
    z: np.ndarray  # (b, a) predictions there, in units of the target
    X: np.ndarray  # (m, 2) rows that are drawn
    y: np.ndarray  # (m,) their target
    rows: np.ndarray  # (m,) row numbers of the table
    target: str
    others: int  # columns held at their median, names at their most common level
    of_outputs: str  # which of several outputs it is


def has_two_numbers(dataset: Dataset, whole: Whole | None) -> bool:
    """Whether a quantity is predicted from columns of which two or more are numbers that vary."""
    if whole is None or dataset.task != "regression":
        return False
    if can(whole.fit, HasLabels) or can(whole.fit, JudgesRows):  # groups and usual rows are codes
        return False
    # Asked at every run of a page: two are enough, of however many columns.
    usable = (j for j in range(len(dataset.columns)) if _is_usable(dataset, j))
    return len(list(islice(usable, 2))) == 2


def _usable(dataset: Dataset) -> list[int]:
    """Columns of numbers that vary, by what they say about the target alone."""
    return [j for j in ranking(dataset) if _is_usable(dataset, j)]


def _is_usable(dataset: Dataset, j: int) -> bool:
    if dataset.columns[j].kind in CODED:
        return False
    seen = dataset.X[np.isfinite(dataset.X[:, j]), j]
    return len(seen) > 1 and bool(np.ptp(seen) > 0)


@view(
    "prediction_surface",
    title="Surface of the prediction",
    asks=Predicts,
    when=has_two_numbers,
    sources=("cs2:cart_regression", "cs2:tree_leaf_mean"),
    synonyms=("response surface", "step surface", "regression plane", "3D surface plot"),
)
def prediction_surface(dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES) -> View:
    """What is predicted over two columns, others at their median, with the rows around it."""
    s = numbers(dataset, whole, x=axes.x, y=axes.y)
    note = fitted_on(dataset, whole) + s.of_outputs
    return joined(s, draw, reading, table, note=note, rows=s.rows, step=step)


def numbers(dataset: Dataset, whole: Whole, *, x: str = "", y: str = "") -> PredictionSurface:
    """The surface over columns x and y, by default those that go best with the target."""
    across, deep = (
        Axis(j, dataset.columns[j], np.linspace(*span(dataset.X[:, j]), PLACES))
        for j in _chosen(dataset, (x, y))
    )
    at = [across.at, deep.at]
    grid = np.tile(typical(dataset.X, dataset.columns), (PLACES * PLACES, 1))
    grid[:, at] = np.column_stack([np.tile(across.cells, PLACES), np.repeat(deep.cells, PLACES)])
    known = np.flatnonzero(np.isfinite(dataset.X[:, at]).all(axis=1))
    drawn = known[drawn_rows(len(known), MOST_ROWS)]
    predicted = np.asarray(whole.fit.predict(whole.prepared.transform(grid)), dtype=np.float64)
    return PredictionSurface(
        across, deep, grid, _first(predicted), dataset.X[drawn][:, at], target_of(dataset)[drawn],
        dataset.rows[drawn], dataset.target or "", len(dataset.columns) - 2, of_outputs(predicted),
    )  # fmt: skip


def _chosen(dataset: Dataset, names: tuple[str, str]) -> list[int]:
    """Two columns of numbers: the named ones, with those that say most for the others."""
    usable = _usable(dataset)
    named = [j for name in names for j in usable if dataset.columns[j].name == name]
    return list(dict.fromkeys([*named, *usable]))[:2]


def _first(predicted: np.ndarray) -> np.ndarray:
    """Predictions of the places as a lattice, (b, a); of several outputs those of the first."""
    return predicted.reshape(PLACES * PLACES, -1)[:, 0].reshape(PLACES, PLACES)


def draw(s: PredictionSurface) -> go.Figure:
    """The surface, a little transparent; rows as dots above, below and on it."""
    fig = figure(_surface(s), _rows(s), height=HEIGHT)
    camera = {"eye": {"x": 1.5, "y": -1.7, "z": 0.8}, "center": {"x": 0, "y": 0, "z": -0.15}}
    names = (axis_name(s.across.column.name), axis_name(s.deep.column.name), s.target)
    edges = {f"{a}axis": _edge(name) for a, name in zip("xyz", names, strict=True)}
    fig.update_scenes(aspectmode="cube", camera=camera, **edges)
    return named_upright(fig, cut(s.target, LETTERS))


def _edge(name: str) -> dict[str, Any]:
    title = {"text": cut(name, LETTERS), "font": {"color": LIGHT.text, "size": 11}}
    lines = {"zeroline": False, "showspikes": False, "linecolor": LIGHT.quiet, "showline": True}
    return {"title": title, "nticks": 5} | lines


def _surface(s: PredictionSurface) -> go.Surface:
    return go.Surface(
        x=dated(s.across.cells, s.across.column.kind),
        y=dated(s.deep.cells, s.deep.column.kind),
        z=s.z.astype(np.float32),
        uid=CELLS,
        opacity=0.8,
        colorscale=SEQUENTIAL,
        showscale=False,  # its height says the same, and a phone has no room for both
        hovertemplate="predicted %{z:.4~g}<extra></extra>",
    )


def _rows(s: PredictionSurface) -> go.Scatter3d:
    x, y = (dated(s.X[:, k], axis.column.kind) for k, axis in enumerate((s.across, s.deep)))
    trace = go.Scatter3d(
        x=x, y=y, z=s.y, mode="markers", showlegend=False, text=row_texts(s.rows),
        marker={"size": 3.5, "color": LIGHT.text, "opacity": 0.8},
        hovertemplate="%{text}<br>%{z:.4~g}<extra></extra>",
    )  # fmt: skip
    return marks.numbered(trace, s.rows)


def step(s: PredictionSurface, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: the height of the surface."""
    predicted = np.asarray(whole.fit.predict(whole.prepared.transform(s.grid)))
    return {at[CELLS]: {"z": _first(predicted).astype(np.float32)}}


def _has_steps(z: np.ndarray) -> bool:
    """Whether the surface is level for a while wherever it moves, along either axis.

    A plane that rises along one axis has no more heights than that axis has places.
    """
    steps = [np.diff(z, axis=axis) for axis in (0, 1)]
    return all((moves == 0).any() for moves in steps if moves.any())


def reading(s: PredictionSurface) -> str:
    """Where the surface is lowest and highest, how many levels it has, and what is held."""
    if np.ptp(s.z) == 0:
        text = f"The prediction of {s.target} is {rough(float(s.z[0, 0]))} everywhere."
    else:
        low, high = (_place(s, int(f(s.z))) for f in (np.argmin, np.argmax))
        text = f"The prediction of {s.target} is lowest, {low}, and highest, {high}."
        levels = len(np.unique(s.z))
        if levels <= FEW_LEVELS and _has_steps(s.z):
            text += f" It is made of {levels} levels with steps between them."
    if s.others:
        fixed = count(s.others, "other column")
        text += f" A slice: {fixed} held at the median (names at their most common level), so rows"
        text += " may lie far from it though their own prediction is right."
    return text


def _place(s: PredictionSurface, k: int) -> str:
    i, j = divmod(k, PLACES)
    x = value_text(s.across.column, s.across.cells[j])
    y = value_text(s.deep.column, s.deep.cells[i])
    at = f"{s.across.column.name} {x}, {s.deep.column.name} {y}"
    return f"{rough(float(s.z[i, j]))} (at {at})"


def table(s: PredictionSurface) -> tuple[TableColumn, ...]:
    """One line a row that is drawn."""
    return (
        TableColumn("row", s.rows + 1),
        TableColumn(s.across.column.name, s.X[:, 0]),
        TableColumn(s.deep.column.name, s.X[:, 1]),
        TableColumn(s.target, s.y),
    )
