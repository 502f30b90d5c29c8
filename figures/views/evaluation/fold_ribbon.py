"""The folds: which rows each leaves out, and what every preparation step learned in it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import figures.graph as go
from figures.drawing.traces import SIGNED
from figures.graph import make_subplots
from figures.names import cut, cut_apart, wrapped
from figures.theme import LIGHT, NO_TEMPLATE, SHARE
from figures.view import TableColumn, View, joined, view
from mlcore.data.dataset import Dataset
from mlcore.preparation.chain import Met, StepSummary, named
from mlcore.preparation.selection.choice import KEPT
from mlcore.runs.carry import FoldResult, Outcome
from mlcore.spine.wording import count, listed, plural, rough_value, spaced

MOST_VALUES = 6  # learned values that are drawn, those that differ most between the folds
MOST_FOLDS = 30
STRIPES = 120  # pieces into which the rows are cut for the left picture
ROW = 26  # pixels a fold
ROOM = 130
# Pixels of the rows, of a learned value, and of the names and gaps about them: a phone shows the
# rows and the first value whole, and is pulled to the others.
STRIP, VALUE, AROUND = 170, 84, 80
HEAD = 14  # letters of a line above a learned value


class FoldRibbon(NamedTuple):
    """Folds down, rows and learned values across."""

    folds: np.ndarray  # (k,) from 1
    left_out: np.ndarray  # (k, s) share of each piece of the rows that the fold leaves out
    n: int
    heads: tuple[str, ...]  # (v,) "step: column, what", the most different over the folds first
    values: np.ndarray  # (k, v) NaN where a fold learned no such value
    off: np.ndarray  # (k, v) distance from the mean over the folds, in its largest
    notes: tuple[str, ...]  # (k,) what the steps say beside their values
    met: tuple[str, ...]  # (k,) what is new in the rows that the fold leaves out
    met_in_all: str  # the same of all folds together, a sentence


@view(
    "fold_ribbon",
    title="Folds and preparation",
    on="preparation report",
    order=20,
    is_wide=True,
    sources=("cs1:scale_pipeline",),
)
def fold_ribbon(dataset: Dataset, outcome: Outcome) -> View:
    """Rows that every fold leaves out, and what the preparation learned from its other rows."""
    r = numbers(dataset, outcome)
    return joined(
        r, draw, reading, table, note="everything is learned from the training rows alone"
    )


def numbers(dataset: Dataset, outcome: Outcome) -> FoldRibbon:
    """Learned values of all steps in all folds, sorted by how much they differ."""
    folds = outcome.done[:MOST_FOLDS]
    left_out = np.array([_pieces(fold.test, dataset.n) for fold in folds])
    learned = [values_of(fold.summary, dataset.classes) for fold in folds]
    heads = list(dict.fromkeys(head for each in learned for head in each))
    values = np.array([[each.get(head, np.nan) for head in heads] for each in learned])
    values = values.reshape(len(folds), len(heads))
    order = np.argsort(-_spread(values), kind="stable")
    values = values[:, order]
    return FoldRibbon(
        np.array([fold.k + 1 for fold in folds], dtype=np.int64),
        left_out.reshape(len(folds), min(dataset.n, STRIPES)),
        dataset.n,
        tuple(heads[j] for j in order),
        values,
        _off(values),
        tuple(" ".join(s.note for s in fold.summary if s.note) for fold in folds),
        tuple(met((fold,)) for fold in folds),
        met(folds),
    )


def titles_of(summary: tuple[StepSummary, ...]) -> list[str]:
    """The title of each step, with its place where two steps have the same."""
    titles = [step.step for step in summary]
    return [
        f"{title}, step {k}" if titles.count(title) > 1 else title
        for k, title in enumerate(titles, start=1)
    ]


def values_of(summary: tuple[StepSummary, ...], classes: tuple[str, ...]) -> dict[str, float]:
    """What the steps learned, by "step: column, what"."""
    return {
        f"{title}: {named(column, classes)}, {what}": value
        for title, step in zip(titles_of(summary), summary, strict=True)
        for column, what, value in step.values
    }


def met(folds: tuple[FoldResult, ...], stage: int | None = None) -> str:
    """What test rows brought to a step, from 1, that no fitted row had, or to all steps.

    A sentence over all folds; empty where there is nothing.
    """
    steps = [
        own
        for k, own in enumerate(zip(*(fold.met for fold in folds)), start=1)
        if stage in (None, k)
    ]
    counts = [_counted([each for each in own if each is not None]) for own in steps]
    sentence = listed([text for text in counts if text])
    return f"In test rows: {sentence}." if sentence else ""


def _counted(met: list[Met]) -> str:
    count, of = sum(each.count for each in met), sum(each.of for each in met)
    return f"{spaced(count)} of {spaced(of)} {met[0].what}" if count else ""


def _pieces(test: np.ndarray, n: int) -> np.ndarray:
    """Share of each piece of the rows that is left out, shape (s,)."""
    pieces = min(n, STRIPES)
    of = np.arange(n) * pieces // n
    return np.bincount(of[test], minlength=pieces) / np.bincount(of, minlength=pieces)


def _spread(values: np.ndarray) -> np.ndarray:
    """Standard deviation over the folds relative to the size of the value, shape (v,)."""
    known = np.isfinite(values)
    count = np.maximum(known.sum(axis=0), 1)
    filled = np.where(known, values, 0.0)
    mean = filled.sum(axis=0) / count
    sd = np.sqrt((np.where(known, values - mean, 0.0) ** 2).sum(axis=0) / count)
    size = np.abs(filled).sum(axis=0) / count
    return np.divide(sd, size, out=np.zeros_like(sd), where=size > 0)


def _off(values: np.ndarray) -> np.ndarray:
    known = np.isfinite(values)
    mean = np.where(known, values, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    off = np.where(known, values - mean, np.nan)
    top = np.where(known, np.abs(off), 0.0).max(axis=0, initial=0.0)
    return off / np.where(top > 0, top, 1.0)


def draw(r: FoldRibbon) -> go.Figure:
    """Left filled where rows are left out; right the values, coloured by where they differ."""
    shown = min(len(r.heads), MOST_VALUES)
    widths = [STRIP, VALUE * shown] if shown else [0.999, 0.001]
    fig = make_subplots(1, 2, column_widths=widths, horizontal_spacing=0.03, shared_yaxes=True)
    fig.update_layout(template=NO_TEMPLATE, height=ROOM + ROW * max(len(r.folds), 2))
    names = [f"fold {k}" for k in r.folds]
    fig.add_trace(_stripes(r, names), row=1, col=1)
    if shown:
        fig.add_trace(_values(r, names, shown), row=1, col=2)
        heads = _short(r.heads[:shown])
        fig.update_xaxes(tickvals=list(range(shown)), ticktext=heads, side="top", row=1, col=2)
    else:
        fig.update_xaxes(visible=False, row=1, col=2)
    fig.update_xaxes(title_text="Row", title_standoff=4, row=1, col=1)
    fig.update_xaxes(showgrid=False)
    fig.update_layout(meta={"least": AROUND + STRIP + VALUE * shown, "high": True})
    plain = {"showgrid": False, "showline": False, "ticks": "", "autorange": "reversed"}
    return fig.update_yaxes(**plain)


def _stripes(r: FoldRibbon, names: list[str]) -> go.Heatmap:
    pieces = r.left_out.shape[1]
    return go.Heatmap(
        z=r.left_out.astype(np.float32),
        x=(np.arange(pieces) + 0.5) * r.n / pieces,
        y=names,
        zmin=0,
        zmax=1,
        colorscale=[(0.0, LIGHT.second), (1.0, SHARE)],
        showscale=False,
        ygap=4,
        hovertemplate="%{y}, row %{x:.0f}<br>%{z:.0%} left out<extra></extra>",
    )


def _values(r: FoldRibbon, names: list[str], shown: int) -> go.Heatmap:
    values = r.values[:, :shown]
    spreads = _spreads(values)
    return go.Heatmap(
        z=0.5 * r.off[:, :shown],  # half as strong, so that the text stays readable
        x=list(range(shown)),
        y=names,
        zmin=-1,
        zmax=1,
        colorscale=SIGNED,
        showscale=False,
        xgap=3,
        ygap=4,
        text=[
            [_written(*each) for each in zip(r.heads, row, spreads, strict=False)] for row in values
        ],
        texttemplate="%{text}",
        customdata=[list(r.heads[:shown])] * len(names),
        hovertemplate="%{y}<br>%{customdata}<br>%{text}<extra></extra>",
    )


def _spreads(values: np.ndarray) -> np.ndarray:
    """The spread over the folds that says how many digits are written, (v,); counts have none."""
    spreads = np.nanstd(values, axis=0)
    counts = (np.isnan(values) | (values == np.round(values))).all(axis=0)
    spreads[counts] = np.maximum(spreads[counts], 10.0)
    return spreads


def _written(head: str, value: float, spread: float) -> str:
    """A learned value with the digits in which the folds differ; a choice as yes or no."""
    if np.isnan(value):  # this fold learned none
        return "–"
    if _is_choice(head):
        return "yes" if value else "no"
    return rough_value(value, spread)


def _is_choice(head: str) -> bool:
    return head.endswith(f", {KEPT}")


def _short(heads: tuple[str, ...]) -> list[str]:
    """Column and what of each, on two lines or more; the step is said when hovering."""
    parts = [head.partition(": ")[2].rpartition(", ") for head in heads]
    columns = cut_apart((column for column, _, _ in parts), 2 * HEAD)
    return [f"{_column(c)}<br>{wrapped(what, HEAD)}" for c, (_, _, what) in zip(columns, parts)]


def _column(name: str) -> str:
    """A level stands below the name of its column where both are too long for a line."""
    column, is_level, level = name.rpartition("=")
    if not is_level or len(name) <= HEAD:
        return wrapped(name, HEAD)
    return f"{cut(column, HEAD - 1)}=<br>{cut(level, HEAD)}"


def reading(r: FoldRibbon) -> str:
    """How many rows a fold leaves out, and which learned value differs most."""
    if not len(r.folds):
        return "No fold is done."
    text = f"{count(len(r.folds), 'fold')} over {count(r.n, 'row')}."
    if not r.heads:
        return f"{text} The preparation learns nothing from the rows."
    return " ".join(filter(None, (text, _difference(r), r.met_in_all)))


def _difference(r: FoldRibbon) -> str:
    """Which learned value differs most over the folds."""
    many = count(len(r.heads), "learned value")
    if np.nanmax(np.abs(r.off), initial=0.0) == 0.0:
        return f"All folds learn the same: {many}."
    first = r.values[:, 0]
    if _is_choice(r.heads[0]):
        name = r.heads[0].partition(": ")[2].rpartition(", ")[0]
        kept = f"kept in {int(np.nansum(first))} of {count(len(first), 'fold')}"
        return f"Of {many} the choice of {name} differs most: {kept}."
    low, high, spread = (
        float(value) for value in (np.nanmin(first), np.nanmax(first), _spreads(r.values[:, :1])[0])
    )
    ends = f"{rough_value(low, spread)} to {rough_value(high, spread)}"
    known = int(np.isfinite(first).sum())
    without = len(first) - known
    where = (
        f", and {count(without, 'fold')} {plural(without, 'has', 'have')} none" if without else ""
    )
    return f"Of {many} that of {r.heads[0]} differs most: {ends}{where}."


def table(r: FoldRibbon) -> tuple[TableColumn, ...]:
    """One line a fold."""
    values = (TableColumn(head, r.values[:, j]) for j, head in enumerate(r.heads))
    columns = (TableColumn("notes", r.notes), TableColumn("new in test rows", r.met))
    return (TableColumn("fold", r.folds), *values, *columns)
