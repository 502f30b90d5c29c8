"""Some rows as images before and after a step that changes images."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import empty
from figures.numbers.images import Shown
from figures.numbers.stages import input_of
from figures.view import TableColumn, View, joined, view
from figures.views.data import image_grid
from mlcore.data.dataset import Dataset
from mlcore.maths.images import Images
from mlcore.preparation.capabilities import ChangesImages
from mlcore.preparation.chain import Prepared
from mlcore.spine.asking import can
from mlcore.spine.capabilities import Transforms
from mlcore.spine.wording import count, rough

MOST_ROWS = 8  # side by side
MOST_COPIES = 3  # of a row, below it


class Pairs(NamedTuple):
    """Lines of images: rows as a step finds them, then what it makes of them."""

    lines: tuple[str, ...]  # (l,) "before", "after", or "copy 1" and so on
    images: tuple[np.ndarray, ...]  # (l) of (m, h, w, c), in their own shades
    rows: np.ndarray  # (m,) row numbers of the table
    names: tuple[str, ...]  # (m,) above the images


NOTHING = Pairs((), (), np.array([], dtype=np.int64), ())


@view(
    "image_pairs",
    title="Images before and after",
    of_step=ChangesImages,
    sources=("prac:structured_data", "cs2:data_augmentation"),
)
def image_pairs(dataset: Dataset, prepared: Prepared) -> View:
    """Some rows of different classes, as images before a step and after it, or their copies."""
    p = numbers(dataset, prepared)
    note = f"{len(p.rows)} of {count(dataset.n, 'row')}, each line from dark to bright"
    return joined(p, draw, reading, table, note=note)


def numbers(dataset: Dataset, prepared: Prepared) -> Pairs:
    """Of the first step that changes images; nothing without one."""
    steps = [k for k, fit in enumerate(prepared.fits) if can(fit, ChangesImages)]
    if not steps:
        return NOTHING
    fit = prepared.fits[steps[0]]
    step_input = input_of(dataset, prepared, steps[0] + 1)
    before, after = fit.images
    at = examples(step_input)
    names = tuple(f"row {row + 1}" for row in step_input.rows[at])
    made = _made(fit, step_input, after, at)
    below = ("after",) if isinstance(fit, Transforms) else _copies(len(made))
    return Pairs(
        ("before", *below), (before.of(step_input.X[at]), *made), step_input.rows[at], names
    )


def examples(dataset: Dataset) -> np.ndarray:
    """Positions of a row of each class in turn, the first ones where there are no classes."""
    if dataset.task != "classification":
        return np.arange(min(dataset.n, MOST_ROWS))
    y = np.asarray(dataset.y)
    nth = np.zeros(dataset.n, dtype=np.int64)  # which row of its class each one is
    for k in np.unique(y):
        nth[y == k] = np.arange((y == k).sum())
    return np.lexsort((y, nth))[:MOST_ROWS]


def _copies(count: int) -> tuple[str, ...]:
    return tuple(f"copy {k}" for k in range(1, count + 1))


def _made(fit: Any, step_input: Dataset, after: Images, at: np.ndarray) -> list[np.ndarray]:
    """What becomes of the rows: one line of images, or one for each copy."""
    if isinstance(fit, Transforms):
        return [after.of(fit.transform(step_input.X[at]))]
    X, rows = fit.resample(step_input.X, step_input.y)
    copies = np.array([np.flatnonzero(rows == row)[1 : MOST_COPIES + 1] for row in at])
    return [after.of(X[line]) for line in copies.T]


def draw(p: Pairs) -> go.Figure:
    """The lines below one another, every image as large as the first."""
    if not p.lines:
        return empty("No step of the preparation changes images.")
    images = _alike(p.images)
    m, w = images[0].shape[0], images[0].shape[2]
    texts = tuple(f"{name}, {line}" for line in p.lines for name in p.names)
    names = p.names * len(p.lines)
    shown = Shown("rows", np.concatenate(images), names, texts, None, m, m, m)
    fig = image_grid.draw(image_grid.Grid(shown, 0.0, 1.0, False))
    step = images[0].shape[1] * (1 + image_grid.GAP)
    middles = [k * step + (images[0].shape[1] - 1) / 2 for k in range(len(p.lines))]
    fig.update_yaxes(showticklabels=True, tickvals=middles, ticktext=list(p.lines))
    fig.update_traces(showscale=False, selector={"type": "heatmap"})  # and no room for one
    fig.update_layout(height=fig.layout.height - image_grid.UNDER)
    return fig.update_xaxes(range=[-0.5, m * w * (1 + image_grid.GAP)])


def _alike(lines: tuple[np.ndarray, ...]) -> list[np.ndarray]:
    """All lines with shades from 0 to 1, and as many pixels and colors as the first."""
    h, w, channels = lines[0].shape[1:]
    lines_alike = []
    for line in lines:
        low, high = line.min(), line.max()
        shades = (line - low) / ((high - low) or 1.0)
        down, across = (np.arange(n) * m // n for n, m in zip((h, w), line.shape[1:3], strict=True))
        large = shades[:, down][:, :, across]
        lines_alike.append(np.broadcast_to(large, (*large.shape[:3], channels)))
    return lines_alike


def reading(p: Pairs) -> str:
    """How large the images are before and after, and the range of their shades."""
    if not p.lines:
        return "No step of the preparation changes images."
    first, last = p.images[0], p.images[-1]
    text = f"Before, images of {_size(first)}"
    if p.lines[1] == "after":
        return f"{text}; after, {_size(last)}."
    return f"{text}; below each row are altered copies of it, from which the method learns too."


def _size(images: np.ndarray) -> str:
    h, w = images.shape[1:3]
    colors = " in color" if images.shape[3] == 3 else ""
    shades = f"{rough(float(images.min()))} to {rough(float(images.max()))}"
    return f"{h} by {w} pixels{colors} with shades from {shades}"


def table(p: Pairs) -> tuple[TableColumn, ...]:
    """One line an image: its mean and range of shades."""
    flat = [line.reshape(len(line), -1) for line in p.images]
    return (
        TableColumn("row", [row + 1 for _ in p.lines for row in p.rows]),
        TableColumn("image", [line for line in p.lines for _ in p.rows]),
        TableColumn("mean shade", [float(z.mean()) for line in flat for z in line]),
        TableColumn("darkest", [float(z.min()) for line in flat for z in line]),
        TableColumn("brightest", [float(z.max()) for line in flat for z in line]),
    )
