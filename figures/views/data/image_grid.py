"""Rows whose columns are pixels, as images; centers, directions and weights of a fit too."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import noted
from figures.drawing.traces import SIGNED, color_bar_below
from figures.drawing.words import fitted_on
from figures.names import cut
from figures.numbers.images import Shown, has_images, shown_images
from figures.theme import LIGHT, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.wording import count, rough, spaced

TILE, LEAST, MOST = 92, 190, 760  # pixels of an image with its name, and of the picture
GAP, NAME = 0.12, 0.3  # between images, and above those with a name: shares of their sides
GREY = ((0.0, "#0A0A0A"), (1.0, "#F8F8F8"))  # bright is light, in both themes
ROUNDING = 1e-9  # of the range of the shades
LETTERS = 14  # of a name above an image
# Pixels across of an image that can be made out, and at the sides of all of them: on a phone what
# is wider is pulled sideways.
READABLE, BESIDE = 56, 16
UNDER = 60  # pixels below for the bar of shades


class Grid(NamedTuple):
    """Images with one scale."""

    shown: Shown
    low: float  # the darkest shade of all of them
    high: float  # and the brightest
    is_signed: bool  # whether zero is the middle
    colors: Any = SIGNED  # of shades with a sign


@view("image_grid", title="Images", when=has_images, order=222)
def image_grid(dataset: Dataset, whole: Whole | None = None) -> View:
    """The first rows of each class as images, or the centers, directions or weights of a fit."""
    g = numbers(dataset, whole)
    return joined(g, draw, reading, table, note=_note(g, dataset, whole), rows=_table_rows(g))


def numbers(dataset: Dataset, whole: Whole | None = None) -> Grid:
    """The images and the range of all their shades together."""
    shown = shown_images(dataset, whole)
    low, high = float(np.nanmin(shown.images)), float(np.nanmax(shown.images))
    counts = shown.what in ("directions", "weights")
    is_signed = counts and low < -ROUNDING * high  # parts that add up have nothing below zero
    if is_signed:
        high = max(abs(low), abs(high)) or 1.0
        low = -high
    elif counts:
        low = 0.0
    if abs(low) < ROUNDING * (high - low):  # of centers that were scaled and turned back
        low = 0.0
    return Grid(shown, low, high if high > low else low + 1.0, is_signed)


def _note(g: Grid, dataset: Dataset, whole: Whole | None) -> str:
    s = g.shown
    if s.what != "rows":
        some = f"{len(s.images)} of " if len(s.images) < s.total else ""
        return f"{some}{count(s.total, s.what.removesuffix('s'))}, {fitted_on(dataset, whole)}"
    first = "the first rows of each class" if s.n_classes else f"the first {len(s.images)}"
    return f"{first} of {count(s.total, 'row')}, on one scale"


def draw(g: Grid) -> go.Figure:
    """Images side by side, the name above; classes in columns are named once."""
    s = g.shown
    h, w = s.images.shape[1:3]
    named = [bool(name) and (not s.n_classes or k < s.across) for k, name in enumerate(s.names)]
    step_x, step_y = w * (1 + GAP), h * (1 + GAP) + (0 if s.n_classes else NAME * max(h, w))
    down, under = -(-len(s.images) // s.across), 0 if s.images.shape[3] == 3 else UNDER
    plain = {"showgrid": False, "showline": False, "ticks": "", "showticklabels": False}
    fig = figure(
        height=int(np.clip(TILE * down * step_y / step_x + 20, LEAST, MOST)) + under,
        xaxis=plain | {"range": [-0.5, s.across * step_x - w * GAP - 0.5], "constrain": "domain"},
        yaxis=plain
        | {"range": [down * step_y - 0.5, -0.5 - NAME * max(h, w)]}
        | {"scaleanchor": "x", "constrain": "domain"},
        showlegend=False,
    )
    fig.update_layout(meta={"least": READABLE * s.across + BESIDE})
    places, look = {}, {"yanchor": "bottom", "font": {"size": 12, "color": LIGHT.quiet}}
    for k in range(len(s.images)):
        if not np.isnan(s.images[k]).all():  # of a class with fewer rows
            places[k] = (k % s.across * step_x, k // s.across * step_y)
    fig.add_traces([_tile(g, k, place, is_first=k == 0) for k, place in places.items()])
    return noted(fig, [
        look | {"x": x + (w - 1) / 2, "y": y - 0.5, "text": cut(s.names[k], LETTERS)}
        for k, (x, y) in places.items() if named[k]
    ])  # fmt: skip


def _tile(g: Grid, k: int, place: tuple[float, float], *, is_first: bool) -> Any:
    """One image at its place."""
    s = g.shown
    where = {"x0": place[0], "y0": place[1], "dx": 1, "dy": 1, "name": s.hover_texts[k]}
    if s.images.shape[3] == 3:
        shades = np.clip((s.images[k] - g.low) / (g.high - g.low), 0, 1)
        if g.is_signed:
            shades = np.clip(0.5 + s.images[k] / (2 * g.high), 0, 1)
        pixels = np.nan_to_num(255 * shades).round().astype(np.uint8)
        return go.Image(
            z=pixels, hovertemplate=f"{s.hover_texts[k]}<br>%{{z}}<extra></extra>", **where
        )
    return go.Heatmap(
        z=s.images[k, :, :, 0].astype(np.float32),
        zmin=g.low,
        zmax=g.high,
        colorscale=g.colors if g.is_signed else GREY,
        showscale=is_first,
        uid=image_name(k),
        colorbar=color_bar_below("weight" if s.what in ("directions", "weights") else "shade"),
        hovertemplate=f"{s.hover_texts[k]}<br>%{{z:.4~g}}<extra></extra>",
        **where,
    )


def image_name(k: int) -> str:
    """By which a step finds the image in place k."""
    return f"image {k}"


def reading(g: Grid) -> str:
    """What is shown, how large the images are, and the range of their shades."""
    s = g.shown
    h, w = s.images.shape[1:3]
    colors = " in color" if s.images.shape[3] == 3 else ""
    size = f"{h} by {w} pixels{colors}"
    if s.what == "rows":
        shades = f"shades from {rough(g.low)} to {rough(g.high)}"
        return f"Each of the {spaced(s.total)} rows is an image of {size}; {shades} are drawn."
    many = _many(s)
    if s.what == "centers":
        return f"{many} as images of {size}: each looks like the mean of its rows."
    text = f"{many} as images of {size}, between {rough(g.low)} and {rough(g.high)}. "
    if not g.is_signed:
        return f"{text}The brighter a pixel, the more it counts; none counts against it."
    return f"{text}Blue pixels count for it, orange ones against it, pale ones hardly at all."


def _many(s: Shown) -> str:
    if s.what == "weights":
        return f"{count(s.total, 'set')} of weights"
    return count(s.total, s.what.removesuffix("s"))


def _table_rows(g: Grid) -> np.ndarray | None:
    rows = g.shown.rows
    return None if rows is None else rows[rows >= 0]


def table(g: Grid) -> tuple[TableColumn, ...]:
    """One line an image: its name, and the mean and range of its shades."""
    s = g.shown
    is_drawn = np.array([not np.isnan(image).all() for image in s.images])
    flat = s.images[is_drawn].reshape(int(is_drawn.sum()), -1)
    names = [name for name, drawn in zip(s.names, is_drawn, strict=True) if drawn]
    first = () if s.rows is None else (TableColumn("row", s.rows[is_drawn] + 1),)
    return (
        *first,
        TableColumn("image", names),
        TableColumn("mean shade", np.nanmean(flat, axis=1)),
        TableColumn("darkest", np.nanmin(flat, axis=1)),
        TableColumn("brightest", np.nanmax(flat, axis=1)),
    )
