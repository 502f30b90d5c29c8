"""The iterations of Newton's method: coefficients, likelihood, slope and information by step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import log_axis
from figures.numbers.rules import classes_of, several_classes
from figures.options import Options, among
from figures.theme import CLASS_COLORS, LIGHT, class_symbol, figure
from figures.view import TableColumn, View, joined, view
from mlcore.classification.capabilities import HasNewtonSteps
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.runs.fitting import keywords
from mlcore.spine.params import integer
from mlcore.spine.wording import count, rough

HEIGHT = 420
MOST_NUMBERS = 400_000  # in the rows: the way is gone once more to draw it
MOST_LINES = 6  # coefficients that are drawn, those that end farthest from 0
NONE = 1e-300  # a slope of 0 has no place on a log axis
INTERCEPT = "intercept"


class Iterations(NamedTuple):
    """The start and every step, of all coefficients of one class."""

    names: tuple[str, ...]  # (q,) columns, last the intercept
    estimates: np.ndarray  # (T + 1, q)
    errors: np.ndarray  # (T + 1, q) standard errors by the information there; NaN without
    log_likelihood: np.ndarray  # (T + 1,)
    slope: np.ndarray  # (T + 1,)
    notes: tuple[str, ...]  # (T + 1,)
    shown: np.ndarray  # which of the names are drawn
    of: str  # the class, of several
    stop: str


def is_by_newton(dataset: Dataset, whole: Whole | None = None) -> bool:
    """Whether Newton's method made the fit, and few enough numbers to go its way once more."""
    if whole is None:
        return False
    return whole.fit.is_by_newton and whole.prepared.X.size <= MOST_NUMBERS


@dataclass(frozen=True, kw_only=True)
class StepsOptions(Options):
    """What may be chosen of the picture."""

    of: int = among(
        integer(1, low=1, soft=(1, 10), label="Class", doc="Whose coefficients are drawn."),
        several_classes,
    )


@view(
    "irls_table",
    title="Steps of Newton's method",
    asks=HasNewtonSteps,
    when=is_by_newton,
    options=StepsOptions,
    sources=("s841:logistic_newton", "s841:logistic_irls"),
    synonyms=(
        "IRLS", "iteratively reweighted least squares", "Fisher scoring", "Newton-Raphson",
        "score", "information matrix", "iterations",
    ),
)  # fmt: skip
def irls_table(dataset: Dataset, whole: Whole, *, options: StepsOptions) -> View:
    """Coefficients after each step with their standard errors by the information there; the slope.

    Each step is a weighted least squares fit. Near the maximum it squares the distance to it.
    """
    t = numbers(dataset, whole, options.of)
    return joined(t, draw, reading, table, note="on the fitted rows, columns as prepared")


def numbers(dataset: Dataset, whole: Whole, of: int = 1) -> Iterations:
    """Of more than two classes, the coefficients of class `of`, counted from 1."""
    fit, prepared = whole.fit, whole.prepared
    options = keywords(fit.made_by, prepared, dataset, np.arange(dataset.n))
    options.pop("columns")
    steps = fit.newton_steps(prepared.X, prepared.y, **options)
    names, is_several = classes_of(fit, dataset), len(fit.classes) > 2
    k = min(of, len(names)) - 1 if is_several else 0
    estimates = steps.coefficients[:, k]
    size = np.abs(estimates[-1])
    shown = np.sort(np.argsort(-size, kind="stable")[:MOST_LINES])
    return Iterations(
        (*(column.name for column in fit.columns), INTERCEPT),
        estimates,
        steps.errors[:, k],
        steps.log_likelihood,
        steps.slope,
        steps.notes,
        shown,
        names[k] if is_several else "",
        fit.stop.why if fit.stop else "",
    )


def draw(t: Iterations) -> go.Figure:
    """Above the coefficients with two standard errors where they are few, below the slope."""
    steps = np.arange(len(t.slope))
    fig = figure(
        height=HEIGHT,
        showlegend=True,
        xaxis={"title": {"text": "Step"}, "anchor": "y2", "tickformat": "d"}
        | ({"dtick": 1} if len(steps) <= 12 else {}),
        yaxis={"title": {"text": "Coefficient"}, "domain": [0.42, 1.0]},
        yaxis2={"title": {"text": "Slope"}, "domain": [0.0, 0.32]} | _few_powers(t.slope),
    )
    for place, j in enumerate(t.shown):
        color = CLASS_COLORS[place % len(CLASS_COLORS)]
        known = np.isfinite(t.errors[:, j]).any()
        bars = {"array": 2 * np.nan_to_num(t.errors[:, j]), "color": color, "thickness": 1.2}
        fig.add_scatter(
            x=steps, y=t.estimates[:, j], name=t.names[j], mode="lines+markers",
            line={"color": color, "width": 1.8},
            marker={"color": color, "symbol": class_symbol(place), "size": 7},
            error_y=bars | {"width": 3, "visible": bool(known)},
            hovertemplate=f"step %{{x}}<br>{t.names[j]} %{{y:.4~g}}<extra></extra>",
        )  # fmt: skip
    fig.add_scatter(
        x=steps, y=np.where(t.slope > NONE, t.slope, np.nan), yaxis="y2", name="steepest slope",
        mode="lines+markers", line={"color": LIGHT.text, "width": 1.5, "dash": "dot"},
        marker={"size": 5}, showlegend=False, text=t.notes,
        hovertemplate="step %{x}<br>slope %{y:.3~g}<br>%{text}<extra></extra>",
    )  # fmt: skip
    return fig


def _few_powers(slope: np.ndarray) -> dict[str, Any]:
    """A logarithmic axis with room for its powers on a phone: about three of them."""
    seen = slope[slope > NONE]
    decades = float(np.log10(seen.max() / seen.min())) if len(seen) else 0.0
    return log_axis(slope) | ({"dtick": int(np.ceil(decades / 3))} if decades > 3 else {})


def reading(t: Iterations) -> str:
    """From where to where the likelihood and the slope went, and what the last step knows."""
    text = (
        f"In {count(len(t.slope) - 1, 'step')} the log-likelihood goes from "
        f"{rough(float(t.log_likelihood[0]))} to {rough(float(t.log_likelihood[-1]))} and the "
        f"steepest slope from {rough(float(t.slope[0]))} to {rough(float(t.slope[-1]))}."
    )
    if len(t.shown) < len(t.names):
        text += f" The {len(t.shown)} largest of {len(t.names)} coefficients are drawn."
    if np.isnan(t.errors[-1]).any():
        text += " The information has no inverse at the end, so there are no standard errors."
    return f"{text} {t.stop}".strip()


def table(t: Iterations) -> tuple[TableColumn, ...]:
    """One line a step."""
    own: list[Any] = []
    for j, name in enumerate(t.names):
        own.append(TableColumn(name, t.estimates[:, j]))
        if np.isfinite(t.errors[:, j]).any():
            own.append(TableColumn(f"{name}, standard error", t.errors[:, j]))
    return (
        TableColumn("step", np.arange(len(t.slope))),
        TableColumn("log-likelihood", t.log_likelihood),
        TableColumn("slope", t.slope),
        *own,
        TableColumn("what changed", t.notes),
    )
