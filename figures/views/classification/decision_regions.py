"""Decision regions: which class a classifier gives to every place in the plane of two columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import CELLS, HEIGHT, dated, located, named_axis, points_of
from figures.drawing.words import fitted_on
from figures.numbers.astray import ANOTHER_CLASS, MANY, astray, careful, class_asked
from figures.numbers.clouds import Cloud, cloud_of, taken
from figures.numbers.left_out import left_out, wrong
from figures.numbers.planes import Plane, ranking
from figures.numbers.projections import Projection, class_projection
from figures.numbers.regions import Regions, filled
from figures.options import ANY_AXES, Axes, Offered, Options, Values, among
from figures.recording import Changes
from figures.theme import CLASS_COLORS, LIGHT, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Outcome, Whole
from mlcore.spine.capabilities import HasClasses, Predicts
from mlcore.spine.errors import ParamError
from mlcore.spine.params import choice, integer
from mlcore.spine.wording import count, percent, plural

NAMES = "names of regions"  # a trace that a recording changes
FEW_RINGS = 100
MOST_RINGS = 2_000  # rings around more errors than this would hide the picture


class InPlane(Protocol):
    """Numbers of a picture of rows in a plane."""

    @property
    def shown(self) -> Projection:
        """The plane."""
        ...

    @property
    def cloud(self) -> Cloud:
        """The rows."""
        ...


class DecisionRegions(NamedTuple):
    """Regions, the rows above them, and which of these are errors."""

    shown: Projection
    regions: Regions
    cloud: Cloud
    predicted: np.ndarray  # (n,) names of the predicted classes, "" where no fold left the row out
    errors: np.ndarray  # (n,) whether the row is taken for another class
    hollow: np.ndarray  # (n,) training rows of the fold, if one is shown
    judged: str  # what the errors are counted on
    n_errors: int  # of all rows, those too that have no place in the plane
    n_judged: int
    astray: float  # share of rows that lie in the region of another class than the fit gives them
    telling: tuple[str, ...]  # two columns that would show more; empty where these are shown


def _others(offered: Offered) -> Values:
    """There are others to go along or to be held only beside the two columns of the plane."""
    return None if len(offered["dataset"].columns) > 2 else {}


def _folds(offered: Offered) -> Values:
    """Every fold that predicted the rows that it left out."""
    done = getattr(offered.get("outcome"), "done", ())
    titles = {f.k + 1: f"Fold {f.k + 1}" for f in done if f.predictions is not None}
    return {None: "All folds"} | titles if titles else {}


@dataclass(frozen=True, kw_only=True)
class RegionOptions(Options):
    """What may be chosen of decision regions."""

    others: str = among(
        choice(
            "follow",
            "follow",
            "median",
            label="Other columns",
            doc="Whether the columns that are no axis go with the axes as in the rows, or stay at "
            "their medians.",
        ),
        _others,
    )
    fold: int | None = among(
        integer(
            None,
            low=1,
            soft=(1, 10),
            or_none="all folds",
            label="Errors of",
            doc="The fold whose errors are shown; the rows it learned from are hollow.",
        ),
        _folds,
    )

    @property
    def at(self) -> int | None:
        """The fold, from 0."""
        return None if self.fold is None else self.fold - 1


@view(
    "decision_regions",
    title="Decision regions",
    asks=(HasClasses, Predicts),
    options=RegionOptions,
    on="classification svm report compare",
    order=60,
    sources=("s841:error_rate_comparison", "s841:bayes_decision_boundary"),
    synonyms=("decision boundary", "decision surface"),
)
def decision_regions(
    dataset: Dataset,
    whole: Whole,
    outcome: Outcome | None = None,
    axes: Axes = ANY_AXES,
    *,
    options: RegionOptions,
) -> View:
    """The class given to every place in a plane, with the rows and the errors.

    Axes are two columns in the units of the data; the other columns go with them or are held. Of
    more than eight columns, unless two are named, the plane is shown in which the classes lie
    farthest apart. With the folds of an outcome, errors are those on test rows, of all folds or of
    a single one, its training rows hollow.
    """
    d = numbers(dataset, whole, outcome, x=axes.x, y=axes.y, others=options.others, fold=options.at)
    note = f"{fitted_on(dataset, whole)}; errors on {d.judged}"
    offer = d.telling if d.astray > MANY else ()
    return joined(d, draw, reading, table, note=note, rows=d.cloud.rows, step=step, offer=offer)


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
    predicted, errors, hollow, judged = _judged(dataset, whole, outcome, fold)
    names = np.array([*dataset.classes, ""])[predicted]
    regions = filled(whole.fit, shown.cells, shown.plane, cloud)
    return DecisionRegions(
        shown, regions, cloud, names[here], errors[here], hollow[here], judged,
        int(errors.sum()), int((names != "").sum()),
        astray(dataset, shown, regions.klass, class_asked(dataset, whole, shown)),
        _telling(dataset, shown),
    )  # fmt: skip


def _telling(dataset: Dataset, shown: Projection) -> tuple[str, ...]:
    """The two columns that tell the classes apart best, unless they are the axes."""
    names = tuple(dataset.columns[j].name for j in ranking(dataset)[:2])
    axes = {axis.column.name for axis in (shown.plane.x, shown.plane.y) if axis is not None}
    return names if len(names) == 2 and axes != set(names) else ()


def _judged(
    dataset: Dataset, whole: Whole, outcome: Outcome | None, fold: int | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, str]:
    """Predicted code (-1 for none), error and hollowness of each row, and what was judged."""
    hollow = np.zeros(dataset.n, dtype=bool)
    if outcome is None or not any(f.predictions is not None for f in outcome.done):
        predicted = np.asarray(
            whole.fit.predict(whole.prepared.transform(dataset.X)), dtype=np.int64
        )
        return predicted, predicted != dataset.y, hollow, "the training rows"
    predicted = np.full(dataset.n, -1)
    if fold is None:
        outside = left_out(outcome, "classification")
        predicted[outside.rows] = outside.predictions
        judged = "test rows" + (" in half of the repeats or more" if outside.is_repeated else "")
        return predicted, wrong(dataset, outside), hollow, judged
    one = next((f for f in outcome.done if f.k == fold), None)
    if one is None:
        raise ParamError(f"Fold {fold + 1} has no predictions; choose another fold.")
    predicted[one.test] = one.predictions
    hollow[one.train] = True
    return (
        predicted,
        (predicted >= 0) & (predicted != dataset.y),
        hollow,
        f"test rows by fold {fold + 1}",
    )


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
        ring = marks.rings(*at, name=f"Errors ({rings.n})", rows=rings.rows)
        if rings.n > FEW_RINGS:  # many large ones would hide the rows
            ring.update(marker={"size": 11, "line": {"width": 1.2}})
        fig.add_trace(ring)
    fig.add_traces(_names(d, d.regions))
    return on_plane(fig, d.shown)


def _names(d: DecisionRegions, regions: Regions) -> list[go.Scatter]:
    """The name of each class within its region, where colours come again: cells have no symbol."""
    names = d.cloud.names
    if len(names) <= len(CLASS_COLORS):
        return []
    return [go.Scatter(
        **_named_places(d, regions), mode="text", uid=NAMES, hoverinfo="skip", showlegend=False,
        textfont={"size": 18, "weight": 700, "shadow": "auto", "color": LIGHT.text},
    )]  # fmt: skip


def _named_places(d: DecisionRegions, regions: Regions) -> dict[str, Any]:
    """Where the names stand: at the cell of each class that is nearest to the middle of all its."""
    kinds, plane = kinds_of(d.shown.plane), d.shown.plane
    up = np.zeros(1) if plane.y is None else plane.y.cells
    codes = [k for k in range(len(d.cloud.names)) if (regions.klass == k).any()]
    at = np.array([_middle(regions.klass == k) for k in codes]).reshape(-1, 2)
    return {
        "x": dated(plane.x.cells[at[:, 1]], kinds[0]),
        "y": dated(up[at[:, 0]], kinds[1]),
        "text": [str(d.cloud.names[k]) for k in codes],
    }


def _middle(own: np.ndarray) -> np.ndarray:
    """The cell of a region, up and across, that is nearest to its mean."""
    cells = np.argwhere(own)
    return cells[((cells - cells.mean(axis=0)) ** 2).sum(axis=1).argmin()]


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


def fill_plane(fig: go.Figure, shown: Projection) -> go.Figure:
    """As `on_plane`, for cells that are filled to the border: where a card is too narrow or too
    wide for equal axes the picture shrinks, as beyond its cells nothing was asked.

    Changes and returns `fig`.
    """
    return on_plane(fig, shown).update_xaxes(constrain="domain").update_yaxes(constrain="domain")


def _texts(d: DecisionRegions) -> list[str]:
    true = np.array(d.cloud.names)[d.cloud.klass]
    return [f"{t}, predicted {s}" if s else str(t) for t, s in zip(true, d.predicted, strict=True)]


def step(d: InPlane, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: the class of every cell; errors are those of the finished fit and stay.

    It serves every picture with such cells.
    """
    now = filled(whole.fit, d.shown.cells, d.shown.plane, d.cloud)
    changes: Changes = {at[CELLS]: {"z": marks.region_levels(*now)}}
    if NAMES in at and isinstance(d, DecisionRegions):
        changes[at[NAMES]] = _named_places(d, now)
    return changes


def reading(d: DecisionRegions) -> str:
    """Errors in the picture, how large the regions are, and what the picture is a slice of."""
    text = f"{count(d.n_errors, 'error')} among {count(d.n_judged, 'row')}"
    text += f" ({percent(d.n_errors / max(d.n_judged, 1))}), on {d.judged}. "
    if hidden := d.n_errors - int(d.errors.sum()):
        text += f"{hidden} of them {plural(hidden, 'is', 'are')} not drawn. "
    klass = d.regions.klass.ravel()
    shares = np.bincount(klass[klass >= 0], minlength=len(d.cloud.names))
    largest = int(shares.argmax())
    share = percent(shares[largest] / len(klass))
    if (left := float((klass < 0).mean())) > 0:
        text += f"{percent(left)} of the picture is white: rows there are left undecided. "
    if left < 1:
        text += f"{d.cloud.names[largest]} fills the largest part of the picture, {share}."
    return f"{text} {d.shown.how}{_warning(d)}".strip()


def _warning(d: DecisionRegions) -> str:
    """That points lie in the regions of others, and which columns to look at instead."""
    text = careful(d.astray, ANOTHER_CLASS)
    if not text or not d.telling:
        return text
    return f"{text} {' and '.join(d.telling)} tell the classes apart best by themselves."


def table(d: DecisionRegions) -> tuple[TableColumn, ...]:
    """One line a row of the data."""
    true = np.array(d.cloud.names)[d.cloud.klass]
    return (
        *located(d.shown.plane, d.cloud),
        TableColumn("class", true),
        TableColumn("predicted", d.predicted),
        TableColumn("error", d.errors),
    )
