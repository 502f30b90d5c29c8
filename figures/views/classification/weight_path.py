"""How the weights of a perceptron go from mistake to mistake, over how many rows would be wrong."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import HEIGHT
from figures.numbers.borders.half_planes import left_by
from figures.numbers.rules import classes_of, several_classes
from figures.options import ANY_AXES, Axes, Options, among
from figures.recording import Changes
from figures.theme import LIGHT, SHARES, class_color, figure
from figures.view import TableColumn, View, joined, view
from mlcore.classification.capabilities import HasMistakes
from mlcore.classification.perceptron import Perceptron
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities import HasCoefficients
from mlcore.spine.params import integer
from mlcore.spine.wording import count, percent

SIDE = 61  # places along each weight
ROOM = 0.35  # of the way's size, beyond it on each side
MOST_ROWS = 1_000  # of which it is counted how many are wrong
MOST_NUMBERS = 400_000  # in the rows: the way is gone once more to draw it
MOST_STEPS = 300  # updates one by one at first, then whole passes
OFFSET = "offset"
WAY, NOW = "way", "now"


class Way(NamedTuple):
    """Two weights of one of several classes from step to step."""

    name: str
    code: int
    path: np.ndarray  # (k, 2)


class WeightPath(NamedTuple):
    """Two weights from step to step, and the rows that are wrong with others of them."""

    names: tuple[str, str]
    path: np.ndarray  # (k, 2) after each step, the first before any of them
    notes: tuple[str, ...]  # (k,) what happened in it
    axes: tuple[np.ndarray, np.ndarray]  # (SIDE,) each
    wrong: np.ndarray  # (SIDE, SIDE) share of rows: by the second weight, then by the first
    cone: (
        np.ndarray
    )  # (m, 2) corners of where no row is wrong, in sight; (0, 2) where it is nowhere
    made: np.ndarray  # (k,) mistakes until each step
    at_end: float  # share of rows with the last weights
    others: int  # weights beside the two
    n_steps: int  # steps of which the last is not the end; 0 where all are drawn
    of: str = ""  # the class whose weights they are, of several
    code: int = 1
    beside: tuple[Way, ...] = ()  # those of the other classes


def is_repeatable(dataset: Dataset, whole: Whole | None = None) -> bool:
    """Whether the way of a fit is the same when it is gone again, and short enough for that."""
    if whole is None:
        return False
    it = whole.fit.made_by
    if not isinstance(it, Perceptron) or it.keep != "last":
        return False
    is_sure = it.order == "cyclic" and it.start == "zero" and dataset.weights is None
    weights = whole.fit.coefficients.size + it.learn_bias * np.size(whole.fit.intercept)
    rows = 1 if len(whole.fit.classes) == 2 else len(whole.fit.classes)
    return is_sure and weights > rows and whole.prepared.X.size <= MOST_NUMBERS


@dataclass(frozen=True, kw_only=True)
class WayOptions(Options):
    """What may be chosen of the picture."""

    of: int = among(
        integer(
            1, low=1, soft=(1, 10), label="Class",
            doc="The class whose weights are moved, those of the others as last.",
        ),
        several_classes,
    )  # fmt: skip


@view(
    "weight_path",
    title="Way of the weights",
    asks=(HasMistakes, HasCoefficients),
    when=is_repeatable,
    options=WayOptions,
    sources=("cs2:perceptron", "cs2:perceptron_convergence"),
    synonyms=("weight space", "version space", "update path", "perceptron cone", "0-1 loss"),
)
def weight_path(
    dataset: Dataset, whole: Whole, axes: Axes = ANY_AXES, *, options: WayOptions
) -> View:
    """Two weights after each update; shade: how many rows are wrong with these, others as last.

    Each row forbids one side of a line, and what all of them leave, the cone of separating
    directions cut by this plane, is outlined. Of more than two classes each has weights of its own:
    those of one, and the ways of the others.
    """
    w = numbers(dataset, whole, axes.x, axes.y, options.of)
    n = len(whole.prepared.X)
    note = "on the fitted rows" if n <= MOST_ROWS else f"on {MOST_ROWS} of {count(n, 'fitted row')}"
    note += f", {count(w.others, 'other weight')} as at the end" if w.others else ""
    return joined(w, draw, reading, table, note=note, step=step)


def numbers(dataset: Dataset, whole: Whole, x: str = "", y: str = "", of: int = 1) -> WeightPath:
    """Of the weights of columns x and y, else of the two that end farthest from 0.

    Of more than two classes those of class `of`, counted from 1.
    """
    fit: Any = whole.fit
    prepared, r = whole.prepared, of - 1 if len(fit.classes) > 2 else 0
    names = tuple(column.name for column in fit.columns)
    names = (*names, OFFSET) if fit.made_by.learn_bias else names
    steps = fit.made_by.steps(prepared.X, prepared.y, columns=prepared.columns)
    drawn = list(islice(steps, MOST_STEPS))
    ways = [_rows(step.state) for step in drawn]
    W = np.stack([np.zeros_like(ways[0]), *ways])[:, :, : len(names)]  # (k, R, q)
    last = _rows(fit)[:, : len(names)]
    i, j = _chosen(names, last[r], x, y)
    W = W[:, :, [i, j]]
    axes = _around(np.append(W[..., 0], last[r, i])), _around(np.append(W[..., 1], last[r, j]))
    sides = _sides(whole, last, r, (i, j))
    made = np.array([0, *(step.state.mistakes.sum() for step in drawn)])
    notes = ("before the first row", *(step.note for step in drawn))
    named = list(enumerate(classes_of(fit, dataset))) if len(fit.classes) > 2 else []
    return WeightPath(
        (names[i], names[j]), W[:, r], notes, axes, sides.wrong(*np.meshgrid(*axes)),
        _cone(sides, axes), made, float(sides.wrong(*last[r, [i, j]])), last.size - 2,
        0 if drawn[-1].stop else len(drawn), named[r][1] if named else "", r if named else 1,
        tuple(Way(name, k, W[:, k]) for k, name in named if k != r),
    )  # fmt: skip


def _rows(of: Any) -> np.ndarray:
    """The weights and the offset of each score of a fit or state, shape (R, p + 1)."""
    return np.column_stack([np.atleast_2d(of.coefficients), np.atleast_1d(of.intercept)])


class _Sides(NamedTuple):
    """On which side of a line in the plane of two weights each of n rows is right."""

    Z: np.ndarray  # (n, 2) what a unit of the weights adds to the score
    rest: np.ndarray  # (n,) the score without the two
    need: np.ndarray  # (n,) what it must reach
    if_so: np.ndarray  # (n,) whether the row is wrong where it is reached
    if_not: np.ndarray  # (n,) and where not

    def wrong(self, a: Any, b: Any) -> np.ndarray:
        """Share of rows that are wrong with these weights, of any one shape, in that shape."""
        a, b = np.asarray(a)[..., None], np.asarray(b)[..., None]
        reached = self.rest + a * self.Z[:, 0] + b * self.Z[:, 1] >= self.need
        return np.where(reached, self.if_so, self.if_not).mean(axis=-1)


def _sides(whole: Whole, last: np.ndarray, r: int, at: tuple[int, int]) -> _Sides:
    """Of some rows, for two of the weights of score r, while the others are the `last`, (R, q)."""
    prepared, fit, two = whole.prepared, whole.fit, list(at)
    some = np.unique(np.linspace(0, len(prepared.X) - 1, MOST_ROWS).astype(np.int64))
    Z = np.column_stack([prepared.X[some], np.ones(len(some))])[:, : last.shape[1]]
    codes = np.searchsorted(fit.classes, np.asarray(prepared.y)[some])
    scores = Z @ last.T
    code, need, other = _rivals(scores, r)
    rest = scores[:, r] - Z[:, two] @ last[r, two]
    return _Sides(Z[:, two], rest, need, codes != code, codes != other)


def _cone(sides: _Sides, axes: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Corners of the part in sight where no row is wrong, (m, 2)."""
    if (sides.if_so & sides.if_not).any():  # a row that is wrong whatever the two are
        return np.empty((0, 2))
    (a, b), sign = axes, np.where(sides.if_so, -1.0, 1.0)
    corners = np.array([[a[0], b[0]], [a[-1], b[0]], [a[-1], b[-1]], [a[0], b[-1]]])
    return left_by(corners, sign[:, None] * sides.Z, sign * (sides.rest - sides.need))


def _rivals(scores: np.ndarray, r: int) -> tuple[int, np.ndarray, np.ndarray]:
    """The class of score r, what it must reach to be said in each row, and what is said else.

    `scores` has shape (n, R); of two classes there is one, which the second needs to be 0.
    """
    n, R = scores.shape
    if R == 1:
        return 1, np.zeros(n), np.zeros(n, dtype=np.int64)
    others = scores.copy()
    others[:, r] = -np.inf
    other, best = others.argmax(axis=1), others.max(axis=1)
    return r, np.where(other < r, np.nextafter(best, np.inf), best), other  # the first of a tie


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
    """Lighter where fewer rows are wrong, an outline where none is; a line to the last weights."""
    (a, b), (x, y) = w.axes, w.path.T
    beside = [
        go.Scatter(
            x=way.path[:, 0], y=way.path[:, 1], mode="lines", name=way.name,
            line={"color": class_color(way.code), "width": 1.5},
            hovertemplate="%{x:.3~g}, %{y:.3~g}<extra>%{fullData.name}</extra>",
        )
        for way in w.beside
    ]  # fmt: skip
    shade = go.Heatmap(
        x=a, y=b, z=w.wrong, zmin=0, colorscale=SHARES, hoverongaps=False,
        colorbar={"title": {"text": "rows wrong"}, "tickformat": ".0%", "thickness": 12},
        hovertemplate="%{x:.3~g}, %{y:.3~g}<br>%{z:.1%} of the rows wrong<extra></extra>",
    )  # fmt: skip
    way = go.Scatter(
        x=x, y=y, mode="lines+markers", text=list(w.notes), name=w.of, uid=WAY,
        line={"color": LIGHT.text, "width": 1.5},
        marker={"size": 5, "color": LIGHT.text}, hovertemplate="%{text}<extra></extra>",
    )  # fmt: skip
    end = go.Scatter(
        x=x[-1:], y=y[-1:], mode="markers", hoverinfo="skip", showlegend=False, uid=NOW,
        marker={"size": 12, "symbol": "star", "color": class_color(w.code),
                "line": {"color": LIGHT.text, "width": 1}},
    )  # fmt: skip
    return figure(
        shade, *_outline(w), *beside, way, end, height=HEIGHT, showlegend=bool(beside),
        xaxis={"title": {"text": f"Weight of {w.names[0]}"}, "showgrid": False},
        yaxis={"title": {"text": f"Weight of {w.names[1]}"}, "showgrid": False},
    )  # fmt: skip


def _outline(w: WeightPath) -> list[go.Scatter]:
    """Around the weights with which no row is wrong, within the picture."""
    if not len(w.cone):
        return []
    x, y = np.vstack([w.cone, w.cone[:1]]).T
    return [
        go.Scatter(
            x=x, y=y, mode="lines", hoverinfo="skip", showlegend=False, name="no row wrong",
            line={"color": LIGHT.text, "width": 1.5, "dash": "dot"},
        )
    ]  # fmt: skip


def step(w: WeightPath, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """The way until a step, and where the weights stand there."""
    fit: Any = whole.fit
    k = int(np.searchsorted(w.made, fit.mistakes.sum(), side="right"))
    x, y = w.path[:k].T
    text = list(w.notes[:k])
    return {at[WAY]: {"x": x, "y": y, "text": text}, at[NOW]: {"x": x[-1:], "y": y[-1:]}}


def reading(w: WeightPath) -> str:
    """How far it went, where no row is wrong, and what is not drawn."""
    walked = float(np.hypot(*np.diff(w.path, axis=0).T).sum())
    straight = float(np.hypot(*(w.path[-1] - w.path[0])))
    text = f"{count(len(w.path) - 1, 'step')} lead there"
    text += f" for {w.of}" if w.of else ""
    text += f", {walked / straight:.2g} times the straight way" if straight else ""
    text += f"; {percent(w.at_end)} of the rows are wrong at the end. "
    text += (
        "No row is wrong inside the dotted outline." if len(w.cone)
        else f"At the lightest place {percent(float(w.wrong.min()))} are."
    )  # fmt: skip
    return text + (f" The first {w.n_steps} steps are drawn." if w.n_steps else "")


def table(w: WeightPath) -> tuple[TableColumn, ...]:
    """One line a step."""
    return (
        TableColumn("step", np.arange(len(w.path))),
        *(TableColumn(f"weight of {n}", w.path[:, k]) for k, n in enumerate(w.names)),
        *(
            TableColumn(f"weight of {n} for {way.name}", way.path[:, k])
            for way in w.beside
            for k, n in enumerate(w.names)
        ),
        TableColumn("what happened", w.notes),
    )
