"""How firmly rows belong to their clusters, and which are outliers, in the plane of the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import HEIGHT, ROWS, located, mixed_points
from figures.drawing.words import fitted_on
from figures.numbers.clouds import Cloud, seen
from figures.numbers.projections import Projection, spread_projection
from figures.options import ANY_AXES, Axes, Options
from figures.theme import figure
from figures.view import TableColumn, View, joined, view
from figures.views.classification.decision_regions import kinds_of, on_plane
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.runs.labels import NOISE
from mlcore.spine.capabilities import HasLabels
from mlcore.spine.capabilities_of_groups import HasStrengths
from mlcore.spine.errors import DataError
from mlcore.spine.params import choice
from mlcore.spine.wording import rough

FAINT, SMALL, LARGE = 0.25, 4.0, 18.0  # opacity of strength 0; pixels of scores 0 and 1


@dataclass(frozen=True, kw_only=True)
class StrengthOptions(Options):
    """What the look of a row says."""

    shows: str = choice(
        "strength",
        "strength",
        "outliers",
        label="Show",
        doc="Firm rows by full colours, or outliers by large marks.",
    )


class StrengthMap(NamedTuple):
    """Rows in a plane with their strengths."""

    shown: Projection
    cloud: Cloud
    strengths: np.ndarray  # (n,) of the rows that have a place
    outlier_scores: np.ndarray  # (n,)
    by_outliers: bool


@view(
    "strength_map",
    title="Strength of membership",
    asks=(HasStrengths, HasLabels),
    options=StrengthOptions,
    on="clustering report compare",
    order=129,
    synonyms=("outlier score", "GLOSH", "membership strength"),
)
def strength_map(
    dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES, *, options: StrengthOptions
) -> View:
    """Rows by cluster, the fainter, the looser they belong to it; or as large as outliers they are.

    With more than two columns: the plane in which the prepared rows spread most, unless two
    columns are named.
    """
    s = numbers(dataset, whole, x=axes.x, y=axes.y, by_outliers=options.shows == "outliers")
    return joined(s, draw, reading, table, note=fitted_on(dataset, whole), rows=s.cloud.rows)


def numbers(
    dataset: Dataset, whole: Whole, *, x: str = "", y: str = "", by_outliers: bool = False
) -> StrengthMap:
    """Places and strengths. Raises DataError if the method learned from other rows."""
    fit: Any = whole.fit
    if whole.prepared.rows is not None:
        raise DataError(
            "A step gave the method other rows than those of the table, and only these have a "
            "strength. Remove that step to see it."
        )
    shown = spread_projection(dataset, whole, x, y)
    names = tuple(f"cluster {k + 1}" for k in range(int(fit.labels.max(initial=-1)) + 1))
    cloud = seen(Cloud(shown.x, shown.y, dataset.rows, fit.labels, names))
    here = shown.here
    return StrengthMap(shown, cloud, fit.strengths[here], fit.outlier_scores[here], by_outliers)


def draw(s: StrengthMap) -> go.Figure:
    """A mark a row."""
    kinds = kinds_of(s.shown.plane)
    texts = [
        f"strength {strength:.2f}, outlier score {score:.2f}"
        for strength, score in zip(s.strengths, s.outlier_scores, strict=True)
    ]
    rows = mixed_points(s.cloud, texts=texts, no_class=NOISE, kinds=kinds)
    for trace in rows:
        if trace.uid != ROWS:
            continue
        if s.by_outliers:
            trace.marker.size = (SMALL + (LARGE - SMALL) * s.outlier_scores**2).astype(np.float32)
        else:
            trace.marker.opacity = (FAINT + (1 - FAINT) * s.strengths).astype(np.float32)
    fig = on_plane(figure(*rows, height=HEIGHT, showlegend=True), s.shown)
    return fig.update_xaxes(constrain="range")


def reading(s: StrengthMap) -> str:
    """How firm the rows of groups are, and which row is most of an outlier."""
    own = s.strengths[s.strengths > 0]
    text = "No row is in a cluster." if not len(own) else ""
    if len(own):
        text = f"Rows of clusters belong to them with a strength of {rough(float(own.mean()))} on "
        text += "average."
    if len(s.outlier_scores):
        top = int(s.outlier_scores.argmax())
        text += f" The largest outlier score, {rough(float(s.outlier_scores[top]))}, has row "
        text += f"{s.cloud.rows[top] + 1}."
    return f"{text} {s.shown.how}".strip()


def table(s: StrengthMap) -> tuple[TableColumn, ...]:
    """One line a row of the data."""
    return (
        *located(s.shown.plane, s.cloud),
        TableColumn("cluster", [NOISE if k < 0 else str(k + 1) for k in s.cloud.klass]),
        TableColumn("strength", s.strengths),
        TableColumn("outlier score", s.outlier_scores),
    )
