"""The prototypes of a map as images, each where its unit stands on the lattice."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.lattices import places, shape_in_words, unit_columns, unit_names
from figures.drawing.marks import points
from figures.drawing.traces import CELLS
from figures.drawing.words import fitted_on
from figures.numbers.images import turned_back
from figures.recording import Changes
from figures.theme import figure
from figures.view import TableColumn, View, joined, view
from figures.views.clustering import hit_map
from figures.views.data.image_grid import GREY
from mlcore.data.dataset import Dataset
from mlcore.maths.images import LUMA, Images, named_images
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities_of_groups import HasLattice
from mlcore.spine.wording import count, percent

TILE, LEAST, MOST = 56, 160, 720  # pixels of a row of images, and of the picture
MOST_PIXELS = 120_000  # of all images together: of more only every second pixel is drawn, or third
GAP = 1  # pixels between images


class PrototypeMosaic(NamedTuple):
    """Prototypes as images, and what each has won."""

    images: np.ndarray  # (K, h, w) bright or dark, as far back towards the table as can be
    hits: hit_map.HitMap


def _images(whole: Whole) -> Images | None:
    """How the columns of prototypes are pixels; None where they are not."""
    _, columns = turned_back(whole.prepared, whole.fit.centers[:1])
    return named_images([column.name for column in columns])


def has_mosaic(dataset: Dataset, whole: Whole | None = None) -> bool:
    """Whether the prototypes of a fit that has some have pixels as columns."""
    return whole is not None and _images(whole) is not None


@view(
    "prototype_mosaic",
    title="Prototypes",
    asks=HasLattice,
    when=has_mosaic,
    order=130,
    sources=("cs1:som_digits", "cs2:som_classifier"),
    synonyms=("codebook images", "prototype images", "mosaic"),
)
def prototype_mosaic(dataset: Dataset, whole: Whole) -> View:
    """Each prototype as an image where its unit stands, with the class of most of its rows."""
    m = numbers(dataset, whole)
    return joined(m, draw, reading, table, note=fitted_on(dataset, whole), step=step)


def numbers(dataset: Dataset, whole: Whole) -> PrototypeMosaic:
    """The images and the hits of the units."""
    return PrototypeMosaic(_shades(whole), hit_map.numbers(dataset, whole))


def _shades(whole: Whole) -> np.ndarray:
    """The prototypes as grey images, shape (K, h, w); color by how bright it looks."""
    layout, Z = _images(whole), turned_back(whole.prepared, whole.fit.centers)[0]
    assert layout is not None  # views are drawn where `has_mosaic` holds
    images = layout.of(Z)
    grey = images @ LUMA if layout.channels == 3 else images[..., 0]
    every = int(np.ceil(np.sqrt(grey.size / MOST_PIXELS)))
    return grey[:, ::every, ::every]


def canvas(lattice: Any, images: np.ndarray) -> np.ndarray:
    """Images, shape (K, h, w), side by side as their units stand; NaN between them.

    Rows of units go upwards, as in the other pictures of the lattice, and so do rows of pixels.
    """
    h, w = images.shape[1] + GAP, images.shape[2] + GAP
    x, y = places(lattice)
    left, below = np.rint(x * w).astype(int), np.rint(y).astype(int) * h
    made = np.full((below.max() + h, left.max() + w), np.nan, dtype=np.float32)
    for image, i, j in zip(images, below, left, strict=True):
        made[i : i + h - GAP, j : j + w - GAP] = image[::-1]
    return made


def draw(m: PrototypeMosaic) -> go.Figure:
    """One canvas of all images; a small mark of its class at the corner of each."""
    lattice = m.hits.lattice
    h, w = m.images.shape[1] + GAP, m.images.shape[2] + GAP
    low, high = float(m.images.min()), float(m.images.max())
    x, y = places(lattice)
    grid = go.Heatmap(
        z=canvas(lattice, m.images), zmin=low, zmax=high if high > low else low + 1.0,
        colorscale=GREY, showscale=False, hoverinfo="skip", hoverongaps=False, uid=CELLS,
    )  # fmt: skip
    plain = {"showgrid": False, "showline": False, "ticks": "", "showticklabels": False}
    plain |= {"zeroline": False, "constrain": "domain"}
    fig = figure(
        grid, height=int(np.clip(TILE * (y.max() + 1), LEAST, MOST)), xaxis=plain,
        yaxis=plain | {"scaleanchor": "x"}, showlegend=bool(m.hits.classes),
    )  # fmt: skip
    texts = np.array(_texts(m))
    at_x, at_y = np.rint(x * w) + (w - 1 - GAP) / 2, y * h + (h - 1 - GAP) / 2
    whole_image = {"size": 18, "opacity": 0.0}
    fig.add_trace(
        go.Scatter(
            x=at_x,
            y=at_y,
            mode="markers",
            marker=whole_image,
            text=texts,
            showlegend=False,
            hovertemplate="%{text}<extra></extra>",
        )
    )
    for c, name in enumerate(m.hits.classes):
        own = m.hits.majority == c
        if own.any():
            corner = (np.rint(x[own] * w) + 0.5, y[own] * h + h - 2.0 - GAP)
            marks = points(*corner, klass=c, name=name, hoverinfo="skip", hovertemplate=None)
            fig.add_trace(marks.update(marker={"size": 7}))
    return fig.update_layout(margin_t=48 if m.hits.classes else 24)


def _texts(m: PrototypeMosaic) -> list[str]:
    names, hits = unit_names(m.hits.lattice), m.hits
    texts = [f"{name}: {count(int(n), 'row')}" for name, n in zip(names, hits.hits, strict=True)]
    if not hits.classes:
        return texts
    return [
        f"{text}, {percent(share)} {hits.classes[c]}" if c >= 0 else text
        for text, c, share in zip(texts, hits.majority, hits.purity, strict=True)
    ]


def step(m: PrototypeMosaic, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: the images; classes are those of the finished map."""
    return {at[CELLS]: {"z": canvas(m.hits.lattice, _shades(whole))}}


def reading(m: PrototypeMosaic) -> str:
    """How many images, how large, and how often a unit speaks for one class."""
    h, w = m.images.shape[1:]
    text = f"{shape_in_words(m.hits.lattice)} as images of {h} by {w} pixels; neighbours are alike."
    if not m.hits.classes:
        return text
    used = m.hits.majority >= 0
    rows = m.hits.hits[used].sum() or 1
    right = float((m.hits.purity[used] * m.hits.hits[used]).sum() / rows)
    return (
        f"{text} Labelled by the class of most of their rows, units are right for {percent(right)}."
    )


def table(m: PrototypeMosaic) -> tuple[TableColumn, ...]:
    """One line a unit."""
    h = m.hits
    flat = m.images.reshape(len(m.images), -1)
    lines = (
        *unit_columns(h.lattice), TableColumn("rows", h.hits),
        TableColumn("mean shade", flat.mean(axis=1)),
    )  # fmt: skip
    if not h.classes:
        return lines
    names = [h.classes[c] if c >= 0 else "" for c in h.majority]
    return (*lines, TableColumn("most common class", names), TableColumn("its share", h.purity))
