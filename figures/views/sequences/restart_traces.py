"""The log-likelihood of every run, iteration by iteration: which was kept, and by how much."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import figures.graph as go
from figures.theme import LIGHT, faded, figure
from figures.view import TableColumn, View, joined, view
from mlcore.runs.carry import Whole
from mlcore.sequences.capabilities import HasHiddenStates
from mlcore.spine.wording import count, rough

HEIGHT = 320
SAME = 1e-4  # nats a row: runs that end so near ended in one place
DEEPEST = 1.0  # nats a row below the best end that are drawn


class Traces(NamedTuple):
    """Log-likelihoods a row of R runs."""

    values: np.ndarray  # (R, t) NaN where a run had ended
    ends: np.ndarray  # (R,)
    kept: int
    stop: str


@view(
    "restart_traces",
    title="Log-likelihood by iteration",
    asks=HasHiddenStates,
    on="sequences report",
    order=90,
    sources=("epfl:hmm_baum_welch", "epfl:em_generic"),
    synonyms=("convergence", "restarts", "local maximum"),
)
def restart_traces(whole: Whole) -> View:
    """Each run from its start to its end; the one that was kept in full colour."""
    return joined(numbers(whole), draw, reading, table, note="of all training sequences")


def numbers(whole: Whole) -> Traces:
    """The record of a fit."""
    fit: Any = whole.fit
    values = fit.traces / len(fit.memberships)
    ends = np.array([row[np.isfinite(row)][-1] for row in values])
    return Traces(values, ends, int(ends.argmax()), fit.stop.why if fit.stop else "")


def draw(t: Traces) -> go.Figure:
    """A line a run."""
    best = float(t.ends[t.kept])
    low = max(float(np.nanmin(t.values)), best - DEEPEST)
    order = [k for k in range(len(t.values)) if k != t.kept] + [t.kept]
    room = 0.06 * ((best - low) or 1.0)
    return figure(
        *(_line(t, k) for k in order), height=HEIGHT, showlegend=False,
        xaxis={"title": {"text": "Iteration"}, "tickformat": "d"},
        yaxis={"title": {"text": "Log-likelihood a row"}, "range": [low - room, best + room]},
    )  # fmt: skip


def _line(t: Traces, k: int) -> go.Scatter:
    own = t.values[k][np.isfinite(t.values[k])]
    is_kept = k == t.kept
    color = LIGHT.accent if is_kept else faded(LIGHT.quiet, 0.55)
    return go.Scatter(
        x=np.arange(len(own)), y=own, mode="lines", name=f"run {k + 1}",
        line={"color": color, "width": 2.5 if is_kept else 1.2},
        hovertemplate=f"run {k + 1}, iteration %{{x}}<br>%{{y:.5f}}<extra></extra>",
    )  # fmt: skip


def reading(t: Traces) -> str:
    """How many runs came to the same end."""
    best = float(t.ends[t.kept])
    if len(t.ends) == 1:
        return f"The one run ends at {rough(best)} a row. {t.stop}".strip()
    same = int((t.ends >= best - SAME).sum())
    text = f"Run {t.kept + 1} was kept, at {rough(best)} a row. "
    if same == len(t.ends):
        text += f"All {same} runs end there."
    else:
        text += f"{count(same, 'run')} of {len(t.ends)} came there, the worst ended "
        text += f"{rough(best - float(t.ends.min()))} lower: where it starts matters here."
    return f"{text} {t.stop}".strip()


def table(t: Traces) -> tuple[TableColumn, ...]:
    """One line an iteration."""
    runs = (TableColumn(f"run {k + 1}", row) for k, row in enumerate(t.values))
    return (TableColumn("iteration", np.arange(t.values.shape[1])), *runs)
