"""A direction by its angle: the cloud with the line, the histograms on it, and the measures."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import line, named_line
from figures.lab import picture, plot
from figures.theme import LIGHT, class_color
from figures.view import TableColumn, View
from mlcore.labs.reduction.direction_explorer import Directions
from mlcore.spine.wording import adding_up, rough

BINS = 30


def pictures(d: Directions) -> tuple[View, ...]:
    """The cloud, its shadow on the line, and every angle."""
    return (
        picture("Rows and line", d, draw, reading, table),
        picture("Along the line", d, draw_shadow, shadow_reading, shadow_table),
        picture("Every angle", d, draw_angles, angles_reading, angles_table),
    )


def _unit(degrees: float) -> np.ndarray:
    return np.array([np.cos(np.deg2rad(degrees)), np.sin(np.deg2rad(degrees))])


def draw(d: Directions) -> go.Figure:
    """Two classes, the line, and a spring from each row to it."""
    w, far = _unit(d.angle), float(np.abs(d.X).max()) * 1.2
    feet = np.outer(d.scores, w)
    springs = np.stack([d.X, feet, np.full_like(feet, np.nan)], axis=1).reshape(-1, 2)
    thin = {"color": LIGHT.hairline, "width": 1}
    thick = {"color": LIGHT.text, "width": 2.5}
    fig = plot(
        go.Scatter(x=springs[:, 0], y=springs[:, 1], mode="lines", line=thin, hoverinfo="skip"),
        *[marks.points(*d.X[d.y == k].T, klass=k, name=f"class {k}") for k in (0, 1)],
        go.Scatter(x=[-far * w[0], far * w[0]], y=[-far * w[1], far * w[1]], mode="lines",
                   line=thick, hoverinfo="skip"),
        x="Column 1", y="Column 2",
    )  # fmt: skip
    return marks.equal_axes(fig).update_layout(height=420)


def reading(d: Directions) -> str:
    """What this angle keeps and loses."""
    w = _unit(d.angle)
    kept = float(((d.X @ w) ** 2).mean())
    total = float((d.X**2).sum(axis=1).mean())
    (stays, goes), together = adding_up((kept, total - kept))
    return (
        f"At {rough(d.angle)} degrees the line keeps a variance of {stays} and loses {goes}; "
        f"together that is {together} at every angle."
    )


def table(d: Directions) -> tuple[TableColumn, ...]:
    """One line a row."""
    return (
        TableColumn("column 1", d.X[:, 0]),
        TableColumn("column 2", d.X[:, 1]),
        TableColumn("class", d.y),
        TableColumn("along the line", d.scores),
    )


def _counts(d: Directions) -> tuple[np.ndarray, list[np.ndarray]]:
    ends = float(d.scores.min()), float(d.scores.max())
    edges = np.linspace(ends[0], ends[1] + 1e-9, BINS + 1)
    counts = [np.histogram(d.scores[d.y == k], bins=edges)[0] for k in (0, 1)]
    return (edges[1:] + edges[:-1]) / 2, counts


def draw_shadow(d: Directions) -> go.Figure:
    """One histogram a class, over each other."""
    middles, counts = _counts(d)
    patterns = ("", "/")
    bars = [
        go.Bar(
            x=middles, y=counts[k], name=f"class {k}", opacity=0.65,
            marker={"color": class_color(k), "pattern": {"shape": patterns[k], "solidity": 0.3}},
        )
        for k in (0, 1)
    ]  # fmt: skip
    return plot(*bars, x="Place along the line", y="Rows", barmode="overlay", bargap=0.0)


def shadow_reading(d: Directions) -> str:
    """How far the classes lie apart, in standard deviations."""
    at = int(np.abs(d.angles - d.angle).argmin())
    apart = float(np.sqrt(d.fisher[at]))
    return (
        f"Along the line the class means lie {rough(apart)} standard deviations apart; at Fisher's "
        "angle "
        f"they lie {rough(float(np.sqrt(d.fisher.max())))} apart."
    )


def shadow_table(d: Directions) -> tuple[TableColumn, ...]:
    """One line a bar."""
    middles, counts = _counts(d)
    return (
        TableColumn("place", middles),
        TableColumn("class 0", counts[0]),
        TableColumn("class 1", counts[1]),
    )


def draw_angles(d: Directions) -> go.Figure:
    """Kept, lost and Fisher's criterion, each over its largest value."""
    top = float((d.variance + d.residual).max())
    fig = plot(
        line(d.angles, d.variance / top, 0, "kept / total"),
        line(d.angles, d.residual / top, 1, "lost / total"),
        line(d.angles, d.fisher / d.fisher.max(), 2, "Fisher's criterion / its largest"),
        x="Angle in degrees",
        y="Share",
    )
    return named_line(fig, "here", x=d.angle)


def angles_reading(d: Directions) -> str:
    """The two best angles."""
    return (
        f"Most is kept at {rough(d.pca_angle)} degrees, the classes are parted best at "
        f"{rough(d.fisher_angle)} degrees."
    )


def angles_table(d: Directions) -> tuple[TableColumn, ...]:
    """One line a degree."""
    return (
        TableColumn("angle", d.angles),
        TableColumn("kept", d.variance),
        TableColumn("lost", d.residual),
        TableColumn("Fisher's criterion", d.fisher),
    )
