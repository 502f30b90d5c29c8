"""Which variables every fold chose, and how steady the choice is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import empty
from figures.names import cut
from figures.numbers.subsets import MOST, only_some
from figures.theme import LIGHT, SHARE, figure
from figures.view import TableColumn, View, joined, view
from mlcore.preparation.capabilities import RanksVariables, SearchesVariables
from mlcore.preparation.selection.choice import KEPT
from mlcore.preparation.selection.stability import selection_stability as index_of
from mlcore.runs.carry import FoldResult, Outcome
from mlcore.spine.asking import can
from mlcore.spine.wording import count, listed, percent

ROW, ROOM = 22, 90  # pixels a variable, and around them
MOST_FOLDS = 30
SEARCHED = ("subset_path", "relevance_table", "subset_lattice")  # views of a search


class Stability(NamedTuple):
    """Folds and variables, the most often chosen first."""

    folds: np.ndarray  # (k,) from 1
    variables: tuple[str, ...]  # (d,)
    chosen: np.ndarray  # (k, d)
    index: float  # NaN where it is not defined


@view("selection_stability", title="Stability of the selection")
def selection_stability(outcome: Outcome) -> View:
    """Which variables each fold keeps, how often each is kept, and the stability of the choice."""
    note = "each fold chooses from its training rows alone"
    return joined(numbers(outcome), draw, reading, table, note=note)


def selects(outcome: Outcome) -> bool:
    """Whether a step of the preparation chooses variables."""
    return any(_kept(fold) for fold in outcome.done)


def pictures_of(outcome: Outcome) -> tuple[str, ...]:
    """The names of the views that show how variables were chosen; none where none were."""
    if not selects(outcome):
        return ()
    fits = outcome.whole.prepared.fits
    searched = SEARCHED if any(can(fit, SearchesVariables) for fit in fits) else ()
    ranked = ("ranking_bars",) if any(can(fit, RanksVariables) for fit in fits) else ()
    return ("selection_stability", *searched, *ranked)


def numbers(outcome: Outcome) -> Stability:
    """The choice of every fold that is done."""
    kept = [_kept(fold) for fold in outcome.done]
    names = list(dict.fromkeys(name for each in kept for name in each))
    chosen = np.array([[each.get(name, False) for name in names] for each in kept], dtype=bool)
    chosen = chosen.reshape(len(kept), len(names))
    order = np.argsort(-chosen.sum(axis=0), kind="stable")
    return Stability(
        np.array([fold.k + 1 for fold in outcome.done], dtype=np.int64),
        tuple(names[j] for j in order),
        chosen[:, order],
        index_of(chosen) if len(names) else float("nan"),
    )


def _kept(fold: FoldResult) -> dict[str, bool]:
    """Every variable that was up for choice; kept if all steps that chose kept it."""
    kept_by_name: dict[str, bool] = {}
    for step in fold.summary:
        for variable, what, value in step.values:
            if what == KEPT:
                kept_by_name[variable] = kept_by_name.get(variable, True) and bool(value)
    return kept_by_name


def draw(s: Stability) -> go.Figure:
    """A line a variable, filled where a fold keeps it; behind, the share of the folds."""
    if not s.variables:
        return empty("No step of the preparation chooses variables.", ROOM + 2 * ROW)
    folds, names = s.folds[:MOST_FOLDS], [cut(name, 20) for name in s.variables[:MOST]]
    shown = s.chosen[: len(folds), : len(names)].T
    heat = go.Heatmap(
        z=shown.astype(np.float32),
        x=np.arange(len(folds)),
        y=np.arange(len(names)),  # places, since two names may be cut to the same
        zmin=0,
        zmax=1,
        colorscale=[(0.0, LIGHT.second), (1.0, SHARE)],
        showscale=False,
        xgap=3,
        ygap=2,
        text=[
            [f"{name}, fold {k}<br>{'kept' if v else 'left out'}"
             for k, v in zip(folds, row, strict=True)]
            for name, row in zip(names, shown, strict=True)
        ],
        hovertemplate="%{text}<extra></extra>",
    )  # fmt: skip
    plain = {"showgrid": False, "showline": False, "ticks": ""}
    ends = {"tickvals": [*range(len(folds)), len(folds)], "ticktext": [*map(str, folds), "share"]}
    return figure(
        heat,
        _shares(s, len(folds), len(names)),
        height=ROOM + ROW * max(len(names), 2),
        xaxis=plain | ends | {"side": "top", "title": {"text": "Fold"}},
        yaxis=plain | {"tickvals": list(range(len(names))), "ticktext": names,
                       "autorange": "reversed"},
        showlegend=False,
    )  # fmt: skip


def _shares(s: Stability, folds: int, names: int) -> go.Scatter:
    """The share of the folds that keep each variable, behind its row."""
    return go.Scatter(
        x=[folds] * names,
        y=list(range(names)),
        mode="text",
        text=[percent(float(v)) for v in s.chosen.mean(axis=0)[:names]],
        textfont={"color": LIGHT.quiet, "size": 12},
        cliponaxis=False,
        hoverinfo="skip",
    )


def reading(s: Stability) -> str:
    """Who is always kept, who sometimes, and the index with what it means."""
    if not s.variables:
        return "No step of the preparation chooses variables, so all of them reach the method."
    shares = s.chosen.mean(axis=0)
    always = [v for v, share in zip(s.variables, shares, strict=True) if share == 1]
    sometimes = int(((shares > 0) & (shares < 1)).sum())
    text = f"Of {count(len(s.variables), 'variable')} every fold keeps "
    text += f"{listed(always) if always else 'none'}; {sometimes or 'none'} more "
    text += "in some folds only." if sometimes else "in any fold."
    text += only_some(len(s.variables))
    if not np.isfinite(s.index):
        return text
    return (
        f"{text} The stability, Kuncheva's index for choices of any size, is {s.index:.2f}: 1 is "
        "always the same choice, 0 is chance."
    )


def table(s: Stability) -> tuple[TableColumn, ...]:
    """One line a variable."""
    folds = (
        TableColumn(f"fold {k}", tuple("kept" if v else "" for v in s.chosen[i]))
        for i, k in enumerate(s.folds)
    )
    return (
        TableColumn("variable", s.variables),
        TableColumn("share of folds", s.chosen.mean(axis=0) if len(s.folds) else np.array([])),
        *folds,
    )
