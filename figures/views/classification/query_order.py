"""The rows whose labels were asked for, numbered in order."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.beside import sides
from figures.drawing.traces import HEIGHT, NUMBERS, ROWS, dated, located, mixed_points
from figures.drawing.words import fitted_on
from figures.numbers.clouds import Cloud, cloud_of, taken
from figures.numbers.projections import Projection, class_projection
from figures.numbers.regions import Regions, filled
from figures.options import ANY_AXES, Axes
from figures.recording import Changes
from figures.theme import LIGHT, figure
from figures.view import TableColumn, View, joined, view
from figures.views.classification.decision_regions import kinds_of, on_plane, region_trace
from figures.views.classification.decision_regions import step as step_of_regions
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities import HasQueries, Predicts
from mlcore.spine.wording import count, listed


class QueryOrder(NamedTuple):
    """Rows in a plane, and when the label of each became known."""

    shown: Projection
    regions: Regions
    cloud: Cloud  # class -1 for rows that were not asked for
    order: np.ndarray  # (n,) 0 at the start, k for query k, -1 never


@view(
    "query_order",
    title="Queried rows",
    asks=(HasQueries, Predicts),
    on="classification",
    order=20,
    sources=("cs1:sampling_active",),
)
def query_order(dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES) -> View:
    """Known labels in the colours of their classes, queries numbered, all other rows grey."""
    q = numbers(dataset, whole, x=axes.x, y=axes.y)
    note, rows = fitted_on(dataset, whole), q.cloud.rows[_labelled_rows(q)]
    return joined(q, draw, reading, table, note=note, rows=rows, step=step)


def numbers(dataset: Dataset, whole: Whole, *, x: str = "", y: str = "") -> QueryOrder:
    """Rows of the data set with the turn of each; copies of a row count by the first of them."""
    shown = class_projection(dataset, whole, x, y)
    here = shown.here
    order = query_numbers(dataset, whole)[here]
    cloud = cloud_of(dataset, shown.x, shown.y)
    cloud = cloud._replace(klass=np.where(order >= 0, cloud.klass, -1))
    return QueryOrder(shown, filled(whole.fit, shown.cells, shown.plane, cloud), cloud, order)


def query_numbers(dataset: Dataset, whole: Whole) -> np.ndarray:
    """When the label of each row of the data set was asked for, (n,)."""
    never = np.iinfo(np.int64).max
    numbers_of = np.full(dataset.n, never)
    rows = whole.prepared.follow(np.arange(dataset.n))
    given = np.where(whole.fit.order < 0, never, whole.fit.order)
    np.minimum.at(numbers_of, rows, given)
    return np.where(numbers_of == never, -1, numbers_of)


def numbered(order: np.ndarray) -> list[str]:
    """The numbers of the queries, empty for other rows."""
    return [str(k) if k > 0 else "" for k in order]


def places(cloud: Cloud, order: np.ndarray) -> list[str]:
    """On which side of its row each number stands."""
    asked = sorted(np.flatnonzero(order > 0).tolist(), key=order.__getitem__)
    return sides(cloud.x, cloud.y, numbered(order), asked)


def draw(q: QueryOrder) -> go.Figure:
    """Regions behind, rows, and the numbers above those that were asked for."""
    kinds = kinds_of(q.shown.plane)
    fig = figure(
        region_trace(q.shown.plane, q.regions),
        *mixed_points(q.cloud, no_class="not asked for", kinds=kinds),
        height=HEIGHT,
        showlegend=True,
    )
    fig.add_scatter(
        x=dated(q.cloud.x, kinds[0]), y=dated(q.cloud.y, kinds[1]), text=numbered(q.order),
        mode="text", textposition=places(q.cloud, q.order), hoverinfo="skip", showlegend=False,
        textfont={"color": LIGHT.text, "size": 13}, uid=NUMBERS,
    )  # fmt: skip
    return on_plane(fig, q.shown)


def step(q: QueryOrder, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: the classes that are known, the numbers of the queries, the cells."""
    order = query_numbers(dataset, whole)[q.shown.here]
    klass = np.where(order >= 0, np.asarray(dataset.y)[q.shown.here], -1)
    rows = {at[ROWS]: {"class": klass}} if ROWS in at else {}
    cells = step_of_regions(q, at, whole, dataset)
    return {**cells, **rows, at[NUMBERS]: {"text": numbered(order)}}


def reading(q: QueryOrder) -> str:
    """How many labels are known, and of which classes those are that were asked for."""
    start, asked = np.count_nonzero(q.order == 0), np.count_nonzero(q.order > 0)
    text = f"Labels are known of {start + asked} of {count(q.cloud.n, 'row')}: "
    text += f"{start} from the start and {asked} asked for, numbered in order."
    if asked:
        klass, names = q.cloud.klass[q.order > 0], q.cloud.names
        counts = [(int((klass == k).sum()), name) for k, name in enumerate(names)]
        by_class = listed(f"{n} of {name}" for n, name in counts if n)
        text += f" Of the queries, {by_class}."
    return f"{text} {q.shown.how}".strip()


def _labelled_rows(q: QueryOrder) -> np.ndarray:
    """The rows with a label, in the order in which it became known."""
    known = np.flatnonzero(q.order >= 0)
    return known[np.argsort(q.order[known], kind="stable")]


def table(q: QueryOrder) -> tuple[TableColumn, ...]:
    """One line a known label."""
    at = _labelled_rows(q)
    cloud = taken(q.cloud, at)
    return (
        TableColumn("query", q.order[at]),
        *located(q.shown.plane, cloud),
        TableColumn("class", np.array(cloud.names)[cloud.klass]),
    )
