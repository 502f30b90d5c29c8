"""What two variables of an additive model add only together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import SIGNED, color_bar, named_axis
from figures.drawing.words import fitted_on
from figures.graph import make_subplots
from figures.numbers.planes import axis, typical
from figures.numbers.terms import class_of_odds, sum_of
from figures.options import Options
from figures.theme import LIGHT, NO_TEMPLATE, faint_marks
from figures.view import TableColumn, View, joined, view
from mlcore.classification.capabilities import HasTermsByClass
from mlcore.data.dataset import Dataset
from mlcore.regression.capabilities import HasSurfaces
from mlcore.runs.carry import Whole
from mlcore.spine.asking import any_of
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column
from mlcore.spine.wording import count, rough

HEIGHT = 380
MOST = 3  # surfaces that are drawn
CELLS = 41  # along an axis of numbers
ROWS = 400  # that are marked at most
LITTLE = 0.1  # of the spread of both curves, below which a surface says little


class Surface(NamedTuple):
    """What two variables add beside their curves."""

    x: Column
    y: Column
    across: np.ndarray  # (a,) values of the first
    up: np.ndarray  # (b,)
    values: np.ndarray  # (b, a)
    spread: float  # standard deviation over the fitted rows
    beside: float  # that of the sum of both curves
    rows: np.ndarray  # (r, 2) where fitted rows are


class Surfaces(NamedTuple):
    """The surfaces by falling spread."""

    surfaces: tuple[Surface, ...]
    target: str


@dataclass(frozen=True, kw_only=True)
class SurfaceOptions(Options):
    """What may be chosen of the picture."""

    positive: str | None = class_of_odds()


def has_surfaces(dataset: Dataset, whole: Whole | None) -> bool:
    """Whether two variables of the table share a surface."""
    return whole is not None and len(sum_of(dataset, whole, None)[0].pairs) > 0


@view(
    "term_surfaces",
    title="Surfaces of two variables",
    asks=any_of(HasSurfaces, HasTermsByClass),
    options=SurfaceOptions,
    when=has_surfaces,
    synonyms=("interaction", "tensor product smooth", "ANOVA decomposition", "GA2M"),
)
def term_surfaces(dataset: Dataset, whole: Whole, *, options: SurfaceOptions) -> View:
    """What two variables add to the linked mean beyond their curves, with the rows on it.

    Where no rows are the surface goes on without having seen any.
    """
    s = numbers(dataset, whole, options.positive)
    return joined(s, draw, reading, table, note=fitted_on(dataset, whole))


def numbers(dataset: Dataset, whole: Whole, positive: str | None = None) -> Surfaces:
    """Of every two variables of the table that have one."""
    fit, target = sum_of(dataset, whole, positive)
    of = {column.name: j for j, column in enumerate(dataset.columns)}
    columns = whole.fit.columns
    names = [(columns[j].variable, columns[k].variable) for j, k in fit.pairs]
    shown = [pair for pair in dict.fromkeys(names) if pair[0] in of and pair[1] in of]
    if not shown:
        raise DataError(
            "The columns that share a surface were made from several variables of the table, so "
            "they have no axes there. Leave out the step that makes them to see it."
        )
    surfaces = [_surface(dataset, whole, fit, of[a], of[b]) for a, b in shown]
    surfaces.sort(key=lambda surface: -surface.spread)
    return Surfaces(tuple(surfaces), target)


def _surface(dataset: Dataset, whole: Whole, fit: Any, v: int, u: int) -> Surface:
    across, up = _values(dataset, v), _values(dataset, u)
    rows = np.tile(typical(dataset.X, dataset.columns), (len(across) * len(up), 1))
    rows[:, v], rows[:, u] = np.tile(across, len(up)), np.repeat(up, len(across))
    behind = [
        [j for j, c in enumerate(whole.fit.columns) if c.variable == name]
        for name in (dataset.columns[v].name, dataset.columns[u].name)
    ]
    values, _ = _parts(fit, whole.prepared.transform(rows), behind)
    own, curves = _parts(fit, whole.prepared.transform(dataset.X), behind)
    seen = dataset.X[:ROWS][:, [v, u]]
    return Surface(
        dataset.columns[v], dataset.columns[u], across, up, values.reshape(len(up), len(across)),
        float(own.std()), float(curves.std()), seen[np.isfinite(seen).all(axis=1)],
    )  # fmt: skip


def _values(dataset: Dataset, j: int) -> np.ndarray:
    on, values = axis(dataset, j), dataset.X[:, j]
    if on.column.levels:
        return on.cells
    return np.linspace(np.nanmin(values), np.nanmax(values), CELLS)


def _parts(fit: Any, Z: np.ndarray, behind: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """The surface of two variables, with the columns behind each, at prepared rows Z, and the sum
    of their curves, (m,) each."""
    first, second = behind
    curves = fit.term(Z, first)[:, 0] + fit.term(Z, second)[:, 0]
    return fit.term(Z, [*first, *second])[:, 0] - curves, curves


def draw(s: Surfaces) -> go.Figure:
    """A panel a surface, all to one scale of colours."""
    shown = s.surfaces[:MOST]
    fig = make_subplots(1, len(shown), horizontal_spacing=0.14)
    fig.update_layout(template=NO_TEMPLATE, height=HEIGHT, showlegend=False)
    most = max(float(np.abs(surface.values).max()) for surface in shown) or 1.0
    fig.update_layout(coloraxis={
        "colorscale": SIGNED, "cmin": -most, "cmax": most, "colorbar": color_bar("adds"),
    })  # fmt: skip
    for k, surface in enumerate(shown, start=1):
        cells = go.Heatmap(
            x=surface.across, y=surface.up, z=surface.values, coloraxis="coloraxis",
            hovertemplate=f"{surface.x.name} %{{x}}<br>{surface.y.name} %{{y}}<br>"
            "adds %{z:.4~g}<extra></extra>",
        )  # fmt: skip
        marks = go.Scatter(
            x=surface.rows[:, 0], y=surface.rows[:, 1], mode="markers", hoverinfo="skip",
            marker=faint_marks(3, 0.35, color=LIGHT.text),
        )  # fmt: skip
        fig.add_trace(cells, row=1, col=k)
        fig.add_trace(marks, row=1, col=k)
        fig.update_xaxes(**named_axis(surface.x), showgrid=False, row=1, col=k)
        fig.update_yaxes(**named_axis(surface.y), showgrid=False, row=1, col=k)
    return fig


def reading(s: Surfaces) -> str:
    """How much the largest surface moves beside the curves of its variables."""
    first = s.surfaces[0]
    text = f"Beyond their curves, {first.x.name} and {first.y.name} together move {s.target} by "
    text += f"{rough(first.spread)} (standard deviation over the rows), the two curves by "
    text += f"{rough(first.beside)}."
    if first.spread < LITTLE * first.beside:
        text += " That is little: the sum of curves says nearly as much."
    if len(s.surfaces) > MOST:
        text += f" Of {count(len(s.surfaces), 'surface')} the {MOST} that move most are drawn."
    return text


def table(s: Surfaces) -> tuple[TableColumn, ...]:
    """One line a surface."""
    return (
        TableColumn("across", tuple(surface.x.name for surface in s.surfaces)),
        TableColumn("up", tuple(surface.y.name for surface in s.surfaces)),
        TableColumn("moves by, together", np.array([f.spread for f in s.surfaces])),
        TableColumn("moves by, the curves", np.array([f.beside for f in s.surfaces])),
    )
