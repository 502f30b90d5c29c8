"""Decision regions: which class a classifier gives to every place in the plane of two columns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from figures.drawing import marks
from figures.drawing.words import (
    CELLS,
    HEIGHT,
    counted_noun,
    dated,
    fitted_on,
    located,
    named_axis,
    percent,
    points_of,
)
from figures.numbers.clouds import Cloud, cloud_of, taken
from figures.numbers.left_out import left_out, wrong
from figures.numbers.planes import Plane
from figures.numbers.projections import Projection, class_projection
from figures.numbers.regions import Regions, filled
from figures.theme import figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Outcome, Whole
from mlcore.spine.capabilities import HasClasses, Predicts
from mlcore.spine.errors import ParamError

FEW_RINGS = 100
MOST_RINGS = 2_000  # rings around more errors than this would hide the picture


class DecisionRegions(NamedTuple):
    """Regions, the rows above them, and which of these are errors."""

    shown: Projection
    regions: Regions
    cloud: Cloud
    said: np.ndarray  # (n,) names of the predicted classes, "" where no fold left the row out
    errors: np.ndarray  # (n,) whether the row is taken for another class
    hollow: np.ndarray  # (n,) training rows of the fold, if one is shown
    judged: str  # what the errors are counted on


@view(
    "decision_regions",
    title="Decision regions",
    asks=(HasClasses, Predicts),
    on="classification svm report compare",
    order=60,
    sources=("s841:error_rate_comparison", "s841:bayes_decision_boundary"),
)
def decision_regions(
    dataset: Dataset,
    whole: Whole,
    outcome: Outcome | None = None,
    *,
    x: str = "",
    y: str = "",
    others: str = "follow",
    fold: int | None = None,
) -> View:
    """The class given to every place in a plane, with the rows and the errors.

    Axes are two columns in the units of the data; the other columns go with them or are held, as
    `others` says ("follow", "median"). Of more than eight columns, unless two are named, the plane
    is shown in which the classes lie farthest apart. With the folds of an outcome, errors are those
    on rows left out; `fold`, from 0, shows a single one, its training rows hollow.
    """
    d = numbers(dataset, whole, outcome, x=x, y=y, others=others, fold=fold)
    note = f"{fitted_on(dataset, whole)}; errors on {d.judged}"
    return joined(d, draw, reading, table, note=note, rows=d.cloud.rows)


def numbers(
    dataset: Dataset,
    whole: Whole,
    outcome: Outcome | None = None,
    *,
    x: str = "",
    y: str = "",
    others: str = "follow",
    fold: int | None = None,
) -> DecisionRegions:
    """Regions of the fit to all rows; errors of the folds where there are some."""
    shown = class_projection(dataset, whole, x, y, others)
    here = shown.here
    cloud = cloud_of(dataset, shown.x, shown.y)
    said, errors, hollow, judged = _judged(dataset, whole, outcome, fold)
    names = np.array([*dataset.classes, ""])[said]
    regions = filled(whole.fit, shown.cells, shown.plane, cloud)
    return DecisionRegions(shown, regions, cloud, names[here], errors[here], hollow[here], judged)


def _judged(
    dataset: Dataset, whole: Whole, outcome: Outcome | None, fold: int | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, str]:
    """Predicted code (-1 for none), error and hollowness of each row, and what was judged."""
    hollow = np.zeros(dataset.n, dtype=bool)
    if outcome is None or not any(f.predictions is not None for f in outcome.done):
        said = np.asarray(whole.fit.predict(whole.prepared.transform(dataset.X)), dtype=np.int64)
        return said, said != dataset.y, hollow, "the fitted rows"
    said = np.full(dataset.n, -1)
    if fold is None:
        found = left_out(outcome, "classification")
        said[found.rows] = found.predictions
        return said, wrong(dataset, found), hollow, "rows left out"
    one = next((f for f in outcome.done if f.k == fold), None)
    if one is None:
        raise ParamError(f"Fold {fold + 1} has no predictions; choose another fold.")
    said[one.test] = one.predictions
    hollow[one.train] = True
    return said, (said >= 0) & (said != dataset.y), hollow, f"rows left out by fold {fold + 1}"


def draw(d: DecisionRegions) -> go.Figure:
    """Regions behind, then the rows by class, then rings around the errors."""
    kinds = kinds_of(d.shown.plane)
    fig = figure(
        region_trace(d.shown.plane, d.regions),
        *points_of(d.cloud, hollow=d.hollow, texts=_texts(d), kinds=kinds),
        height=HEIGHT,
        showlegend=True,
    )
    rings = taken(d.cloud, d.errors)
    if 0 < rings.n <= MOST_RINGS and not d.cloud.is_crowded:
        at = dated(rings.x, kinds[0]), dated(rings.y, kinds[1])
        ring = marks.rings(*at, name=f"Errors ({rings.n})")
        if rings.n > FEW_RINGS:  # many large ones would hide the rows
            ring.update(marker={"size": 11, "line": {"width": 1.2}})
        fig.add_trace(ring)
    return on_plane(fig, d.shown)


def kinds_of(plane: Plane) -> tuple[str, str]:
    """What the two axes hold."""
    return plane.x.column.kind, plane.y.column.kind if plane.y else ""


def region_trace(plane: Plane, regions: Regions) -> go.Heatmap:
    """The cells of a plane; the only column of a data set makes upright bands."""
    x = dated(plane.x.cells, plane.x.column.kind)
    up = np.zeros(1) if plane.y is None else dated(plane.y.cells, plane.y.column.kind)
    trace = marks.regions(x, up, *regions).update(uid=CELLS)
    return trace.update(dy=1.0, y0=0.0, y=None) if plane.y is None else trace


def on_plane(fig: go.Figure, shown: Projection) -> go.Figure:
    """Name the axes of a plane and end them where its cells end; equal where it has a geometry.

    Changes and returns `fig`.
    """
    plane = shown.plane
    for on, update in ((plane.x, fig.update_xaxes), (plane.y, fig.update_yaxes)):
        if on is None:
            update(visible=False, range=[-0.5, 0.5])
            continue
        ends = np.array([on.cells[0], on.cells[-1]])
        ends = ends + ([-0.5, 0.5] if on.column.levels else [0, 0])
        update(**named_axis(on.column), range=list(dated(ends, on.column.kind)), showgrid=False)
    return marks.equal_axes(fig) if shown.is_geometric else fig


def _texts(d: DecisionRegions) -> list[str]:
    true = np.array(d.cloud.names)[d.cloud.klass]
    return [f"{t}, predicted {s}" if s else str(t) for t, s in zip(true, d.said, strict=True)]


def reading(d: DecisionRegions) -> str:
    """Errors in the picture, how large the regions are, and what the picture is a slice of."""
    judged = int((d.said != "").sum())
    text = f"{counted_noun(int(d.errors.sum()), 'error')} among {counted_noun(judged, 'row')}"
    text += f" ({percent(d.errors.sum() / max(judged, 1))}), on {d.judged}. "
    shares = np.bincount(d.regions.klass.ravel(), minlength=len(d.cloud.names))
    largest = int(shares.argmax())
    share = percent(shares[largest] / shares.sum())
    text += f"{d.cloud.names[largest]} fills the largest part of the picture, {share}."
    return f"{text} {d.shown.how}".strip()


def table(d: DecisionRegions) -> tuple[TableColumn, ...]:
    """One line a row of the data."""
    true = np.array(d.cloud.names)[d.cloud.klass]
    return (
        *located(d.shown.plane, d.cloud),
        TableColumn("class", true),
        TableColumn("predicted", d.said),
        TableColumn("error", d.errors),
    )
