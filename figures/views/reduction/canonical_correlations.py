"""Canonical correlations, beside what is left of them in rows left out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.theme import CLASS_COLORS, SHARE, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.reduction.capabilities import HasCanonicalPairs
from mlcore.reduction.cca import correlations
from mlcore.runs.carry import Outcome
from mlcore.runs.fitting import fitted
from mlcore.spine.wording import count, plural

HEIGHT = 320
MOST_PAIRS = 30
SHRUNK = 0.5  # share of a correlation below which most of it was chance


class Correlations(NamedTuple):
    """Correlation of each pair, in fitted rows and in rows left out."""

    fitted: np.ndarray  # (q,)
    left_out: np.ndarray  # (folds, q); NaN where a fold has fewer pairs, or rows


@view(
    "canonical_correlations",
    title="Canonical correlations",
    asks=HasCanonicalPairs,
    on="reduction report",
    order=216,
    sources=("epfl:cca", "epfl:cca_mutual_info"),
    synonyms=("canonical roots", "held-out correlation"),
)
def canonical_correlations(dataset: Dataset, outcome: Outcome) -> View:
    """A bar a pair for the fitted rows, and a dot a fold for the rows that it left out."""
    c = numbers(dataset, outcome)
    k = len(c.left_out)
    return joined(c, draw, reading, table, note=f"fitted on all rows; dots: {count(k, 'fold')}")


def numbers(dataset: Dataset, outcome: Outcome) -> Correlations:
    """Each fold is fitted anew, preparation and all, and judged on the rows that it left out."""
    whole = outcome.whole.fit.correlations[:MOST_PAIRS]
    folds = [fold for fold in outcome.done if fold.scores]
    left_out = np.full((len(folds), len(whole)), np.nan)
    for line, fold in zip(left_out, folds, strict=True):
        prepared, fit = fitted(outcome.run, dataset, fold.train)
        Z = fit.transform(prepared.transform(dataset.X[fold.test]))
        if len(Z) > 2:
            rho = correlations(Z[:, ::2], Z[:, 1::2])[: len(line)]
            line[: len(rho)] = rho
    return Correlations(whole, left_out)


def draw(c: Correlations) -> go.Figure:
    """Bars, and dots beside the middle so that none hides another."""
    k = np.arange(1, len(c.fitted) + 1)
    shift = np.linspace(-0.2, 0.2, max(len(c.left_out), 1))[: len(c.left_out), None]
    x = np.broadcast_to(k, c.left_out.shape) + shift
    fig = figure(
        go.Bar(
            x=k, y=c.fitted, name="fitted rows", marker_color=SHARE,
            hovertemplate="pair %{x}<br>%{y:.3f} in the fitted rows<extra></extra>",
        ),
        go.Scatter(
            x=x.ravel(), y=c.left_out.ravel(), name="rows left out", mode="markers",
            marker={"color": CLASS_COLORS[1], "size": 9, "symbol": "diamond",
                    "line": {"width": 1, "color": "white"}},
            hovertemplate="%{y:.3f} in rows that a fold left out<extra></extra>",
        ),
        height=HEIGHT,
        xaxis={"title": {"text": "Pair"}, "showgrid": False, "tickformat": "d"},
        yaxis={"title": {"text": "Correlation"}},
        showlegend=True,
    )  # fmt: skip
    return fig.update_xaxes(dtick=1) if len(c.fitted) <= 12 else fig


def reading(c: Correlations) -> str:
    """The first correlation with what is left of it, and how many pairs are mostly chance."""
    text = f"The first pair is correlated by {c.fitted[0]:.3f} in the fitted rows"
    means = means_over_folds(c.left_out)
    if not np.isfinite(means[0]):
        return text + "; no fold has rows left out to compare with."
    text += f" and by {means[0]:.3f} in rows left out, the mean over folds."
    lost = int((means < SHRUNK * c.fitted).sum())
    if lost:
        text += (
            f" Of {count(len(c.fitted), 'pair')} {lost} {plural(lost, 'keeps', 'keep')} less than "
            "half of the correlation: what was fitted there is mostly chance."
        )
    return text


def means_over_folds(values: np.ndarray) -> np.ndarray:
    """The mean over the folds that have a value, of (folds, q): (q,); NaN where none has."""
    known = np.isfinite(values)
    sums = np.where(known, values, 0.0).sum(axis=0)
    made = np.full(values.shape[1], np.nan)
    return np.divide(sums, known.sum(axis=0), out=made, where=known.any(axis=0))


def table(c: Correlations) -> tuple[TableColumn, ...]:
    """One line a pair."""
    return (
        TableColumn("pair", np.arange(1, len(c.fitted) + 1)),
        TableColumn("fitted rows", c.fitted),
        TableColumn("rows left out, mean over folds", means_over_folds(c.left_out)),
    )
