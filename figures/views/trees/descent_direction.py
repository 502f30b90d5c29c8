"""What a round of gradient boosting aims at, and the tree that it grows in its stead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import CURVE, HEIGHT, ROWS, dated, named_axis, row_texts
from figures.drawing.words import fitted_on
from figures.numbers.planes import Axis, axis, span
from figures.numbers.rules import classes_of, several_classes
from figures.numbers.sampled import drawn_rows
from figures.numbers.target import target_of
from figures.options import Offered, Options, Values, among
from figures.recording import Changes
from figures.theme import LIGHT, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.ensembles.capabilities import HasDescent
from mlcore.runs.carry import Whole
from mlcore.runs.fitting import weights_of
from mlcore.spine.asking import can
from mlcore.spine.capabilities import HasClasses
from mlcore.spine.params import integer
from mlcore.spine.wording import rough

POINTS = 400  # of the stairs along one column
MOST_ROWS = 2_000  # that are marks
MOST_TRIED = 8  # rounds whose trees give the axis its ends
MOST_NAMED = 50  # rounds in the list of them


class Direction(NamedTuple):
    """The slopes before a round, and what the tree of the round says of the same rows."""

    round: int  # from 1
    rounds: int
    downhill: np.ndarray  # (m,) minus the slope of the loss before the round
    tree: np.ndarray  # (m,) the tree of the round, before its share is taken
    alike: float  # cosine of the angle between both over all rows; NaN where one is zero
    here: np.ndarray  # (m,) positions of the rows that are drawn
    rows: np.ndarray  # (m,) their numbers in the table
    on: Axis | None  # where there is a single column
    x: np.ndarray  # (m,) its values
    at: np.ndarray  # (g,) places on it
    cells: np.ndarray  # (g, p) prepared rows there
    stairs: np.ndarray  # (g,) the tree along it
    reach: float  # of the axis: the largest slope of any row before the first round
    of: str = ""  # the class whose score is drawn, where each has one; of two, the second
    k: int = 0  # its place
    wide: float = 1.0  # the largest that a tree says of a row; Newton steps go beyond the slopes


def _rounds(offered: Offered) -> Values:
    whole = offered.get("whole")
    last = whole.fit.rounds if whole is not None else 0
    return {None: "the last"} | {t: f"round {t}" for t in range(1, min(last, MOST_NAMED) + 1)}


@dataclass(frozen=True, kw_only=True)
class DirectionOptions(Options):
    """Which round is drawn."""

    round: int | None = among(
        integer(
            None, low=1, soft=(1, MOST_NAMED), or_none="the last", label="Round",
            doc="The round whose slopes and tree are drawn; the player goes through all.",
        ),
        _rounds,
    )  # fmt: skip
    of: int = among(
        integer(1, low=1, soft=(1, 10), label="Class", doc="The class whose score is drawn."),
        several_classes,
    )


@view(
    "descent_direction",
    title="Slope and tree of a round",
    asks=HasDescent,
    options=DirectionOptions,
    on="classification regression report",
    order=166,
    sources=("cs2:gradient_boosting_named", "cs2:functional_gradient"),
    synonyms=("negative gradient", "pseudo-residuals", "functional gradient descent", "residuals"),
)
def descent_direction(dataset: Dataset, whole: Whole, *, options: DirectionOptions) -> View:
    """Minus the slope of the loss at each row, and the tree that is fitted to it.

    Of the squared loss the slope is what is left, of classes what a probability falls short of 0
    or 1; there each leaf is a Newton step, longer than the slopes in it. A share of the tree is
    added; the next round starts from there.
    """
    d = numbers(dataset, whole, options.round, options.of)
    note = fitted_on(dataset, whole)
    return joined(d, draw, reading, table, note=note, rows=d.rows, step=step)


def numbers(dataset: Dataset, whole: Whole, round: int | None = None, of: int = 1) -> Direction:
    """A round of the fit, from 1, the last if none is given; of several classes the score of `of`,
    from 1."""
    fit: Any = whole.fit
    here = drawn_rows(dataset.n, MOST_ROWS)
    on, x, at, cells = None, np.empty(0), np.empty(0), np.empty((0, fit.n_columns))
    if len(dataset.columns) == 1 and not dataset.columns[0].levels:
        on, x = axis(dataset, 0), dataset.X[here, 0]
        at = np.linspace(*span(dataset.X[:, 0]), POINTS)
        cells = whole.prepared.transform(at[:, None])
    nothing = np.empty(0)
    first = Direction(
        1, fit.rounds, nothing, nothing, np.nan, here, dataset.rows[here], on, x, at, cells,
        nothing, 1.0, *_class_of(dataset, fit, of),
    )  # fmt: skip
    reach = float(np.abs(_of_round(first, dataset, whole, 1).downhill).max()) or 1.0
    wanted = min(round or fit.rounds, fit.rounds)
    some = np.unique(np.linspace(1, fit.rounds, min(fit.rounds, MOST_TRIED)).astype(int))
    each = [_of_round(first, dataset, whole, int(t)).tree for t in (*some, wanted)]
    wide = max(reach, *(float(np.abs(tree).max()) for tree in each))
    return _of_round(first._replace(reach=reach, wide=wide), dataset, whole, wanted)


def _class_of(dataset: Dataset, fit: Any, of: int) -> tuple[str, int]:
    """The class whose score is drawn and its place; ("", 0) of a quantity."""
    if not can(fit, HasClasses):
        return "", 0
    names = classes_of(fit, dataset)
    k = min(of, len(names)) - 1 if len(names) > 2 else 1
    return names[k], k


def _score(values: np.ndarray, d: Direction) -> np.ndarray:
    """Of all scores, (m,) or (m, K), the one that is drawn, (m,)."""
    return values if values.ndim == 1 else values[:, d.k]


def _targets(dataset: Dataset, fit: Any) -> np.ndarray:
    """Quantities, or codes of the classes of the fit, (n,)."""
    y = target_of(dataset)
    return np.searchsorted(fit.classes, y) if can(fit, HasClasses) else y


def _of_round(d: Direction, dataset: Dataset, whole: Whole, t: int) -> Direction:
    """The slopes before round t and its tree, at the rows and along the column."""
    fit: Any = whole.fit
    X, y = whole.prepared.transform(dataset.X), _targets(dataset, fit)
    given = weights_of(fit.made_by, dataset, np.arange(dataset.n))
    weights = np.ones(dataset.n) if given is None else given
    before = fit.after(X, t - 1)
    downhill = _score(fit.downhill(y, before, weights), d)
    tree = _score(fit.after(X, t) - before, d) / fit.made_by.learning_rate
    stairs = np.empty(0)
    if d.on is not None:
        added = fit.after(d.cells, t) - fit.after(d.cells, t - 1)
        stairs = _score(added, d) / fit.made_by.learning_rate
    lengths = np.sqrt((weights @ downhill**2) * (weights @ tree**2))
    alike = float(weights @ (downhill * tree) / lengths) if lengths > 0 else np.nan
    return d._replace(
        round=t, rounds=max(d.rounds, t), downhill=downhill[d.here], tree=tree[d.here],
        alike=alike, stairs=stairs,
    )  # fmt: skip


def draw(d: Direction) -> go.Figure:
    """Along a single column slopes as marks and the tree as stairs, else one against the other."""
    reach = 1.08 * (d.reach if d.on is None else d.wide)
    ends = [-reach, reach]
    rows = go.Scatter(
        x=d.tree if d.on is None else dated(d.x, d.on.column.kind), y=d.downhill, uid=ROWS,
        mode="markers", name="minus the slope", text=row_texts(d.rows),
        marker={"size": 6, "color": LIGHT.text, "opacity": 0.6},
        hovertemplate="%{text}<br>%{y:.4~g}<extra></extra>",
    )  # fmt: skip
    x, y, axis_x = _tree(d, ends)
    tree = go.Scatter(
        x=x, y=y, uid=CURVE if d.on is not None else None, mode="lines", hoverinfo="skip",
        name="the tree" if d.on is not None else "where they are equal",
        line={"color": LIGHT.accent, "width": 2.5, "shape": "hv"}
        if d.on is not None else {"color": LIGHT.accent, "width": 1.5, "dash": "dot"},
    )  # fmt: skip
    return figure(
        marks.numbered(rows, d.rows), tree, height=HEIGHT, showlegend=True, xaxis=axis_x,
        yaxis={"title": {"text": "Minus the slope of the loss"}, "range": ends},
    )  # fmt: skip


def _tree(d: Direction, ends: list[float]) -> tuple[Any, Any, dict[str, Any]]:
    """The line of the tree, or of equality, and the axis below it."""
    if d.on is not None:
        return dated(d.at, d.on.column.kind), d.stairs, named_axis(d.on.column)
    across = {"title": {"text": "What the tree says"}, "range": [-1.08 * d.wide, 1.08 * d.wide]}
    return ends, ends, across


def step(d: Direction, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a round changes: the slopes at the rows, and the tree."""
    now = _of_round(d, dataset, whole, whole.fit.rounds)
    if d.on is None:
        return {at[ROWS]: {"x": now.tree, "y": now.downhill}}
    return {at[ROWS]: {"y": now.downhill}, at[CURVE]: {"y": now.stairs}}


def reading(d: Direction) -> str:
    """How well the tree points downhill, and how far the slopes have come down."""
    text = f"Round {d.round} of {d.rounds}" + (f", score of {d.of}" if d.of else "")
    if np.isnan(d.alike):
        return f"{text}: nothing is left to learn, or its tree says nothing."
    text += f": the cosine between the slopes and its tree is {d.alike:.2f}"
    text += ", and 1 would be a tree that points straight downhill. "
    largest = rough(float(np.abs(d.downhill).max()))
    return f"{text}The steepest row drawn has {largest}, before the first round {rough(d.reach)}."


def table(d: Direction) -> tuple[TableColumn, ...]:
    """One line a row."""
    return (
        TableColumn("row", d.rows + 1),
        TableColumn("minus the slope", d.downhill),
        TableColumn("tree", d.tree),
    )
