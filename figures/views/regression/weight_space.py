"""Two coefficients as a point: where they lay before the rows, and where the rows leave them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import HEIGHT
from figures.drawing.words import fitted_on
from figures.numbers.whitening import ellipses
from figures.options import ANY_AXES, Axes
from figures.recording import Changes
from figures.theme import LIGHT, band, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities_of_priors import HasWeightPosterior
from mlcore.spine.wording import fixed, rough

INTERCEPT = "intercept"
AROUND = 3.5  # standard deviations of the posterior that the picture shows
SIGMAS = (1, 2)


class WeightSpace(NamedTuple):
    """Prior and posterior of two coefficients."""

    names: tuple[str, str]
    which: tuple[int, int]  # places among the coefficients, the intercept last
    mean: np.ndarray  # (2,)
    covariance: np.ndarray  # (2, 2)
    prior: np.ndarray  # (2,) standard deviations around 0; infinite where nothing was known


@view(
    "weight_space",
    title="Two coefficients, before and after the rows",
    asks=HasWeightPosterior,
    on="regression report compare",
    order=154,
    sources=("epfl:bayes_linreg", "epfl:bayes_linreg_map"),
    synonyms=("posterior ellipse", "parameter space", "weight space", "MAP"),
)
def weight_space(dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES) -> View:
    """One and two standard deviations of two coefficients: dashed the prior, filled the posterior.

    Those of the axes that were chosen, or the two of which the rows say most; of a single column
    its slope and the intercept.
    """
    w = numbers(whole, axes.x, axes.y)
    return joined(w, draw, reading, table, note=fitted_on(dataset, whole), step=step)


def numbers(whole: Whole, x: str = "", y: str = "") -> WeightSpace:
    """Of the coefficients of columns x and y, where there are such."""
    fit: Any = whole.fit
    names = (*(column.name for column in fit.columns), INTERCEPT)
    which = _chosen(fit, names, x, y)
    at = np.ix_(which, which)
    return WeightSpace(
        (names[which[0]], names[which[1]]), which, fit.weight_mean[list(which)],
        fit.weight_covariance[at], fit.weight_prior[list(which)],
    )  # fmt: skip


def _chosen(fit: Any, names: tuple[str, ...], x: str, y: str) -> tuple[int, int]:
    """The two that are asked for, else those whose means are most deviations from 0."""
    own = names[:-1]
    if len(own) == 1:
        return 0, 1
    spread = np.sqrt(np.diag(fit.weight_covariance))[:-1]
    size = np.abs(fit.weight_mean[:-1]) / np.maximum(spread, 1e-300)
    ranked = np.argsort(-size, kind="stable").tolist()
    asked = [own.index(name) for name in (x, y) if name in own]
    first, second, *_ = dict.fromkeys([*asked, *ranked])
    return first, second


def draw(w: WeightSpace) -> go.Figure:
    """The ellipses of the posterior, filled, and of the prior; a cross at its mean."""
    traces: list[Any] = [*_prior(w)]
    for k, outline in enumerate(ellipses(w.mean, w.covariance)):
        traces.append(
            go.Scatter(
                x=outline[:, 0], y=outline[:, 1], mode="lines", fill="toself",
                fillcolor=band(LIGHT.accent), line={"color": LIGHT.accent, "width": 1.5},
                name="after the rows", uid=f"posterior {k}", hoverinfo="skip", showlegend=k == 0,
            )
        )  # fmt: skip
    traces.append(
        go.Scatter(
            x=w.mean[:1], y=w.mean[1:], mode="markers", uid="mean", name="mean",
            marker={"symbol": "cross", "size": 10, "color": LIGHT.accent},
            hovertemplate=f"{w.names[0]} %{{x:.4~g}}<br>{w.names[1]} %{{y:.4~g}}<extra></extra>",
        )
    )  # fmt: skip
    across, up = (_range(w, k) for k in range(2))
    return figure(
        *traces, height=HEIGHT, showlegend=True,
        xaxis={"title": {"text": _title(w, 0)}, "range": across, "zeroline": True},
        yaxis={"title": {"text": _title(w, 1)}, "range": up, "zeroline": True},
    )  # fmt: skip


def _title(w: WeightSpace, k: int) -> str:
    return "Intercept" if w.names[k] == INTERCEPT else f"Coefficient of {w.names[k]}"


def _prior(w: WeightSpace) -> list[go.Scatter]:
    """Ellipses around 0; straight lines where one of the two was free."""
    style = {"color": LIGHT.quiet, "width": 1.5, "dash": "dash"}
    lines = []
    for k, times in enumerate(SIGMAS):
        reach = [np.array(_range(w, j)) if np.isinf(w.prior[j]) else None for j in range(2)]
        if reach[0] is None and reach[1] is None:
            outline = ellipses(np.zeros(2), np.diag(w.prior**2))[k]
        else:
            free = 0 if reach[0] is not None else 1
            ends, gap = reach[free], np.full(1, np.nan)
            assert ends is not None
            side = np.concatenate([np.full(2, times), gap, np.full(2, -times)]) * w.prior[1 - free]
            along = np.concatenate([ends, gap, ends])
            outline = np.column_stack([along, side] if free == 0 else [side, along])
        lines.append(
            go.Scatter(
                x=outline[:, 0], y=outline[:, 1], mode="lines", line=style, hoverinfo="skip",
                name="before the rows", uid=f"prior {k}", showlegend=k == 0,
            )
        )  # fmt: skip
    return lines


def _range(w: WeightSpace, k: int) -> list[float]:
    """The posterior with air, 0, and the prior unless it is much wider than both."""
    spread = float(np.sqrt(w.covariance[k, k]))
    ends = [w.mean[k] - AROUND * spread, w.mean[k] + AROUND * spread, 0.0]
    if np.isfinite(w.prior[k]):
        ends += [-2.2 * w.prior[k], 2.2 * w.prior[k]]
    elif w.names[k] == INTERCEPT:
        ends = ends[:2]
    low, high = min(ends), max(ends)
    return [low, high] if high > low else [low - 1.0, high + 1.0]


def step(w: WeightSpace, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: the ellipses and the mean."""
    fit: Any = whole.fit
    which = list(w.which)
    now = w._replace(
        mean=fit.weight_mean[which], covariance=fit.weight_covariance[np.ix_(which, which)],
        prior=fit.weight_prior[which],
    )  # fmt: skip
    changes: dict[int, dict[str, Any]] = {at["mean"]: {"x": now.mean[:1], "y": now.mean[1:]}}
    for k, outline in enumerate(ellipses(now.mean, now.covariance)):
        changes[at[f"posterior {k}"]] = {"x": outline[:, 0], "y": outline[:, 1]}
    for trace in _prior(now):
        changes[at[str(trace.uid)]] = {
            "x": np.asarray(trace.x, float),
            "y": np.asarray(trace.y, float),
        }
    return changes


def reading(w: WeightSpace) -> str:
    """Both with their deviations, before and after, and how they go together."""
    spread = np.sqrt(np.diag(w.covariance))
    parts = []
    for k in range(2):
        before = f", before the rows {rough(float(w.prior[k]))}" if np.isfinite(w.prior[k]) else ""
        parts.append(
            f"{_title(w, k)}: {rough(float(w.mean[k]), float(spread[k]))} with a standard "
            f"deviation of {rough(float(spread[k]))}{before}."
        )
    r = float(w.covariance[0, 1] / (spread[0] * spread[1])) if spread.all() else 0.0
    return f"{' '.join(parts)} Their correlation is {fixed(r)}."


def table(w: WeightSpace) -> tuple[TableColumn, ...]:
    """One line a coefficient."""
    return (
        TableColumn("coefficient", w.names),
        TableColumn("mean", w.mean),
        TableColumn("standard deviation", np.sqrt(np.diag(w.covariance))),
        TableColumn("standard deviation before the rows", w.prior),
    )
