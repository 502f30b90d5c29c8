"""The out-of-bag error of an ensemble against the number of its members."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import CURVE
from figures.theme import LIGHT, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.ensembles.capabilities import HasOutOfBag
from mlcore.runs.carry import Whole
from mlcore.spine.asking import can
from mlcore.spine.capabilities import HasClasses
from mlcore.spine.wording import count, percent, plural, rough

HEIGHT = 300
FEW = 60  # members whose errors are marked one by one
SETTLED = 0.02  # of the range of the curve: errors that differ by less are the same


class OutOfBagCurve(NamedTuple):
    """Errors by number of members."""

    members: np.ndarray  # (b,) from the first that has left a row out
    errors: np.ndarray  # (b,)
    rows: np.ndarray  # (b,) that some of the members have left out
    n: int  # rows of the fit
    is_share: bool  # of wrong rows; else in units of the target


@view(
    "oob_curve",
    title="Out-of-bag error",
    asks=HasOutOfBag,
    on="classification regression report",
    order=155,
    sources=("cs2:random_forest",),
    synonyms=("OOB error", "oob_score", "out-of-bag score", "n_estimators"),
)
def oob_curve(fit: Any, dataset: Dataset, whole: Whole | None = None) -> View:
    """The error on each row by those members alone that have not learned from it.

    An error on new rows, for which none had to be held out.
    """
    n = dataset.n if whole is None else len(whole.prepared.X)
    note = "on rows left out of some members"
    return joined(numbers(fit, n), draw, reading, table, note=note)


def numbers(fit: Any, n: int) -> OutOfBagCurve:
    """The errors of a fit to n rows."""
    here = np.isfinite(fit.oob_errors)
    members = np.arange(1, len(here) + 1)
    errors, rows = fit.oob_errors[here], fit.oob_rows[here]
    return OutOfBagCurve(members[here], errors, rows, n, can(fit, HasClasses))


def draw(c: OutOfBagCurve) -> go.Figure:
    """One line, with marks where there are few members."""
    form = ".1%" if c.is_share else ".4~g"
    trace = go.Scatter(
        x=c.members,
        y=c.errors,
        uid=CURVE,
        mode="lines+markers" if len(c.members) <= FEW else "lines",
        line={"color": LIGHT.accent},
        marker={"size": 5},
        customdata=c.rows,
        hovertemplate=f"%{{x}} members<br>error %{{y:{form}}}<br>on %{{customdata}} rows"
        "<extra></extra>",
    )
    title = "Error" if c.is_share else "Error (root mean square)"
    axis = {"title": {"text": title}, "rangemode": "tozero"}
    return figure(
        trace,
        height=HEIGHT,
        showlegend=False,
        xaxis={"title": {"text": "Members"}, "tickformat": "d"},
        yaxis=axis | ({"tickformat": ".0%"} if c.is_share else {}),
    )


def reading(c: OutOfBagCurve) -> str:
    """The last error, from where on it hardly changes, and how many rows it counts."""
    if not len(c.errors):
        return "Every member has learned from every row, so there is no out-of-bag error."
    last, room = float(c.errors[-1]), SETTLED * np.ptp(c.errors)
    text = f"{_written(c, last)} with {count(int(c.members[-1]), 'member')}."
    far = np.flatnonzero(np.abs(c.errors - last) > room)
    first = int(c.members[far[-1] + 1]) if len(far) else int(c.members[0])
    if first < 0.7 * c.members[-1]:
        text += f" From {count(first, 'member')} on it hardly changes: fewer would do."
    if never := c.n - int(c.rows[-1]):
        are = plural(never, "is", "are")
        text += f" {count(never, 'row')} took part in every member and {are} not counted."
    return text


def _written(c: OutOfBagCurve, error: float) -> str:
    return f"{percent(error)} of the rows are wrong" if c.is_share else f"Error {rough(error)}"


def table(c: OutOfBagCurve) -> tuple[TableColumn, ...]:
    """One line a member."""
    return (
        TableColumn("members", c.members),
        TableColumn("out-of-bag error", c.errors),
        TableColumn("rows", c.rows),
    )
