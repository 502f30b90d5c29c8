"""Maps of a generative and a discriminative classifier, and both where an input is missing."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import line
from figures.lab import picture, plot
from figures.theme import LIGHT, faded
from figures.view import TableColumn, View
from mlcore.labs.classification.generative import INPUTS, Both
from mlcore.spine.wording import percent

MODELS = ("truth", "mixtures", "Gaussian process")
# Of odd places: a strong veil alone would be the brightest thing on a dark page.
PALE, VEIL = 0.4, faded(LIGHT.quiet, 0.2)


def pictures(b: Both) -> tuple[View, ...]:
    """Both maps, then what is said without an input."""
    return (
        picture("Mixture of each class, by Bayes' rule", b, draw_generative, generative_reading,
                table, note="grey: less dense than nearly all rows"),
        picture("Gaussian process of the class", b, draw_process, process_reading, table),
        picture(f"Without {b.missing}", b, draw_without, without_reading, without_table,
                note=f"the process is given the mean of {b.missing}"),
    )  # fmt: skip


def draw_generative(b: Both) -> go.Figure:
    """Where rows are odd the regions are pale, under a veil."""
    veil = go.Heatmap(
        x=b.places, y=b.places, z=np.where(b.is_odd, 1.0, np.nan), showscale=False,
        colorscale=[(0.0, VEIL), (1.0, VEIL)],
        hoverinfo="skip",
    )  # fmt: skip
    return _map(b, b.generative, np.where(b.is_odd, PALE, 1.0), veil)


def draw_process(b: Both) -> go.Figure:
    """The same plane."""
    return _map(b, b.discriminative, np.ones(b.is_odd.shape))


def _map(b: Both, of_one: np.ndarray, strength: np.ndarray, *veils: go.Heatmap) -> go.Figure:
    points = [marks.points(*b.X[b.y == c].T, klass=c, name=f"class {c}") for c in (0, 1)]
    sure = strength * np.abs(2 * of_one - 1)
    regions = marks.regions(b.places, b.places, (of_one > 0.5).astype(int), sure)
    fig = plot(regions, *veils, *points, x="x1", y="x2")
    ends = [b.places[0], b.places[-1]]
    fig.update_xaxes(range=ends).update_yaxes(range=ends)
    return marks.equal_axes(fig).update_layout(height=400)


def generative_reading(b: Both) -> str:
    """Its error, and what its density is good for."""
    return (
        f"Wrong on {percent(float(b.errors[1, 0]))} of new rows; the true rule on "
        f"{percent(float(b.errors[0, 0]))}. {percent(b.odd_noticed)} of rows from the whole plane "
        "are less dense than 98 % of the learned ones: the model says that it never saw such."
    )


def process_reading(b: Both) -> str:
    """Its error, and what it says of odd rows."""
    text = f"Wrong on {percent(float(b.errors[2, 0]))} of new rows."
    if not b.odd_noticed:
        return text
    return (
        f"{text} To the class that it says of those odd rows it gives {percent(b.odd_sure)} on "
        "average: not how odd they are, only how little it knows of the border there."
    )


def table(b: Both) -> tuple[TableColumn, ...]:
    """One line a model."""
    return (
        TableColumn("model", list(MODELS)),
        TableColumn("wrong on whole rows", b.errors[:, 0]),
        TableColumn(f"wrong without {b.missing}", b.errors[:, 1]),
    )


def draw_without(b: Both) -> go.Figure:
    """The probability by the input that is left; rows, coloured as in the maps, along it."""
    at = INPUTS.index(_left(b))
    truth = go.Scatter(
        x=b.places, y=b.truth_without, mode="lines", name="truth",
        line={"color": LIGHT.quiet, "dash": "dot"},
    )  # fmt: skip
    fig = plot(
        truth,
        line(b.places, b.generative_without, 2, "mixtures"),
        line(b.places, b.discriminative_without, 3, "process"),
        *(
            marks.points(
                b.X[b.y == c, at], np.full(int((b.y == c).sum()), float(c)), klass=c,
                name=f"class {c}", marker={"size": 6, "opacity": 0.6},
            )
            for c in (0, 1)
        ),
        x=_left(b),
        y="Probability of class 1",
    )  # fmt: skip
    return fig.update_yaxes(range=[-0.06, 1.06])


def _left(b: Both) -> str:
    return INPUTS[1 - INPUTS.index(b.missing)]


def without_reading(b: Both) -> str:
    """What is lost with the input."""
    truth, mixtures, process = (percent(float(wrong)) for wrong in b.errors[:, 1])
    return (
        f"By {_left(b)} alone the true rule is wrong on {truth} of new rows, the mixtures on "
        f"{mixtures}, the process with the mean of {b.missing} filled in on {process}."
    )


def without_table(b: Both) -> tuple[TableColumn, ...]:
    """One line a place."""
    return (
        TableColumn(_left(b), b.places),
        TableColumn("truth", b.truth_without),
        TableColumn("mixtures", b.generative_without),
        TableColumn("process, mean filled in", b.discriminative_without),
    )
