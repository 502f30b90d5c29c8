"""What a map keeps of each column: its variance that the way back from the map gives again."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.words import fitted_on
from figures.names import cut
from figures.numbers.sampled import drawn_rows
from figures.theme import SHARE, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.maths.arrays import constant_columns
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities import Inverts, Transforms
from mlcore.spine.errors import DataError
from mlcore.spine.wording import percent

ROW, ROOM = 24, 90  # pixels of a column, and of the axis
MOST = 30  # columns that are drawn, those of which least is kept
MOST_ROWS = 1_000  # that are led back: the way of some maps is long
LETTERS = 24  # of the name of a column
ALIKE = 1e-4  # difference of shares that is not told
LEAST = -0.5  # share that is drawn: a column may come back worse than by its mean


class Kept(NamedTuple):
    """The share of the variance that comes back, the largest first."""

    names: tuple[str, ...]  # (p,) columns that vary
    shares: np.ndarray  # (p,) 1 - squared error / squared distance from the mean
    total: float  # of all columns together, as prepared
    n_rows: int


@view(
    "kept_of_columns",
    title="What is kept of each column",
    asks=(Transforms, Inverts),
    on="reduction report",
    order=242,
    sources=("prac:pca_reconstruct", "epfl:pca_explained"),
    synonyms=(
        "reconstruction error", "communality", "R squared of columns", "reconstruction",
        "explained variance by column",
    ),
)  # fmt: skip
def kept_of_columns(dataset: Dataset, whole: Whole) -> View:
    """The share of the variance of a column in rows that went into the map and back.

    1 is a column that comes back as it was, 0 one of which only the mean does.
    """
    return joined(numbers(dataset, whole), draw, reading, table, note=fitted_on(dataset, whole))


def numbers(dataset: Dataset, whole: Whole) -> Kept:
    """Over all rows, or some that are drawn. Raises DataError where they do not differ."""
    at = drawn_rows(dataset.n, MOST_ROWS)
    X, fit = whole.prepared.transform(dataset.X[at]), whole.fit
    varies = ~constant_columns(X)
    if not varies.any():
        raise DataError("No prepared column varies in these rows, so none can be kept or lost.")
    back = fit.inverse_transform(fit.transform(X))
    lost = ((X - back) ** 2).sum(axis=0)[varies]
    spread = ((X - X.mean(axis=0)) ** 2).sum(axis=0)[varies]
    shares = 1.0 - lost / spread
    order = np.argsort(-shares, kind="stable")
    names = [c.name for c, v in zip(whole.prepared.columns, varies, strict=True) if v]
    total = float(1.0 - lost.sum() / spread.sum())
    return Kept(tuple(names[j] for j in order), shares[order], total, len(at))


def draw(k: Kept) -> go.Figure:
    """A bar a column; of many columns those of which least is kept."""
    shares, names = k.shares[-MOST:], k.names[-MOST:]
    bars = go.Bar(
        x=np.maximum(shares, LEAST), y=list(range(len(names))), orientation="h",
        marker_color=SHARE, text=[percent(float(share)) for share in shares],
        textposition="auto", customdata=list(zip(names, shares.tolist(), strict=True)),
        hovertemplate="%{customdata[0]}<br>%{customdata[1]:.2%} is kept<extra></extra>",
    )  # fmt: skip
    low = min(0.0, max(float(shares.min()), LEAST))
    return figure(
        bars, height=ROOM + ROW * max(len(names), 4), showlegend=False,
        xaxis={
            "title": {"text": "Variance that comes back"}, "tickformat": ".0%",
            "range": [1.05 * low, 1.02],
        },
        yaxis={
            "autorange": "reversed", "showgrid": False, "ticks": "",
            "tickvals": list(range(len(names))),
            "ticktext": [cut(name, LETTERS) for name in names],
        },
    )  # fmt: skip


def reading(k: Kept) -> str:
    """What all columns keep together, and of which least is kept."""
    text = f"{percent(k.total)} of the variance of all columns together comes back"
    if k.shares[0] - k.shares[-1] > ALIKE:
        text += f", most of {k.names[0]} ({percent(float(k.shares[0]))}) and least of "
        text += f"{k.names[-1]} ({percent(float(k.shares[-1]))})"
    text += "."
    if k.shares[-1] < 0:
        text += " Below zero the mean of the column would be nearer to its values."
    if len(k.names) > MOST:
        text += f" The {MOST} of {len(k.names)} columns of which least is kept are drawn."
    return text


def table(k: Kept) -> tuple[TableColumn, ...]:
    """One line a column."""
    return (TableColumn("column", k.names), TableColumn("share kept", k.shares))
