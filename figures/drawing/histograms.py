"""Bars of how often values are met, as densities, and the normal curve beside them."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.theme import LIGHT, faded

BINS = 40
REACH = 4.0  # standard deviations of the normal curve


def density_bars(heights: np.ndarray, edges: np.ndarray, color: str, name: str = "") -> go.Bar:
    """A bar a bin with these heights, (b,), between the edges, (b + 1,)."""
    return go.Bar(
        x=(edges[1:] + edges[:-1]) / 2, y=heights, width=np.diff(edges), name=name or None,
        marker={"color": faded(color, 0.6), "line": {"width": 0}},
        hovertemplate=f"%{{x:.3~f}}<br>density %{{y:.3~f}}<extra>{name}</extra>",
    )  # fmt: skip


def normal_curve(mean: float = 0.0, deviation: float = 1.0) -> go.Scatter:
    """The normal density, dotted, as far as four standard deviations."""
    z = np.linspace(-REACH, REACH, 81)
    return go.Scatter(
        x=mean + deviation * z, y=np.exp(-(z**2) / 2) / (np.sqrt(2 * np.pi) * deviation),
        mode="lines", hoverinfo="skip", name="normal",
        line={"color": LIGHT.text, "width": 1.5, "dash": "dot"},
    )  # fmt: skip
