"""What joining members gains: the error of each by itself beside that of all together."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.theme import LIGHT, class_color, figure
from figures.view import TableColumn, View, joined, view
from mlcore.ensembles.capabilities import ComparesMembers
from mlcore.spine.asking import can
from mlcore.spine.capabilities import HasClasses
from mlcore.spine.wording import count, percent, rough

NAMED = 20  # members that have a line with their name each
ROW, ROOM, HEIGHT = 26, 110, 340  # pixels: a named member, axis and legend, all others together


class MemberErrors(NamedTuple):
    """Members by rising error."""

    names: tuple[str, ...]  # (b,)
    errors: np.ndarray  # (b,)
    joined: float
    is_share: bool  # of wrong rows; else in units of the target


@view(
    "member_errors",
    title="Members and the whole",
    asks=ComparesMembers,
    on="classification regression report",
    order=162,
    sources=("cs2:bagging_vote", "cs2:stacking"),
    synonyms=("ensemble members", "base learners", "wisdom of the crowd"),
)
def member_errors(fit: Any) -> View:
    """The error of each member by itself, and of all together, on rows not learned from."""
    return joined(numbers(fit), draw, reading, table, note="on rows left out inside the training")


def numbers(fit: Any) -> MemberErrors:
    """The errors of a fit; members without one are left out."""
    errors = np.asarray(fit.member_errors, dtype=np.float64)
    order = np.argsort(errors, kind="stable")[: np.count_nonzero(np.isfinite(errors))]
    names = tuple(fit.member_names[k] for k in order)
    return MemberErrors(names, errors[order], float(fit.joined_error), can(fit, HasClasses))


def draw(m: MemberErrors) -> go.Figure:
    """A mark a member, and an upright line for all together."""
    is_named = len(m.names) <= NAMED
    form = ".1%" if m.is_share else ".4~g"
    at = list(m.names) if is_named else np.arange(1, len(m.names) + 1)
    marks = go.Scatter(
        x=m.errors,
        y=at,
        mode="markers",
        name="one member",
        marker={"color": LIGHT.quiet, "size": 9 if is_named else 6},
        customdata=m.names,
        hovertemplate=f"member %{{customdata}}<br>error %{{x:{form}}}<extra></extra>",
    )
    ends = [at[0], at[-1]] if len(m.names) else []
    line = go.Scatter(
        x=[m.joined] * len(ends),
        y=ends,
        mode="lines+markers" if len(ends) and ends[0] == ends[-1] else "lines",
        name="all together",
        line={"color": class_color(0), "width": 3},
        hovertemplate=f"all together<br>error %{{x:{form}}}<extra></extra>",
    )
    axis = {"title": {"text": "Error" if m.is_share else "Error (root mean square)"}}
    upright = {"title": {"text": "Member" if is_named else "Members by error"}, "showgrid": False}
    return figure(
        marks,
        line,
        height=ROOM + ROW * max(len(m.names), 3) if is_named else HEIGHT,
        showlegend=True,
        xaxis=axis | ({"tickformat": ".0%"} if m.is_share else {}),
        yaxis=upright | ({"type": "category"} if is_named else {"tickformat": "d"}),
    )


def reading(m: MemberErrors) -> str:
    """The whole beside the best, the middle and the worst member."""
    if not len(m.errors):
        return "No member has left out a row, so there is nothing to compare."
    whole = _written(m, m.joined)
    text = f"All together err on {whole}" if m.is_share else f"All together have error {whole}"
    best, middle = _written(m, m.errors[0]), _written(m, float(np.median(m.errors)))
    text += f"; {count(len(m.errors), 'member')} alone: {best} the best, {middle} the median, "
    text += f"{_written(m, m.errors[-1])} the worst."
    better = int(np.count_nonzero(m.errors < m.joined))
    return text + (f" {count(better, 'member')} alone would do better." if better else "")


def _written(m: MemberErrors, error: float) -> str:
    return percent(error) if m.is_share else rough(error)


def table(m: MemberErrors) -> tuple[TableColumn, ...]:
    """One line a member, and one for all."""
    return (
        TableColumn("member", (*m.names, "all together")),
        TableColumn("error", np.append(m.errors, m.joined)),
    )
