"""Places of names that would lie on one another."""

from __future__ import annotations

import numpy as np


def apart(values: np.ndarray, gap: float) -> np.ndarray:
    """Places near the values, in their order, no two nearer than `gap`, shape (m,)."""
    order = np.argsort(values, kind="stable")
    # With the gaps taken out, places must not fall: pool neighbours that would.
    wanted = values[order] - gap * np.arange(len(values))
    groups: list[list[float]] = []
    for value in wanted:
        groups.append([value])
        while len(groups) > 1 and np.mean(groups[-2]) > np.mean(groups[-1]):
            groups[-2:] = [groups[-2] + groups[-1]]
    level = np.concatenate([np.full(len(g), np.mean(g)) for g in groups])
    places = np.empty(len(values))
    places[order] = level + gap * np.arange(len(values))
    return places
