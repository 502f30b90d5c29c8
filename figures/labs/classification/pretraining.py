"""Deep networks with and without pre-training: losses by epoch, first gradients by layer."""

from __future__ import annotations

import numpy as np

import figures.graph as go
from figures.drawing.marks import log_axis
from figures.drawing.traces import line
from figures.lab import picture, plot
from figures.view import TableColumn, View
from mlcore.labs.classification.pretraining import Trained
from mlcore.spine.wording import listed, percent, rough

LEAST = 1e-9  # gradients below are drawn there: a log axis has no zero


def pictures(t: Trained) -> tuple[View, ...]:
    """The losses first."""
    note = f"{t.depth} hidden layers" if t.depth > 1 else "1 hidden layer"
    return (
        picture("Training loss by epoch", t, draw, reading, table, note=note),
        picture("First gradients by layer", t, draw_slopes, slopes_reading, slopes_table),
    )


def draw(t: Trained) -> go.Figure:
    """A line a way to begin."""
    epochs = np.arange(1, t.losses.shape[1] + 1)
    lines = [line(epochs, loss, k, way) for k, (loss, way) in enumerate(zip(t.losses, t.ways))]
    return plot(*lines, x="Epoch", y="Training loss").update_yaxes(rangemode="tozero")


def reading(t: Trained) -> str:
    """Where each ended, and what it makes of new rows."""
    each = zip(t.ways, t.losses[:, -1], t.accuracy)
    told = [f"{way}: {rough(float(loss))} ({percent(float(a))})" for way, loss, a in each]
    return f"Training loss at the end, and new rows that are right, {listed(told)}."


def table(t: Trained) -> tuple[TableColumn, ...]:
    """One line an epoch."""
    epochs = TableColumn("epoch", np.arange(1, t.losses.shape[1] + 1))
    return epochs, *(TableColumn(way, loss) for way, loss in zip(t.ways, t.losses))


def draw_slopes(t: Trained) -> go.Figure:
    """From the first hidden layer to the outputs, on a log axis."""
    layers = np.arange(1, t.first_slopes.shape[1] + 1)
    sizes = np.maximum(t.first_slopes, LEAST)
    lines = [line(layers, size, k, way) for k, (size, way) in enumerate(zip(sizes, t.ways))]
    fig = plot(*lines, x="Layer, the outputs last", y="Size of the gradient")
    return fig.update_yaxes(**log_axis(sizes)).update_xaxes(dtick=1)


def slopes_reading(t: Trained) -> str:
    """How much of the gradient reaches the first layer."""
    shares = t.first_slopes[:, 0] / np.maximum(t.first_slopes[:, -1], LEAST)
    told = [f"{way} {rough(float(share))}" for way, share in zip(t.ways, shares)]
    return f"The first gradient of the first layer over that of the outputs: {listed(told)}."


def slopes_table(t: Trained) -> tuple[TableColumn, ...]:
    """One line a layer."""
    layers = TableColumn("layer", np.arange(1, t.first_slopes.shape[1] + 1))
    return layers, *(TableColumn(way, sizes) for way, sizes in zip(t.ways, t.first_slopes))
