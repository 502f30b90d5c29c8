"""Two normal classes: densities, the best regions, and the posterior."""

from __future__ import annotations

import figures.graph as go
from figures.drawing.traces import line, named_line
from figures.lab import picture, plot
from figures.theme import class_color, faded
from figures.view import TableColumn, View
from mlcore.labs.classification.two_gaussians import TwoGaussians
from mlcore.spine.wording import count, listed, percent, rough


def pictures(t: TwoGaussians) -> tuple[View, ...]:
    """Densities first."""
    return (
        picture("Prior times density", t, draw, reading, table),
        picture("Posterior of class 1", t, draw_posterior, posterior_reading, table),
    )


def draw(t: TwoGaussians) -> go.Figure:
    """The area under the lower of the two curves is the Bayes error."""
    lost = go.Scatter(
        x=t.x, y=t.weighted.min(axis=0), mode="none", fill="tozeroy", name="Bayes error",
        fillcolor=faded(class_color(4), 0.5), hoverinfo="skip",
    )  # fmt: skip
    curves = [line(t.x, t.weighted[k], k, f"class {k}") for k in (0, 1)]
    fig = plot(lost, *curves, x="x", y="Prior times density")
    for border in t.borders:
        named_line(fig, "border", x=float(border))
    return fig


def reading(t: TwoGaussians) -> str:
    """Borders and errors."""
    where = listed([rough(float(b)) for b in t.borders])
    text = f"{count(len(t.borders), 'border')} at {where}" if where else "No border"
    return (
        f"{text}. No rule errs less than {percent(t.bayes_error)}. Fitted to {t.n_rows} rows, "
        f"the linear rule errs {percent(t.lda_error)}, the quadratic one "
        f"{percent(t.quadratic_error)}."
    )


def table(t: TwoGaussians) -> tuple[TableColumn, ...]:
    """One line a place."""
    return (
        TableColumn("x", t.x),
        TableColumn("class 0", t.weighted[0]),
        TableColumn("class 1", t.weighted[1]),
        TableColumn("posterior of class 1", t.posterior),
    )


def draw_posterior(t: TwoGaussians) -> go.Figure:
    """With the line at one half, where the decision changes."""
    fig = plot(line(t.x, t.posterior, 1, "class 1"), x="x", y="Probability of class 1")
    return named_line(fig, "one half", y=0.5).update_yaxes(range=[0, 1.02])


def posterior_reading(t: TwoGaussians) -> str:
    """How sure it ever is."""
    low, high = float(t.posterior.min()), float(t.posterior.max())
    return f"The probability of class 1 goes from {percent(low)} to {percent(high)}."
