"""Students and wrestlers: membership, a line, neighbours, and questions about single rows."""

from __future__ import annotations

from typing import Any

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.lab import picture, plot
from figures.theme import LIGHT, class_color
from figures.view import TableColumn, View
from mlcore.labs.classification.students import StudentsSeen
from mlcore.spine.wording import count, percent, rough

NAMES = ("others", "wrestlers")
KG, CM = "Weight in kg", "Height in cm"


def pictures(s: StudentsSeen) -> tuple[View, ...]:
    """Four panels of one table."""
    return (
        picture("Who belongs here", s, draw_members, members_reading, table),
        picture("A line and its score", s, draw_line, line_reading, table),
        picture("A vote of neighbours", s, draw_votes, votes_reading, table),
        picture("Whom to ask next", s, draw_questions, questions_reading, questions_table),
    )


def _students(s: StudentsSeen) -> list[Any]:
    return [
        marks.points(*s.X[s.y == k].T, klass=k, hollow=True, name=name)
        for k, name in enumerate(NAMES)
    ]


def _person(s: StudentsSeen) -> go.Scatter:
    mark = {"color": LIGHT.text, "symbol": "diamond", "size": 12}
    return go.Scatter(
        x=s.person[:1], y=s.person[1:], mode="markers", marker=mark, name="the person"
    )


def _plane(s: StudentsSeen, *traces: Any) -> go.Figure:
    fig = plot(*traces, *_students(s), _person(s), x=KG, y=CM)
    fig.update_xaxes(range=[s.weights[0], s.weights[-1]])
    return fig.update_yaxes(range=[s.heights[0], s.heights[-1]]).update_layout(height=380)


def draw_members(s: StudentsSeen) -> go.Figure:
    """The accepted region has a colour."""
    inside = np.where(s.remote <= s.threshold, 2, -1)
    region = marks.regions(s.weights, s.heights, inside, np.full(s.remote.shape, 0.7))
    return _plane(s, region)


def members_reading(s: StudentsSeen) -> str:
    """The verdict on the person, and how many students are accepted."""
    verdict = "belongs here" if s.person_remote <= s.threshold else "is rejected"
    return (
        f"The two students nearest to the person are {rough(s.person_remote)} away on average, "
        f"with a threshold of {rough(s.threshold)}: the person {verdict}. {percent(s.accepted)} of "
        "the students are accepted when their own row is left out."
    )


def table(s: StudentsSeen) -> tuple[TableColumn, ...]:
    """One line a student."""
    return (
        TableColumn("weight in kg", s.X[:, 0]),
        TableColumn("height in cm", s.X[:, 1]),
        TableColumn("wrestler", s.y.astype(bool)),
        TableColumn("score of the line", s.scores),
    )


def draw_line(s: StudentsSeen) -> go.Figure:
    """The line, its sides, and rings around the students on the wrong one."""
    a, b, c = s.line
    score = a * s.weights + b * s.heights[:, None] + c
    sure = np.clip(np.abs(score) / np.hypot(a, b) / 40, 0.05, 0.8)
    region = marks.regions(s.weights, s.heights, (score > 0).astype(int), sure)
    at = -(b * s.heights + c) / a
    style = {"color": LIGHT.text, "width": 2}
    border = go.Scatter(x=at, y=s.heights, mode="lines", line=style, hoverinfo="skip")
    wrong = (s.scores > 0) != s.y
    return _plane(s, region, border).add_trace(marks.rings(*s.X[wrong].T, name="wrong side"))


def line_reading(s: StudentsSeen) -> str:
    """How many are on the wrong side, and the score of the person."""
    wrong = int(((s.scores > 0) != s.y).sum())
    far = s.person_score / float(np.hypot(*s.line[:2]))
    side = NAMES[int(s.person_score > 0)]
    return (
        f"{count(wrong, 'student')} of {len(s.y)} on the wrong side. The person has the "
        f"score {rough(s.person_score)}, {rough(abs(far))} from the line on the side of the "
        f"{side}."
    )


def draw_votes(s: StudentsSeen) -> go.Figure:
    """Regions of the majority, pale where the vote is close."""
    klass = (s.wrestling > 0.5).astype(int)
    return _plane(s, marks.regions(s.weights, s.heights, klass, np.abs(2 * s.wrestling - 1)))


def votes_reading(s: StudentsSeen) -> str:
    """The vote on the person."""
    return (
        f"{percent(s.person_wrestling)} of the votes on the person are for wrestlers. Neighbours "
        "vote even where there is nobody near."
    )


def draw_questions(s: StudentsSeen) -> go.Figure:
    """Students without a label are small and grey."""
    unknown = ~s.is_labelled
    grey = {"color": class_color(-1), "size": 6}
    known = [
        marks.points(*s.X[s.is_labelled & (s.y == k)].T, klass=k, name=name)
        for k, name in enumerate(NAMES)
    ]
    fig = plot(
        marks.points(*s.X[unknown].T, klass=-1, name="no label", marker=grey),
        *known,
        marks.rings(*s.X[s.queries].T, name="asked next"),
        x=KG,
        y=CM,
    )
    return fig.update_layout(height=380)


def questions_reading(s: StudentsSeen) -> str:
    """Labels, questions, and errors before and after."""
    before, after = (percent(e) for e in s.errors)
    return (
        f"{count(int(s.is_labelled.sum()), 'student')} with a label. On the other rows "
        f"their votes are wrong for {before}; with the two answers for {after}."
    )


def questions_table(s: StudentsSeen) -> tuple[TableColumn, ...]:
    """One line a student."""
    return (
        TableColumn("weight in kg", s.X[:, 0]),
        TableColumn("height in cm", s.X[:, 1]),
        TableColumn("has a label", s.is_labelled),
        TableColumn("asked next", np.isin(np.arange(len(s.X)), s.queries)),
    )
