"""Lines along which a surface over a plane has the same height."""

from __future__ import annotations

from typing import Any

import numpy as np

import figures.graph as go
from figures.theme import LIGHT


def level_lines(
    x: Any, y: Any, z: np.ndarray, levels: tuple[float, ...], *, line: dict[str, Any], **look: Any
) -> go.Contour:
    """Where heights z, (b, a), over cells at x, (a,), and y, (b,), are at one level, or at two."""
    first, last = levels[0], levels[-1]
    return go.Contour(
        x=x, y=y, z=z.astype(np.float32), showscale=False, hoverinfo="skip",
        contours={"start": first, "end": last, "size": (last - first) or 1.0, "coloring": "none"},
        line={"color": LIGHT.text} | line, **look,
    )  # fmt: skip
