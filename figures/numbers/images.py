"""Rows, centers, directions and weights as images, where columns are pixels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mlcore.data.dataset import Dataset
from mlcore.maths.images import Images, named_images
from mlcore.preparation.chain import Prepared
from mlcore.runs.carry import Whole
from mlcore.spine.asking import can
from mlcore.spine.capabilities import (
    HasAxes,
    HasCenters,
    HasClasses,
    HasCoefficients,
    Inverts,
    Transforms,
)
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column

MOST = 40  # images of one picture
MOST_CLASSES = 12  # that get a place of their own side by side
EXAMPLES = 4  # of each class
ACROSS = 5  # images of a fit side by side


class Shown(NamedTuple):
    """Images and what each of them is."""

    what: str  # "rows", "centers", "directions" or "weights"
    images: np.ndarray  # (m, h, w, c)
    names: tuple[str, ...]  # (m,) above the images
    hover_texts: tuple[str, ...]  # (m,) when hovering
    rows: np.ndarray | None  # (m,) row numbers of the table, where they are rows
    across: int  # images side by side
    total: int  # how many there are
    n_classes: int  # whose first rows stand below one another; 0 where rows stand as they come


def has_images(dataset: Dataset, whole: Whole | None = None) -> bool:
    """Whether the columns are pixels; of a fit, whether it holds something of that shape."""
    if whole is None:
        return named(dataset.columns) is not None
    return _vectors(whole) is not None


def shown_images(dataset: Dataset, whole: Whole | None = None) -> Shown:
    """The first rows of the table, or what a fit holds; DataError where no columns are pixels."""
    if whole is None and (layout := named(dataset.columns)):
        return _rows(dataset, layout)
    if whole is not None and (of_fit := _vectors(whole)):
        what, vectors, layout = of_fit
        images = layout.of(vectors[:MOST])
        names = _names(dataset, whole, what, len(vectors))[:MOST]
        hover_texts = tuple(f"{what.removesuffix('s')} {name}" for name in names)
        return Shown(
            what, images, names, hover_texts, None, min(len(images), ACROSS), len(vectors), 0
        )
    raise DataError(
        "This picture needs columns that are the pixels of an image: names such as pixel_0_0, or "
        "pixel1 and so on for a square."
    )


def named(columns: tuple[Column, ...]) -> Images | None:
    """How columns are pixels, by their names; None where they are not."""
    return named_images([column.name for column in columns])


def _rows(dataset: Dataset, layout: Images) -> Shown:
    """Rows of every class below one another, or the first ones as they come."""
    y: Any = dataset.y
    K = len(dataset.classes) if dataset.task == "classification" else 0
    if not 2 <= K <= MOST_CLASSES:
        at = np.arange(min(dataset.n, MOST))
        rows = dataset.rows[at]
        classes = tuple(dataset.classes[k] for k in y[at]) if K else ("",) * len(at)
        texts = _row_texts(rows, classes)
        images = layout.of(dataset.X[at])
        return Shown("rows", images, classes if K else texts, texts, rows, 10, dataset.n, 0)
    first = [np.flatnonzero(y == k)[:EXAMPLES] for k in range(K)]
    depth = max(len(own) for own in first)
    images = np.full((depth, K, len(layout.at)), np.nan)
    rows = np.full((depth, K), -1)
    for k, own in enumerate(first):
        images[: len(own), k] = dataset.X[np.ix_(own, layout.at)]
        rows[: len(own), k] = dataset.rows[own]
    shape = (depth * K, *layout.shape, layout.channels)
    names, rows = dataset.classes * depth, rows.ravel()
    return Shown(
        "rows", images.reshape(shape), names, _row_texts(rows, names), rows, K, dataset.n, K
    )


def _row_texts(rows: np.ndarray, classes: Sequence[str]) -> tuple[str, ...]:
    pairs = zip(rows, classes, strict=True)
    return tuple(f"row {row + 1}, {name}" if name else f"row {row + 1}" for row, name in pairs)


def _vectors(whole: Whole) -> tuple[str, np.ndarray, Images] | None:
    """What a fit holds with a number a column, and how the columns are pixels."""
    fit, prepared = whole.fit, whole.prepared
    if isinstance(fit, HasCenters):
        centers, columns = turned_back(prepared, np.atleast_2d(fit.centers))
        return _of("centers", centers, columns)
    if isinstance(fit, HasAxes):
        return _of("directions", np.atleast_2d(fit.axes), prepared.columns)
    if isinstance(fit, HasCoefficients):
        return _of("weights", np.atleast_2d(fit.coefficients), prepared.columns)
    return None


def _of(
    what: str, vectors: np.ndarray, columns: tuple[Column, ...]
) -> tuple[str, np.ndarray, Images] | None:
    layout = named(columns)
    if layout is None or vectors.ndim != 2 or vectors.shape[1] != len(columns):
        return None
    return what, vectors, layout


def turned_back(prepared: Prepared, Z: np.ndarray) -> tuple[np.ndarray, tuple[Column, ...]]:
    """Points of the method as far back towards the table as the steps can be undone."""
    columns = prepared.columns
    moved = [fit for fit in prepared.fits if isinstance(fit, Transforms)]
    for fit in reversed(moved):
        if not isinstance(fit, Inverts):
            break
        back: Any = fit
        Z, columns = back.inverse_transform(Z), back.columns
    return Z, columns


def _names(dataset: Dataset, whole: Whole, what: str, count: int) -> tuple[str, ...]:
    """Of weights the classes that they speak for, if there is one each; else numbers."""
    fit: Any = whole.fit
    is_named = what == "weights" and dataset.classes and can(fit, HasClasses)
    if is_named and len(fit.classes) == count:
        return tuple(dataset.classes[int(code)] for code in fit.classes)
    return tuple(str(k + 1) for k in range(count))
