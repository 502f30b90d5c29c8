"""Coefficients along the strength of the penalty."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import log_axis
from figures.drawing.traces import HEIGHT, line, named_line
from figures.names import cut
from figures.numbers.apart import apart
from figures.theme import LIGHT, faded, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.optimisation.path import Path
from mlcore.runs.carry import Whole
from mlcore.spine.asking import can
from mlcore.spine.capabilities import HasPath, HasStrength
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column
from mlcore.spine.wording import listed, rough

MOST_LINES = 40
LINE_HEIGHT = 0.05  # of the range of the picture: a name
STRENGTHS = 50  # of a path, about
MOST_SECONDS = 1.0  # of making a path while a page waits
MOST_NAMES = 8  # lines that are named at their end; more would overlap
# Of the axis: where names begin. Beside its very end a rounding may put them beyond it, and what is
# beyond the axis is not drawn.
JUST_INSIDE = 1e-6


class CoefficientPath(NamedTuple):
    """One line a column (and class), from the strongest penalty to the weakest."""

    alphas: np.ndarray  # (A,)
    values: np.ndarray  # (A, lines)
    names: tuple[str, ...]  # (lines,) by falling size at the weak end
    df: np.ndarray  # (A,)
    chosen: float | None  # strength of the present fit
    is_log: bool


@view(
    "coefficient_path",
    title="Coefficient path",
    asks=HasPath,
    on="regression",
    order=210,
    sources=("cs1:reg_erm",),
    synonyms=("lasso path", "regularization path", "ridge trace", "regularisation path"),
)
def coefficient_path(dataset: Dataset, whole: Whole, path: Path | None = None) -> View:
    """Every coefficient against the strength of the penalty, the present strength marked.

    `path` where it was made already (in a worker, say); else it is made here if that is quick.
    """
    fit = whole.fit
    path = path or _quick_path(whole)
    chosen = fit.alpha if can(fit, HasStrength) else None
    c = numbers(path, fit.columns, dataset.classes, chosen)
    return joined(c, draw, reading, table, note="on the training rows, columns as prepared")


def _quick_path(whole: Whole) -> Path:
    """The path of the fit on its rows; DataError where making it would hold up the page."""
    X, method = whole.prepared.X, whole.fit.made_by
    seconds = method.card.cost(*X.shape, method)[0] * STRENGTHS if method.card.cost else 0.0
    if seconds > MOST_SECONDS:
        raise DataError(
            f"The path fits {method.title()} for about {STRENGTHS} strengths; on {len(X)} rows and "
            f"{X.shape[1]} columns that takes too long for a picture. Use fewer rows or columns."
        )
    return whole.fit.path(X, whole.prepared.y)


def numbers(
    path: Path,
    columns: tuple[Column, ...],
    classes: tuple[str, ...] = (),
    chosen: float | None = None,
) -> CoefficientPath:
    """Lines by falling size at the weak end of the path."""
    values, names = path.coefficients, [c.name for c in columns]
    if values.ndim == 3:
        heads = classes if len(classes) == values.shape[2] else range(1, values.shape[2] + 1)
        names = [f"{name}, {head}" for name in names for head in heads]
        values = values.reshape(len(values), -1)
    order = np.argsort(-np.abs(values[-1]), kind="stable")
    is_log = path.log and bool((path.alphas > 0).all())
    return CoefficientPath(
        path.alphas, values[:, order], tuple(names[j] for j in order), path.df, chosen, is_log
    )


def draw(c: CoefficientPath) -> go.Figure:
    """The penalty falls to the right, so that coefficients grow in reading direction.

    The largest lines are coloured and named at their end, the others faint.
    """
    shown = min(len(c.names), MOST_LINES)
    named = min(shown, MOST_NAMES)
    kind = log_axis(c.alphas) if c.is_log else {}
    faint = {"color": faded(LIGHT.quiet, 0.35), "width": 1}
    fig = figure(
        *(_line(c, j).update(line=faint) for j in range(named, shown)),
        *(_line(c, j) for j in range(named)),
        height=HEIGHT,
        margin={"t": 24, "r": min(7 * max(map(len, c.names[:named])) + 16, 200)},
        xaxis={"title": {"text": "Strength of the penalty"}, "autorange": "reversed"} | kind,
        yaxis={"title": {"text": "Coefficient"}},
        showlegend=False,
    )
    _name_ends(fig, c, named, c.values[:, :shown])
    if c.chosen is not None and (c.chosen > 0 or not c.is_log):
        named_line(fig, f"here {rough(c.chosen)}", x=c.chosen, is_log=c.is_log)
    return fig


def _line(c: CoefficientPath, j: int) -> go.Scatter:
    hover = f"{c.names[j]} %{{y:.4~g}}<br>at %{{x:.3~g}}<extra></extra>"
    return line(c.alphas, c.values[:, j], j, c.names[j], hovertemplate=hover)


def _name_ends(fig: go.Figure, c: CoefficientPath, named: int, drawn: np.ndarray) -> None:
    """The names of the first lines beside their ends, moved apart where they would overlap."""
    first, last = (np.log10(c.alphas) if c.is_log else c.alphas)[[0, -1]]
    x = float(last + JUST_INSIDE * (first - last))
    ends = c.values[-1, :named]
    at = apart(ends, LINE_HEIGHT * float(np.ptp(drawn) or 1.0))
    for j in range(named):
        font = {"color": LIGHT.text, "size": 12}  # some line colours are too weak for words
        fig.add_annotation(
            x=x, y=float(at[j]), text=cut(c.names[j], 26), font=font, xanchor="left", xshift=6
        )


def reading(c: CoefficientPath) -> str:
    """How many are not zero at the ends and at the present strength, and who comes in first."""
    counts = (c.values != 0).sum(axis=1)
    largest = f"{c.names[0]} ({rough(float(c.values[-1, 0]))})"
    if counts.min() == len(c.names):
        text = "No coefficient is zero anywhere; all shrink with the penalty. "
        return text + f"Largest at the weakest penalty: {largest}."
    text = f"From the strongest to the weakest penalty {counts[0]} to {counts[-1]} of "
    text += f"{len(c.names)} coefficients are not zero; at the end {largest} is the largest."
    if c.chosen is not None and c.chosen > 0:
        here = int(np.abs(np.log(c.alphas) - np.log(c.chosen)).argmin())
        text += f" At {rough(c.chosen)} about {counts[here]} are not zero."
    return f"{text} First to come in: {listed(_entering(c), 3)}."


def _entering(c: CoefficientPath) -> list[str]:
    some = np.flatnonzero((c.values != 0).any(axis=1))
    return [c.names[j] for j in np.flatnonzero(c.values[some[0]])] if len(some) else []


def table(c: CoefficientPath) -> tuple[TableColumn, ...]:
    """One line a strength."""
    lines = (TableColumn(name, c.values[:, j]) for j, name in enumerate(c.names))
    return (TableColumn("strength", c.alphas), TableColumn("df", c.df), *lines)
