"""How much a robust regression trusts each row that it was fitted to."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import HEIGHT, ROWS, points_of
from figures.drawing.words import fitted_on
from figures.numbers.clouds import Cloud
from figures.recording import Changes
from figures.theme import figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.spine.capabilities import HasTrust
from mlcore.spine.wording import count, plural, rough

HALF = 0.5
UNUSED = 1e-3  # a row that counts less than this is of no account


class Trust(NamedTuple):
    """The fitted rows by their errors."""

    rows: np.ndarray  # (n,) row numbers of the table
    errors: np.ndarray  # (n,) target minus prediction, in scales of the errors
    trust: np.ndarray  # (n,) in [0, 1]
    scale: float  # of the errors, in units of the target
    target: str


@view(
    "trust",
    title="Trust in each row",
    asks=HasTrust,
    on="regression report compare",
    order=152,
    sources=("prac:linear_tail_loss",),
    synonyms=("robust weights", "outliers", "influence", "reweighting"),
)
def trust(dataset: Dataset, whole: Whole) -> View:
    """The share in which each fitted row counts, by its error."""
    t = numbers(dataset, whole)
    order = np.argsort(t.trust, kind="stable")
    note = fitted_on(dataset, whole)
    return joined(t, draw, reading, table, note=note, rows=t.rows[order], step=step)


def numbers(dataset: Dataset, whole: Whole) -> Trust:
    """Errors and shares as the fit has them; all in full where the scale is zero."""
    fit = whole.fit
    rows = dataset.rows[whole.prepared.follow(np.arange(dataset.n))]
    errors = np.zeros(len(fit.trust)) if fit.scale == 0 else fit.scaled_errors
    return Trust(rows, errors, fit.trust, float(fit.scale), dataset.target or "target")


def draw(t: Trust) -> go.Figure:
    """A mark a row: its error to the side, the share in which it counts upwards."""
    cloud = Cloud(t.errors, t.trust, t.rows, np.zeros(len(t.rows), dtype=np.int64), ())
    traces = points_of(cloud)
    if len(traces) == 1:
        traces[0].uid = ROWS
    return figure(
        *traces,
        height=HEIGHT,
        xaxis={"title": {"text": f"Error of {t.target} in scales"}},
        yaxis={"title": {"text": "Weight of the row"}, "range": [-0.04, 1.06]},
        showlegend=False,
    )


def step(t: Trust, at: dict[str, int], whole: Whole, dataset: Dataset) -> Changes:
    """What a step changes: where the marks of the rows lie."""
    if ROWS not in at or len(t.rows) != len(whole.fit.trust):
        return {}
    now = numbers(dataset, whole)
    return {at[ROWS]: {"x": now.errors, "y": now.trust}}


def reading(t: Trust) -> str:
    """The scale, how many rows count by half or less, and which is trusted least."""
    if t.scale == 0:
        exact = int((t.trust == 1).sum())
        return (
            f"{count(exact, 'row')} of {len(t.rows)} {plural(exact, 'lies', 'lie')} on the plane."
        )
    text = f"One scale is {rough(t.scale)} of {t.target}. "
    doubted, unused = int((t.trust <= HALF).sum()), int((t.trust <= UNUSED).sum())
    if not doubted:
        return f"{text}Every row counts by more than half."
    least = int(t.trust.argmin())
    text += (
        f"{count(doubted, 'row')} of {len(t.rows)} {plural(doubted, 'counts', 'count')} by half "
    )
    text += f"or less, {unused} of them for nothing; " if unused else "or less; "
    return (
        f"{text}least row {t.rows[least] + 1}, {rough(abs(t.errors[least]))} scales "
        f"{'above' if t.errors[least] > 0 else 'below'} its prediction."
    )


def table(t: Trust) -> tuple[TableColumn, ...]:
    """One line a row, the least trusted first."""
    order = np.argsort(t.trust, kind="stable")
    return (
        TableColumn("row", t.rows[order] + 1),
        TableColumn("error in scales", t.errors[order]),
        TableColumn("weight", t.trust[order]),
    )
