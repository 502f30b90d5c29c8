"""How many states: what each more of them gains in likelihood, and what its parameters cost."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.marks import mark_of, numbered
from figures.numbers.sequences import Sequences, sequences_of
from figures.theme import LIGHT, class_color, figure
from figures.view import Press, TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole
from mlcore.sequences.capabilities import HasHiddenStates
from mlcore.sequences.deviance import deviance_information
from mlcore.spine.errors import DataError, MlcoreError
from mlcore.spine.wording import listed

HEIGHT = 320
MOST, BEYOND = 6, 2  # states that are tried: so many, and some more than the method has
RUNS = 2  # from different starts, for each number
MOST_SECONDS = 4.0  # by the estimate of the method
NAMES = ("bic", "aic", "dic", "left_out")
CALLED = {"bic": "BIC", "aic": "AIC", "dic": "DIC", "left_out": "left out"}
DASHES = ("solid", "dash", "dashdot", "dot")
FOLDS = 3  # of whole sequences
DRAWS, BURN_IN = 150, 20  # of the posterior
DRAWN_SECONDS = 2.5  # that all draws may take
A_DRAW, A_CELL = 2.5e-4, 1.5e-7  # seconds of a draw, and of a row and state of it


class StateNumbers(NamedTuple):
    """Fits with 1, 2 .. states to the same rows."""

    counts: np.ndarray  # (c,) numbers of states
    bic: np.ndarray  # (c,) a row, in nats
    aic: np.ndarray  # (c,)
    dic: np.ndarray  # (c,) NaN where it is not usable, or all draws would take too long
    log_likelihood: np.ndarray  # (c,) a row
    n_parameters: np.ndarray  # (c,)
    left_out: np.ndarray  # (c,) -2 log-likelihood a row of sequences left out; NaN where none are
    used: int
    p_d: np.ndarray  # (c,) effective numbers of parameters; NaN where nothing was drawn
    failed: tuple[int, ...]  # numbers of states that could not be fitted
    marks: np.ndarray  # (c,) what a click on a number names


@view(
    "state_numbers",
    title="Number of states",
    asks=HasHiddenStates,
    on="sequences report",
    order=92,
    sources=("epfl:hmm_aic", "epfl:hmm_bic", "epfl:hmm_dic"),
    synonyms=("model selection", "information criterion", "BIC", "AIC", "DIC"),
)
def state_numbers(dataset: Dataset, whole: Whole) -> View:
    """The criteria over the number of states, everything else as it is set.

    DIC takes draws from the posterior; it is left out where its effective number of parameters
    comes out negative, since the mean of the draws is no model of the rows there.
    """
    s = numbers(dataset, whole)
    return joined(
        s, draw, reading, table, note=f"fitted on all rows, {RUNS} runs each", presses=presses(s)
    )


def numbers(dataset: Dataset, whole: Whole) -> StateNumbers:
    """A fit for each number; DataError where that would take too long."""
    fit: Any = whole.fit
    used, rows = len(fit.start), sequences_of(dataset, whole)
    tried = range(1, max(MOST, used + BEYOND) + 1)
    methods = _methods(fit.made_by, [N for N in tried if N <= 30])
    n, p = rows.X.shape
    seconds = sum(m.card.cost(n, p, m)[0] for m in methods)
    if seconds > MOST_SECONDS:
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
        np.array([getattr(it, name) for it in every]) / n
        for name in ("bic", "aic", "log_likelihood")
    )
    left_out = np.full(len(fits), np.nan)
    if FOLDS * seconds <= MOST_SECONDS and len(rows.lengths) > 1:
        left_out = np.array([_left_out(it.made_by, fit.columns, rows) for it in every])
    dic, p_d = _deviances(every, rows)
    sizes = np.array([it.n_parameters for it in every])
    return StateNumbers(
        np.array(list(fits)), bic, aic, dic, log_likelihood, sizes, left_out, used, p_d,
        tuple(failed),
        np.array([mark_of(dataset, "states", N) for N in fits]),
    )  # fmt: skip


def _methods(method: Any, tried: list[int]) -> list[Any]:
    """The method with each number of states for which its settings go together."""
    made = []
    for N in tried:
        with suppress(MlcoreError):  # forbidden moves that leave no way out of a state
            made.append(replace(method, n_init=RUNS, n_states=N))
    return made


def _deviances(fits: list[Any], rows: Sequences) -> tuple[np.ndarray, np.ndarray]:
    """DIC a row, and its effective number of parameters, of each fit, (c,) each."""
    nothing = np.full(len(fits), np.nan)
    cells = len(rows.X) * sum(len(it.start) for it in fits)
    if (DRAWS + BURN_IN) * (A_DRAW * len(fits) + A_CELL * cells) > DRAWN_SECONDS:
        return nothing, nothing
    each = [
        deviance_information(it, rows.X, rows.lengths, n_draws=DRAWS, burn_in=BURN_IN)
        for it in fits
    ]
    p_d = np.array([of.p_d for of in each])
    dic = np.array([of.dic if of.is_usable else np.nan for of in each])
    return dic / len(rows.X), p_d


def _left_out(method: Any, columns: Any, rows: Sequences) -> float:
    """-2 log-likelihood a row, in nats, of whole sequences left out; NaN where a fit fails.

    Infinite where a sequence shows what those that were learned from say is impossible.
    """
    k = min(FOLDS, len(rows.lengths))
    fold = np.arange(len(rows.lengths)) % k
    fold_of_row, total = np.repeat(fold, rows.lengths), 0.0
    for j in range(k):
        out, lengths_out = fold_of_row == j, rows.lengths[fold == j]
        try:
            fit = method.fit(rows.X[~out], columns=columns, lengths=rows.lengths[fold != j], seed=0)
            total += fit.log_density(rows.X[out], lengths_out).sum()
        except MlcoreError:
            return np.nan
    return -2 * total / len(rows.X)


def presses(s: StateNumbers) -> tuple[Press, ...]:
    """A press for each number that something prefers."""
    voices: dict[int, list[str]] = {}
    for name in _drawn(s):
        voices.setdefault(_best(s, name), []).append(CALLED[name])
    return tuple(
        Press(f"Set $N$ = {N}", "n_states", N, f"Lowest here by: {listed(who)}.")
        for N, who in sorted(voices.items())
    )


def _drawn(s: StateNumbers) -> list[str]:
    """The criteria that are known of some number."""
    return [name for name in NAMES if np.isfinite(getattr(s, name)).any()]


def _best(s: StateNumbers, name: str) -> int:
    values = getattr(s, name)
    return int(s.counts[np.nanargmin(np.where(np.isfinite(values), values, np.nan))])


def draw(s: StateNumbers) -> go.Figure:
    """A line a criterion, its lowest point filled; the number in use as a band."""
    lines = [_line(s, k, name) for k, name in enumerate(_drawn(s))]
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
    best = s.counts == _best(s, name)
    line = go.Scatter(
        x=s.counts, y=y, name=CALLED[name], mode="lines+markers",
        line={"color": class_color(k), "dash": DASHES[NAMES.index(name)]},
        marker={"size": [13 if it else 8 for it in best],
                "color": [class_color(k) if it else LIGHT.background for it in best],
                "line": {"width": 2, "color": class_color(k)}},
        hovertemplate=f"%{{x}} states<br>{CALLED[name]} %{{y:.4f}}<extra></extra>",
    )  # fmt: skip
    return numbered(line, s.marks)


def reading(s: StateNumbers) -> str:
    """Which number each criterion prefers, and what sequences left out say."""
    lowest = [f"{CALLED[name]} with {_best(s, name)}" for name in _drawn(s) if name != "left_out"]
    text = f"Lowest are {listed(lowest)}; {s.used} are in use. "
    if unusable := [str(N) for N, p_d in zip(s.counts, s.p_d, strict=True) if p_d <= 0]:
        text += f"DIC says nothing of {listed(unusable)}: its number of parameters is negative. "
    if s.failed:
        text += f"With {listed([str(N) for N in s.failed])} there are too few different rows. "
    if not np.isfinite(s.left_out).any():
        return text + "What rows left out say of each number is under Curves."
    return f"{text}Sequences left out are explained best with {_best(s, 'left_out')}."


def table(s: StateNumbers) -> tuple[TableColumn, ...]:
    """One line a number of states."""
    return (
        TableColumn("states", s.counts),
        TableColumn("log-likelihood a row", s.log_likelihood),
        TableColumn("parameters", s.n_parameters),
        TableColumn("BIC a row", s.bic),
        TableColumn("AIC a row", s.aic),
        TableColumn("DIC a row", s.dic),
        TableColumn("effective parameters (DIC)", s.p_d),
        TableColumn("-2 log-likelihood a row left out", s.left_out),
    )
