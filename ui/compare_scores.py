"""The score table of a comparison: a line a method, a dot a fold, the baseline first."""

from __future__ import annotations

from html import escape

import numpy as np
import streamlit as st

from figures.numbers.comparisons import BASELINE, Row, metric_of, rows_of
from figures.views.fold_dots import stacked
from mlcore.data.dataset import Dataset
from mlcore.evaluation.scoring import Metric
from ui import compare_looks, frame
from ui.compare_looks import ComparisonView
from ui.running import Shown
from ui.wording import number, seconds

ACROSS = 46  # dots side by side that fill a strip, which decides who stands on whom
HIGH = 34  # pixels of a strip
MOST_JOINED = 60  # folds that light up together when one of them is pointed at


def scores(shown: Shown, dataset: Dataset, view: ComparisonView) -> None:
    """The heading with the score to sort by, and the table."""
    left, right = st.columns([3, 1.2], vertical_alignment="center")
    with left:
        frame.card_heading("Scores", _note(shown, dataset))
    with right:
        compare_looks.metric(view, shown.run)
    measure = metric_of(shown.outcome, view.metric)
    st.html(table(rows_of(shown.outcome.entrants, measure), measure, stale=shown.stale))


def _note(shown: Shown, dataset: Dataset) -> str:
    """On what the scores are computed."""
    run = shown.outcome.run
    y = dataset.y if dataset.task == "classification" else None
    return f"{run.evaluation.describe(y, dataset.groups)}, seed {run.seed}, n = {dataset.n:,}"


def table(rows: tuple[Row, ...], metric: Metric, *, stale: bool = False) -> str:
    """The rows as HTML; dots of all of them stand on one axis."""
    low, high = _ends(rows)
    heads = ("Method", metric.title, f"Folds, {number(low, 2)} to {number(high, 2)}", "Fitted rows",
             "Time")  # fmt: skip
    head = "".join(f"<th>{escape(text)}</th>" for text in heads)
    body = "".join(_line(row, rows[0], low, high) for row in rows)
    style = _together(max((len(row.values) for row in rows), default=0))
    return (
        f'<div class="scores{" stale" if stale else ""}"><style>{style}</style>'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _ends(rows: tuple[Row, ...]) -> tuple[float, float]:
    """The axis of the strips."""
    every = np.concatenate([row.values for row in rows])
    every = every[np.isfinite(every)]
    if not len(every):
        return 0.0, 1.0
    low, high = float(every.min()), float(every.max())
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _line(row: Row, first: Row, low: float, high: float) -> str:
    name = f'<th scope="row">{escape(row.label)}</th>'
    if not row.done:
        return f'<tr class="failed">{name}<td colspan="4">{escape(row.failure)}</td></tr>'
    base = first.mean if first.which == BASELINE else float("nan")
    cells = (
        f"<b>{number(row.mean)}</b> <span>± {number(row.spread)}</span>",
        _strip(row, base, low, high),
        number(row.fitted),
        seconds(row.seconds) if np.isfinite(row.seconds) else "–",
    )
    return f"<tr>{name}{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def _strip(row: Row, baseline: float, low: float, high: float) -> str:
    """A dot a fold, the mean as an upright line, the baseline dotted."""
    known = np.flatnonzero(np.isfinite(row.values))
    values = row.values[known]
    level = stacked(values, (high - low) / ACROSS)
    step = min(5.0, (HIGH - 8) / max(int(level.max(initial=0)), 1))
    dots = "".join(
        f'<i class="f{k}" style="left:{_at(v, low, high)};'
        f'bottom:{3 + step * up:.1f}px" title="fold {k + 1}: {number(v)}"></i>'
        for k, v, up in zip(known, values, level, strict=True)
    )
    line = f'<u style="left:{_at(row.mean, low, high)}"></u>'
    dotted = f'<s style="left:{_at(baseline, low, high)}"></s>' if np.isfinite(baseline) else ""
    return f'<div class="strip">{dotted}{line}{dots}</div>'


def _at(value: float, low: float, high: float) -> str:
    return f"{2 + 96 * (value - low) / (high - low):.1f}%"


def _together(folds: int) -> str:
    """The style by which the same fold lights up in every row."""
    lit = "{opacity:1;background:currentColor;transform:scale(1.5)}"
    return "".join(f".scores:has(.f{k}:hover) .f{k}{lit}" for k in range(min(folds, MOST_JOINED)))
