"""The weights of the first layer as images, where the columns of a network are pixels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.words import fitted_on
from figures.numbers.images import ACROSS, MOST, Shown, named
from figures.recording import Changes
from figures.theme import DIVERGING
from figures.view import TableColumn, View, joined, view
from figures.views.data import image_grid
from figures.views.data.image_grid import Grid, image_name
from mlcore.data.dataset import Dataset
from mlcore.maths.images import Images
from mlcore.neural.capabilities import HasLayers
from mlcore.runs.carry import Whole
from mlcore.spine.wording import count, indefinite, rough


class Filters(NamedTuple):
    """The weights of some units with their places in the image."""

    grid: Grid
    at: np.ndarray  # (u,) which units, from 0, ascending
    layout: Images
    what: str  # unit, or output of a network of one layer


def has_filters(dataset: Dataset, whole: Whole | None = None) -> bool:
    """Whether the columns that a network gets are pixels."""
    return whole is not None and _layout(whole) is not None


def _layout(whole: Whole) -> Images | None:
    return named(whole.prepared.columns)


@view(
    "filter_gallery",
    title="Filters of the first layer",
    asks=HasLayers,
    when=has_filters,
    order=206,
    sources=("cs2:mlp",),
    synonyms=("receptive fields", "weights as images", "feature detectors", "filters"),
)
def filter_gallery(dataset: Dataset, whole: Whole) -> View:
    """What each unit of the first layer looks for: its weights, each where its pixel is."""
    f = numbers(dataset, whole)
    shown = f.grid.shown
    note = f"{len(f.at)} of {count(shown.total, f.what)}, {fitted_on(dataset, whole)}"
    is_grey = shown.images.shape[3] == 1
    return joined(f, draw, reading, table, note=note, step=step if is_grey else None)


def numbers(dataset: Dataset, whole: Whole) -> Filters:
    """The filters; of many units those to which the next layer listens most."""
    layers, layout = whole.fit.layers, _layout(whole)
    assert layout is not None  # views are drawn where `has_filters` holds
    W = layers[0].weights
    at, what = np.arange(min(len(W), MOST)), "output"
    if len(layers) > 1:
        heard, what = np.abs(layers[1].weights).sum(axis=0), "unit"
        at = np.sort(np.argsort(-heard, kind="stable")[:MOST])
    names, texts = tuple(str(k + 1) for k in at), tuple(f"{what} {k + 1}" for k in at)
    if what == "output" and 1 < len(W) == len(dataset.classes):
        names = tuple(dataset.classes[k] for k in at)
        texts = tuple(f"class {name}" for name in names)
    images = layout.of(W[at])
    far = float(np.abs(images).max()) or 1.0
    shown = Shown("weights", images, names, texts, None, min(len(at), ACROSS), len(W), 0)
    return Filters(Grid(shown, -far, far, True, DIVERGING), at, layout, what)


def draw(f: Filters) -> go.Figure:
    """The images side by side, blue below and orange above 0."""
    return image_grid.draw(f.grid)


def step(f: Filters, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: the weights; colours keep the scale of the last."""
    images = f.layout.of(whole.fit.layers[0].weights[f.at])[..., 0]
    return {at[image_name(k)]: {"z": z.astype(np.float32)} for k, z in enumerate(images)}


def reading(f: Filters) -> str:
    """How many of what size, what the colours say, and whose weights are the largest."""
    s = f.grid.shown
    h, w, parts = s.images.shape[1:]
    sizes = np.square(s.images).reshape(len(s.images), -1).sum(axis=1)
    if not sizes.any():
        return f"The weights of all {count(s.total, f.what)} are 0."
    largest = s.hover_texts[int(sizes.argmax())]
    says = f"raises what {indefinite(f.what)} says"
    if parts == 1:
        colours = f"A bright pixel {says} where it is orange, and lowers it where it is blue."
    else:
        colours = (
            f"Middle grey is 0: each of red, green and blue {says} where it is brighter, and "
            "lowers it where it is darker."
        )
    return (
        f"The weights of {count(s.total, f.what)} as images of {h} by {w} pixels, up to "
        f"{rough(f.grid.high)} in size. {colours} Those of {largest} are the largest."
    )


def table(f: Filters) -> tuple[TableColumn, ...]:
    """One line an image."""
    return image_grid.table(f.grid)
