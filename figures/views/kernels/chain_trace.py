"""The log likelihood along a Markov chain: a chain climbs nowhere, it wanders about its level."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import HEIGHT, named_line
from figures.drawing.words import fitted_on
from figures.theme import CLASS_COLORS, class_color, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities import HasChainDraws
from mlcore.spine.wording import count, rough


class Trace(NamedTuple):
    """What the labels are worth under each draw."""

    names: tuple[str, ...]  # (M,) of the machines
    values: np.ndarray  # (M, S) log likelihood of each draw, in nats
    independent: np.ndarray  # (M,) independent draws that say as much of it


@view(
    "chain_trace",
    title="Log likelihood of the draws",
    asks=HasChainDraws,
    on="classification gaussian_process",
    order=261,
    sources=("epfl:gpc_mc",),
    synonyms=("trace plot", "mixing", "effective sample size", "MCMC", "autocorrelation"),
)
def chain_trace(dataset: Dataset, whole: Whole) -> View:
    """The log likelihood of the training labels under each draw that counts, in their order."""
    return joined(numbers(dataset, whole), draw, reading, table, note=fitted_on(dataset, whole))


def numbers(dataset: Dataset, whole: Whole) -> Trace:
    """Those of the fit; a machine a class where there are more than two."""
    fit: Any = whole.fit
    names = dataset.classes if len(fit.log_likelihoods) > 1 else ("",)
    return Trace(tuple(names), fit.log_likelihoods, fit.independent)


def draw(t: Trace) -> go.Figure:
    """A line a machine in the order of the draws, and its mean."""
    many = len(t.names) > 1
    k = np.arange(1, t.values.shape[1] + 1)
    lines = [
        go.Scatter(
            x=k, y=values, mode="lines", name=f"{name} | the rest" if many else "draws",
            line={"color": class_color(m) if many else CLASS_COLORS[0], "width": 1},
            hovertemplate="draw %{x}<br>log likelihood %{y:.5~g}<extra></extra>",
        )
        for m, (name, values) in enumerate(zip(t.names, t.values, strict=True))
    ]  # fmt: skip
    fig = figure(
        *lines,
        height=HEIGHT,
        showlegend=many,
        xaxis={"title": {"text": "Draw that counts"}, "tickformat": "d"},
        yaxis={"title": {"text": "Log likelihood in nats"}},
    )
    return fig if many else named_line(fig, "mean", y=float(t.values[0].mean()))


def reading(t: Trace) -> str:
    """About which level it wanders, and how much it tells."""
    each = (
        f"{f'{name} against the rest: ' if name else ''}{rough(float(values.mean()))} "
        f"(standard deviation {rough(float(values.std()))}), as much as "
        f"{count(max(1, round(float(independent))), 'independent draw')}"
        for name, values, independent in zip(t.names, t.values, t.independent, strict=True)
    )
    return (
        f"{count(t.values.shape[1], 'draw')}. Mean: {'; '.join(each)}. A chain that has forgotten "
        "its start wanders about one level; a slope or long stretches on one side ask for a longer "
        "burn-in or more draws."
    )


def table(t: Trace) -> tuple[TableColumn, ...]:
    """One line a draw."""
    columns = zip(t.names, t.values, strict=True)
    return (
        TableColumn("draw", np.arange(1, t.values.shape[1] + 1)),
        *(
            TableColumn(f"{name} | the rest" if name else "log likelihood", v)
            for name, v in columns
        ),
    )
