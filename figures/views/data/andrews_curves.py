"""Andrews curves: every row as a function of one variable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import dash_of, empty, row_texts
from figures.numbers.standardised import TOO_FEW, Quantities, quantities
from figures.options import Options
from figures.theme import class_color, faded, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.spine.params import choice, flag
from mlcore.spine.wording import count

HEIGHT = 400
MOST_COLUMNS = 12  # later ones only make ripples
MOST_ROWS = 150  # more curves than this are a solid block
POINTS = 81


class Andrews(NamedTuple):
    """A curve a row, on a grid from -pi to pi."""

    cells: Quantities
    t: np.ndarray  # (g,)
    curves: np.ndarray  # (m, g)
    means: np.ndarray  # (K, g) of the classes, or of all rows
    codes: np.ndarray  # (K,)
    with_rows: bool


@dataclass(frozen=True, kw_only=True)
class AndrewsOptions(Options):
    """What may be chosen of the picture."""

    order: str = choice(
        "ranked", "ranked", "table",
        doc="Which column gets the lowest frequency: the one that says most about the target "
        "alone, or the first of the table. Low frequencies are what the eye sees.",
    )  # fmt: skip
    rows: bool = flag(True, doc="Whether rows are drawn beside the means.")


@view(
    "andrews_curves",
    title="Andrews curves",
    options=AndrewsOptions,
    on="data",
    order=42,
    synonyms=("Andrews plot", "Fourier curves of rows"),
)
def andrews_curves(dataset: Dataset, *, options: AndrewsOptions) -> View:
    """Each row as a sum of waves whose sizes are its columns; near rows have near curves."""
    a = numbers(dataset, options)
    return joined(a, draw, reading, table, note=a.cells.note)


def waves(p: int, t: np.ndarray) -> np.ndarray:
    """1/sqrt(2), sin t, cos t, sin 2t, cos 2t ... at t, shape (p, g).

    They are orthogonal on (-pi, pi), each of squared norm pi, so the squared distance of two curves
    is pi times that of their rows, and the mean of curves is the curve of the mean
    (Andrews, Plots of high-dimensional data, Biometrics 28, 1972).
    """
    at = np.arange(p)[:, None]
    frequency = (at + 1) // 2
    rising = np.where(at % 2 == 1, np.sin(frequency * t), np.cos(frequency * t))
    return np.where(at == 0, np.sqrt(0.5), rising)


def numbers(dataset: Dataset, options: AndrewsOptions | None = None) -> Andrews:
    """The curves of at most 150 rows over at most 12 standardised columns."""
    chosen = options or AndrewsOptions()
    cells = quantities(dataset, MOST_COLUMNS, MOST_ROWS, ranked=chosen.order == "ranked")
    t = np.linspace(-np.pi, np.pi, POINTS)
    curves = cells.Z @ waves(len(cells.names), t)
    codes = np.unique(cells.klass)
    means = np.array([curves[cells.klass == k].mean(axis=0) for k in codes])
    return Andrews(cells, t, curves, means.reshape(len(codes), POINTS), codes, chosen.rows)


def draw(a: Andrews) -> go.Figure:
    """Rows faint, the means of the classes strong on top."""
    if not a.cells.names:
        return empty(TOO_FEW)
    groups = [_rows(a, int(k)) for k in a.codes] if a.with_rows else []
    means = [_mean(a, k, code) for k, code in enumerate(a.codes.tolist())]
    ticks = {"tickvals": [-np.pi, 0, np.pi], "ticktext": ["−π", "0", "π"]}
    return figure(
        *groups,
        *means,
        height=HEIGHT,
        xaxis={"title": {"text": "t"}} | ticks,
        yaxis={"title": {"text": "f(t)"}},
        showlegend=len(means) > 1,
    )


def _name(a: Andrews, code: int) -> str:
    return "no class" if code < 0 else a.cells.classes[code] if a.cells.classes else "all rows"


def _mean(a: Andrews, k: int, code: int) -> Any:
    name = _name(a, code)
    style = {"color": class_color(code), "width": 3, "dash": dash_of(max(code, 0))}
    return go.Scatter(
        x=a.t.astype(np.float32), y=a.means[k].astype(np.float32), mode="lines", line=style,
        name=name, legendgroup=name, hovertemplate=f"mean of {name}<extra></extra>",
    )  # fmt: skip


def _rows(a: Andrews, code: int) -> Any:
    """All rows of a class in one trace; an empty place parts one from the next."""
    own = a.cells.klass == code
    m = int(own.sum())
    y = np.column_stack([a.curves[own], np.full(m, np.nan)]).ravel().astype(np.float32)
    trace = go.Scatter(
        x=np.tile(np.append(a.t, a.t[-1]), m).astype(np.float32), y=y, mode="lines",
        line={"color": faded(class_color(code), 0.25), "width": 1}, showlegend=False,
        legendgroup=_name(a, code), text=np.repeat(row_texts(a.cells.rows[own]), POINTS + 1),
        hovertemplate="%{text}<extra></extra>",
    )  # fmt: skip
    return marks.numbered(trace, np.repeat(a.cells.rows[own], POINTS + 1))


def reading(a: Andrews) -> str:
    """What is drawn, and what a distance between curves means."""
    if not a.cells.names:
        return TOO_FEW
    text = f"{count(len(a.curves), 'row')} over {count(len(a.cells.names), 'column')}, "
    text += f"{a.cells.names[0]} at the lowest frequency."
    text += " The squared distance of two curves is π times that of their standardised rows."
    return text + a.cells.which


def table(a: Andrews) -> tuple[TableColumn, ...]:
    """One line a place on the axis, a column a mean."""
    named = (
        TableColumn(f"mean of {_name(a, int(c))}", m) for c, m in zip(a.codes, a.means, strict=True)
    )
    return (TableColumn("t", a.t), *named)
