"""Error of TD(lambda) against the step size, and the best of each lambda."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing.traces import line
from figures.lab import picture, plot
from figures.view import TableColumn, View
from mlcore.labs.decisions.td_lambda import LambdaErrors
from mlcore.spine.wording import count, rough


def pictures(e: LambdaErrors) -> tuple[View, ...]:
    """A curve a lambda, then their lowest points."""
    note = f"mean over the first {count(e.episodes, 'episode')}"
    return (
        picture("Error by step size", e, draw, reading, table, note=note),
        picture("Lowest error by lambda", e, draw_best, best_reading, table, note=note),
    )


def draw(e: LambdaErrors) -> go.Figure:
    """What is above the error of the first values is left out."""
    shown = np.where(e.errors <= 1.02 * e.first, e.errors, np.nan)
    x, start = np.concatenate([[0.0], e.rates]), np.full((len(e.decays), 1), e.first)
    curves = np.hstack([start, shown])  # without a step nothing is learned
    fig = plot(
        *(line(x, curves[k], k, f"\N{GREEK SMALL LETTER LAMDA} = {d:g}")
          for k, d in enumerate(e.decays)),
        x="Step size", y="RMS error",
    )  # fmt: skip
    low = float(np.nanmin(shown)) if np.isfinite(shown).any() else 0.0
    return fig.update_yaxes(range=[0.9 * low, 1.02 * e.first])


def reading(e: LambdaErrors) -> str:
    """The lowest point of all."""
    k = int(e.lowest.argmin())
    a = int(e.best[k])
    return (
        f"The error is lowest, {rough(float(e.errors[k, a]))}, with a lambda of {e.decays[k]:g} "
        f"and a step of {e.rates[a]:g}; the values of 0 at the beginning are off by "
        f"{rough(e.first)}."
    )


def draw_best(e: LambdaErrors) -> go.Figure:
    """Each lambda with the step that suits it best."""
    return plot(line(e.decays, e.lowest, 0, "lowest error"), x="Lambda", y="RMS error")


def best_reading(e: LambdaErrors) -> str:
    """Both ends beside the best."""
    low = e.lowest
    steps = e.rates[e.best]
    return (
        f"One move ahead comes to {rough(float(low[0]))} (step {steps[0]:g}), whole episodes to "
        f"{rough(float(low[-1]))} (step {steps[-1]:g}), a lambda of {e.decays[low.argmin()]:g} to "
        f"{rough(float(low.min()))}."
    )


def table(e: LambdaErrors) -> tuple[TableColumn, ...]:
    """One line a step size."""
    errors = (TableColumn(f"lambda {d:g}", e.errors[k]) for k, d in enumerate(e.decays))
    return TableColumn("step size", e.rates), *errors
