"""The eigenvalues of a Gram matrix: what a kernel can tell apart, and whether it is valid."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import log_axis
from figures.numbers.grams import gram_of, of_which
from figures.theme import CLASS_COLORS, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.kernels.validity import TOL
from mlcore.runs.carry import Whole
from mlcore.spine.wording import count, plural, rough
from mlcore.svm.capabilities import HasSupportVectors

HEIGHT = 340
WANTED = 0.9  # share of the sum that the reading counts eigenvalues for
FLOOR = 1e-12  # of the largest: what is smaller is rounding, and not drawn


class Spectrum(NamedTuple):
    """Eigenvalues, the largest in size first."""

    values: np.ndarray  # (q,)
    negative: int  # below zero beyond rounding
    needed: int  # of the largest that hold nine tenths of the sum of sizes
    of: str


@view(
    "gram_spectrum",
    title="Eigenvalues of the Gram matrix",
    asks=HasSupportVectors,
    on="svm",
    order=80,
    sources=("epfl:kernel_psd_check", "prac:kernel_psd_check", "mi2:kernel_psd_check"),
    synonyms=("kernel spectrum", "positive semidefinite"),
)
def gram_spectrum(dataset: Dataset, whole: Whole) -> View:
    """How many directions the kernel uses; an eigenvalue below zero says that it is not valid."""
    s = numbers(dataset, whole)
    return joined(s, draw, reading, table, note=s.of)


def numbers(dataset: Dataset, whole: Whole) -> Spectrum:
    """Eigenvalues of the Gram matrix of some of the rows."""
    g = gram_of(dataset, whole)
    values = np.linalg.eigvalsh(g.K)
    values = values[np.argsort(-np.abs(values), kind="stable")]
    sizes = np.abs(values)
    share = np.cumsum(sizes) / (sizes.sum() or 1.0)
    needed = int(np.searchsorted(share, WANTED)) + 1
    return Spectrum(values, int((values < -TOL * sizes[0]).sum()), needed, of_which(g))


def draw(s: Spectrum) -> go.Figure:
    """Sizes on a log axis, blue above zero, orange crosses below."""
    sizes = np.abs(s.values)
    shown = sizes > FLOOR * (sizes[0] or 1.0)
    fig = figure(
        height=HEIGHT,
        xaxis={"title": {"text": "Eigenvalue, by size"}, "tickformat": "d"},
        yaxis={"title": {"text": "Size"}} | log_axis(sizes[shown]),
        showlegend=bool(s.negative),
    )
    for k, name, sign in ((0, "above zero", 1.0), (1, "below zero", -1.0)):
        own = shown & (sign * s.values > 0)
        if not own.any() or (sign < 0 and not s.negative):
            continue
        trace = go.Scatter(
            x=np.flatnonzero(own) + 1,
            y=sizes[own],
            mode="markers",
            name=name,
            marker={"color": CLASS_COLORS[k], "symbol": ("circle", "x")[k], "size": 6},
            hovertemplate=f"number %{{x}}, {name}<br>%{{y:.4~g}}<extra></extra>",
        )
        fig.add_trace(trace)
    return fig


def reading(s: Spectrum) -> str:
    """Whether any is negative, and how many count."""
    total = len(s.values)
    if s.negative:
        text = f"{count(s.negative, 'eigenvalue')} of {total} "
        text += f"{plural(s.negative, 'lies', 'lie')} below zero, the least at "
        text += f"{rough(float(s.values.min()))}: this is not a valid kernel for these rows."
    else:
        text = f"None of {count(total, 'eigenvalue')} lies below zero: "
        text += "the kernel is valid here."
    largest = "largest holds" if s.needed == 1 else f"{s.needed} largest hold"
    return f"{text} The {largest} 90 % of the sum."


def table(s: Spectrum) -> tuple[TableColumn, ...]:
    """One line an eigenvalue."""
    return (
        TableColumn("number", np.arange(1, len(s.values) + 1)),
        TableColumn("eigenvalue", s.values),
    )
