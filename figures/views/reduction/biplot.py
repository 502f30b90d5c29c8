"""The biplot: rows in two directions, and what each column adds to them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.labels import AWAY, Label, labels
from figures.drawing.marks import noted
from figures.drawing.words import fitted_on
from figures.names import cut_apart
from figures.numbers.clouds import Cloud
from figures.theme import LIGHT, faded
from figures.view import TableColumn, View, joined, view
from figures.views.reduction import embedding_scatter as scatter
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities import HasAxes, Transforms
from mlcore.spine.wording import listed

MOST_ARROWS = 12
# Pixels from the leftmost row to the rightmost, and from the lowest to the highest, in the smallest
# picture: what its names leave of its width.
SMALLEST = (150.0, 190.0)
NAME = 16  # characters of a name
REACH = 0.85  # of the outermost row, how far the longest arrow goes
CLOSE = 0.9  # cosine above which two arrows point the same way


class Biplot(NamedTuple):
    """Rows and columns in one plane."""

    cloud: Cloud
    names: tuple[str, str]
    q: int
    at: tuple[int, int]
    columns: tuple[str, ...]  # (p,)
    loadings: np.ndarray  # (p, 2) entries of the two directions
    scale: float  # from a loading to the length of its arrow
    arrows: np.ndarray  # positions of the columns that have an arrow, the longest first


@view(
    "biplot",
    title="Biplot",
    asks=(HasAxes, Transforms),
    options=scatter.TwoCoordinates,
    on="reduction report",
    order=250,
    sources=("epfl:pca_loadings",),
    synonyms=("loadings", "PCA loadings", "principal components"),
)
def biplot(dataset: Dataset, whole: Whole, *, options: scatter.TwoCoordinates) -> View:
    """Rows at two coordinates, and an arrow a column: where rows lie that have much of it."""
    b = numbers(dataset, whole, first=options.first - 1, second=options.second - 1)
    note = f"{fitted_on(dataset, whole)}; columns as prepared"
    return joined(b, draw, reading, table, note=note, rows=None)


def numbers(dataset: Dataset, whole: Whole, *, first: int = 0, second: int = 1) -> Biplot:
    """Coordinates of the rows and entries of the directions, which share a scale of their own."""
    e = scatter.numbers(dataset, whole, first=first, second=second)
    axes = np.asarray(whole.fit.axes)
    up = axes[second] if len(axes) > 1 else np.zeros(axes.shape[1])
    loadings = np.column_stack([axes[first], up])
    lengths = np.hypot(*loadings.T)
    far = float(np.hypot(e.cloud.x, e.cloud.y).max()) if e.cloud.n else 1.0
    scale = REACH * far / (lengths.max() or 1.0)
    arrows = np.argsort(-lengths, kind="stable")[:MOST_ARROWS]
    names = tuple(c.name for c in whole.fit.columns)
    return Biplot(e.cloud, e.names, e.q, e.at, names, loadings, float(scale), arrows)


def draw(b: Biplot) -> go.Figure:
    """The rows faint behind, the arrows named at their tips where there is room."""
    fig = scatter.draw(scatter.Embedding(b.cloud, b.names, b.q, b.at))
    fig.update_traces(marker_opacity=0.55)
    tips = b.scale * b.loadings[b.arrows]
    names = tuple(b.columns[j] for j in b.arrows)
    short = tuple(cut_apart(names, NAME))
    fig.add_trace(_pointed(b, tips, names))
    placed = labels(tips, short, _pixels(b, tips))
    told = [_name(tips[label.index], short[label.index], label) for label in placed]
    return noted(fig, [*(_arrow(x, y) for x, y in tips), *told])


def _pixels(b: Biplot, tips: np.ndarray) -> float:
    """How many pixels a unit has in the smallest picture, the same in both directions."""
    each = zip(SMALLEST, (b.cloud.x, b.cloud.y), tips.T, strict=True)
    reach = [(most, float(np.ptp(np.concatenate([at, tip, [0.0]])))) for most, at, tip in each]
    return min(most / (far or 1.0) for most, far in reach)


def _pointed(b: Biplot, tips: np.ndarray, names: tuple[str, ...]) -> go.Scatter:
    """What a pointer reads at the tips: all names, also those for which there is no room."""
    entries = np.column_stack([np.array(names, dtype=object), b.loadings[b.arrows]])
    return go.Scatter(
        x=tips[:, 0], y=tips[:, 1], mode="markers", marker={"color": LIGHT.text, "opacity": 0.0},
        customdata=entries, showlegend=False,
        hovertemplate="%{customdata[0]}<br>entries %{customdata[1]:.3f} and %{customdata[2]:.3f}"
        "<extra></extra>",
    )  # fmt: skip


def _arrow(x: float, y: float) -> dict[str, Any]:
    """From the middle to a tip."""
    ends = {"x": x, "y": y, "ax": 0, "ay": 0, "xref": "x", "yref": "y", "axref": "x", "ayref": "y"}
    look = {"arrowhead": 2, "arrowwidth": 1.5, "arrowcolor": LIGHT.text}
    return ends | look | {"showarrow": True, "text": ""}


def _name(tip: np.ndarray, name: str, label: Label) -> dict[str, Any]:
    return {
        "x": tip[0],
        "y": tip[1],
        "text": name,
        "font": {"color": LIGHT.text},
        "bgcolor": faded(LIGHT.background, 0.7),  # rows lie behind
        "yanchor": "bottom" if label.y_sign > 0 else "top",
        "yshift": AWAY * label.y_sign + label.shift,
    }


def reading(b: Biplot) -> str:
    """Which columns make up each direction, and which arrows point the same way."""
    texts = [_makes_up(b, k) for k in range(2 if b.names[1] else 1)]
    text = " ".join(texts)
    if pairs := _alike(b):
        text += f" {' and '.join(pairs[0])} point the same way: rows high in one are high in both."
    if len(b.columns) > len(b.arrows):
        text += f" The {len(b.arrows)} longest of {len(b.columns)} arrows are drawn."
    return text


def _makes_up(b: Biplot, k: int) -> str:
    order = np.argsort(-np.abs(b.loadings[:, k]), kind="stable")[:2]
    named = [f"{b.columns[j]} ({b.loadings[j, k]:+.2f})" for j in order]
    return f"{b.names[k]} is made up most of {listed(named)}."


def _alike(b: Biplot) -> list[tuple[str, str]]:
    """Pairs of drawn columns whose arrows nearly coincide, the closest first."""
    drawn = np.sort(b.arrows)  # a pair is named in the order of the table
    unit = b.loadings[drawn]
    unit = unit / np.maximum(np.hypot(*unit.T), 1e-300)[:, None]
    cosines = np.triu(unit @ unit.T, 1)
    at = np.argwhere(cosines > CLOSE)
    at = at[np.argsort(-cosines[tuple(at.T)], kind="stable")]
    return [(b.columns[drawn[i]], b.columns[drawn[j]]) for i, j in at]


def table(b: Biplot) -> tuple[TableColumn, ...]:
    """One line a column: its entries in the two directions."""
    second = (TableColumn(b.names[1], b.loadings[:, 1]),) if b.names[1] else ()
    return (TableColumn("column", b.columns), TableColumn(b.names[0], b.loadings[:, 0]), *second)
