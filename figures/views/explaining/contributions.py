"""One prediction as a waterfall: what each variable adds to the mean prediction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import across
from figures.drawing.traces import empty, value_text
from figures.numbers.contributions import against_what
from figures.numbers.outputs import output_of, output_option, wording_of
from figures.options import Options
from figures.theme import CLASS_COLORS, LIGHT, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.spine.wording import rough

ROW, ROOM, MOST = 32, 110, 14  # pixels a bar, around them; variables with a bar of their own
UP, DOWN = CLASS_COLORS[0], CLASS_COLORS[1]
ROOM_FOR_NUMBERS = 0.17  # of the width, beside the longest bar, also on a phone
NOTHING = "The model has not answered yet."


class Waterfall(NamedTuple):
    """The bars from the mean prediction to that of the row."""

    labels: tuple[str, ...]  # (p,) variable and value, the largest first
    values: np.ndarray  # (p,) Shapley values
    errors: np.ndarray  # (p,) standard errors, 0 where exact
    base: float
    prediction: float
    output: str
    wording: str  # what stands before the name of the output
    row: str  # in words
    fold: int
    truth: str  # in words; "" where it has other values
    is_exact: bool
    n_background: int  # 0 along the ways through trees


@dataclass(frozen=True, kw_only=True)
class WaterfallOptions(Options):
    """What may be chosen of the picture."""

    output: str = output_option()


@view(
    "contributions",
    title="Contributions to one prediction",
    options=WaterfallOptions,
    on="shapley",
    synonyms=("Shapley values", "SHAP", "waterfall"),
)
def contributions(explanation: Any, dataset: Dataset, *, options: WaterfallOptions) -> View:
    """What each variable adds to the prediction for a row that the model had not seen."""
    w = numbers(explanation, dataset, options)
    note = "one row left out" if w is None else f"{w.row}, by the model of fold {w.fold}"
    return joined(w, draw, reading, table, note=note)


def numbers(explanation: Any, dataset: Dataset, options: WaterfallOptions) -> Waterfall | None:
    """The output that is chosen, or the one that is predicted; None before there is one."""
    answers = explanation.joined
    if answers is None:
        return None
    # Of a class the one that wins; of several quantities the first.
    best = int(answers.prediction.argmax()) if dataset.classes else 0
    o = output_of(answers.outputs, options.output, best)
    values = answers.contributions[:, o]
    order = np.argsort(-np.abs(values), kind="stable")
    labels = [f"{c.name} = {value_text(c, v) if np.isfinite(v) else 'missing'}"
            for c, v in zip(answers.variables, answers.values, strict=True)]  # fmt: skip
    return Waterfall(
        tuple(labels[j] for j in order),
        values[order],
        answers.errors[order, o],
        float(answers.base[o]),
        float(answers.prediction[o]),
        answers.outputs[o],
        wording_of(explanation, dataset, answers.scale),
        f"row {answers.row}" + " with other values" * answers.is_changed,
        answers.fold,
        "" if answers.is_changed else f", which is {answers.truth},",
        answers.is_exact,
        answers.n_background,
    )


def draw(w: Waterfall | None) -> go.Figure:
    """Bars one below the other, each from where the last one ended."""
    if w is None:
        return empty(NOTHING)
    labels, values, errors = _merged(w)
    starts = w.base + np.concatenate([[0.0], np.cumsum(values)[:-1]])
    places = np.arange(len(values))
    signs = ["+" if v >= 0 else "\u2212" for v in values]
    texts = [f"{s}{rough(abs(float(v)), abs(float(v)) or None)}" for s, v in
             zip(signs, values, strict=True)]  # fmt: skip
    bars = go.Bar(
        x=values, base=starts, y=places, orientation="h", width=0.56,
        marker={"color": [UP if v >= 0 else DOWN for v in values]},
        text=texts, textposition="none", showlegend=False,
        error_x={"array": errors, "color": LIGHT.text, "thickness": 1.2, "width": 4}
        if errors.any() else None,
        customdata=np.column_stack([starts, starts + values]),
        hovertemplate="%{text}<br>from %{customdata[0]:.4~g} to %{customdata[1]:.4~g}"
        "<extra></extra>",
    )  # fmt: skip
    height = ROOM + ROW * len(values)
    ends = np.concatenate([starts, starts + values])
    room = ROOM_FOR_NUMBERS * (np.ptp(ends) or 1.0)
    fig = figure(
        bars,
        _written(starts, values, places, texts),
        height=height,
        xaxis={"title": {"text": f"{w.wording} {w.output}"},
               "range": [ends.min() - room, ends.max() + room]},
        yaxis={"autorange": "reversed", "tickvals": list(places), "ticktext": labels,
               "showgrid": False},
        margin={"t": 44},
    )  # fmt: skip
    middle = (ends.min() + ends.max()) / 2
    for value, name, up in ((w.base, "mean", False), (w.prediction, w.row, True)):
        style = {"color": LIGHT.quiet, "dash": "dot", "width": 1.5}
        across(fig, x=value, line=style, layer="below")
        fig.add_annotation(
            x=value, y=1, yref="paper", yanchor="bottom", yshift=16 if up else 0,
            xanchor="left" if value < middle else "right",  # into the picture, however narrow
            text=f"{name} {rough(value)}",
        )  # fmt: skip
    return fig


def _written(
    starts: np.ndarray, values: np.ndarray, places: np.ndarray, texts: list[str]
) -> go.Scatter:
    """The value of each bar at that side of it where there is more room, however narrow it is."""
    low, high = np.minimum(starts, starts + values), np.maximum(starts, starts + values)
    is_right = low - low.min() < high.max() - high
    return go.Scatter(
        x=np.where(is_right, high, low), y=places, mode="text", showlegend=False,
        text=[f"\u00a0{text}\u00a0" for text in texts],  # a space beside the bar
        textposition=["middle right" if right else "middle left" for right in is_right],
        cliponaxis=False, hoverinfo="skip",
    )  # fmt: skip


def _merged(w: Waterfall) -> tuple[list[str], np.ndarray, np.ndarray]:
    """The largest, and the sum of all others in one bar."""
    if len(w.values) <= MOST:
        return list(w.labels), w.values, w.errors
    rest = w.values[MOST - 1 :]
    labels = [*w.labels[: MOST - 1], f"{len(rest)} others"]
    # Errors of values that add up are not independent: none is claimed for their sum.
    errors = np.append(w.errors[: MOST - 1], 0.0)
    return labels, np.append(w.values[: MOST - 1], rest.sum()), errors


def reading(w: Waterfall | None) -> str:
    """The largest contribution, what they add up to, and how exact that is."""
    if w is None:
        return NOTHING
    how = (
        "Exact Shapley values"
        if w.is_exact
        else f"Shapley values over drawn orders, standard errors up to {rough(w.errors.max())},"
    )
    way = "raises" if w.values[0] >= 0 else "lowers"
    what = f"{w.wording} {w.output}"
    return (
        f"{what} is {rough(w.prediction)} for {w.row}{w.truth} and "
        f"{rough(w.base)} on average; {w.labels[0]} {way} it most, by "
        f"{rough(abs(float(w.values[0])))}. {how} "
        f"{against_what(w.n_background)}; they add up to the difference."
    )


def table(w: Waterfall | None) -> tuple[TableColumn, ...]:
    """One line a variable."""
    if w is None:
        return (TableColumn("variable", ()),)
    return (
        TableColumn("variable and value", w.labels),
        TableColumn(f"contribution to {w.output}", w.values),
        TableColumn("standard error", w.errors),
    )
