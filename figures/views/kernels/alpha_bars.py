"""The multipliers of a support vector machine: which rows matter, and how much."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import numbered
from figures.drawing.traces import BARS, named_line
from figures.drawing.words import fitted_on
from figures.numbers.supports import AT_BOUND, Supports, by_row, supports_of
from figures.recording import Changes
from figures.theme import class_color, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.asking import can
from mlcore.spine.capabilities import HasClasses, JudgesRows
from mlcore.spine.wording import count, percent, plural, rough
from mlcore.svm.capabilities import HasDuals

HEIGHT = 340
SIDES = ("below the prediction", "above it")
BORDER = ("outside", "on the border")  # of a region that holds the rows
MOST_BARS = 300  # more would be thinner than a pixel


class Alphas(NamedTuple):
    """Support vectors by falling multiplier."""

    alpha: np.ndarray  # (S,)
    kind: np.ndarray  # (S,)
    klass: np.ndarray  # (S,) codes of classes, or 0 below the tube and 1 above it
    at: np.ndarray  # (S,) rows of the data set
    rows: np.ndarray  # (S,) their numbers in the table
    names: tuple[str, ...]
    n: int  # rows of the data set
    price: float  # C, where it bounds all rows alike; else NaN

    @property
    def shown(self) -> int:
        """How many are drawn."""
        return min(len(self.alpha), MOST_BARS)


@view(
    "alpha_bars",
    title="Lagrange multipliers",
    asks=HasDuals,
    on="svm regression",
    order=50,
    sources=("prac:support_vectors", "s841:support_vectors"),
    synonyms=("dual variables", "support vectors", "dual coefficients"),
)
def alpha_bars(dataset: Dataset, whole: Whole) -> View:
    """The multiplier of each support vector, the largest first, with the bound C."""
    a = numbers(dataset, whole)
    note = fitted_on(dataset, whole)
    return joined(a, draw, reading, table, note=note, rows=a.rows, step=step)


def numbers(dataset: Dataset, whole: Whole) -> Alphas:
    """Rows with a multiplier above zero; the largest of several machines counts."""
    supports, fit = supports_of(dataset, whole), whole.fit
    order = np.argsort(-supports.alpha, kind="stable")[: int((supports.alpha > 0).sum())]
    bounds = fit.bounds[fit.bounds > 0]
    price = float(bounds[0]) if (bounds == bounds[:1]).all() and len(bounds) else float("nan")
    klass, names = _classes(dataset, whole, supports)
    return Alphas(
        supports.alpha[order], supports.kind[order], klass[order], order,
        dataset.rows[order], names, dataset.n, price,
    )  # fmt: skip


def _classes(
    dataset: Dataset, whole: Whole, supports: Supports
) -> tuple[np.ndarray, tuple[str, ...]]:
    """By what the rows are told apart, shape (n,), and its names."""
    fit: Any = whole.fit
    if can(fit, HasClasses):
        return np.asarray(dataset.y), dataset.classes
    if can(fit, JudgesRows):
        return (supports.kind != AT_BOUND).astype(np.int64), BORDER
    away = np.asarray(dataset.y) - fit.predict(whole.prepared.transform(dataset.X))
    return (away > 0).astype(np.int64), SIDES


def draw(a: Alphas) -> go.Figure:
    """A bar a support vector, in the colour of its class; striped at the bound."""
    k = np.arange(a.shown)
    patterns = ["/" if kind == AT_BOUND else "" for kind in a.kind[: a.shown]]
    bars = go.Bar(
        x=k + 1,
        y=a.alpha[: a.shown],
        uid=BARS,
        marker={
            "color": [class_color(int(c)) for c in a.klass[: a.shown]],
            "pattern": {"shape": patterns, "size": 5, "solidity": 0.35},
            "line": {"width": 0},
        },
        text=[f"row {row + 1}, {a.names[c]}" for row, c in zip(a.rows, a.klass, strict=True)][
            : a.shown
        ],
        textposition="none",
        hovertemplate="%{text}<br>multiplier %{y:.4~g}<extra></extra>",
    )
    fig = figure(
        numbered(bars, a.rows[: a.shown]),
        height=HEIGHT,
        bargap=0.05 if a.shown > 60 else 0.2,
        xaxis={"title": {"text": "Support vector"}, "showgrid": False, "tickformat": "d"},
        yaxis={"title": {"text": "Multiplier"}, "rangemode": "tozero"},
        showlegend=False,
    )
    if np.isfinite(a.price):
        bound = "bound" if a.names == BORDER else "C"
        named_line(fig, f"{bound} = {rough(a.price)}", y=a.price)
    return fig


def step(a: Alphas, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: the height of each bar; padded rows have a height of 0."""
    alphas = np.abs(whole.fit.duals).max(axis=1, initial=0.0)
    alpha = by_row(dataset, whole, whole.fit.support, alphas)
    return {at[BARS]: {"y": alpha[a.at[: a.shown]]}}


def reading(a: Alphas) -> str:
    """How many rows matter, and how many are at the bound."""
    many, bound = len(a.alpha), int((a.kind == AT_BOUND).sum())
    text = f"{many} of {count(a.n, 'row')} ({percent(many / a.n)}) "
    text += f"{plural(many, 'has', 'have')} a multiplier above zero; the others could be left "
    text += "out without a change."
    if bound:  # a hard margin has none
        text += f" {bound} {plural(bound, 'is', 'are')} at the bound (striped): {_where(a)}."
    return text + (f" The {MOST_BARS} largest are drawn." if many > MOST_BARS else "")


def _where(a: Alphas) -> str:
    if a.names == SIDES:
        return "outside the tube"
    if a.names == BORDER:
        return "outside the region, or just on its border"
    return "inside the margin or on the wrong side"


def table(a: Alphas) -> tuple[TableColumn, ...]:
    """One line a support vector."""
    classes: Any = np.array(a.names)[a.klass]
    return (
        TableColumn("row", a.rows + 1),
        TableColumn("side" if a.names in (SIDES, BORDER) else "class", classes),
        TableColumn("multiplier", a.alpha),
        TableColumn("at the bound", a.kind == AT_BOUND),
    )
