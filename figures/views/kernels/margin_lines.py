"""The margin of a support vector machine: border, margins, and the rows that hold them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import HEIGHT, dated, located, points_of
from figures.drawing.words import fitted_on
from figures.numbers.astray import ANOTHER_CLASS, astray, careful, class_asked
from figures.numbers.clouds import Cloud, cloud_of, taken
from figures.numbers.projections import Projection, class_projection
from figures.numbers.regions import FAINTEST, Regions
from figures.numbers.supports import AT_BOUND, ON_MARGIN, supports_of
from figures.options import ANY_AXES, Axes
from figures.theme import LIGHT, figure
from figures.view import TableColumn, View, joined, view
from figures.views.classification.decision_regions import kinds_of, on_plane, region_trace
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.wording import count, percent, plural, rough
from mlcore.svm.capabilities import HasMachines

LINES = ((0.0, "border", "solid", 2.5), (1.0, "margin", "dash", 1.4), (-1.0, "", "dash", 1.4))
KINDS = ((ON_MARGIN, "on margin", "cross-thin"), (AT_BOUND, "at the bound", "x-thin"))
NAMED = {0: "none", ON_MARGIN: "on a margin", AT_BOUND: "at the bound"}
THIN = 2  # lines between cells are as smooth from every second one, and a quarter of the bytes
MOST_MARKED = 3000  # support vectors whose marks would hide everything else


class Margin(NamedTuple):
    """What the machines say in a plane, and their support vectors."""

    shown: Projection
    values: np.ndarray  # (b, a) of the only machine; empty where there are several
    regions: Regions
    cloud: Cloud
    kind: np.ndarray  # (n,) 0 for no support vector, or which kind
    decision: np.ndarray  # (n,) of the only machine, or how far the best class is ahead
    margins: np.ndarray  # (M,) half the widths of the margins
    counts: tuple[int, int, int, int]  # rows, support vectors, at the bound, in the margin: of all
    classes: tuple[str, ...]
    astray: float  # share of rows in the region of another class than the machines give them


@view(
    "margin_lines",
    title="Margin and support vectors",
    asks=HasMachines,
    on="svm report",
    order=40,
    sources=("prac:svm_decision", "prac:slack_variables"),
    synonyms=("support vectors", "maximum margin", "hyperplane"),
)
def margin_lines(dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES) -> View:
    """Border, margins and support vectors in the plane of two columns, faint inside the margin.

    Axes are chosen as for the decision regions. For more than two classes there is one margin a
    pair, which are not drawn.
    """
    s = numbers(dataset, whole, x=axes.x, y=axes.y)
    note = fitted_on(dataset, whole)
    return joined(s, draw, reading, table, note=note, rows=s.cloud.rows)


def numbers(dataset: Dataset, whole: Whole, *, x: str = "", y: str = "") -> Margin:
    """Decisions on the cells of the plane and on the rows."""
    shown = class_projection(dataset, whole, x, y)
    here = shown.here
    fit: Any = whole.fit
    on_cells = _ahead(fit, shown.cells)
    kind, decision = (
        supports_of(dataset, whole).kind,
        _ahead(fit, whole.prepared.transform(dataset.X)),
    )
    is_two = len(fit.classes) == 2
    klass = np.asarray(fit.predict(shown.cells), dtype=np.int64).reshape(shown.plane.shape)
    strength = FAINTEST + (1.0 - FAINTEST) * np.clip(np.abs(on_cells), 0.0, 1.0)
    return Margin(
        shown,
        on_cells.reshape(shown.plane.shape) if is_two else np.empty((0, 0)),
        Regions(klass, strength.reshape(shown.plane.shape)),
        cloud_of(dataset, shown.x, shown.y),
        kind[here],
        decision[here],
        fit.margins,
        _counts(kind, decision),
        dataset.classes,
        astray(dataset, shown, klass, class_asked(dataset, whole, shown)),
    )


def _counts(kind: np.ndarray, decision: np.ndarray) -> tuple[int, int, int, int]:
    """Of all rows, those too that have no place in the plane."""
    inside = np.abs(decision) < 1 - 1e-6
    return len(kind), int((kind > 0).sum()), int((kind == AT_BOUND).sum()), int(inside.sum())


def _ahead(fit: Any, X: np.ndarray) -> np.ndarray:
    """The decision of two classes; of more, how far the best is ahead of the next, shape (m,)."""
    scores = fit.decision(X)
    if scores.ndim == 1:
        return scores
    best = np.partition(scores, -2, axis=1)
    return best[:, -1] - best[:, -2]


def draw(s: Margin) -> go.Figure:
    """Regions, lines, rows, and marks on the support vectors."""
    kinds = kinds_of(s.shown.plane)
    fig = figure(
        region_trace(s.shown.plane, s.regions),
        *_lines(s, kinds),
        *points_of(s.cloud, texts=_texts(s), kinds=kinds),
        height=HEIGHT,
        showlegend=True,
    )
    if not s.cloud.is_crowded and (s.kind > 0).sum() <= MOST_MARKED:
        fig.add_traces(_marked(s, kinds))
    return on_plane(fig, s.shown)


def _lines(s: Margin, kinds: tuple[str, str]) -> list[Any]:
    """Level lines of two classes; a plane of one column has none."""
    plane = s.shown.plane
    if not s.values.size or plane.y is None:
        return []
    x, y = (dated(a.cells[::THIN], k) for a, k in zip((plane.x, plane.y), kinds, strict=True))
    traces = []
    for level, name, dash, width in LINES:
        traces.append(
            go.Contour(
                x=x,
                y=y,
                z=s.values[::THIN, ::THIN].astype(np.float32),
                contours={"coloring": "none", "start": level, "end": level, "size": 1},
                line={"color": LIGHT.text, "dash": dash, "width": width, "smoothing": 0},
                showscale=False,
                hoverinfo="skip",
                name=name,
                showlegend=bool(name),
            )
        )
    return traces


def _marked(s: Margin, kinds: tuple[str, str]) -> list[Any]:
    traces = []
    for kind, name, symbol in KINDS:
        own = taken(s.cloud, s.kind == kind)
        if not own.n:
            continue
        style = {"symbol": symbol, "size": 9, "line": {"width": 1.6, "color": LIGHT.text}}
        at = dated(own.x, kinds[0]), dated(own.y, kinds[1])
        traces.append(
            go.Scatter(
                x=at[0], y=at[1], mode="markers", name=f"{name} ({own.n})", marker=style,
                hoverinfo="skip",
            )
        )  # fmt: skip
    return traces


def _texts(s: Margin) -> list[str]:
    names = np.array(s.cloud.names)[s.cloud.klass]
    of = zip(names, s.decision, s.kind, strict=True)
    return [f"{name}, decision {rough(d)}, support vector: {NAMED[int(k)]}" for name, d, k in of]


def reading(s: Margin) -> str:
    """How wide the margin is, who holds it, and who stands in it."""
    n, n_support, bound, inside = s.counts
    text = f"{count(n_support, 'support vector')} among {count(n, 'row')} "
    text += f"({percent(n_support / max(n, 1))})"
    text += f", {bound} of them at the bound. " if bound else ". "  # a hard margin has no bound
    if s.values.size:
        text += f"The margin is {rough(2 * float(s.margins[0]))} wide in the features of the "
        text += f"kernel; {count(inside, 'row')} {plural(inside, 'stands', 'stand')} in it."
    else:
        text += f"{len(s.margins)} machines of two classes each decide together."
    warning = careful(s.astray, ANOTHER_CLASS)
    return f"{text} {s.shown.how}{warning}".strip()


def table(s: Margin) -> tuple[TableColumn, ...]:
    """One line a row of the data."""
    return (
        *located(s.shown.plane, s.cloud),
        TableColumn("class", np.array(s.cloud.names)[s.cloud.klass]),
        TableColumn("decision", s.decision),
        TableColumn("support vector", [NAMED[int(k)] for k in s.kind]),
    )
