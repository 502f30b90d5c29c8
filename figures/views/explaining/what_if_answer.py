"""What would be predicted with other values: before, after, and what the folds say."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import empty
from figures.numbers.outputs import wording_of
from figures.theme import LIGHT, class_color, faded, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.spine.wording import listed, rough

ROW, ROOM, MOST = 34, 104, 12  # pixels a class, around them; classes that are drawn
NOTHING = "The model of all rows has not answered yet."


class WhatIfAnswer(NamedTuple):
    """Predictions for a row before and after the change."""

    outputs: tuple[str, ...]  # (K,)
    colors: np.ndarray  # (K,) codes of the classes
    before: np.ndarray  # (K,)
    after: np.ndarray  # (K,)
    low: np.ndarray  # (K,) the least that a model of the folds says
    high: np.ndarray  # (K,)
    interval: np.ndarray | None  # (2,)
    is_class: bool
    wording: str  # what stands before the name of an output
    row: int
    truth: str
    n_folds: int
    is_far: bool


@view("what_if_answer", title="Prediction", on="what_if", synonyms=("what if", "ceteris paribus"))
def what_if_answer(explanation: Any, dataset: Dataset) -> View:
    """What the model of all rows predicts, a tick at the old value, a line over the folds."""
    return joined(numbers(explanation, dataset), draw, reading, table, note="the model of all rows")


def numbers(explanation: Any, dataset: Dataset) -> WhatIfAnswer | None:
    """The classes by probability; None before the model of all rows has answered."""
    answers = explanation.joined
    if answers is None:
        return None
    wording = wording_of(explanation, dataset)
    order = np.argsort(-answers.after, kind="stable")[:MOST] if answers.is_class else [0]
    folds = answers.of_folds if len(answers.of_folds) else answers.after[None]
    return WhatIfAnswer(
        tuple(answers.outputs[k] for k in order),
        np.asarray(order),
        answers.before[order],
        answers.after[order],
        folds.min(axis=0)[order],
        folds.max(axis=0)[order],
        answers.interval,
        answers.is_class,
        wording,
        answers.row,
        answers.truth,
        len(answers.of_folds),
        answers.near is not None and answers.near.is_far,
    )


def draw(a: WhatIfAnswer | None) -> go.Figure:
    """A bar an output."""
    if a is None:
        return empty(NOTHING, ROOM + ROW)
    places = np.arange(len(a.outputs))
    shown = a.after if a.is_class else np.zeros(len(places))
    bars = go.Bar(
        x=shown, y=places, orientation="h", width=0.5, showlegend=False, hoverinfo="skip",
        marker={"color": [faded(class_color(int(k)), 0.75) for k in a.colors]},
    )  # fmt: skip
    names = list(a.outputs)
    points = go.Scatter(
        x=a.after, y=places, mode="markers", name="now",
        marker={"size": 10, "color": LIGHT.accent, "symbol": "diamond"},
        error_x={"array": a.high - a.after, "arrayminus": a.after - a.low, "symmetric": False,
                 "color": LIGHT.text, "thickness": 1.6, "width": 5},
        customdata=np.column_stack([a.low, a.high]), text=names,
        hovertemplate="%{text}: %{x:.4~g}<br>folds %{customdata[0]:.4~g} to "
        "%{customdata[1]:.4~g}<extra></extra>",
    )  # fmt: skip
    ticks = go.Scatter(
        x=a.before, y=places, mode="markers", name="before the change",
        marker={"symbol": "line-ns-open", "size": 22, "color": LIGHT.text, "line": {"width": 2}},
        hovertemplate="before %{x:.4~g}<extra></extra>",
    )  # fmt: skip
    axis: dict[str, Any] = {"range": [-0.02, 1.04]} if a.is_class else {}
    axis["title"] = {"text": a.wording.split(" ")[0] if a.is_class else f"Predicted {names[0]}"}
    fig = figure(
        *([bars] if a.is_class else []), ticks, points, height=ROOM + ROW * len(places), xaxis=axis,
        yaxis={"autorange": "reversed", "tickvals": list(places), "ticktext": names,
               "showgrid": False, "range": [len(places) - 0.4, -0.6]},
        showlegend=True,
    )  # fmt: skip
    if a.interval is not None:
        fig.add_vrect(x0=a.interval[0], x1=a.interval[1], fillcolor=faded(LIGHT.accent, 0.12),
                      line_width=0, layer="below")  # fmt: skip
    return fig.update_layout(margin_t=30)


def reading(a: WhatIfAnswer | None) -> str:
    """The prediction now and before, the folds, and the truth."""
    if a is None:
        return NOTHING
    now = a.outputs[0] if a.is_class else rough(float(a.after[0]))
    text = f"Predicted: {now}"
    text += f" with {rough(float(a.after[0]))}" if a.is_class else ""
    is_changed = not np.array_equal(a.before, a.after)
    text += f", before the change {rough(float(a.before[0]))}" if is_changed else ""
    text += f"; row {a.row} is {a.truth}."
    if a.n_folds:
        text += f" The {a.n_folds} models of the folds say {rough(float(a.low[0]))} to "
        text += f"{rough(float(a.high[0]))}."
    if a.interval is not None:
        text += f" 95 % of such rows lie between {listed(rough(float(v)) for v in a.interval)}."
    return text + (" Nothing like this row was seen in training." if a.is_far else "")


def table(a: WhatIfAnswer | None) -> tuple[TableColumn, ...]:
    """One line an output."""
    if a is None:
        return (TableColumn("output", ()),)
    return (
        TableColumn("output", a.outputs),
        TableColumn("now", a.after),
        TableColumn("before", a.before),
        TableColumn("least of the folds", a.low),
        TableColumn("most of the folds", a.high),
    )
