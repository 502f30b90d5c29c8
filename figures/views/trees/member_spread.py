"""How far the members of an ensemble lie apart in what they say of a quantity."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import HEIGHT, dated, row_texts
from figures.drawing.words import fitted_on
from figures.numbers.projections import Projection, of_columns
from figures.theme import LIGHT, faint_marks, figure
from figures.view import TableColumn, View, joined, view
from figures.views.classification.decision_regions import kinds_of, on_plane
from mlcore.data.dataset import Dataset
from mlcore.ensembles.capabilities import HasMemberValues
from mlcore.runs.carry import Whole
from mlcore.spine.wording import count, plural, rough

MOST_CURVES = 40  # members that are drawn as curves
MOST_ROWS = 2_000  # that are marks; of more rows evenly spaced ones


class MemberSpread(NamedTuple):
    """What the members say of rows, and along the only column if there is one."""

    rows: np.ndarray  # (m,) row numbers of the table
    mean: np.ndarray  # (m,) of the members, in units of the target
    spread: np.ndarray  # (m,) standard deviation of the members
    truth: np.ndarray  # (m,)
    n_members: int
    alone: float  # root mean square error of a member on these rows, over all members
    together: float  # of their mean
    target: str
    shown: Projection | None  # where there is one column
    x: np.ndarray  # (m,) its values
    curves: np.ndarray  # (b, c) of some members along it


@view(
    "member_spread",
    title="Spread of the members",
    asks=HasMemberValues,
    on="regression report",
    order=165,
    sources=("cs2:bagging_regression",),
    synonyms=(
        "committee", "ambiguity decomposition", "deep ensemble", "uncertainty", "disagreement",
    ),
)  # fmt: skip
def member_spread(dataset: Dataset, whole: Whole) -> View:
    """What each member says along the column, or by row how far the members lie apart.

    What they differ by is what averaging saves; where they differ much, the rows say little.
    """
    s = numbers(dataset, whole)
    return joined(s, draw, reading, table, note=fitted_on(dataset, whole), rows=s.rows)


def numbers(dataset: Dataset, whole: Whole) -> MemberSpread:
    """Means and spreads at the fitted rows, of evenly spaced ones if there are many."""
    fit: Any = whole.fit
    at = np.unique(np.linspace(0, dataset.n - 1, min(dataset.n, MOST_ROWS)).astype(np.int64))
    answers = fit.member_values(whole.prepared.transform(dataset.X[at]))
    truth, mean = np.asarray(dataset.y, dtype=float)[at], answers.mean(axis=1)
    shown, curves = None, np.zeros((0, 0))
    if len(dataset.columns) == 1:
        shown = of_columns(dataset, whole.prepared)
        curves = fit.member_values(shown.cells).T[:MOST_CURVES]
    return MemberSpread(
        dataset.rows[at], mean, answers.std(axis=1), truth, answers.shape[1],
        _root_mean_square(answers - truth[:, None]), _root_mean_square(mean - truth),
        dataset.target or "", shown, dataset.X[at, 0], curves,
    )  # fmt: skip


def _root_mean_square(errors: np.ndarray) -> float:
    return float(np.sqrt(np.mean(errors**2)))


def draw(s: MemberSpread) -> go.Figure:
    """Curves along one column, else a mark a row: what is predicted, and the spread above it."""
    return _scatter(s) if s.shown is None else _curves(s, s.shown)


def _curves(s: MemberSpread, shown: Projection) -> go.Figure:
    kind = kinds_of(shown.plane)[0]
    place = dated(shown.plane.x.cells, kind)
    # One trace: a gap parts the members.
    x = np.tile(np.append(place, place[-1:]), len(s.curves))
    y = np.column_stack([s.curves, np.full(len(s.curves), np.nan)]).ravel()
    members = go.Scatter(
        x=x, y=y, mode="lines", name="a member", hoverinfo="skip",
        line={"color": LIGHT.quiet, "width": 1}, opacity=0.45,
    )  # fmt: skip
    mean = go.Scatter(
        x=place, y=s.curves.mean(axis=0), mode="lines", name="their mean",
        line={"color": LIGHT.accent, "width": 2.5}, hovertemplate="%{y:.4~g}<extra></extra>",
    )  # fmt: skip
    rows = go.Scatter(
        x=dated(s.x, kind), y=s.truth, mode="markers", name="rows",
        marker=faint_marks(4, 0.6, color=LIGHT.text),
        text=row_texts(s.rows), hovertemplate="%{text}<br>%{y:.4~g}<extra></extra>",
    )  # fmt: skip
    fig = on_plane(
        figure(members, mean, marks.numbered(rows, s.rows), height=HEIGHT, showlegend=True), shown
    )
    seen = np.append(s.curves.ravel(), s.truth)
    low, high = float(seen.min()), float(seen.max())
    room = 0.05 * ((high - low) or 1.0)
    return fig.update_yaxes(visible=True, title={"text": s.target}, range=[low - room, high + room])


def _scatter(s: MemberSpread) -> go.Figure:
    rows = go.Scatter(
        x=s.mean, y=s.spread, mode="markers",
        marker={"size": 6, "color": LIGHT.accent, "opacity": 0.6}, showlegend=False,
        text=row_texts(s.rows, [f"{y:.4g} in truth" for y in s.truth]),
        hovertemplate="%{text}<br>mean %{x:.4~g}<br>spread %{y:.3~g}<extra></extra>",
    )  # fmt: skip
    return figure(
        marks.numbered(rows, s.rows),
        height=HEIGHT,
        xaxis={"title": {"text": f"Mean of the members ({s.target})"}},
        yaxis={"title": {"text": "Standard deviation of the members"}, "rangemode": "tozero"},
    )


def reading(s: MemberSpread) -> str:
    """How far they lie apart, what averaging saves by it, and where most."""
    apart = float(np.sqrt(np.mean(s.spread**2)))
    text = (
        f"{count(s.n_members, 'member')} {plural(s.n_members, 'lies', 'lie')} {rough(apart)} apart "
        "(standard deviation). On the "
        f"rows they were fitted to a member errs by {rough(s.alone)}, their mean by "
        f"{rough(s.together)}: the squares differ by just what they lie apart."
    )
    if s.n_members == 1:
        return "One member has nobody to differ from."
    k = int(s.spread.argmax())
    return f"{text} They differ most on row {s.rows[k] + 1}, by {rough(float(s.spread[k]))}."


def table(s: MemberSpread) -> tuple[TableColumn, ...]:
    """One line a row."""
    return (
        TableColumn("row", s.rows + 1),
        TableColumn("mean", s.mean),
        TableColumn("spread", s.spread),
        TableColumn("target", s.truth),
    )
