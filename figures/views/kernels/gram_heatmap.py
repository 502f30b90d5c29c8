"""The Gram matrix: how alike every two rows are to a kernel."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import across
from figures.drawing.traces import SIGNED, color_bar
from figures.numbers.grams import Grams, gram_of, of_which
from figures.theme import LIGHT, SEQUENTIAL, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.wording import rough
from mlcore.svm.capabilities import HasSupportVectors

HEIGHT = 400
ALONE = 0.05  # of k(x, x): below it on average, rows are alike to none but themselves
ALIKE = 0.9  # above it, all rows are


class GramMap(NamedTuple):
    """A Gram matrix and its means by class."""

    gram: Grams
    means: np.ndarray  # (K, K) of pairs of different rows; NaN for a class of one row with itself
    own: float  # mean of k(x, x)
    other: float  # mean over pairs of different rows


@view(
    "gram_heatmap",
    title="Gram matrix",
    asks=HasSupportVectors,
    on="svm",
    order=70,
    sources=("prac:kernel_matrix", "cs1:gram_matrix", "epfl:kernel_selection"),
    synonyms=("kernel matrix",),
)
def gram_heatmap(dataset: Dataset, whole: Whole) -> View:
    """The kernel of every two rows, ordered by class: blocks are classes that it tells apart."""
    g = numbers(dataset, whole)
    return joined(g, draw, reading, table, note=of_which(g.gram))


def numbers(dataset: Dataset, whole: Whole) -> GramMap:
    """The matrix, and its means within and between the classes."""
    g = gram_of(dataset, whole)
    pairs = ~np.eye(len(g.K), dtype=bool)
    k = len(g.names)
    member = g.klass[:, None] == np.arange(k)
    sums = member.T @ np.where(pairs, g.K, 0.0) @ member
    counts = member.T.astype(float) @ pairs @ member
    means = np.divide(sums, counts, out=np.full((k, k), np.nan), where=counts > 0)
    other = float(g.K[pairs].mean()) if pairs.any() else float("nan")
    return GramMap(g, means, float(np.diag(g.K).mean()), other)


def draw(g: GramMap) -> go.Figure:
    """A cell a pair of rows, lines between the classes."""
    K, n = g.gram.K, len(g.gram.K)
    is_signed = bool(K.min() < -1e-9 * np.abs(K).max())
    top = float(np.abs(K).max()) or 1.0
    heat = go.Heatmap(
        z=K.astype(np.float32),
        zmin=-top if is_signed else 0.0,
        zmax=top,
        colorscale=SIGNED if is_signed else SEQUENTIAL,
        colorbar=color_bar("alike"),
        hovertemplate="rows %{x} and %{y} in this order<br>%{z:.4~g}<extra></extra>",
    )
    starts = np.flatnonzero(np.diff(g.gram.klass)) + 0.5
    ends = np.concatenate([[-0.5], starts, [n - 0.5]])
    middles = (ends[:-1] + ends[1:]) / 2
    shown = [g.gram.names[k] for k in dict.fromkeys(g.gram.klass.tolist())]
    plain = {"showgrid": False, "showline": False, "ticks": ""}
    named = plain | {"tickvals": middles, "ticktext": shown} if len(shown) > 1 else plain
    fig = figure(heat, height=HEIGHT, xaxis=named, yaxis=named | {"autorange": "reversed"})
    for at in starts if len(shown) <= 12 else ():
        across(fig, x=at, line=_between())
        across(fig, y=at, line=_between())
    return fig.update_xaxes(constrain="domain").update_yaxes(scaleanchor="x", constrain="domain")


def _between() -> dict[str, object]:
    return {"color": LIGHT.background, "width": 1.5}


def reading(g: GramMap) -> str:
    """The kernel, and whether its rows stand alone, are all alike, or form blocks."""
    text = f"{g.gram.kernel_text}. "
    if not np.isfinite(g.other):
        return f"{text}There is a single row."
    text += f"Two different rows are alike by {rough(g.other)} on average, "
    text += f"a row to itself by {rough(g.own)}."
    if abs(g.other) < ALONE * abs(g.own) and g.gram.K.min() >= 0:
        return f"{text} Nearly every row stands alone: the kernel is narrow."
    if g.other > ALIKE * g.own:
        return f"{text} Nearly all rows are alike: the kernel is wide."
    if len(g.gram.names) < 2:
        return text
    within = np.diag(g.means)
    between = g.means[~np.eye(len(g.means), dtype=bool)]
    text += f" Rows of one class are alike by {rough(float(np.nanmean(within)))}, "
    return text + f"of two classes by {rough(float(np.nanmean(between)))}."


def table(g: GramMap) -> tuple[TableColumn, ...]:
    """Means by class, one line a class."""
    return (
        TableColumn("class", g.gram.names),
        *(TableColumn(f"alike to {name}", g.means[:, k]) for k, name in enumerate(g.gram.names)),
    )
