"""Component planes: each column of the prototypes, on the lattice of a map."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.lattices import (
    cells,
    proportion,
    shape_in_words,
    table_of,
    unit_columns,
    unit_names,
)
from figures.drawing.words import fitted_on
from figures.graph import make_subplots
from figures.recording import Changes
from figures.theme import LIGHT, NO_TEMPLATE
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.maths.arrays import constant_columns
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities_of_groups import HasLattice
from mlcore.spine.wording import fixed

MOST_PLANES, ACROSS = 12, 4  # planes that are drawn, and how many stand side by side
LONGEST = 13  # letters of a name above a plane; hovering says all of it
LOWEST, HIGHEST = 70, 190  # pixels of a row of planes
WIDE = 660  # pixels of a card on a usual screen; where it is wider, blank is beside planes


class ComponentPlanes(NamedTuple):
    """Columns of the prototypes."""

    lattice: Any
    names: tuple[str, ...]  # of the drawn columns
    shown: np.ndarray  # positions of the drawn columns
    values: np.ndarray  # (K, p) of all columns as prepared
    n_columns: int
    pair: tuple[str, str, float] | None  # the two drawn planes that go together most, and their r


@view(
    "component_planes",
    title="Component planes",
    asks=HasLattice,
    on="clustering reduction report",
    order=133,
    sources=("mi2:som_units_choice",),
    synonyms=("feature planes", "weight planes", "heatmaps of a self-organising map"),
)
def component_planes(dataset: Dataset, whole: Whole) -> View:
    """A small map a column: how its value changes over the units, in the columns as prepared."""
    c = numbers(whole)
    return joined(c, draw, reading, table, note=fitted_on(dataset, whole), step=step)


def numbers(whole: Whole) -> ComponentPlanes:
    """The columns in which prototypes differ most, in the order of the table."""
    fit: Any = whole.fit
    values = np.asarray(fit.centers)
    widest = np.argsort(-values.std(axis=0), kind="stable")[:MOST_PLANES]
    shown = np.sort(widest)
    names = tuple(fit.columns[j].name for j in shown)
    return ComponentPlanes(
        fit.lattice, names, shown, values, values.shape[1], _pair(names, values[:, shown])
    )


def _pair(names: tuple[str, ...], values: np.ndarray) -> tuple[str, str, float] | None:
    """The two columns that go together most over the units; None where there are no two."""
    varying = np.flatnonzero(~constant_columns(values))
    if len(varying) < 2:
        return None
    r = np.corrcoef(values[:, varying], rowvar=False)
    np.fill_diagonal(r, 0.0)
    i, j = sorted(np.unravel_index(np.abs(r).argmax(), r.shape))
    return names[varying[i]], names[varying[j]], float(r[i, j])


def draw(c: ComponentPlanes) -> go.Figure:
    """Small maps side by side, each with colours of its own range."""
    across = min(ACROSS, len(c.names))
    down = -(-len(c.names) // across)
    fig = make_subplots(
        down, across, subplot_titles=[_short(name) for name in c.names], horizontal_spacing=0.04,
        vertical_spacing=min(0.12, 0.5 / down),
    )  # fmt: skip
    for k, j in enumerate(c.shown):
        row, col = k // across + 1, k % across + 1
        plane = cells(c.lattice, c.values[:, j], c.names[k], unit_names(c.lattice))
        fig.add_trace(plane.update(showscale=False, uid=_uid(k)), row=row, col=col)
        fig.update_yaxes(scaleanchor=f"x{k + 1 if k else ''}", row=row, col=col)
    fig.update_xaxes(visible=False, constrain="domain")
    fig.update_yaxes(visible=False, constrain="domain")
    fig.update_annotations(font={"size": 12, "color": LIGHT.quiet})
    return fig.update_layout(
        template=NO_TEMPLATE,
        height=_height(c.lattice, across) * down + 40,
        showlegend=False,
        margin_t=40,
    )


def _height(lattice: Any, across: int) -> int:
    """Pixels of a row of planes: as its planes fill when so many stand side by side."""
    return int(np.clip(WIDE / across * proportion(lattice), LOWEST, HIGHEST))


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def _uid(k: int) -> str:
    return f"plane {k}"


def step(c: ComponentPlanes, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: the values of every plane."""
    fit: Any = whole.fit
    return {
        at[_uid(k)]: {"z": table_of(c.lattice, fit.centers[:, j])} for k, j in enumerate(c.shown)
    }


def reading(c: ComponentPlanes) -> str:
    """Which planes look most alike."""
    text = f"{shape_in_words(c.lattice)}; each plane has colours of its own range."
    if c.pair is not None:
        one, other, r = c.pair
        text += f" {one} and {other} go together most over the units (r = {fixed(r)})."
    if c.n_columns > len(c.names):
        text += f" The {len(c.names)} of {c.n_columns} columns that differ most are drawn."
    return text


def table(c: ComponentPlanes) -> tuple[TableColumn, ...]:
    """One line a unit, a column a drawn plane."""
    drawn = (TableColumn(name, c.values[:, j]) for name, j in zip(c.names, c.shown, strict=True))
    return *unit_columns(c.lattice), *drawn
