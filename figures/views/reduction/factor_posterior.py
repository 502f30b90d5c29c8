"""Factors of rows with what the rows leave open about them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import CURVE
from figures.drawing.ways import in_one_line
from figures.drawing.words import fitted_on
from figures.numbers.sampled import drawn_rows
from figures.theme import LIGHT, faded
from figures.view import TableColumn, View, joined, view
from figures.views.reduction import embedding_scatter as scatter
from mlcore.data.dataset import Dataset
from mlcore.reduction.capabilities import HasFactors
from mlcore.runs.carry import Whole
from mlcore.spine.wording import count, percent, plural

CORNERS = 49  # of the polygon that is drawn for an ellipse
MOST_ROWS = 120  # that have an ellipse: more hide each other
INSIDE = 0.5  # probability within an ellipse of two factors
KNOWN = 0.5  # of its variance before a row is seen, below which a factor is mostly known


class Posterior(NamedTuple):
    """Rows at the means of two factors, and the ellipse that holds for each."""

    embedding: scatter.Embedding
    outline: np.ndarray  # (c, 2) about the mean of a row
    at: np.ndarray  # (m,) rows of the cloud that have an ellipse
    left: np.ndarray  # (q,) variance of each factor given a row; 1 before
    names: tuple[str, ...]  # (q,)


@view(
    "factor_posterior",
    title="Factors with what is left open",
    asks=HasFactors,
    options=scatter.TwoCoordinates,
    on="reduction report",
    order=223,
    sources=("epfl:ppca_posterior",),
    synonyms=("posterior ellipses", "uncertainty of the embedding", "factor scores"),
)
def factor_posterior(dataset: Dataset, whole: Whole, *, options: scatter.TwoCoordinates) -> View:
    """Rows at the means of their factors, in an ellipse that holds the factors with half chance.

    A row tells its factors only through noise; the more columns go with a factor, and the less
    noise they have, the smaller the ellipse. It is the same for every row.
    """
    p = numbers(dataset, whole, options.first - 1, options.second - 1)
    return joined(p, draw, reading, table, note=fitted_on(dataset, whole))


def numbers(dataset: Dataset, whole: Whole, first: int = 0, second: int = 1) -> Posterior:
    """Means and the common covariance of two factors; of a single one, an interval."""
    e = scatter.numbers(dataset, whole, first=first, second=second)
    covariance = whole.fit.posterior(whole.prepared.X[:1]).covariance
    own = [k for k in e.at if k < e.q]
    spread = np.zeros((2, 2))
    spread[: len(own), : len(own)] = covariance[np.ix_(own, own)]
    names = tuple(column.name for column in whole.fit.out_columns)
    at = drawn_rows(e.cloud.n, MOST_ROWS)
    return Posterior(e, _outline(spread, is_plane=len(own) > 1), at, covariance.diagonal(), names)


def _outline(spread: np.ndarray, is_plane: bool) -> np.ndarray:
    """Corners of the set that holds a normal number with half chance, shape (c, 2)."""
    if not is_plane:
        reach = 0.67449 * float(np.sqrt(spread[0, 0]))  # the upper quartile of a normal number
        return np.array([[-reach, 0.0], [reach, 0.0]])
    values, vectors = np.linalg.eigh(spread)
    angles = np.linspace(0.0, 2.0 * np.pi, CORNERS)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    radius = np.sqrt(-2.0 * np.log(1.0 - INSIDE))
    return radius * circle * np.sqrt(np.maximum(values, 0.0)) @ vectors.T


def draw(p: Posterior) -> go.Figure:
    """Outlines behind, as one line, and the rows on top."""
    fig = scatter.draw(p.embedding)
    cloud = p.embedding.cloud
    centers = np.column_stack([cloud.x, cloud.y])[p.at]
    x, y = in_one_line(centers[:, None] + p.outline)
    around = go.Scatter(
        x=x, y=y, mode="lines", uid=CURVE, hoverinfo="skip", showlegend=False,
        line={"color": faded(LIGHT.text, 0.3), "width": 1},
    )  # fmt: skip
    fig.add_trace(around)
    fig.data = (fig.data[-1], *fig.data[:-1])
    return fig


def reading(p: Posterior) -> str:
    """How much of each factor a row leaves open."""
    shares = [f"{percent(float(v))} of {name}" for name, v in zip(p.names, p.left, strict=True)]
    text = f"A row leaves open {' and '.join(shares[:2])}"
    open_ones = int((p.left > KNOWN).sum())
    if len(shares) > 2 and open_ones:
        text += f", and more than half of {open_ones} of {len(shares)} factors"
    text += ", as a share of the variance before it is seen."
    if len(p.at) < p.embedding.cloud.n:
        n = len(p.at)
        text += f" {count(n, 'row')} {plural(n, 'has its', 'have their')} outline."
    return text


def table(p: Posterior) -> tuple[TableColumn, ...]:
    """One line a factor."""
    return (
        TableColumn("factor", p.names),
        TableColumn("variance given a row", p.left),
        TableColumn("standard deviation", np.sqrt(p.left)),
    )
