"""The objective over two parameters with both ways up, the cloud of estimates, and the heights."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing.marks import numbered
from figures.drawing.traces import line
from figures.lab import picture, plot
from figures.theme import LIGHT, SEQUENTIAL, class_color, class_symbol
from figures.view import TableColumn, View
from mlcore.labs.decisions.policy_gradient_lab import ESTIMATES, GradientCloud
from mlcore.spine.wording import count, rough

WAYS = ("gradient", "natural gradient")
AXES = ("Preference for going, rich state", "Preference for going, poor state")


def pictures(g: GradientCloud) -> tuple[View, ...]:
    """The surface, the cloud, and what the steps gain."""
    note = f"{ESTIMATES} of them, each the mean of {count(g.n_rollouts, 'episode')}"
    return (
        picture("Value of the policy", g, draw, reading, table, note="click to go elsewhere"),
        picture("Estimates of the gradient", g, draw_cloud, cloud_reading, cloud_table, note=note),
        picture("Ways up", g, draw_ways, ways_reading, ways_table, note="exact steps of 0.1"),
    )


def draw(g: GradientCloud) -> go.Figure:
    """Contours; a line a way up, from the point where the policy is."""
    surface = go.Contour(
        x=g.axis, y=g.axis, z=g.surface, colorscale=SEQUENTIAL, ncontours=16, hoverinfo="skip",
        contours={"coloring": "heatmap", "showlines": False}, colorbar={"title": {"text": "J"}},
    )  # fmt: skip
    x, y = (part.ravel() for part in np.meshgrid(g.axis, g.axis))
    places = go.Scatter(
        x=x, y=y, mode="markers", marker={"size": 9, "opacity": 0.0, "symbol": "square"},
        text=[rough(float(v)) for v in g.surface.ravel()],
        hovertemplate="J = %{text}<br>click to go here<extra></extra>",
    )  # fmt: skip
    ways = []
    for k, (name, way) in enumerate(zip(WAYS, g.ways, strict=True)):
        own = line(way[:, 1], way[:, 0], k + 1, name, hoverinfo="name")
        ways.append(own.update(line_width=4))
    here = go.Scatter(
        x=[g.theta[1]], y=[g.theta[0]], mode="markers", hoverinfo="skip",
        marker={"size": 14, "color": "white", "line": {"width": 3, "color": LIGHT.text}},
    )  # fmt: skip
    fig = plot(surface, *ways, here, numbered(places, np.arange(len(x))), x=AXES[0], y=AXES[1])
    low, high = float(g.axis[0]), float(g.axis[-1])
    fig.update_layout(legend={"bgcolor": "rgba(0,0,0,0)"})
    return fig.update_xaxes(range=[low, high]).update_yaxes(range=[low, high])


def reading(g: GradientCloud) -> str:
    """The height here and at the top, and both directions."""
    here, top = float(g.heights[0, 0]), float(g.surface.max())
    a, b = np.unravel_index(int(g.surface.argmax()), g.surface.shape)
    return (
        f"The policy is worth {rough(here)} here; the best on the surface is {rough(top)}, at "
        f"{g.axis[a]:.2g} and {g.axis[b]:.2g}. The gradient is ({rough(float(g.exact[0]))}, "
        f"{rough(float(g.exact[1]))}), the natural one ({rough(float(g.natural[0]))}, "
        f"{rough(float(g.natural[1]))}): for the poor and the rich state."
    )


def table(g: GradientCloud) -> tuple[TableColumn, ...]:
    """One line a point of the surface."""
    n = len(g.axis)
    return (
        TableColumn("preference in the poor state", np.repeat(g.axis, n)),
        TableColumn("preference in the rich state", np.tile(g.axis, n)),
        TableColumn("J", g.surface.ravel()),
    )


def _clouds(g: GradientCloud) -> dict[str, np.ndarray]:
    name = "value of the state" if g.baseline == "value" else "mean return"
    return {"no baseline": g.plain, f"{name} as baseline": g.based}


def draw_cloud(g: GradientCloud) -> go.Figure:
    """A mark an estimate; the cross is exact."""
    marks = [
        go.Scatter(
            x=own[:, 1], y=own[:, 0], mode="markers", name=name,
            marker={"color": class_color(k), "symbol": class_symbol(k), "size": 6, "opacity": 0.6},
        )
        for k, (name, own) in enumerate(_clouds(g).items())
    ]  # fmt: skip
    exact = go.Scatter(
        x=[g.exact[1]], y=[g.exact[0]], mode="markers", name="exact",
        marker={"symbol": "x", "size": 14, "color": LIGHT.text},
    )  # fmt: skip
    return plot(*marks, exact, x="Gradient, rich state", y="Gradient, poor state")


def _spread(own: np.ndarray) -> float:
    """Root of the mean squared distance from the middle."""
    return float(np.sqrt(own.var(axis=0).sum()))


def cloud_reading(g: GradientCloud) -> str:
    """Both middles and widths."""
    off = [float(np.linalg.norm(own.mean(axis=0) - g.exact)) for own in (g.plain, g.based)]
    ratio = _spread(g.plain) / max(_spread(g.based), 1e-300)
    return (
        f"Estimates scatter by {rough(_spread(g.plain))} without a baseline and by "
        f"{rough(_spread(g.based))} with one, for which {rough(ratio**2)} times the episodes "
        f"would be needed without. The middles of the clouds are {rough(off[0])} and "
        f"{rough(off[1])} from the exact gradient."
    )


def cloud_table(g: GradientCloud) -> tuple[TableColumn, ...]:
    """One line an estimate."""
    return tuple(
        TableColumn(f"gradient in the {state} state, {name}", own[:, s])
        for name, own in _clouds(g).items()
        for s, state in enumerate(("poor", "rich"))
    )


def draw_ways(g: GradientCloud) -> go.Figure:
    """Height by step; dotted is the top of the surface."""
    steps = np.arange(g.heights.shape[1])
    lines = [line(steps, own, k + 1, WAYS[k]) for k, own in enumerate(g.heights)]
    return plot(*lines, x="Step", y="J")


def ways_reading(g: GradientCloud) -> str:
    """Where both are after all steps."""
    n = g.heights.shape[1] - 1
    return (
        f"After {count(n, 'step')} the gradient has come from {rough(float(g.heights[0, 0]))} to "
        f"{rough(float(g.heights[0, -1]))}, the natural gradient to "
        f"{rough(float(g.heights[1, -1]))}."
    )


def ways_table(g: GradientCloud) -> tuple[TableColumn, ...]:
    """One line a step."""
    heights = (TableColumn(f"J, {name}", own) for name, own in zip(WAYS, g.heights, strict=True))
    return TableColumn("step", np.arange(g.heights.shape[1])), *heights
