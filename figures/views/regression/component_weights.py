"""Of which columns the components of a regression are made."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import SIGNED
from figures.theme import figure
from figures.view import TableColumn, View, joined, view
from mlcore.regression.capabilities import HasLatentShares
from mlcore.spine.asking import any_of
from mlcore.spine.capabilities import HasAxes, HasTargetShares
from mlcore.spine.wording import fixed, listed, rough

MOST, MOST_COMPONENTS = 30, 12
NAMED = 3  # columns of a component that the reading names
ROW, ROOM = 24, 90  # pixels a column, and for the axis


class Weights(NamedTuple):
    """Weights of the columns in each component, columns by their largest."""

    columns: tuple[str, ...]  # (p,)
    values: np.ndarray  # (p, k)


@view(
    "component_weights",
    title="What components are made of",
    asks=(HasAxes, any_of(HasTargetShares, HasLatentShares)),
    on="regression report compare",
    order=151,
    sources=("epfl:pls_regression", "epfl:pca_loadings"),
    synonyms=("loadings", "latent variables", "PLS weights"),
)
def component_weights(fit: Any) -> View:
    """The weight of each column in each component; squares of a component add up to 1."""
    return joined(numbers(fit), draw, reading, table, note="of the columns as prepared")


def numbers(fit: Any) -> Weights:
    """Weights of a fit that has components."""
    values = np.asarray(fit.axes).T
    order = np.argsort(-np.abs(values).max(axis=1, initial=0.0), kind="stable")
    return Weights(tuple(fit.columns[j].name for j in order), values[order])


def draw(w: Weights) -> go.Figure:
    """A map of colours: a row a column of the table, a column a component."""
    names, values = w.columns[:MOST], w.values[:MOST, :MOST_COMPONENTS]
    heat = go.Heatmap(
        z=values,
        x=[f"component {k + 1}" for k in range(values.shape[1])],
        y=list(names),
        zmin=-1.0,
        zmax=1.0,
        colorscale=SIGNED,
        text=[[fixed(v) for v in row] for row in values],
        texttemplate="%{text}",
        xgap=2,
        ygap=2,
        showscale=False,
        hovertemplate="%{y}, %{x}<br>weight %{z:.4f}<extra></extra>",
    )
    fig = figure(heat, height=ROOM + ROW * max(len(names), 3))
    fig.update_xaxes(side="top", showgrid=False, ticks="")
    return fig.update_yaxes(autorange="reversed", showgrid=False, ticks="")


def reading(w: Weights) -> str:
    """The columns of which the first component is made most, and what is not drawn."""
    if not w.values.shape[1]:
        return "There is no component: the plane is level."
    first = w.values[:, 0]
    largest = np.argsort(-np.abs(first), kind="stable")[:NAMED]
    text = "Component 1 is made most of "
    text += listed([f"{w.columns[j]} ({rough(float(first[j]))})" for j in largest]) + "."
    if len(w.columns) > MOST:
        text += f" The {MOST} columns of the largest weights, of {len(w.columns)}, are drawn."
    if w.values.shape[1] > MOST_COMPONENTS:
        text += f" The first {MOST_COMPONENTS} components of {w.values.shape[1]} are drawn."
    return text


def table(w: Weights) -> tuple[TableColumn, ...]:
    """One line a column."""
    parts = (TableColumn(f"component {k + 1}", w.values[:, k]) for k in range(w.values.shape[1]))
    return TableColumn("column", w.columns), *parts
