"""The border of every rule of two sides, in one plane."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import HEIGHT, dated, located, points_of
from figures.drawing.words import fitted_on
from figures.numbers.clouds import Cloud, cloud_of
from figures.numbers.projections import Projection, class_projection
from figures.numbers.regions import FAINTEST, Regions
from figures.numbers.rules import classes_of, contradicts, sides
from figures.options import ANY_AXES, Axes
from figures.theme import LIGHT, figure
from figures.view import TableColumn, View, joined, view
from figures.views.classification.decision_regions import kinds_of, on_plane, region_trace
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities_of_members import HasCodeMatrix
from mlcore.spine.wording import count, listed, percent

MOST_NAMED = 6  # rules with a style and a line in the legend; more are thin and alike
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
THIN = 2  # lines between cells are as smooth from every second one, and a quarter of the bytes


class Borders(NamedTuple):
    """What each rule says of the cells of a plane."""

    shown: Projection
    values: np.ndarray  # (B, b, a) positive on the positive side
    names: list[str]  # (B,)
    regions: Regions  # of all rules together, faint where some contradict
    contested: float  # share of the cells where some rule speaks against the answer
    contested_rows: np.ndarray  # (n,) the same of the rows
    cloud: Cloud


@view(
    "pairwise_boundaries",
    title="Pairwise decision boundaries",
    asks=HasCodeMatrix,
    on="classification report",
    order=100,
    sources=("s841:pairwise_discriminants", "s841:perceptron_multiclass"),
)
def pairwise_boundaries(dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES) -> View:
    """Where each rule changes sides; places where some rule contradicts the answer are faint."""
    b = numbers(dataset, whole, x=axes.x, y=axes.y)
    return joined(b, draw, reading, table, note=fitted_on(dataset, whole), rows=b.cloud.rows)


def numbers(dataset: Dataset, whole: Whole, *, x: str = "", y: str = "") -> Borders:
    """The scores of the rules on the cells of the plane and on the rows."""
    shown = class_projection(dataset, whole, x, y)
    here = shown.here
    fit: Any = whole.fit
    scores, at = _contested(fit, shown.cells)
    wrong = contradicts(scores, fit.code, at)
    klass = fit.classes[at].astype(np.int64).reshape(shown.plane.shape)
    strength = np.where(wrong, FAINTEST / 2, 0.8).reshape(shown.plane.shape)
    of_rows = contradicts(*_with_code(fit, whole.prepared.transform(dataset.X)))
    named = [f"{a} | {b}" for a, b in sides(fit.code, classes_of(fit, dataset))]
    return Borders(
        shown,
        scores.T.reshape(-1, *shown.plane.shape),
        named,
        Regions(klass, strength),
        float(wrong.mean()),
        of_rows[here],
        cloud_of(dataset, shown.x, shown.y),
    )


def _contested(fit: Any, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The scores of the rules, (m, B), and the place of the answer among the classes, (m,)."""
    return fit.scores(X), np.searchsorted(fit.classes, fit.predict(X))


def _with_code(fit: Any, X: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    scores, at = _contested(fit, X)
    return scores, fit.code, at


def draw(b: Borders) -> go.Figure:
    """Regions, the border of each rule, and the rows."""
    kinds = kinds_of(b.shown.plane)
    fig = figure(
        region_trace(b.shown.plane, b.regions),
        *points_of(b.cloud, texts=_texts(b), kinds=kinds),
        *_lines(b, kinds),
        height=HEIGHT,
        showlegend=True,
    )
    return on_plane(fig, b.shown)


def _lines(b: Borders, kinds: tuple[str, str]) -> list[Any]:
    """The border of each rule; a plane of one column has no lines."""
    plane = b.shown.plane
    if plane.y is None:
        return []
    x, y = (dated(a.cells[::THIN], k) for a, k in zip((plane.x, plane.y), kinds, strict=True))
    is_few = len(b.names) <= MOST_NAMED
    return [
        go.Contour(
            x=x,
            y=y,
            z=values[::THIN, ::THIN].astype(np.float32),
            contours={"coloring": "none", "start": 0.0, "end": 0.0, "size": 1},
            line={
                "color": LIGHT.text,
                "dash": DASHES[j] if is_few else "solid",
                "width": 2.0 if is_few else 0.8,
                "smoothing": 0,
            },
            showscale=False,
            hoverinfo="skip",
            name=b.names[j],
            showlegend=is_few,
        )
        for j, values in enumerate(b.values)
    ]


def _texts(b: Borders) -> list[str]:
    names = np.array(b.cloud.names)[b.cloud.klass]
    texts = np.where(b.contested_rows, "some rule contradicts", "all rules agree")
    return [f"{name}, {word}" for name, word in zip(names, texts, strict=True)]


def reading(b: Borders) -> str:
    """How much of the picture and how many rows the rules do not agree on."""
    crossing = [k for k, v in enumerate(b.values) if v.min() < 0 < v.max()]
    n = int(b.contested_rows.sum())
    text = f"{count(len(b.names), 'rule')}, of which {len(crossing)} change sides here"
    if len(crossing) < len(b.names) <= MOST_NAMED and crossing:
        text += f" ({listed([b.names[k] for k in crossing], 3)})"
    if not b.contested and not n:
        return f"{text}. Nowhere does a rule contradict the answer. {b.shown.how}".strip()
    text += f". Some rule contradicts the answer in {percent(b.contested)} of the picture and for "
    return f"{text}{count(n, 'row')}. {b.shown.how}".strip()


def table(b: Borders) -> tuple[TableColumn, ...]:
    """One line a row of the data."""
    return (
        *located(b.shown.plane, b.cloud),
        TableColumn("class", np.array(b.cloud.names)[b.cloud.klass]),
        TableColumn("some rule contradicts", b.contested_rows),
    )
