"""The latent function of a Gaussian process of classes: its mean, and how unsure it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.level_lines import level_lines
from figures.drawing.traces import HEIGHT, dated, located, points_of
from figures.drawing.words import fitted_on
from figures.numbers.clouds import Cloud, cloud_of
from figures.numbers.projections import Projection, class_projection
from figures.numbers.rules import several_classes
from figures.options import ANY_AXES, Axes, Options, among
from figures.theme import SEQUENTIAL, figure
from figures.view import TableColumn, View, joined, view
from figures.views.classification.decision_regions import kinds_of, on_plane
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities import HasLatentFunctions
from mlcore.spine.params import integer
from mlcore.spine.wording import rough

THIN = 2  # cells of which every second one is drawn: smooth enough, and a quarter of the bytes
LINES = ((0.0, "mean 0", "solid", 2.5), (2.0, "mean ± 2", "dash", 1.4), (-2.0, "", "dash", 1.4))


class LatentMap(NamedTuple):
    """One latent function on the cells of a plane and on the rows."""

    shown: Projection
    mean: np.ndarray  # (b, a)
    deviation: np.ndarray  # (b, a)
    cloud: Cloud
    at_rows: np.ndarray  # (n,) the mean
    unsure: np.ndarray  # (n,) the deviation
    error: np.ndarray  # (n,) standard error of the probability, where it is by chance; else 0
    name: str  # the class for which it is positive


@dataclass(frozen=True, kw_only=True)
class LatentOptions(Options):
    """What may be chosen of the picture."""

    of: int = among(
        integer(1, low=1, soft=(1, 10), label="Class", doc="The class against the rest."),
        several_classes,
    )


@view(
    "latent_map",
    title="Latent function",
    asks=HasLatentFunctions,
    options=LatentOptions,
    on="classification gaussian_process report",
    order=65,
    sources=("epfl:gpc_laplace", "epfl:gpc_squash"),
    synonyms=("predictive variance", "epistemic uncertainty"),
)
def latent_map(
    dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES, *, options: LatentOptions
) -> View:
    """How unsure the latent function is in a plane, and where its mean is zero."""
    s = numbers(dataset, whole, x=axes.x, y=axes.y, of=options.of)
    note = fitted_on(dataset, whole)
    return joined(s, draw, reading, table, note=note, rows=s.cloud.rows)


def numbers(dataset: Dataset, whole: Whole, *, x: str = "", y: str = "", of: int = 1) -> LatentMap:
    """Mean and deviation of the function of class `of`, counted from 1."""
    fit: Any = whole.fit
    m = of - 1 if len(fit.kernels) > 1 else 0
    shown = class_projection(dataset, whole, x, y)
    rows = whole.prepared.transform(dataset.X)[shown.here]
    shape = shown.plane.shape
    return LatentMap(
        shown,
        fit.latent(shown.cells)[:, m].reshape(shape),
        fit.latent_deviation(shown.cells)[:, m].reshape(shape),
        cloud_of(dataset, shown.x, shown.y),
        fit.latent(rows)[:, m],
        fit.latent_deviation(rows)[:, m],
        fit.sampling_error(rows)[:, m],
        dataset.classes[m if len(fit.kernels) > 1 else 1],
    )


def draw(s: LatentMap) -> go.Figure:
    """The deviation in colours, level lines of the mean, and the rows."""
    kinds, plane = kinds_of(s.shown.plane), s.shown.plane
    traces: list[Any] = []
    if plane.y is not None:
        x, y = (dated(a.cells[::THIN], k) for a, k in zip((plane.x, plane.y), kinds, strict=True))
        traces.append(
            go.Heatmap(
                x=x, y=y, z=s.deviation[::THIN, ::THIN].astype(np.float32),
                colorscale=SEQUENTIAL, opacity=0.55, hoverinfo="skip",
                colorbar={"title": {"text": "sd"}, "thickness": 12},
            )
        )  # fmt: skip
        for level, name, dash, width in LINES:
            line = {"dash": dash, "width": width, "smoothing": 0}
            shown = {"name": name, "showlegend": bool(name)}
            traces.append(level_lines(x, y, s.mean[::THIN, ::THIN], (level,), line=line, **shown))
    names = np.array(s.cloud.names)[s.cloud.klass]
    each = zip(names, s.at_rows, s.unsure, strict=True)
    texts = [f"{name}, latent {rough(mean)} ± {rough(d)}" for name, mean, d in each]
    fig = figure(
        *traces, *points_of(s.cloud, texts=texts, kinds=kinds), height=HEIGHT, showlegend=True
    )
    return on_plane(fig, s.shown)


def reading(s: LatentMap) -> str:
    """Where the function is positive, and how much more unsure it is away from the rows."""
    low, high = float(np.median(s.unsure)), float(s.deviation.max())
    text = f"The latent function is positive for {s.name}; its standard deviation is {rough(low)} "
    text += f"at half of the rows and {rough(high)} where it is least sure. The wider it is, the "
    text += "nearer the probability lies to one half. "
    if s.error.any():
        text += (
            f"Chance moves a probability by {rough(float(s.error.max()))} at most, one standard "
        )
        text += "error over the draws. "
    return f"{text}{s.shown.how}".strip()


def table(s: LatentMap) -> tuple[TableColumn, ...]:
    """One line a row of the data."""
    by_chance = (TableColumn("standard error of the probability", s.error),)
    return (
        *located(s.shown.plane, s.cloud),
        TableColumn("class", np.array(s.cloud.names)[s.cloud.klass]),
        TableColumn("latent mean", s.at_rows),
        TableColumn("standard deviation", s.unsure),
        *(by_chance if s.error.any() else ()),
    )
