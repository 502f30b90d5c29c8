"""The conditions of an optimal support vector machine, and how far they are from holding."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from figures.drawing.words import fitted_on
from figures.numbers.supports import FULL
from figures.theme import CLASS_COLORS, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.runs.fitting import weights_of
from mlcore.spine.errors import DataError
from mlcore.spine.wording import count, listed
from mlcore.svm.capabilities import HasMachines

HEIGHT = 320
LEAST = 1e-16  # a residual of rounding or none
CLOSE = 1e-3  # above which a condition is said not to hold
# Of a multiplier alpha, its bound C, the side s = -1 or 1 of a row and the output f at it.
CONDITIONS = (
    "0 ≤ α ≤ C", "Σ α s = 0", "s f ≥ 1 where α = 0", "s f = 1 where 0 < α < C",
    "s f ≤ 1 where α = C", "primal = dual",
)  # fmt: skip


class Conditions(NamedTuple):
    """The largest residual of each of `CONDITIONS`, over all machines."""

    residual: np.ndarray  # (6,) shares of C, of the sum, outputs, and a share of the objective
    rows: np.ndarray  # (6,) rows that each speaks of, of all machines together
    worst: np.ndarray  # (6,) number in the table of the worst one; -1 where it speaks of no row
    is_free: bool  # whether some multiplier lies between its bounds


class Own(NamedTuple):
    """The rows of one machine."""

    at: np.ndarray  # (m,) positions among the training rows
    alpha: np.ndarray  # (m,)
    share: np.ndarray  # (m,) of the bound; 0 where there is no multiplier
    reach: np.ndarray  # (m,) s f: 1 on the own margin
    signed: float  # sum of alpha s


@view(
    "kkt_table",
    title="Optimality conditions",
    asks=HasMachines,
    on="svm",
    order=55,
    sources=("epfl:svm_kkt", "cs1:kkt_check", "prac:svm_kkt", "s841:kkt_checker"),
    synonyms=("KKT", "Karush-Kuhn-Tucker", "complementary slackness", "duality gap"),
)
def kkt_table(dataset: Dataset, whole: Whole) -> View:
    """The conditions of Karush, Kuhn and Tucker, each with its largest residual.

    α is the multiplier of a row, C its bound, s its side, -1 or 1, and f the output there, which
    is -1 and 1 on the margins. At the solution no residual is left but that of the tolerance.
    """
    c = numbers(dataset, whole)
    return joined(c, draw, reading, table, note=fitted_on(dataset, whole))


def numbers(dataset: Dataset, whole: Whole) -> Conditions:
    """Residuals of the fitted rows; DataError where multipliers have no bound."""
    fit: Any = whole.fit
    if not np.isfinite(fit.bounds).all():
        raise DataError(
            "Without a bound of the multipliers the conditions are others: this picture is of "
            "slacks that cost what they are long. Choose the hinge loss and a finite C."
        )
    every = list(_machines(dataset, whole))
    cases = [_cases(own) for own in every]
    residual, counts, worst = np.zeros(6), np.zeros(6, dtype=np.int64), np.full(6, -1)
    numbers_of = dataset.rows[whole.prepared.follow(np.arange(dataset.n))]
    for own, case in zip(every, cases, strict=True):
        for k, (is_in, values) in case.items():
            counts[k] += int(is_in.sum())
            if is_in.any() and values[is_in].max() >= residual[k]:
                at = np.flatnonzero(is_in)[values[is_in].argmax()]
                residual[k], worst[k] = values[at], numbers_of[own.at[at]]
    residual[1] = max(abs(own.signed) / max(float(own.alpha.sum()), 1e-300) for own in every)
    residual[5] = abs(fit.primal - fit.dual) / max(abs(fit.primal), 1e-300)
    return Conditions(residual, counts, worst, bool(counts[3]))


def _machines(dataset: Dataset, whole: Whole) -> Iterator[Own]:
    """The rows of each machine with their multipliers; rows of weight 0 are in none."""
    fit: Any = whole.fit
    X, y = whole.prepared.X, np.searchsorted(fit.classes, np.asarray(whole.prepared.y))
    weights = weights_of(fit.made_by, dataset, np.arange(dataset.n))
    is_used = np.ones(len(X), bool) if weights is None else whole.prepared.follow(weights) > 0
    alphas, shares = np.zeros((2, len(X), len(fit.machines)))
    alphas[fit.support] = np.abs(fit.duals)
    bounded = fit.bounds > 0
    shares[fit.support] = np.divide(
        np.abs(fit.duals), fit.bounds, out=np.zeros_like(fit.bounds), where=bounded
    )
    values = fit.values(X)
    for m, (negative, positive) in enumerate(fit.machines):
        is_low = y != positive if negative < 0 else y == negative
        at = np.flatnonzero((is_low | (y == positive)) & is_used)
        sign = np.where(y[at] == positive, 1.0, -1.0)
        signed = float((alphas[at, m] * sign).sum())
        yield Own(at, alphas[at, m], shares[at, m], sign * values[at, m], signed)


def _cases(own: Own) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """Which rows a condition speaks of, and by how much each breaks it, both of shape (m,)."""
    is_none, is_full = own.alpha == 0, own.share >= FULL
    beyond = np.maximum(own.share - 1.0, 0.0)
    return {
        0: (np.ones(len(own.at), dtype=bool), beyond),
        2: (is_none, np.maximum(1.0 - own.reach, 0.0)),
        3: (~is_none & ~is_full, np.abs(own.reach - 1.0)),
        4: (is_full, np.maximum(own.reach - 1.0, 0.0)),
    }


def draw(c: Conditions) -> go.Figure:
    """A dot a condition; one that holds to the last digit stands at the left edge."""
    shown = np.maximum(c.residual, LEAST)
    texts = [
        f"{name}<br>residual {value:.3g}" + (f", row {row + 1}" if row >= 0 and value else "")
        for name, value, row in zip(CONDITIONS, c.residual, c.worst, strict=True)
    ]
    is_met = c.residual <= CLOSE
    dots = go.Scatter(
        x=shown, y=CONDITIONS, mode="markers", text=texts,
        hovertemplate="%{text}<extra></extra>",
        marker={"size": 12, "color": [CLASS_COLORS[0 if met else 1] for met in is_met],
                "symbol": ["circle" if met else "diamond" for met in is_met]},
    )  # fmt: skip
    return figure(
        dots, height=HEIGHT, showlegend=False,
        xaxis={"title": {"text": "Largest residual"}, "type": "log", "range": [-16.5, 0.5],
               "tickvals": [1e-16, 1e-12, 1e-8, 1e-4, 1.0],
               "ticktext": ["0", "10⁻¹²", "10⁻⁸", "10⁻⁴", "1"]},
        yaxis={"autorange": "reversed"},
    )  # fmt: skip


def reading(c: Conditions) -> str:
    """Whether the fit is a solution, and which rows decide on the border."""
    broken = [name for name, value in zip(CONDITIONS, c.residual, strict=True) if value > CLOSE]
    if broken:
        text = f"Not met within {CLOSE:g}: {listed(broken)}. The solver stopped before the solution"
        text += ", or the kernel is not positive definite."
    else:
        text = f"All six hold; the largest residual is {c.residual.max():.2g}."
    kinds = f"{count(int(c.rows[2]), 'row')} without multiplier, {c.rows[3]} between the bounds"
    text += f" There are {kinds} and {c.rows[4]} at C."
    if not c.is_free:
        text += " With none between the bounds the offset may lie anywhere in an interval."
    return text


def table(c: Conditions) -> tuple[TableColumn, ...]:
    """One line a condition."""
    return (
        TableColumn("condition", CONDITIONS),
        TableColumn("largest residual", c.residual),
        TableColumn("rows", ["" if k in (1, 5) else str(n) for k, n in enumerate(c.rows)]),
        TableColumn("worst row", ["" if row < 0 else str(row + 1) for row in c.worst]),
    )
