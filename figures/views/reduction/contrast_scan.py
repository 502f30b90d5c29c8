"""The contrast of every direction in the plane of two sources: whether these are its peaks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import named_line
from figures.options import Offered, Options, Values, among
from figures.theme import class_color, figure
from figures.view import TableColumn, View, joined, view
from mlcore.reduction.capabilities import HasSources
from mlcore.runs.carry import Whole
from mlcore.spine.errors import DataError
from mlcore.spine.params import integer
from mlcore.spine.wording import count, rough

HEIGHT = 340
ANGLES = np.arange(0.0, 181.0)  # degrees; a direction and its opposite have the same contrast
MOST_ROWS = 20_000  # whose contrast is averaged
NEAR = 5.0  # degrees within which a peak is where a source was found


def _sources(offered: Offered) -> Values:
    return {k: column.name for k, column in enumerate(offered["fit"].out_columns, start=1)}


@dataclass(frozen=True, kw_only=True)
class TwoSources(Options):
    """The sources between which is turned."""

    first: int = among(
        integer(1, low=1, soft=(1, 10), label="From", doc="The source at 0 degrees."), _sources
    )
    second: int = among(
        integer(
            2,
            low=1,
            soft=(1, 10),
            label="Towards",
            doc="The source at 90 degrees; if it is the same, the next.",
        ),
        _sources,
    )


class Scan(NamedTuple):
    """The contrast along a half turn."""

    contrasts: np.ndarray  # (a,) of the directions at `ANGLES`
    limit: float  # what normal rows stay below
    names: tuple[str, str]
    n: int  # rows


@view(
    "contrast_scan",
    title="Contrast of every direction",
    asks=HasSources,
    options=TwoSources,
    on="reduction report",
    order=222,
    sources=("epfl:ica_contrast_logcosh", "mi2:kurtosis", "mi2:fastica_one_unit"),
    synonyms=("negentropy by angle", "kurtosis by angle", "rotation of whitened data"),
)
def contrast_scan(whole: Whole, *, options: TwoSources) -> View:
    """How far from normal the white rows are in each direction between two sources.

    Below the dotted line a direction cannot be told from one of normal rows.
    """
    c = numbers(whole, options.first - 1, options.second - 1)
    return joined(c, draw, reading, table, note="on the rows that the sources were found in")


def numbers(whole: Whole, first: int = 0, second: int = 1) -> Scan:
    """The contrast at every degree. Raises DataError where there are no two sources."""
    fit, X = whole.fit, whole.prepared.X
    if len(fit.out_columns) < 2:
        raise DataError("A single source has no plane to turn in. Keep two sources or more.")
    if first == second:
        second = (first + 1) % len(fit.out_columns)
    if len(X) > MOST_ROWS:
        X = X[np.random.default_rng(0).choice(len(X), MOST_ROWS, replace=False)]
    S = fit.transform(X)[:, [first, second]]
    angles = np.radians(ANGLES)
    turned = (S @ np.array([[np.cos(a)], [np.sin(a)]]) for a in angles)
    contrasts = np.array([fit.contrast(u)[0] for u in turned])
    names = fit.out_columns[first].name, fit.out_columns[second].name
    return Scan(contrasts, fit.normal_limit(len(X), 2), names, len(X))


def draw(c: Scan) -> go.Figure:
    """The curve, the two sources, and the line of normal rows."""
    line = go.Scatter(
        x=ANGLES, y=c.contrasts, mode="lines", line={"color": class_color(0), "width": 2},
        hovertemplate="%{x} degrees<br>contrast %{y:.3~g}<extra></extra>",
    )  # fmt: skip
    title = f"Direction, in degrees from {c.names[0]}"
    fig = figure(
        line, height=HEIGHT, showlegend=False, margin={"t": 36},
        xaxis={"title": {"text": title}, "range": [0, 180], "dtick": 30},
        yaxis={"title": {"text": "Contrast"}, "rangemode": "tozero"},
    )  # fmt: skip
    named_line(fig, c.names[1], x=90)
    return named_line(fig, "normal rows stay below", y=c.limit)


def peaks(c: Scan) -> np.ndarray:
    """Angles of the peaks that rise above the line of normal rows, in degrees from 0 to 179."""
    around = c.contrasts[:-1]  # the last is the first
    is_peak = (around > np.roll(around, 1)) & (around >= np.roll(around, -1)) & (around > c.limit)
    return ANGLES[:-1][is_peak]


def reading(c: Scan) -> str:
    """Where the peaks are, and whether the sources stand on them."""
    tops = peaks(c)
    if not len(tops):
        return (
            f"No direction between {c.names[0]} and {c.names[1]} rises above what {c.n:,} normal "
            "rows may have: any rotation of the two is as good."
        )
    off = np.abs((tops[:, None] - [0.0, 90.0] + 90) % 180 - 90)  # of each peak from each source
    on = [name for name, away in zip(c.names, off.min(axis=0), strict=True) if away <= NEAR]
    stand = {0: "neither source stands", 1: f"{''.join(on)} alone stands", 2: "both sources stand"}
    text = f"{count(len(tops), 'peak')} above the line of normal rows: {stand[len(on)]} on a peak."
    ends = rough(float(c.contrasts.max())), rough(float(c.contrasts.min()))
    return f"{text} The contrast is between {ends[1]} and {ends[0]}."


def table(c: Scan) -> tuple[TableColumn, ...]:
    """One line a degree."""
    return TableColumn("degrees", ANGLES), TableColumn("contrast", c.contrasts)
