"""How usual the rows are: a histogram of their scores with the threshold in it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import named_line
from figures.drawing.words import fitted_on
from figures.numbers.verdicts import Judged, how_many, judged
from figures.theme import LIGHT, class_color, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities import JudgesRows
from mlcore.spine.wording import count, plural, rough

HEIGHT = 340
BINS = 40
MOST_NUMBERED = 5_000  # rows that the bars can select: more would make the picture heavy


class Usualness(NamedTuple):
    """Rows counted by score."""

    judged: Judged
    ends: np.ndarray  # (b + 1,) of the bins
    kinds: tuple[str, ...]  # what is counted apart
    of: np.ndarray  # (n,) which of the kinds a row is
    bins: np.ndarray  # (n,) which bin
    rows: np.ndarray  # (n,) row numbers of the table
    n_below: int  # rows below the first end, which stand in the first bin


@view(
    "usualness_bars",
    title="Scores of the rows",
    asks=JudgesRows,
    on="novelty svm report",
    order=9,
    synonyms=("score histogram", "anomaly scores", "threshold"),
)
def usualness_bars(dataset: Dataset, whole: Whole) -> View:
    """How many rows have which score, and where the threshold parts them.

    Where classes are known, rows of the rarest stand apart: the method was not told.
    """
    u = numbers(dataset, whole)
    return joined(u, draw, reading, table, note=fitted_on(dataset, whole))


def numbers(dataset: Dataset, whole: Whole) -> Usualness:
    """The rows in bins of equal width; what is far below the threshold stands in the first."""
    j = judged(dataset, whole)
    top = float(j.usualness.max())
    low = max(float(j.usualness.min()), j.threshold - max(top - j.threshold, 0.0))
    if not np.isfinite(low) or low >= top:  # all rows alike, or no threshold at all
        low, top = float(j.usualness.min()), top
    wide = top - low if top > low else max(abs(top), 1.0) * 1e-6
    ends = np.linspace(low, low + wide, BINS + 1)
    bins = np.clip(((j.usualness - low) / wide * BINS).astype(np.int64), 0, BINS - 1)
    below = int((j.usualness < low).sum())
    if j.rare is None:
        return Usualness(j, ends, ("rows",), np.zeros(dataset.n, int), bins, dataset.rows, below)
    kinds = ("other classes", j.rare_name)
    return Usualness(j, ends, kinds, j.rare.astype(np.int64), bins, dataset.rows, below)


def draw(u: Usualness) -> go.Figure:
    """Stacked bars, a colour a kind."""
    middle, width = (u.ends[1:] + u.ends[:-1]) / 2, float(u.ends[1] - u.ends[0])
    bars = []
    for k, kind in enumerate(u.kinds):
        counts = np.bincount(u.bins[u.of == k], minlength=BINS)
        color = LIGHT.accent if len(u.kinds) == 1 else class_color(k)
        bar = go.Bar(
            x=middle, y=counts, width=width, name=kind, marker={"color": color},
            hovertemplate="%{y} rows about %{x:.4~g}<extra>" + kind + "</extra>",
        )  # fmt: skip
        if len(u.rows) <= MOST_NUMBERED:
            own = [u.rows[(u.of == k) & (u.bins == b)].tolist() for b in range(BINS)]
            marks.numbered(bar, own)
        bars.append(bar)
    name = u.judged.name
    fig = figure(
        *bars,
        height=HEIGHT,
        barmode="stack",
        bargap=0.0,
        xaxis={"title": {"text": f"{name[:1].upper()}{name[1:]}"}},
        yaxis={"title": {"text": "Rows"}},
        showlegend=len(bars) > 1,
        legend={"y": 1.14},  # above the name of the threshold, which needs room too
        margin={"t": 56 if len(bars) > 1 else 32},
    )
    if not np.isfinite(u.judged.threshold):
        return fig
    return named_line(fig, f"threshold {rough(u.judged.threshold)}", x=u.judged.threshold)


def reading(u: Usualness) -> str:
    """How many rows lie outside, and how many are too far below to be drawn there."""
    text = how_many(u.judged)
    if u.n_below:
        text += f" The first bar holds {count(u.n_below, 'row')} that "
        text += f"{plural(u.n_below, 'lies', 'lie')} still lower, down to "
        text += f"{rough(float(u.judged.usualness.min()))}."
    return text


def table(u: Usualness) -> tuple[TableColumn, ...]:
    """One line a bin."""
    counts = [np.bincount(u.bins[u.of == k], minlength=BINS) for k in range(len(u.kinds))]
    return (
        TableColumn("score from", u.ends[:-1]),
        TableColumn("to", u.ends[1:]),
        *(TableColumn(kind, own) for kind, own in zip(u.kinds, counts, strict=True)),
    )
