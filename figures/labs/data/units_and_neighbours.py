"""Units and neighbours: the cloud, the cloud as a method sees it, and the share of each column."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.lab import picture, plot
from figures.theme import LIGHT, class_color
from figures.view import TableColumn, View
from mlcore.labs.data.units_and_neighbours import NEAREST, Units
from mlcore.spine.wording import count, percent, rough

COLUMNS = ("weight", "height")
PATTERNS = ("", "/")


def pictures(u: Units) -> tuple[View, ...]:
    """The neighbours first."""
    seen = "standardised" if u.is_standardised else f"in {u.units[0]} and {u.units[1]}"
    return (
        picture(
            "Who is near", u, draw, reading, table, note=f"the {NEAREST} nearest, found {seen}"
        ),
        picture("As a method sees it", u, draw_seen, seen_reading, seen_table, note=seen),
        picture("What each column decides", u, draw_shares, shares_reading, shares_table),
    )


def draw(u: Units) -> go.Figure:
    """Always in kg and cm, so that units change the neighbours and not the picture."""
    diamond = {"color": LIGHT.text, "symbol": "diamond", "size": 12}
    person = go.Scatter(x=u.person[:1], y=u.person[1:], mode="markers", marker=diamond)
    return plot(
        marks.points(*u.X.T, klass=0, hollow=True, name="students"),
        marks.points(*u.X[u.fair].T, klass=2, name="nearest if standardised"),
        marks.rings(*u.X[u.near].T, name="nearest in these units"),
        person.update(name="person"),
        x="Weight in kg",
        y="Height in cm",
    )


def reading(u: Units) -> str:
    """How many neighbours are the same as after standardising, and how they spread."""
    same = len(np.intersect1d(u.near, u.fair))
    tall = np.ptp(u.X[u.near, 1])
    heavy = np.ptp(u.X[u.near, 0])
    return (
        f"{same} of the {NEAREST} nearest are the same as after standardising. They differ by up "
        f"to {rough(float(heavy))} kg and {rough(float(tall))} cm among each other."
    )


def table(u: Units) -> tuple[TableColumn, ...]:
    """One line a student."""
    rows = np.arange(len(u.X))
    return (
        TableColumn("weight in kg", u.X[:, 0]),
        TableColumn("height in cm", u.X[:, 1]),
        TableColumn("near in these units", np.isin(rows, u.near)),
        TableColumn("near if standardised", np.isin(rows, u.fair)),
    )


def _names(u: Units) -> tuple[str, str]:
    if u.is_standardised:
        return "Weight in standard deviations", "Height in standard deviations"
    return f"Weight in {u.units[0]}", f"Height in {u.units[1]}"


def draw_seen(u: Units) -> go.Figure:
    """One unit across is as long as one up; with the first principal axis."""
    x, y = _names(u)
    students = marks.points(*u.seen.T, klass=0, hollow=True, name="students")
    fig = plot(students, _axis(u), x=x, y=y)
    return marks.equal_axes(fig).update_layout(height=420)


def _axis(u: Units) -> go.Scatter:
    """Through the mean, as far as the rows reach."""
    mean = u.seen.mean(axis=0)
    reach = np.abs((u.seen - mean) @ u.axis).max()
    ends = mean + np.outer([-reach, reach], u.axis)
    style = {"color": class_color(1), "dash": "dash", "width": 2}
    return go.Scatter(x=ends[:, 0], y=ends[:, 1], mode="lines", name="first axis", line=style)


def seen_reading(u: Units) -> str:
    """How long the cloud is for its width."""
    wide = u.seen.std(axis=0)
    most = int(wide.argmax())
    return (
        f"The cloud is {rough(float(wide[most] / wide[1 - most]))} times as wide along "
        f"{COLUMNS[most]} as along {COLUMNS[1 - most]}; a distance in it is measured in these "
        "numbers."
    )


def seen_table(u: Units) -> tuple[TableColumn, ...]:
    """One line a student."""
    x, y = _names(u)
    return (TableColumn(x.lower(), u.seen[:, 0]), TableColumn(y.lower(), u.seen[:, 1]))


def _parts(u: Units) -> np.ndarray:
    """Shares of weight and height in distance and axis, shape (2, 2)."""
    return np.column_stack([u.shares, u.axis**2])


def draw_shares(u: Units) -> go.Figure:
    """Two bars of parts that add up to one."""
    bars = [
        go.Bar(
            x=["squared distance", "first axis"], y=own, name=name,
            marker={"color": class_color(k), "pattern": {"shape": PATTERNS[k], "solidity": 0.3}},
        )
        for k, (name, own) in enumerate(zip(COLUMNS, _parts(u), strict=True))
    ]  # fmt: skip
    fig = plot(*bars, x="", y="Share", barmode="stack", bargap=0.5)
    return fig.update_yaxes(tickformat=".0%", range=[0, 1])


def shares_reading(u: Units) -> str:
    """Both shares of height."""
    distance, axis = _parts(u)[1]
    return (
        f"Height makes {percent(float(distance))} of the squared distance of two students and "
        f"{percent(float(axis))} of the first axis; the rest is weight, over "
        f"{count(len(u.X), 'student')}."
    )


def shares_table(u: Units) -> tuple[TableColumn, ...]:
    """One line a column."""
    parts = _parts(u)
    return (
        TableColumn("column", COLUMNS),
        TableColumn("share of the squared distance", parts[:, 0]),
        TableColumn("share of the first axis", parts[:, 1]),
    )
