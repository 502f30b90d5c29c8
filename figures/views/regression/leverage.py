"""How far each row pulls a plane towards itself: its leverage, its error and Cook's distance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import HEIGHT, points_of
from figures.drawing.words import fitted_on
from figures.numbers.clouds import Cloud
from figures.theme import LIGHT, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.regression.capabilities import GivesInfluence
from mlcore.runs.carry import Whole
from mlcore.runs.fitting import weights_of
from mlcore.spine.errors import DataError
from mlcore.spine.wording import count, plural, rough

LEVELS = (0.5, 1.0)  # Cook's distances from which on a row deserves a look, and decides
CURVE = 80  # places of a line of equal distance


class Leverage(NamedTuple):
    """The fitted rows, but those that the plane passes through by themselves."""

    rows: np.ndarray  # (n,) row numbers of the table
    hat: np.ndarray  # (n,) leverages, in [0, 1)
    errors: np.ndarray  # (n,) studentised: in standard deviations of their own
    cook: np.ndarray  # (n,) Cook's distances
    df: float  # effective number of parameters
    alone: np.ndarray  # row numbers that are left out
    target: str


@view(
    "leverage",
    title="Leverage and Cook's distance",
    asks=GivesInfluence,
    on="regression report compare",
    order=133,
    sources=("s841:hat_matrix",),
    synonyms=("influence", "hat matrix", "studentized residuals", "outliers", "Cook's distance"),
)
def leverage(dataset: Dataset, whole: Whole) -> View:
    """Each fitted row by its leverage and its error, with lines of equal Cook's distance."""
    v = numbers(dataset, whole)
    order = np.argsort(-v.cook, kind="stable")
    note = fitted_on(dataset, whole)
    return joined(v, draw, reading, table, note=note, rows=v.rows[order])


def numbers(dataset: Dataset, whole: Whole) -> Leverage:
    """What the fit says of its rows, by the closed form of rows left out."""
    prepared, fit = whole.prepared, whole.fit
    rows = prepared.follow(np.arange(dataset.n))
    weights = weights_of(fit.made_by, dataset, rows)
    told = fit.influence(prepared.X, prepared.y, weights=weights)
    root = np.ones(len(rows)) if weights is None else np.sqrt(weights)
    seen = np.isfinite(told.loo_residuals) & (root > 0)
    left = root[seen] * told.loo_residuals[seen] * (1.0 - told.hat_diag[seen])
    spare = int((root > 0).sum()) - told.df
    size = float(np.sqrt(left @ left / spare)) if spare > 1e-8 else 0.0
    if size == 0:
        raise DataError("The plane leaves no errors, so no row pulls it more than another.")
    hat = told.hat_diag[seen]
    errors = left / (size * np.sqrt(1.0 - hat))
    cook = errors**2 * hat / (told.df * (1.0 - hat))
    alone = dataset.rows[rows[~seen & (root > 0)]]
    names = dataset.rows[rows[seen]]
    return Leverage(names, hat, errors, cook, told.df, alone, dataset.target or "target")


def draw(v: Leverage) -> go.Figure:
    """A mark a row; beyond a line its Cook's distance is larger than what the line says."""
    cloud = Cloud(v.hat, v.errors, v.rows, np.zeros(len(v.rows), dtype=np.int64), ())
    most = 1.06 * float(v.hat.max())
    high = 1.15 * max(float(np.abs(v.errors).max()), 2.0)
    lines = [_line(v, level, side, most, high) for level in LEVELS for side in (1.0, -1.0)]
    fig = figure(
        *(trace.update(marker_opacity=0.7) for trace in points_of(cloud)),
        *lines,
        height=HEIGHT,
        showlegend=True,
        xaxis={"title": {"text": "Leverage"}, "range": [0.0, most]},
        yaxis={"title": {"text": "Studentised error"}, "range": [-high, high]},
    )
    return fig.update_layout(legend={"title": {"text": ""}})


def _line(v: Leverage, level: float, side: float, most: float, high: float) -> go.Scatter:
    """Where Cook's distance is `level`, as far as it lies in the picture."""
    least = level * v.df / (high**2 + level * v.df)  # where the line enters
    x = np.linspace(min(least, most), most, CURVE)
    y = side * np.sqrt(level * v.df * (1.0 - x) / np.maximum(x, 1e-12))
    y = np.where(np.abs(y) <= high * (1.0 + 1e-9), y, np.nan)
    dash = "dot" if level < max(LEVELS) else "dash"
    return go.Scatter(
        x=x,
        y=y,
        mode="lines",
        line={"color": LIGHT.quiet, "width": 1.5, "dash": dash},
        name=f"Cook's distance {level:g}",
        showlegend=side > 0 and bool(np.isfinite(y).any()),
        hoverinfo="skip",
    )


def reading(v: Leverage) -> str:
    """The row that moves the plane most, and how many are beyond the lines."""
    k = int(v.cook.argmax())
    far = int((v.cook > LEVELS[0]).sum())
    text = (
        f"Row {v.rows[k] + 1} moves the plane most: Cook's distance {rough(v.cook[k])}, leverage "
        f"{rough(v.hat[k])}. "
    )
    many = f"{count(far, 'row')} {plural(far, 'has', 'have')}" if far else "No row has"
    text += f"{many} more than {LEVELS[0]:g}."
    if n := len(v.alone):
        text += f" {count(n, 'row')} alone {plural(n, 'fixes', 'fix')} a direction of the plane."
    return text


def table(v: Leverage) -> tuple[TableColumn, ...]:
    """One line a row, the one that moves the plane most first."""
    order = np.argsort(-v.cook, kind="stable")
    return (
        TableColumn("row", v.rows[order] + 1),
        TableColumn("leverage", v.hat[order]),
        TableColumn("studentised error", v.errors[order]),
        TableColumn("Cook's distance", v.cook[order]),
    )
