"""The k-distance curve: how far rows have to look for enough others, as DBSCAN's radius says."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import mark_of, numbered, whole_of
from figures.drawing.traces import HEIGHT, named_line
from figures.theme import LIGHT, class_color, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.maths.curves import knee
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities_of_groups import GivesReaches
from mlcore.spine.errors import DataError
from mlcore.spine.wording import count, percent, rough

MOST = 3_000  # rows that are asked: more change no picture


class KDistances(NamedTuple):
    """Rows by how far from them enough others lie."""

    reaches: np.ndarray  # (m,) falling, in units of the prepared columns
    shares: np.ndarray  # (m,) of the rows that reach as far
    enough: int
    radius: float  # NaN where there is none
    bend: float  # where the curve lies farthest below its chord; NaN where it does nowhere
    n: int
    marks: np.ndarray  # (m,) what a click names: its distance as radius; empty where none is used


@view(
    "k_distance_curve",
    title="Distance to the k-th nearest row",
    asks=GivesReaches,
    on="clustering report",
    order=120,  # beside the map of the clusters that its radius makes
    sources=("epfl:dbscan",),
    synonyms=(
        "k-distance plot", "k-distance graph", "choosing eps", "epsilon", "elbow of DBSCAN",
        "core distance", "kNN distance plot",
    ),
)  # fmt: skip
def k_distance_curve(dataset: Dataset, whole: Whole) -> View:
    """Rows from the loneliest on: how far away the last of as many rows as make a core row lies.

    A radius at the bend takes the rows after it, which lie densely, and leaves the others as noise.
    """
    return joined(numbers(dataset, whole), draw, reading, table, note="in prepared units")


def numbers(dataset: Dataset, whole: Whole) -> KDistances:
    """The curve of all fitted rows, or of some that are drawn, always the same."""
    fit, X = whole.fit, whole.prepared.X
    n = len(X)
    if fit.enough > n or fit.enough < 2:
        raise DataError(
            f"The {count(fit.enough, 'nearest row')} of {count(n, 'row')}, themselves among them, "
            "have no distance that tells anything. Choose another number of rows around a core row."
        )
    at = np.arange(n)
    if n > MOST:
        at = np.random.default_rng(0).choice(n, MOST, replace=False)
    reaches = np.sort(fit.reaches(X, at))[::-1]
    k = knee(reaches)
    shares = np.arange(1, len(at) + 1) / len(at)
    bend = float(reaches[k]) if k else float("nan")
    marks = _marks(dataset, reaches) if np.isfinite(fit.radius) else np.empty(0, np.int64)
    return KDistances(reaches, shares, fit.enough, fit.radius, bend, n, marks)


def _marks(dataset: Dataset, reaches: np.ndarray) -> np.ndarray:
    """What a click on each distance names; on none the least positive one, as no radius is 0."""
    positive = reaches > 0
    radii = np.where(positive, reaches, reaches[positive].min(initial=np.inf))
    if not np.isfinite(radii).all():
        return np.empty(0, np.int64)
    return np.array([mark_of(dataset, "radius", int(k)) for k in whole_of(radii)])


def draw(c: KDistances) -> go.Figure:
    """The falling curve with its bend, and the radius across."""
    line = go.Scatter(
        x=100 * c.shares, y=c.reaches, mode="lines", line={"color": class_color(0), "width": 2},
        hovertemplate="%{x:.1f} % of the rows reach<br>%{y:.4~g} or farther<extra></extra>",
    )  # fmt: skip
    if len(c.marks):
        numbered(line, c.marks)
    fig = figure(
        line, height=HEIGHT, showlegend=False,
        xaxis={"title": {"text": "Share of the rows, in %"}, "range": [0, 102]},
        yaxis={"title": {"text": f"Distance to nearest row {c.enough}"}, "rangemode": "tozero"},
    )  # fmt: skip
    if np.isfinite(c.bend):
        fig.add_trace(_bend(c))
    if np.isfinite(c.radius):
        named_line(fig, f"radius {rough(c.radius)}", y=c.radius)
    return fig


def _bend(c: KDistances) -> Any:
    at = int((c.reaches >= c.bend).sum()) - 1
    return go.Scatter(
        x=[100 * c.shares[at]], y=[c.bend], mode="markers", showlegend=False,
        marker={"size": 12, "color": LIGHT.accent, "line": {"width": 2, "color": LIGHT.halo}},
        hovertemplate="the bend, at %{y:.4~g}<extra></extra>",
    )  # fmt: skip


def reading(c: KDistances) -> str:
    """How many rows the radius makes core, and where the curve bends."""
    around = f"{c.enough} rows, themselves among them,"
    text = ""
    if np.isfinite(c.radius):
        inside = percent(float((c.reaches <= c.radius).mean()))
        text = f"{inside} of the rows have {around} within the radius of {rough(c.radius)}: core."
    bend = f"The curve bends at {rough(c.bend)}." if np.isfinite(c.bend) else "It has no bend."
    text = f"{text} {bend}".strip()
    if len(c.reaches) < c.n:
        text += f" Of {c.n:,} rows, {len(c.reaches):,} are asked."
    return text


def table(c: KDistances) -> tuple[TableColumn, ...]:
    """One line a row that was asked, the loneliest first."""
    return (
        TableColumn("share of the rows", c.shares),
        TableColumn(f"distance to nearest row {c.enough}", c.reaches),
    )
