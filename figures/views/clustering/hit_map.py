"""The hit map: how many rows each unit of a map has won, and of which class most are."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.lattices import (
    cells,
    on_lattice,
    places,
    shape_in_words,
    table_of,
    unit_columns,
    unit_names,
)
from figures.drawing.marks import points
from figures.drawing.traces import CELLS
from figures.drawing.words import fitted_on
from figures.recording import Changes
from figures.theme import SHARES
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities_of_groups import HasLattice
from mlcore.spine.wording import count, percent, plural


class HitMap(NamedTuple):
    """Rows by the unit that is nearest to them."""

    lattice: Any
    hits: np.ndarray  # (K,) fitted rows
    majority: np.ndarray  # (K,) the most common class of the rows of a unit, -1 without
    purity: np.ndarray  # (K,) its share among them
    classes: tuple[str, ...]  # empty where the data have none


@view(
    "hit_map",
    title="Hit map",
    asks=HasLattice,
    on="clustering reduction report compare",
    order=132,
    sources=("epfl:som", "cs2:som_dead_units"),
    synonyms=("winner counts", "activation map", "activation response"),
)
def hit_map(dataset: Dataset, whole: Whole) -> View:
    """How many rows each unit has won, with the class of most of them where classes are known."""
    h = numbers(dataset, whole)
    return joined(h, draw, reading, table, note=fitted_on(dataset, whole), step=step)


def numbers(dataset: Dataset, whole: Whole) -> HitMap:
    """Counts of the fitted rows; classes of the rows of the table."""
    fit: Any = whole.fit
    k, classes = len(fit.hits), ()
    counts = np.zeros((k, 1))
    if dataset.task == "classification":
        classes = tuple(dataset.classes)
        counts = np.zeros((k, len(classes)))
        np.add.at(counts, (whole.labels(dataset.X), np.asarray(dataset.y)), 1.0)
    total = counts.sum(axis=1)
    majority = np.where(total > 0, counts.argmax(axis=1), -1)
    return HitMap(
        fit.lattice, fit.hits, majority, counts.max(axis=1) / np.maximum(total, 1), classes
    )


def draw(h: HitMap) -> go.Figure:
    """A cell a unit, the darker the more rows; a mark of the class of most of them."""
    bar = cells(h.lattice, h.hits, "rows", unit_names(h.lattice))
    whole_numbers = max(1, -(-int(h.hits.max()) // 6))
    bar.update(colorscale=[list(pair) for pair in SHARES], zmin=0, colorbar_dtick=whole_numbers)
    fig = on_lattice(h.lattice, bar, showlegend=bool(h.classes))
    x, y = places(h.lattice)
    for c, name in enumerate(h.classes):
        own = h.majority == c
        if not own.any():
            continue
        marks = points(x[own], y[own], klass=c, name=name, hoverinfo="skip", hovertemplate=None)
        marks.update(marker={"size": 4.0 + 8.0 * h.purity[own]})
        fig.add_trace(marks)
    # The legend stands above, so the bar keeps its place beside the cells.
    return fig.update_layout(margin_t=48 if h.classes else 24)


def step(h: HitMap, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: the counts; classes are those of the finished map."""
    fit: Any = whole.fit
    return {at[CELLS]: {"z": table_of(h.lattice, fit.hits)}}


def reading(h: HitMap) -> str:
    """How many units are dead, and how pure the others are."""
    dead = int((h.hits == 0).sum())
    text = f"{shape_in_words(h.lattice)} for {count(int(h.hits.sum()), 'row')}; "
    text += f"{dead} {plural(dead, 'unit is', 'units are')} dead: nearest to no row."
    if h.classes:
        used = h.majority >= 0
        rows = h.hits[used].sum() or 1
        pure = float((h.purity[used] * h.hits[used]).sum() / rows)
        text += f" {percent(pure)} of the rows are of the most common class of their unit."
    return text


def table(h: HitMap) -> tuple[TableColumn, ...]:
    """One line a unit."""
    columns = (*unit_columns(h.lattice), TableColumn("rows", h.hits))
    if not h.classes:
        return columns
    names = [h.classes[c] if c >= 0 else "" for c in h.majority]
    return (
        *columns,
        TableColumn("most common class", names),
        TableColumn("its share", h.purity),
    )
