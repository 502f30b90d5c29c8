"""What one preparation step learned in every fold, as a table of numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import SIGNED, empty
from figures.names import cut
from figures.theme import figure
from figures.view import TableColumn, View, joined, view
from figures.views.evaluation import fold_ribbon
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Outcome
from mlcore.spine.wording import count, rough_value

MOST_VALUES = 20  # that are drawn, those that differ most between the folds
ROW = 26  # pixels a value
ROOM = 70
LETTER, LONGEST, GAP = 6.5, 34, 12  # pixels of a letter, letters of a head, pixels between cells


class StepValues(NamedTuple):
    """Learned values down, folds across; those that differ most first."""

    heads: tuple[str, ...]  # (v,) "column, what", with the step where all steps are shown
    every: np.ndarray  # (v,) as all rows teach it; NaN where they teach no such value
    folds: np.ndarray  # (k,) from 1
    values: np.ndarray  # (v, k) NaN where a fold learned no such value
    off: np.ndarray  # (v, k) distance from the mean over the folds, in its largest
    met: str  # what test rows brought that no fitted row had, a sentence


@view("step_values", title="Learned parameters", sources=("cs1:scale_pipeline",))
def step_values(dataset: Dataset, outcome: Outcome, *, stage: int | None = None) -> View:
    """The values that a step, from 1, learned from all rows and in each fold; None is all steps."""
    s = numbers(dataset, outcome, stage=stage)
    return joined(s, draw, reading, table, note="each fold learns from its training rows alone")


def numbers(dataset: Dataset, outcome: Outcome, *, stage: int | None = None) -> StepValues:
    """The values of the ribbon, of one step alone, beside those of all rows."""
    ribbon = fold_ribbon.numbers(dataset, outcome)
    summary = outcome.whole.prepared.summary()
    every = fold_ribbon.values_of(summary, dataset.classes)
    begins = "" if stage is None else f"{fold_ribbon.titles_of(summary)[stage - 1]}: "
    own = [j for j, head in enumerate(ribbon.heads) if head.startswith(begins)]
    heads = [ribbon.heads[j] for j in own]
    return StepValues(
        tuple(head.removeprefix(begins) for head in heads),
        np.array([every.get(head, np.nan) for head in heads]),
        ribbon.folds,
        ribbon.values[:, own].T,
        ribbon.off[:, own].T,
        fold_ribbon.met(outcome.done, stage),
    )


def draw(s: StepValues) -> go.Figure:
    """Coloured by how far a fold lies from the mean of all."""
    if not s.heads:
        return empty("This step learns nothing from the rows.", height=ROOM)
    shown = min(len(s.heads), MOST_VALUES)
    spreads = np.nanstd(s.values[:shown], axis=1)
    values = np.column_stack([s.every, s.values])[:shown]
    heat = go.Heatmap(
        z=np.column_stack([np.zeros(shown), 0.5 * s.off[:shown]]),  # half as strong, for the text
        x=["all rows", *(f"fold {k}" for k in s.folds)],
        y=list(range(shown)),
        zmin=-1,
        zmax=1,
        colorscale=SIGNED,
        showscale=False,
        xgap=3,
        ygap=3,
        text=[[_text(v, sd) for v in row] for row, sd in zip(values, spreads, strict=True)],
        texttemplate="%{text}",
        customdata=[[head] * values.shape[1] for head in s.heads[:shown]],
        hovertemplate="%{customdata}<br>%{x}: %{text}<extra></extra>",
    )
    plain = {"showgrid": False, "showline": False, "ticks": ""}
    labels = [cut(head, LONGEST) for head in s.heads[:shown]]
    cells = [*heat.x, *(text for row in heat.text for text in row)]
    beside, cell = (max(map(len, texts)) for texts in (labels, cells))
    least = int(LETTER * beside + values.shape[1] * (LETTER * cell + GAP))
    return figure(
        heat,
        height=ROOM + ROW * shown,
        meta={"least": least, "high": True},
        xaxis=plain | {"side": "top"},
        yaxis=plain | {"autorange": "reversed", "tickvals": list(range(shown)), "ticktext": labels},
    )


def _text(value: float, spread: float) -> str:
    if np.isnan(value):
        return "none"
    return f"{value:.0f}" if value.is_integer() and abs(value) < 1e6 else rough_value(value, spread)


def reading(s: StepValues) -> str:
    """How many values there are, and which differs most."""
    if not s.heads:
        return " ".join(filter(None, ("This step learns nothing from the rows.", s.met)))
    return " ".join(filter(None, (_difference(s), s.met)))


def _difference(s: StepValues) -> str:
    text = f"{count(len(s.heads), 'learned value')} in {count(len(s.folds), 'fold')}."
    if np.nanmax(np.abs(s.off), initial=0.0) == 0.0:
        return f"{text} All folds agree."
    low, high = np.nanmin(s.values[0]), np.nanmax(s.values[0])
    spread = float(np.nanstd(s.values[0]))
    ends = f"{_text(float(low), spread)} to {_text(float(high), spread)}"
    text += f" That of {s.heads[0]} differs most: {ends}."
    if len(s.heads) > MOST_VALUES:
        text += f" The {MOST_VALUES} that differ most are drawn."
    return text


def table(s: StepValues) -> tuple[TableColumn, ...]:
    """One line a value."""
    folds = (TableColumn(f"fold {k}", s.values[:, i]) for i, k in enumerate(s.folds))
    return (TableColumn("value", s.heads), TableColumn("all rows", s.every), *folds)
