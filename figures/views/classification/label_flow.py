"""Labels that spread to the rows without one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import HEIGHT, ROWS, dated, located, mixed_points
from figures.drawing.words import fitted_on
from figures.numbers.clouds import Cloud, cloud_of, taken
from figures.numbers.projections import Projection, class_projection
from figures.numbers.regions import Regions, filled
from figures.options import ANY_AXES, Axes
from figures.recording import Changes
from figures.theme import figure
from figures.view import TableColumn, View, joined, view
from figures.views.classification.decision_regions import fill_plane, kinds_of, region_trace
from figures.views.classification.decision_regions import step as step_of_regions
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities import CompletesLabels
from mlcore.spine.wording import count, listed, percent, plural

UNSURE = 0.2  # of a lead over the second class below which a row is called uncertain
FAINTEST = 0.25  # opacity of a row whose classes are level
MOST_RINGS = 500  # rings around more known labels would hide the picture


class LabelFlow(NamedTuple):
    """Rows with and without a known label in a plane, and the class that each has got."""

    shown: Projection
    regions: Regions
    cloud: Cloud  # class -1 for rows that no label has reached
    lead: np.ndarray  # (n,) of the first class over the second, 1 for known labels
    known: np.ndarray  # (n,) whether the label was known


@view(
    "label_flow",
    title="Label propagation",
    asks=CompletesLabels,
    on="classification",
    order=10,
    sources=("cs1:semi_supervised",),
)
def label_flow(dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES) -> View:
    """Known labels ringed, all other rows in the class that reached them, faint where unsure."""
    f = numbers(dataset, whole, x=axes.x, y=axes.y)
    note = f"{fitted_on(dataset, whole)} with a label and those without"
    return joined(f, draw, reading, table, note=note, rows=f.cloud.rows, step=step)


def numbers(dataset: Dataset, whole: Whole, *, x: str = "", y: str = "") -> LabelFlow:
    """All rows of the table, those without a label too."""
    klass, lead = given_to(dataset, whole.fit)
    every = everyone(dataset)
    shown = class_projection(replace(every, y=np.maximum(klass, 0)), whole, x, y)
    here = shown.here
    cloud = cloud_of(replace(every, y=klass), shown.x, shown.y)
    known = np.arange(every.n) < dataset.n
    regions = filled(whole.fit, shown.cells, shown.plane, cloud)
    return LabelFlow(shown, regions, cloud, lead[here], known[here])


def everyone(dataset: Dataset) -> Dataset:
    """The data set with its rows without a label behind the others."""
    if dataset.unlabelled is None or dataset.unlabelled_rows is None:
        return dataset
    return replace(
        dataset,
        X=np.vstack([dataset.X, dataset.unlabelled]),
        rows=np.concatenate([dataset.rows, dataset.unlabelled_rows]),
    )


def given_to(dataset: Dataset, fit: Any) -> tuple[np.ndarray, np.ndarray]:
    """Class of every row, (n + u,), -1 where no label came, and its lead over the second."""
    later = slice(fit.known, None)
    labels = np.where(fit.reached[later], fit.completed[later], -1).astype(np.int64)
    klass = np.concatenate([np.asarray(dataset.y), labels])
    return klass, np.concatenate([np.ones(dataset.n), fit.certainty[later]])


def strength(lead: np.ndarray) -> np.ndarray:
    """Opacity of the rows, (n,)."""
    return FAINTEST + (1 - FAINTEST) * np.clip(lead, 0.0, 1.0)


def draw(f: LabelFlow) -> go.Figure:
    """Regions behind, then the rows, then rings around the known ones."""
    kinds = kinds_of(f.shown.plane)
    fig = figure(
        region_trace(f.shown.plane, f.regions),
        *mixed_points(f.cloud, texts=_texts(f), no_class="no label came", kinds=kinds),
        height=HEIGHT,
        showlegend=True,
    )
    if not f.cloud.is_crowded:
        fig.update_traces(marker_opacity=strength(f.lead), selector={"uid": "rows"})
    rings = taken(f.cloud, f.known)
    if 0 < rings.n <= MOST_RINGS and rings.n < f.cloud.n:
        at = dated(rings.x, kinds[0]), dated(rings.y, kinds[1])
        fig.add_trace(marks.rings(*at, name=f"Known labels ({rings.n})", rows=rings.rows))
    return fill_plane(fig, f.shown)


def _texts(f: LabelFlow) -> list[str]:
    texts = np.where(f.known, "known", np.char.add("lead ", np.char.mod("%.2f", f.lead)))
    return list(np.where(f.cloud.klass < 0, "no label came", texts))


def step(f: LabelFlow, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: the class that has reached each row, how surely, and the cells."""
    klass, lead = given_to(dataset, whole.fit)
    here = f.shown.here
    rows = {"class": klass[here], "marker.opacity": strength(lead[here])}
    cells = step_of_regions(f, at, whole, dataset)
    return {**cells, **({at[ROWS]: rows} if ROWS in at else {})}


def reading(f: LabelFlow) -> str:
    """How many labels went how far, to which classes, and how many rows are uncertain."""
    others = ~f.known
    if not others.any():
        return f"Every row has a label, so nothing was spread. {f.shown.how}".strip()
    klass, names = f.cloud.klass[others], f.cloud.names
    counts = [(int((klass == k).sum()), name) for k, name in enumerate(names)]
    new_labels = listed(f"{n} became {name}" for n, name in counts if n)
    text = f"{count(int(f.known.sum()), 'label')} spread to {int((klass >= 0).sum())} of "
    text += f"{count(len(klass), 'row')} without one" + (f": {new_labels}." if new_labels else ".")
    unsure = int((f.lead[others] < UNSURE).sum())
    share = percent(UNSURE)
    are = plural(unsure, "is", "are")
    text += f" {count(unsure, 'row')} {are} uncertain: no class leads by {share}."
    return f"{text} {f.shown.how}".strip()


def table(f: LabelFlow) -> tuple[TableColumn, ...]:
    """One line a row."""
    names = np.array([*f.cloud.names, ""])
    return (
        *located(f.shown.plane, f.cloud),
        TableColumn("class", names[f.cloud.klass]),
        TableColumn("lead", f.lead),
        TableColumn("known", f.known),
    )
