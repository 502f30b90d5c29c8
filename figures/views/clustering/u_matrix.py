"""The U-matrix: how far the prototypes of neighbouring units lie apart."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.lattices import (
    cells,
    on_lattice,
    shape_in_words,
    table_of,
    unit_columns,
    unit_names,
)
from figures.drawing.traces import CELLS
from figures.drawing.words import fitted_on
from figures.recording import Changes
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities_of_groups import HasLattice
from mlcore.spine.wording import rough


class UMatrix(NamedTuple):
    """Heights of the units of a map."""

    lattice: Any
    heights: np.ndarray  # (K,) mean distance to the prototypes of the units joined to it


@view(
    "u_matrix",
    title="U-matrix",
    asks=HasLattice,
    on="clustering reduction report compare",
    order=131,
    sources=("mi2:som_units_choice", "epfl:som"),
    synonyms=("unified distance matrix", "distance map"),
)
def u_matrix(dataset: Dataset, whole: Whole) -> View:
    """The mean distance of each prototype to those of its neighbours: ridges part groups."""
    u = numbers(whole)
    return joined(u, draw, reading, table, note=fitted_on(dataset, whole), step=step)


def numbers(whole: Whole) -> UMatrix:
    """The heights, in the columns as prepared; 0 for a unit alone."""
    fit: Any = whole.fit
    return UMatrix(fit.lattice, _heights(fit))


def _heights(fit: Any) -> np.ndarray:
    edges, k = fit.lattice.edges(), len(fit.centers)
    lengths = np.sqrt(((fit.centers[edges[:, 0]] - fit.centers[edges[:, 1]]) ** 2).sum(axis=1))
    ends = edges.ravel()
    totals = np.bincount(ends, np.repeat(lengths, 2), minlength=k)
    return totals / np.maximum(np.bincount(ends, minlength=k), 1)


def draw(u: UMatrix) -> go.Figure:
    """A cell a unit."""
    return on_lattice(
        u.lattice, cells(u.lattice, u.heights, "mean distance", unit_names(u.lattice))
    )


def step(u: UMatrix, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: the heights."""
    return {at[CELLS]: {"z": table_of(u.lattice, _heights(whole.fit))}}


def reading(u: UMatrix) -> str:
    """How high the ridges are beside the valleys."""
    low, high = np.quantile(u.heights, [0.1, 0.9])
    text = f"{shape_in_words(u.lattice)}: prototypes of neighbouring units lie "
    text += (
        f"{rough(float(low))} (a tenth of the units) to {rough(float(high))} (nine tenths) apart."
    )
    if low > 0 and high > 3 * low:
        text += " Ridges that are several times as high as the valleys part groups of rows."
    return text


def table(u: UMatrix) -> tuple[TableColumn, ...]:
    """One line a unit."""
    return (*unit_columns(u.lattice), TableColumn("mean distance to neighbours", u.heights))
