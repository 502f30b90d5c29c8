"""The missing values of two columns as a Gaussian fills them, iteration by iteration."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing import marks
from figures.drawing.traces import HEIGHT
from figures.numbers.planes import correlation, span
from figures.numbers.stages import input_of
from figures.numbers.whitening import ellipses
from figures.recording import Changes, Recording
from figures.theme import LIGHT, class_color, figure
from figures.view import TableColumn, View, joined, view
from figures.views.preparation.whitening_clouds import ellipse_line
from mlcore.data.dataset import Dataset
from mlcore.preparation.capabilities import ImputesByGaussian
from mlcore.preparation.chain import Prepared
from mlcore.preparation.gaussian_imputer import GaussianImputerFit
from mlcore.spine.asking import can
from mlcore.spine.errors import DataError
from mlcore.spine.iterate import Step, record
from mlcore.spine.wording import count, rough

MOST_SEEN, MOST_FILLED = 2000, 400  # points that are drawn
FILLED, ONE, TWO = 1, 2, 3  # traces that the player changes


class Fill(NamedTuple):
    """Rows with both values, rows with one or none of them, and the Gaussian."""

    names: tuple[str, str]
    seen: np.ndarray  # (m, 2) rows that show both
    seen_rows: np.ndarray  # (m,) row numbers of the table
    filled: np.ndarray  # (f, 2) rows that lack one of them, filled
    filled_rows: np.ndarray  # (f,) the same
    lacks: np.ndarray  # (f, 2) which of the two was missing
    ellipses: np.ndarray  # (2, 61, 2) at one and two standard deviations
    r: float  # correlation of the two in the Gaussian
    r_seen: float  # and among the rows that show both
    n_incomplete: int  # rows that lack one of the two
    stop: str


@view(
    "gaussian_fill",
    title="Gaussian imputation",
    of_step=ImputesByGaussian,
    sources=("mi2:em_missing_values",),
)
def gaussian_fill(dataset: Dataset, prepared: Prepared) -> View:
    """Two columns, missing values filled with what the Gaussian expects, iteration by iteration."""
    fit, seen_data = _fit_of(dataset, prepared)
    pair = _pair(fit)
    f = numbers(fit, seen_data, pair)
    note = f"fitted on all {count(seen_data.n, 'row')}"
    player = partial(_played, fit, seen_data, pair)
    return joined(f, draw, reading, table, note=note, rows=f.filled_rows, player=player)


def _fit_of(dataset: Dataset, prepared: Prepared) -> tuple[GaussianImputerFit, Dataset]:
    """The first step that fills by a Gaussian, and the data as it finds them."""
    for k, fit in enumerate(prepared.fits, start=1):
        if can(fit, ImputesByGaussian):
            return fit, input_of(dataset, prepared, k)
    raise DataError("No step of the preparation fills missing values by a Gaussian.")


def _pair(fit: GaussianImputerFit) -> tuple[int, int]:
    """The column with most missing values and the one that says most of it, among the used ones."""
    if len(fit.used) < 2:
        raise DataError("This picture needs two columns of numbers; the step has one.")
    assert fit.gaps is not None
    first, size = int(fit.gaps[0]), np.sqrt(np.diag(fit.covariance))
    near = np.abs(fit.covariance[first]) / np.where(size > 0, size, 1.0)
    near[first] = -1.0
    second = int(near.argmax())
    return (first, second) if first < second else (second, first)


def numbers(fit: GaussianImputerFit, seen_data: Dataset, pair: tuple[int, int]) -> Fill:
    """Some rows in the plane of two of the used columns, and the Gaussian there."""
    at = fit.used[list(pair)]
    lacks = np.isnan(seen_data.X[:, at])
    whole = np.flatnonzero(~lacks.any(axis=1))[:MOST_SEEN]
    some = np.flatnonzero(lacks.any(axis=1))[:MOST_FILLED]
    C = fit.covariance[np.ix_(pair, pair)]
    seen = seen_data.X[np.ix_(whole, at)]
    return Fill(
        (seen_data.columns[at[0]].name, seen_data.columns[at[1]].name),
        seen,
        seen_data.rows[whole],
        fit.transform(seen_data.X[some])[:, at] if len(some) else np.empty((0, 2)),
        seen_data.rows[some],
        lacks[some],
        ellipses(fit.mean[list(pair)], C),
        float(C[0, 1] / np.sqrt(C[0, 0] * C[1, 1])),
        correlation(seen[:, 0], seen[:, 1]),
        int(lacks.any(axis=1).sum()),
        fit.stop.why if fit.stop else "",
    )


def _played(fit: GaussianImputerFit, seen_data: Dataset, pair: tuple[int, int]) -> Recording:
    """The iterations of the imputer: where it puts what is missing, and its Gaussian."""
    steps = record(fit.made_by.steps(seen_data.X, columns=seen_data.columns))
    return Recording(
        frames=[_frame(step, fit, seen_data, pair) for step in steps],
        objective=np.array([step.objective for step in steps]),
        sentences=[step.note if step.stop is None else step.stop.why for step in steps],
        steps=np.array([step.k + 1 for step in steps]),
        label="log-likelihood",
    )


def _frame(
    step: Step, fit: GaussianImputerFit, seen_data: Dataset, pair: tuple[int, int]
) -> Changes:
    """The filled rows and the ellipses after an iteration."""
    X = seen_data.X[:, fit.used]
    X[np.isnan(X)] = step.state.filled
    lacks = np.isnan(seen_data.X[:, fit.used[list(pair)]]).any(axis=1)
    P = X[np.flatnonzero(lacks)[:MOST_FILLED]][:, pair]
    C = step.state.covariance[np.ix_(pair, pair)]
    one, two = ellipses(step.state.mean[list(pair)], C)
    return {at: {"x": Z[:, 0], "y": Z[:, 1]} for at, Z in ((FILLED, P), (ONE, one), (TWO, two))}


def draw(f: Fill) -> go.Figure:
    """Rows with both values in grey, filled ones hollow in colour, the Gaussian around them."""
    texts: list[Any] = [
        marks.points(
            *f.seen.T, rows=f.seen_rows, name="both values there",
            marker={"color": LIGHT.quiet, "opacity": 0.5},
        ),
        marks.points(
            *f.filled.T, klass=1, rows=f.filled_rows, name="filled", hollow=True,
            marker={"color": class_color(1)},
        ),
        *(ellipse_line(ellipse, k) for k, ellipse in enumerate(f.ellipses)),
    ]  # fmt: skip
    # Fixed, or the axes would follow the marks while they are played.
    ends = [span(Z) for Z in np.vstack([f.seen, f.filled, *f.ellipses]).T]
    return figure(
        *texts,
        height=HEIGHT,
        xaxis={"title": {"text": f.names[0]}, "range": ends[0]},
        yaxis={"title": {"text": f.names[1]}, "range": ends[1]},
        showlegend=True,
    )


def reading(f: Fill) -> str:
    """How many rows are filled, and that filled values lie on lines, closer than true ones."""
    a, b = f.names
    return (
        f"{count(f.n_incomplete, 'row')} without {a} or {b}, drawn where the Gaussian expects "
        f"them, given their other columns. It holds the two to be correlated by {rough(f.r)}; "
        f"among the rows that show both it is {rough(f.r_seen)}. {f.stop}"
    ).strip()


def table(f: Fill) -> tuple[TableColumn, ...]:
    """One line a filled row that is drawn: its values, and which of them are filled."""
    a, b = f.names
    return (
        TableColumn("row", f.filled_rows + 1),
        TableColumn(a, f.filled[:, 0]),
        TableColumn(b, f.filled[:, 1]),
        TableColumn(f"{a} filled", f.lacks[:, 0]),
        TableColumn(f"{b} filled", f.lacks[:, 1]),
    )
