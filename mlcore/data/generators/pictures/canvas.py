"""What the generators of pictures share: soft edges, and how pictures become a table."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from mlcore.data.generators import shared
from mlcore.data.sources import Origin
from mlcore.data.table import Table, coded, numeric
from mlcore.maths.images import COLORS, pixel_name


def soft(depth: np.ndarray, slope: float) -> np.ndarray:
    """The logistic function of `slope` times the depth, of any shape: 0 outside, 1 inside.

    The depth is negative outside; a larger slope makes a sharper edge.
    """
    return expit(slope * depth)


def origin(
    source: shared.Generator,
    images: np.ndarray,
    labels: np.ndarray | None,
    levels: tuple[str, ...],
    **known: object,
) -> Origin:
    """Pictures, shape (n, height, width) or (n, height, width, 3), one a row, with their class."""
    flat = images.reshape(len(images), -1)
    colors = COLORS if images.ndim == 4 else ("",)
    h, w = images.shape[1:3]
    named = [pixel_name(r, c, color) for r in range(h) for c in range(w) for color in colors]
    columns = [numeric(name, flat[:, j]) for j, name in enumerate(named)]
    if "clean" in known:
        # An array, by its name.
        # pyrefly: ignore[no-matching-overload]
        known["clean"] = np.reshape(known["clean"], flat.shape)
    # Fields of Truth, by their names.
    truth = shared.Truth(labels=labels, **known)  # pyrefly: ignore[bad-argument-type]
    if labels is None:
        return Origin(Table.of(*columns), source.title(), truth=truth)
    kind = "binary" if len(levels) == 2 else "nominal"
    columns.append(coded("class", np.array(levels)[labels], kind, levels))
    return Origin(Table.of(*columns), source.title(), "class", truth=truth)
