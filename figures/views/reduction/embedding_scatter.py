"""Rows in the coordinates that a reduction gives them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.beside import sides
from figures.drawing.marks import equal_axes
from figures.drawing.traces import HEIGHT, HOVER, ROWS, mixed_points
from figures.drawing.words import fitted_on
from figures.names import cut
from figures.numbers.clouds import Cloud, cloud_of, row_names
from figures.numbers.planes import places
from figures.options import Offered, Options, Values, among
from figures.recording import Changes
from figures.theme import figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.asking import any_of, can
from mlcore.spine.capabilities import HasEmbedding, Transforms
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.params import integer
from mlcore.spine.wording import count

MOST_NAMED = 40  # rows whose names fit between the marks
LETTERS = 18
SMALLEST = 220.0, 170.0  # pixels that the rows have across and up in the smallest picture
CLEAR = 4.0  # pixels around a mark that no name covers where it can stand elsewhere


class Embedding(NamedTuple):
    """Rows at two of their new coordinates."""

    cloud: Cloud
    names: tuple[str, str]
    q: int  # how many coordinates there are
    at: tuple[int, int]  # which of them are shown
    named_by: str = ""  # the column that names the rows, where these are few
    row_names: tuple[str, ...] = ()  # (n,) of the rows that are drawn


def numbered_coordinates(offered: Offered) -> Values:
    """The coordinates that the reduction keeps, from 1."""
    return dict(enumerate(named(offered["fit"]), start=1))


@dataclass(frozen=True, kw_only=True)
class TwoCoordinates(Options):
    """The coordinates that are drawn."""

    first: int = among(
        integer(1, low=1, soft=(1, 10), label="Across", doc="Coordinate on the horizontal axis."),
        numbered_coordinates,
    )
    second: int = among(
        integer(2, low=1, soft=(1, 10), label="Up", doc="Coordinate on the vertical axis."),
        numbered_coordinates,
    )


@view(
    "embedding_scatter",
    title="Embedding",
    asks=any_of(Transforms, HasEmbedding),
    options=TwoCoordinates,
    on="classification reduction report compare",
    order=220,
    sources=("epfl:pca_pair_choice",),
    synonyms=("scores", "PCA scatter plot", "projection", "scatter plot"),
)
def embedding_scatter(dataset: Dataset, whole: Whole, *, options: TwoCoordinates) -> View:
    """Rows at two coordinates, coloured by the target if there is one."""
    e = numbers(dataset, whole, first=options.first - 1, second=options.second - 1)
    note = fitted_on(dataset, whole)
    return joined(e, draw, reading, table, note=note, rows=e.cloud.rows, step=step)


def numbers(dataset: Dataset, whole: Whole, *, first: int = 0, second: int = 1) -> Embedding:
    """Two coordinates, counted from 0, of every row; a single one is drawn as a strip a class."""
    Z, names = coordinates(dataset, whole)
    q = Z.shape[1]
    if q == 0:
        raise DataError("The reduction keeps no coordinate; ask for at least one.")
    if not 0 <= first < q or (q > 1 and not 0 <= second < q):
        raise ParamError(f"There are {q} coordinates; choose axes from 1 to {q}.")
    other = names[second] if q > 1 else ""
    x, y = drawn_at(dataset, Z, (first, second))
    cloud, axes = cloud_of(dataset, x, y), (names[first], other)
    return Embedding(cloud, axes, q, (first, second), *_names_of(dataset, cloud))


def _names_of(dataset: Dataset, cloud: Cloud) -> tuple[str, tuple[str, ...]]:
    """The column of names and those of the rows that are drawn; nothing where they are many."""
    if cloud.n > MOST_NAMED or not (known := row_names(dataset)):
        return "", ()
    of = dict(zip(dataset.rows, known[1], strict=True))
    return known[0], tuple(of[row] for row in cloud.rows)


def strips(dataset: Dataset) -> np.ndarray:
    """Heights that keep rows apart, the classes above one another, shape (n,)."""
    spread = places(dataset, None)
    return spread - dataset.y if dataset.y is not None and dataset.classes else spread


def drawn_at(dataset: Dataset, Z: np.ndarray, at: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Where rows of these coordinates (n, q) are drawn; a single coordinate in strips."""
    return Z[:, at[0]], Z[:, at[1]] if Z.shape[1] > 1 else strips(dataset)


def coordinates(dataset: Dataset, whole: Whole) -> tuple[np.ndarray, tuple[str, ...]]:
    """New coordinates of all rows of the data set, shape (n, q), and their names."""
    fit = whole.fit
    if isinstance(fit, Transforms):
        Z = fit.transform(whole.prepared.transform(dataset.X))
        return Z, named(fit)
    if not can(fit, HasEmbedding):
        raise DataError("This method gives the rows no new coordinates.")
    if whole.prepared.rows is not None:
        raise DataError(
            f"{fit.made_by.title()} places only the rows that it learns from, and the preparation "
            "gives it others than those of the table. Remove the step that changes rows."
        )
    return fit.embedding, named(fit)


def named(fit: Any) -> tuple[str, ...]:
    """The names of the new coordinates, (q,)."""
    if isinstance(fit, Transforms):
        return tuple(c.name for c in fit.out_columns)
    return tuple(f"coordinate {k + 1}" for k in range(np.shape(fit.embedding)[1]))


def draw(e: Embedding) -> go.Figure:
    """Equal axes: distances are what a reduction keeps."""
    fig = figure(
        *_points(e),
        height=HEIGHT,
        xaxis={"title": {"text": e.names[0]}},
        yaxis={"title": {"text": e.names[1]}},
        showlegend=bool(e.cloud.names) or e.cloud.is_crowded,
    )
    if not e.names[1]:
        return fig.update_yaxes(visible=False)
    # The ranges grow until both scales are equal: that leaves no part of the card empty.
    return equal_axes(fig).update_xaxes(constrain="range").update_yaxes(constrain="range")


def _points(e: Embedding) -> list[Any]:
    """The rows, with their names where they have some."""
    traces = mixed_points(e.cloud)
    if e.row_names:
        trace, names = traces[-1], [cut(name, LETTERS) for name in e.row_names]
        where = sides(e.cloud.x, e.cloud.y, names, range(len(names)), _smallest(e), CLEAR)
        trace.update(
            mode="markers+text", hovertext=trace.text, textposition=where,
            text=names, cliponaxis=False,
            hovertemplate=HOVER.replace("%{text}", "%{text}, %{hovertext}"),
        )  # fmt: skip
    return traces


def _smallest(e: Embedding) -> tuple[float, float]:
    """Pixels between the outermost rows in the smallest picture, where both axes have one scale."""
    spread = np.ptp(e.cloud.x), np.ptp(e.cloud.y) if e.names[1] else 0.0
    scale = min(room / s for room, s in zip(SMALLEST, spread) if s) if any(spread) else 0.0
    return float(scale * spread[0]), float(scale * spread[1] if e.names[1] else SMALLEST[1])


def step(e: Embedding, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: the rows go to their coordinates of the step."""
    if ROWS not in at:
        return {}
    x, y = drawn_at(dataset, coordinates(dataset, whole)[0], e.at)
    here = np.isfinite(x) & np.isfinite(y)
    return {at[ROWS]: {"x": x[here], "y": y[here]}}


def reading(e: Embedding) -> str:
    """How many rows are drawn, where, and what the colours are."""
    axes = f"{e.names[0]} and {e.names[1]}" if e.names[1] else e.names[0]
    text = f"{count(e.cloud.n, 'row')} at {axes}"
    text += f", two of {e.q} coordinates." if e.q > 2 else "."
    if e.cloud.names:
        text += f" Colour and symbol show {e.cloud.value_name}."
    elif e.cloud.value is not None:
        text += f" Colour shows {e.cloud.value_name}."
    if e.row_names:
        text += f" Each mark bears its {e.named_by}."
    if e.cloud.is_crowded:
        text += " Each mark stands for the rows of a cell, its size for their number."
    return text


def table(e: Embedding) -> tuple[TableColumn, ...]:
    """One line a row of the data."""
    columns = [TableColumn("row", e.cloud.rows + 1)]
    if e.row_names:
        columns.append(TableColumn(e.named_by, np.array(e.row_names)))
    columns.append(TableColumn(e.names[0], e.cloud.x))
    if e.names[1]:
        columns.append(TableColumn(e.names[1], e.cloud.y))
    if e.cloud.names:
        classes = np.array(e.cloud.names)[e.cloud.klass]
        columns.append(TableColumn(e.cloud.value_name, classes))
    elif e.cloud.value is not None:
        columns.append(TableColumn(e.cloud.value_name, e.cloud.value))
    return tuple(columns)
