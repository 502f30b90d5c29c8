"""How the weights of a perceptron go from mistake to mistake, over how many rows would be wrong."""

from __future__ import annotations

from itertools import islice
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import HEIGHT
from figures.options import ANY_AXES, Axes
from figures.theme import CLASS_COLORS, LIGHT, SHARES, figure
from figures.view import TableColumn, View, joined, view
from mlcore.classification.capabilities import HasMistakes
from mlcore.classification.perceptron import Perceptron
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities import HasCoefficients
from mlcore.spine.wording import count, percent

SIDE = 61  # places along each weight
ROOM = 0.35  # of the way's size, beyond it on each side
MOST_ROWS = 1_000  # of which it is counted how many are wrong
MOST_NUMBERS = 400_000  # in the rows: the way is gone once more to draw it
MOST_STEPS = 300  # updates one by one at first, then whole passes
OFFSET = "offset"


class WeightPath(NamedTuple):
    """Two weights from step to step, and the rows that are wrong with others of them."""

    names: tuple[str, str]
    path: np.ndarray  # (k, 2) after each step, the first before any of them
    notes: tuple[str, ...]  # (k,) what happened in it
    axes: tuple[np.ndarray, np.ndarray]  # (SIDE,) each
    wrong: np.ndarray  # (SIDE, SIDE) share of rows: by the second weight, then by the first
    at_end: float  # share of rows with the last weights
    others: int  # weights beside the two
    n_steps: int  # steps of which the last is not the end; 0 where all are drawn


def is_repeatable(dataset: Dataset, whole: Whole | None = None) -> bool:
    """Whether the way of a fit is the same when it is gone again, and short enough for that."""
    if whole is None:
        return False
    it = whole.fit.made_by
    if not isinstance(it, Perceptron) or it.keep != "last":
        return False
    is_sure = it.order == "cyclic" and it.start == "zero" and dataset.weights is None
    weights = whole.fit.coefficients.size + it.learn_bias
    return is_sure and len(whole.fit.classes) == 2 and weights > 1 and (
        whole.prepared.X.size <= MOST_NUMBERS
    )  # fmt: skip


@view(
    "weight_path",
    title="Way of the weights",
    asks=(HasMistakes, HasCoefficients),
    when=is_repeatable,
    sources=("cs2:perceptron", "cs2:perceptron_convergence"),
    synonyms=("weight space", "version space", "update path", "perceptron cone", "0-1 loss"),
)
def weight_path(dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES) -> View:
    """Two weights after each update; shade: how many rows are wrong with these, others as last.

    Each row forbids one side of a line, and what all of them leave is where no row is wrong.
    """
    w = numbers(dataset, whole, axes.x, axes.y)
    n = len(whole.prepared.X)
    note = "on the fitted rows" if n <= MOST_ROWS else f"on {MOST_ROWS} of {count(n, 'fitted row')}"
    note += f", {count(w.others, 'other weight')} as at the end" if w.others else ""
    return joined(w, draw, reading, table, note=note)


def numbers(dataset: Dataset, whole: Whole, x: str = "", y: str = "") -> WeightPath:
    """Of the weights of columns x and y, else of the two that end farthest from 0."""
    fit: Any = whole.fit
    prepared = whole.prepared
    names = tuple(column.name for column in fit.columns)
    names = (*names, OFFSET) if fit.made_by.learn_bias else names
    steps = fit.made_by.steps(prepared.X, prepared.y, columns=prepared.columns)
    drawn = list(islice(steps, MOST_STEPS))
    ways = [np.append(step.state.coefficients, step.state.intercept) for step in drawn]
    W = np.vstack([np.zeros(len(ways[0])), ways])[:, : len(names)]
    last = np.append(fit.coefficients, fit.intercept)[: len(names)]
    i, j = _chosen(names, last, x, y)
    path = W[:, [i, j]]
    axes = _around(np.append(path[:, 0], last[i])), _around(np.append(path[:, 1], last[j]))
    wrong, at_end = _wrong(whole, last, (i, j), axes)
    notes = ("before the first row", *(step.note for step in drawn))
    return WeightPath(
        (names[i], names[j]), path, notes, axes, wrong, at_end, len(names) - 2,
        0 if drawn[-1].stop else len(drawn),
    )  # fmt: skip


def _wrong(
    whole: Whole, last: np.ndarray, at: tuple[int, int], axes: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, float]:
    """Share of wrong rows by two of the weights, (SIDE, SIDE), and with the `last` ones, (q,)."""
    (i, j), prepared, fit = at, whole.prepared, whole.fit
    some = np.unique(np.linspace(0, len(prepared.X) - 1, MOST_ROWS).astype(np.int64))
    Z = np.column_stack([prepared.X[some], np.ones(len(some))])[:, : len(last)]
    is_second = np.asarray(prepared.y)[some] == fit.classes[1]
    scores = Z @ last
    rest = scores - Z[:, i] * last[i] - Z[:, j] * last[j]
    moved = rest + axes[0][None, :, None] * Z[:, i] + axes[1][:, None, None] * Z[:, j]
    wrong = ((moved >= 0) != is_second).mean(axis=2)
    return wrong, float(((scores >= 0) != is_second).mean())


def _chosen(names: tuple[str, ...], last: np.ndarray, x: str, y: str) -> tuple[int, int]:
    ranked = np.argsort(-np.abs(last), kind="stable").tolist()
    asked = [names.index(name) for name in (x, y) if name in names]
    first, second, *_ = dict.fromkeys([*asked, *ranked])
    return first, second


def _around(values: np.ndarray) -> np.ndarray:
    """Places around all values, (SIDE,)."""
    low, high = float(values.min()), float(values.max())
    room = ROOM * (high - low) or 1.0
    return np.linspace(low - room, high + room, SIDE)


def draw(w: WeightPath) -> go.Figure:
    """Lighter where fewer rows are wrong; a line from 0 to the last weights."""
    (a, b), (x, y) = w.axes, w.path.T
    shade = go.Heatmap(
        x=a, y=b, z=w.wrong, zmin=0, colorscale=SHARES, hoverongaps=False,
        colorbar={"title": {"text": "rows wrong"}, "tickformat": ".0%", "thickness": 12},
        hovertemplate="%{x:.3~g}, %{y:.3~g}<br>%{z:.1%} of the rows wrong<extra></extra>",
    )  # fmt: skip
    way = go.Scatter(
        x=x, y=y, mode="lines+markers", text=list(w.notes),
        line={"color": LIGHT.text, "width": 1.5},
        marker={"size": 5, "color": LIGHT.text}, hovertemplate="%{text}<extra></extra>",
    )  # fmt: skip
    end = go.Scatter(
        x=x[-1:], y=y[-1:], mode="markers", hoverinfo="skip",
        marker={"size": 12, "symbol": "star", "color": CLASS_COLORS[1],
                "line": {"color": LIGHT.text, "width": 1}},
    )  # fmt: skip
    return figure(
        shade, way, end, height=HEIGHT, showlegend=False,
        xaxis={"title": {"text": f"Weight of {w.names[0]}"}, "showgrid": False},
        yaxis={"title": {"text": f"Weight of {w.names[1]}"}, "showgrid": False},
    )  # fmt: skip


def reading(w: WeightPath) -> str:
    """How far it went, where no row is wrong, and what is not drawn."""
    walked = float(np.hypot(*np.diff(w.path, axis=0).T).sum())
    straight = float(np.hypot(*(w.path[-1] - w.path[0])))
    text = f"{count(len(w.path) - 1, 'step')} lead there"
    text += f", {walked / straight:.2g} times the straight way" if straight else ""
    least = float(w.wrong.min())
    text += f"; {percent(w.at_end)} of the rows are wrong at the end. "
    text += (
        "No row is wrong where it is lightest." if least == 0
        else f"At the lightest place {percent(least)} are."
    )  # fmt: skip
    return text + (f" The first {w.n_steps} steps are drawn." if w.n_steps else "")


def table(w: WeightPath) -> tuple[TableColumn, ...]:
    """One line a step."""
    return (
        TableColumn("step", np.arange(len(w.path))),
        *(TableColumn(f"weight of {n}", w.path[:, k]) for k, n in enumerate(w.names)),
        TableColumn("what happened", w.notes),
    )
