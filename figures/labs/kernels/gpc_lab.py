"""A latent function with its band, and the probabilities that are made of it in three ways."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.bands import between
from figures.drawing.traces import line, named_line
from figures.lab import picture, plot
from figures.theme import CLASS_COLORS, LIGHT
from figures.view import TableColumn, View
from mlcore.labs.kernels.gpc_lab import PLACES, Squashed
from mlcore.spine.wording import count, fixed, rough

WHOLE = [PLACES[0] - 2, PLACES[-1] + 2]  # of the axis of places: room for its last number
CLASSES = ("class 0", "class 1")
WAYS = ("squashed mean (plug-in)", "mean of the squashed (averaged)", "draws of a Markov chain")


def pictures(s: Squashed) -> tuple[View, ...]:
    """The probabilities first, then what they are made of."""
    note = f"{count(len(s.x), 'row')} between 5 and 65"
    return (
        picture("Probability of class 1", s, draw, reading, table, note=note),
        picture("Latent function", s, draw_latent, latent_reading, latent_table),
    )


def draw(s: Squashed) -> go.Figure:
    """Three curves over the truth; the rows at 0 and 1."""
    fig = plot(
        _truth(s.truth_probability),
        line(PLACES, s.plug_in, 3, "plug-in"),
        line(PLACES, s.averaged, 2, "averaged"),
        line(PLACES, s.drawn, 4, "draws"),
        *(
            marks.points(
                s.x[s.y == k], s.y[s.y == k].astype(float), klass=k, name=name,
                marker={"size": 7, "opacity": 0.7},
            )
            for k, name in enumerate(CLASSES)
        ),
        x="Place",
        y="Probability of class 1",
    )  # fmt: skip
    named_line(fig, "rows end", x=65)
    return fig.update_yaxes(range=[-0.06, 1.06]).update_xaxes(range=WHOLE).update_layout(height=400)


def _truth(values: np.ndarray) -> go.Scatter:
    style = {"color": LIGHT.quiet, "dash": "dot"}
    return go.Scatter(x=PLACES, y=values, mode="lines", name="truth", line=style)


def reading(s: Squashed) -> str:
    """Where the two differ most, and the loss of all on new rows."""
    at = int((np.abs(s.plug_in - 0.5) - np.abs(s.averaged - 0.5)).argmax())
    plug_in, averaged, drawn = (rough(float(loss)) for loss in s.losses)
    return (
        f"At {PLACES[at]:g} the squashed mean says {fixed(float(s.plug_in[at]))}, the average "
        f"{fixed(float(s.averaged[at]))} and the draws {fixed(float(s.drawn[at]))}. On new rows "
        f"from everywhere they lose {plug_in}, {averaged} and {drawn} nats a row; the true "
        f"probabilities {rough(s.least)}."
    )


def table(s: Squashed) -> tuple[TableColumn, ...]:
    """One line a place."""
    three = zip(WAYS, (s.plug_in, s.averaged, s.drawn), strict=True)
    return (
        TableColumn("place", PLACES),
        TableColumn("truth", s.truth_probability),
        *(TableColumn(name, values) for name, values in three),
    )


def draw_latent(s: Squashed) -> go.Figure:
    """Mean and two deviations by Laplace, as lines those of the draws."""
    low, high = _ends(s.drawn_latent, s.drawn_deviation)
    fig = plot(
        between(PLACES, *_ends(s.latent, s.deviation), "band", CLASS_COLORS[2]),
        _truth(s.truth),
        line(PLACES, s.latent, 2, "Laplace"),
        line(PLACES, s.drawn_latent, 4, "draws"),
        line(PLACES, low, 4, "", opacity=0.6),
        line(PLACES, high, 4, "", opacity=0.6),
        x="Place",
        y="Latent function",
    )
    return named_line(fig, "rows end", x=65).update_xaxes(range=WHOLE)


def _ends(mean: np.ndarray, deviation: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return mean - 2 * deviation, mean + 2 * deviation


def latent_reading(s: Squashed) -> str:
    """How large the function is by either."""
    laplace, drawn = (float(np.abs(mean).mean()) for mean in (s.latent, s.drawn_latent))
    return (
        "Band and outer lines are two standard deviations either way. On average over the places "
        f"the mean lies {rough(laplace)} from zero by Laplace and {rough(drawn)} by the draws."
    )


def latent_table(s: Squashed) -> tuple[TableColumn, ...]:
    """One line a place."""
    return (
        TableColumn("place", PLACES),
        TableColumn("truth", s.truth),
        TableColumn("mean by Laplace", s.latent),
        TableColumn("standard deviation by Laplace", s.deviation),
        TableColumn("mean of the draws", s.drawn_latent),
        TableColumn("standard deviation of the draws", s.drawn_deviation),
    )
