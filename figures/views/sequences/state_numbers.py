"""How many states: what each more of them gains in likelihood, and what its parameters cost."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from figures.drawing.marks import mark_of, numbered
from figures.numbers.sequences import sequences_of
from figures.theme import LIGHT, class_color, figure
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.sequences.capabilities import HasHiddenStates
from mlcore.spine.errors import DataError, MlcoreError
from mlcore.spine.wording import listed

HEIGHT = 320
MOST, BEYOND = 6, 2  # states that are tried: so many, and some more than the method has
RUNS = 2  # from different starts, for each number
MOST_SECONDS = 4.0  # by the estimate of the method
NAMES = ("bic", "aic")


class StateNumbers(NamedTuple):
    """Fits with 1, 2 .. states to the same rows."""

    counts: np.ndarray  # (c,) numbers of states
    bic: np.ndarray  # (c,) a row, in nats
    aic: np.ndarray  # (c,)
    log_likelihood: np.ndarray  # (c,) a row
    n_parameters: np.ndarray  # (c,)
    used: int
    failed: tuple[int, ...]  # numbers of states that could not be fitted
    marks: np.ndarray  # (c,) what a click on a number names


@view(
    "state_numbers",
    title="Number of states",
    asks=HasHiddenStates,
    on="sequences report",
    order=92,
    sources=("epfl:hmm_aic", "epfl:hmm_bic"),
    synonyms=("model selection", "information criterion", "BIC", "AIC"),
)
def state_numbers(dataset: Dataset, whole: Whole) -> View:
    """Both criteria over the number of states, everything else as it is set."""
    s = numbers(dataset, whole)
    return joined(s, draw, reading, table, note=f"fitted on all rows, {RUNS} runs each")


def numbers(dataset: Dataset, whole: Whole) -> StateNumbers:
    """A fit for each number; DataError where that would take too long."""
    fit: Any = whole.fit
    used, rows = len(fit.start), sequences_of(dataset, whole)
    tried = range(1, max(MOST, used + BEYOND) + 1)
    methods = [replace(fit.made_by, n_states=N, n_init=RUNS) for N in tried if N <= 30]
    n, p = rows.X.shape
    if sum(m.card.cost(n, p, m)[0] for m in methods) > MOST_SECONDS:
        raise DataError(
            "To fit each number of states to so many rows takes too long for a picture. Open "
            "Curves, and choose the number of states."
        )
    fits, failed = {}, []
    for method in methods:
        try:
            fits[method.n_states] = method.fit(
                rows.X, columns=fit.columns, lengths=rows.lengths, seed=0
            )
        except MlcoreError:  # more states than different rows
            failed.append(method.n_states)
    every: Any = list(fits.values())
    bic, aic, log_likelihood = (
        np.array([getattr(it, name) for it in every]) / n for name in (*NAMES, "log_likelihood")
    )
    sizes = np.array([it.n_parameters for it in every])
    return StateNumbers(
        np.array(list(fits)), bic, aic, log_likelihood, sizes, used, tuple(failed),
        np.array([mark_of(dataset, "states", N) for N in fits]),
    )  # fmt: skip


def draw(s: StateNumbers) -> go.Figure:
    """A line a criterion, its lowest point filled; the number in use as a band."""
    lines = [_line(s, k, name) for k, name in enumerate(NAMES)]
    fig = figure(
        *lines, height=HEIGHT, showlegend=True,
        xaxis={"title": {"text": "Number of states"}, "dtick": 1},
        yaxis={"title": {"text": "Criterion a row, in nats"}},
    )  # fmt: skip
    return fig.add_vrect(
        x0=s.used - 0.25, x1=s.used + 0.25, fillcolor=LIGHT.accent, opacity=0.12, line_width=0
    )


def _line(s: StateNumbers, k: int, name: str) -> go.Scatter:
    y = getattr(s, name)
    best = y == y.min()
    line = go.Scatter(
        x=s.counts, y=y, name=name.upper(), mode="lines+markers",
        line={"color": class_color(k), "dash": ("solid", "dash")[k]},
        marker={"size": [13 if it else 8 for it in best],
                "color": [class_color(k) if it else LIGHT.background for it in best],
                "line": {"width": 2, "color": class_color(k)}},
        hovertemplate=f"%{{x}} states<br>{name.upper()} %{{y:.4f}}<extra></extra>",
    )  # fmt: skip
    return numbered(line, s.marks)


def reading(s: StateNumbers) -> str:
    """Which number each criterion prefers, and where held-out rows are asked."""
    best = [int(s.counts[getattr(s, name).argmin()]) for name in NAMES]
    text = f"BIC is lowest with {best[0]}, AIC with {best[1]}; {s.used} are in use. "
    if s.failed:
        text += f"With {listed([str(N) for N in s.failed])} there are too few different rows. "
    return text + "What sequences left out say of each number is under Curves."


def table(s: StateNumbers) -> tuple[TableColumn, ...]:
    """One line a number of states."""
    return (
        TableColumn("states", s.counts),
        TableColumn("log-likelihood a row", s.log_likelihood),
        TableColumn("parameters", s.n_parameters),
        TableColumn("BIC a row", s.bic),
        TableColumn("AIC a row", s.aic),
    )
