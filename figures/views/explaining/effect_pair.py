"""The mean prediction by the values of two variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import axis_name, color_bar, dated, empty, value_text
from figures.numbers.outputs import output_of, output_option, rows_asked, wording_of
from figures.options import Options
from figures.theme import LIGHT, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.spine.fit import Column
from mlcore.spine.wording import rough

HEIGHT = 420
MOST_DOTS = 1000  # rows of the table that are drawn
NOTHING = "No fold has answered yet."


class EffectPair(NamedTuple):
    """Means over the rows left out."""

    first: Column
    second: Column
    output: str
    wording: str  # what stands before the name of the output
    x: np.ndarray  # (G,) values of the first
    y: np.ndarray  # (H,) values of the second
    mean: np.ndarray  # (H, G)
    at: np.ndarray  # (m, 2) values of rows of the table
    together: float  # share of the variance over the grid that the sum of both cannot say
    n_rows: int


@dataclass(frozen=True, kw_only=True)
class PairOptions(Options):
    """What may be chosen of the picture."""

    output: str = output_option()


@view(
    "effect_pair",
    title="Effect of two variables",
    options=PairOptions,
    on="effect",
    order=1,
    synonyms=("interaction", "two-way partial dependence"),
)
def effect_pair(explanation: Any, dataset: Dataset, *, options: PairOptions) -> View:
    """The mean prediction when both variables are set, with the rows that there are."""
    p = numbers(explanation, dataset, options)
    note = "rows left out" if p is None else f"mean of {rows_asked(p.n_rows, dataset)} left out"
    return joined(p, draw, reading, table, note=note)


def numbers(explanation: Any, dataset: Dataset, options: PairOptions) -> EffectPair | None:
    """The output that is chosen; None where no pair was asked for, or nothing has answered."""
    answers = explanation.joined
    if answers is None or answers.pair is None:
        return None
    best = 1 if len(answers.outputs) == 2 else int(np.ptp(answers.pair, axis=(0, 1)).argmax())
    o = output_of(answers.outputs, options.output, best)
    mean = answers.pair[:, :, o].T
    alone = mean.mean(axis=0) + mean.mean(axis=1)[:, None] - mean.mean()
    rows = np.column_stack([answers.values, answers.second_values])
    some = np.linspace(0, len(rows) - 1, min(MOST_DOTS, len(rows))).round().astype(int)
    return EffectPair(
        answers.variable,
        answers.second,
        answers.outputs[o],
        wording_of(explanation, dataset),
        answers.pair_grid,
        answers.second_grid,
        mean,
        rows[some],
        float(((mean - alone) ** 2).mean() / max(mean.var(), 1e-300)),
        len(answers.rows),
    )


def draw(p: EffectPair | None) -> go.Figure:
    """Colour is the prediction; dots are rows: elsewhere it is a guess."""
    if p is None:
        return empty(NOTHING)
    heat = go.Heatmap(
        x=dated(p.x, p.first.kind), y=dated(p.y, p.second.kind), z=p.mean,
        colorbar=color_bar(f"{p.wording} {p.output}"),
        hovertemplate="%{x}, %{y}<br>%{z:.4~g}<extra></extra>",
    )  # fmt: skip
    dots = go.Scatter(
        x=dated(p.at[:, 0], p.first.kind), y=dated(p.at[:, 1], p.second.kind), mode="markers",
        marker={"size": 4, "color": LIGHT.background, "opacity": 0.6,
                "line": {"width": 0.5, "color": LIGHT.text}},
        hoverinfo="skip", showlegend=False,
    )  # fmt: skip
    return figure(heat, dots, height=HEIGHT, xaxis=_axis(p.first, p.x), yaxis=_axis(p.second, p.y))


def _axis(column: Column, values: np.ndarray) -> dict[str, Any]:
    axis: dict[str, Any] = {"title": {"text": axis_name(column.name)}, "showgrid": False}
    if column.levels:
        names = [value_text(column, code) for code in values]
        axis |= {"tickvals": list(values), "ticktext": names}
    return axis


def reading(p: EffectPair | None) -> str:
    """Where it is highest, and how much the two do together."""
    if p is None:
        return NOTHING
    row, col = np.unravel_index(int(p.mean.argmax()), p.mean.shape)
    return (
        f"{p.wording} {p.output} is highest, {rough(float(p.mean.max()))}, with "
        f"{p.first.name} {value_text(p.first, float(p.x[col]))} and {p.second.name} "
        f"{value_text(p.second, float(p.y[row]))}. {100 * p.together:.0f} % of what changes over "
        "the picture is not the sum of the effects of each. Where there are no dots, no row was "
        "ever seen."
    )


def table(p: EffectPair | None) -> tuple[TableColumn, ...]:
    """One line a pair of values."""
    if p is None:
        return (TableColumn("value", ()),)
    x, y = np.meshgrid(p.x, p.y)
    return (
        TableColumn(p.first.name, tuple(value_text(p.first, v) for v in x.ravel())),
        TableColumn(p.second.name, tuple(value_text(p.second, v) for v in y.ravel())),
        TableColumn(f"mean, {p.output}", p.mean.ravel()),
    )
