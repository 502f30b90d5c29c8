"""The prototype of each class beside how wide its class lies."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
import plotly.graph_objects as go

from figures.theme import class_color, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset


class HasPrototypes(Protocol):
    """`prototypes`: of each class, shape (K, p); `spread`: mean distances to them, (K,)."""

    prototypes: np.ndarray
    spread: Any


class Widths(NamedTuple):
    """How far the rows of each class lie from its prototype."""

    classes: tuple[str, ...]  # (K,)
    mean: np.ndarray  # (K,)


@view(
    "nearest_medoid_widths",
    title="Distance to the prototypes",
    asks=HasPrototypes,
    on="classification report",
    order=206,
)
def widths(fit: Any, dataset: Dataset) -> View:
    """The mean distance of the rows of a class to its prototype, a bar a class."""
    names = tuple(dataset.classes[int(code)] for code in fit.classes)
    return joined(Widths(names, fit.spread.mean), draw, reading, table, note="on the fitted rows")


def draw(w: Widths) -> go.Figure:
    """A bar a class."""
    colors = [class_color(k) for k in range(len(w.classes))]
    bars = go.Bar(x=w.mean, y=w.classes, orientation="h", marker={"color": colors})
    return figure(bars, xaxis={"title": {"text": "Mean distance to the prototype"}}, height=320)


def reading(w: Widths) -> str:
    """Which class lies widest."""
    return f"The rows of {w.classes[int(w.mean.argmax())]} lie farthest from their prototype."


def table(w: Widths) -> tuple[TableColumn, ...]:
    """One line a class."""
    return TableColumn("class", w.classes), TableColumn("mean distance", w.mean)
