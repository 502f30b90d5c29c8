"""The score on new rows beside the cross-validated one, on one axis; without a target what is
predicted beside what was learned from."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np
import streamlit as st

from mlcore.evaluation.intervals import Interval, interval_of
from mlcore.evaluation.metrics.classes import confusion_matrix
from mlcore.evaluation.metrics.metric import Metric
from mlcore.runs.carry_prediction import metrics_of
from mlcore.runs.predicting.predicted import Predicted
from mlcore.spine.wording import count, fixed, in_sentence, number, percent
from ui import frame
from ui.wording import plain, scrolling_in

MOST_CLASSES = 12  # of a matrix on the page
ROOM = 0.06  # of the axis, beyond the outermost mark


def card(outcome: Predicted, *, stale: bool = False) -> None:
    """Score and confusion matrix side by side, or the shares of what is predicted."""
    if not metrics_of(outcome):
        _shares(outcome, stale)
        return
    left, right = st.columns([5, 3])
    has_matrix = 0 < len(outcome.classes) <= MOST_CLASSES
    with left.container(border=True, height="stretch"):
        frame.card_heading("Score on the new rows", "the target is in the table; intervals 95 %")
        st.html(_alone(outcome) if outcome.trained is None else _beside(outcome, stale))
        if has_matrix:  # else they stand in its place
            st.html(_facts(outcome))
        _remarks(outcome)
    with right.container(border=True, height="stretch"):
        n = f"new rows, n = {outcome.scored_rows:,}"
        frame.card_heading("Confusion matrix" if has_matrix else "Scores", n)
        st.html(_matrix(outcome) if has_matrix else _facts(outcome))


def _remarks(outcome: Predicted) -> None:
    for remark in outcome.remarks:
        st.caption(plain(remark))


def _pair(outcome: Predicted) -> tuple[Metric, Interval, Interval]:
    """The first measure, with its intervals cross-validated and on the new rows."""
    metric = outcome.metric
    assert metric is not None  # there is a score
    assert outcome.trained is not None  # so there is a run
    new = outcome.interval
    score = outcome.scores.get(metric.name, np.nan)
    fallback = Interval(score, np.nan, np.nan, "none", "No interval.")
    return metric, interval_of(outcome.trained, metric), new or fallback


def _beside(outcome: Predicted, stale: bool) -> str:
    return _verdict(outcome, stale) + _strips(outcome)


def _alone(outcome: Predicted) -> str:
    """The score of a model that came as a file, without its folds, as HTML."""
    metric, interval = outcome.metric, outcome.interval
    assert metric is not None  # there is a score
    likely = ""
    if interval is not None and interval.is_known:
        likely = f"likely {number(interval.low)} to {number(interval.high)}"
    return (
        f'<div class="score"><p>{escape(metric.title)} on the new rows</p>'
        f"<b>{number(outcome.scores[metric.name])}</b>"
        f"<p>n = {outcome.scored_rows:,}</p><p>{likely}</p></div>"
    )


def _verdict(outcome: Predicted, stale: bool) -> str:
    """What the two scores say together, as HTML."""
    metric, cross, new = _pair(outcome)
    lead = (
        f"{metric.title} {fixed(new.mean, 3)} on the new rows, "
        f"{fixed(cross.mean, 3)} cross-validated."
    )
    kind = " stale" if stale else ""
    return (
        f'<div class="verdict{kind}"><p><b>{escape(lead)}</b> '
        f"{escape(compared(metric, cross, new, outcome.scored_rows))}</p></div>"
    )


def compared(metric: Metric, cross: Interval, new: Interval, n: int) -> str:
    """Whether the scores differ for certain, in a sentence."""
    if not (cross.is_known and new.is_known):
        why = (cross if not cross.is_known else new).sentence
        return f"Whether they differ cannot be told: {in_sentence(why)}"
    ends = " and ".join(f"[{fixed(i.low, 2)}, {fixed(i.high, 2)}]" for i in (new, cross))
    if new.low <= cross.high and cross.low <= new.high:
        return (
            f"The intervals {ends} overlap: a real change and chance cannot be told apart on "
            f"{count(n, 'row')}."
        )
    is_worse = (new.mean < cross.mean) == (metric.better == "higher")
    if is_worse:
        return (
            f"The intervals {ends} do not overlap: the model does worse here, so these rows differ "
            "from those that it learned from. What changed stands below the predictions."
        )
    return f"The intervals {ends} do not overlap: these rows are easier than those cross-validated."


def _strips(outcome: Predicted) -> str:
    """Cross-validated folds and the new rows on one axis, the baseline dotted, as HTML."""
    metric, cross, new = _pair(outcome)
    trained: Any = outcome.trained
    folds = trained.values(metric.name)
    folds, base = folds[np.isfinite(folds)], trained.mean(metric.name, "baseline")
    marks = [*folds, base, new.mean, *(v for i in (cross, new) for v in (i.low, i.high))]
    known = np.array([v for v in marks if np.isfinite(v)])
    low, high = float(known.min()), float(known.max())
    room = ROOM * (high - low) or 0.5
    low, high = max(low - room, metric.least), min(high + room, metric.most)

    def at(value: float) -> str:
        return f"{100 * (value - low) / (high - low):.2f}%"

    def bar(interval: Interval, kind: str) -> str:
        if not interval.is_known:
            return ""
        width = f"{100 * (interval.high - interval.low) / (high - low):.2f}%"
        return f'<q class="{kind}" style="left:{at(interval.low)};width:{width}"></q>'

    dots = "".join(f'<i style="left:{at(v)};top:13px"></i>' for v in folds)
    dotted = f'<s style="left:{at(base)}"></s>' if np.isfinite(base) else ""
    name = trained.judge.baseline_name(metric)
    rows = (
        ("Cross-validated", f"{count(len(trained.done), 'fold')}, n = {_rows(trained):,}",
         f'{dotted}{bar(cross, "")}{dots}<u style="left:{at(cross.mean)}"></u>'),
        ("New rows", f"n = {outcome.scored_rows:,}",
         f'{dotted}{bar(new, "new")}<b style="left:{at(new.mean)}"></b>'),
    )  # fmt: skip
    lines = "".join(
        f'<div class="beside"><p>{head}<small>{note}</small></p>'
        f'<div class="strip">{strip}</div></div>'
        for head, note, strip in rows
    )
    axis = (
        f'<div class="beside axis"><p></p><p><span>{number(low)}</span>'
        f"<span>dotted: {escape(name)} {number(base)}</span><span>{number(high)}</span></p></div>"
    )
    return f'<div class="two-scores">{lines}{axis}</div>'


def _rows(trained: Any) -> int:
    return len(np.unique(np.concatenate([fold.test for fold in trained.done])))


def _matrix(outcome: Predicted) -> str:
    """Rows true, columns predicted, as HTML."""
    assert outcome.truth is not None  # there is a score
    assert outcome.values is not None
    known = outcome.usable & ~np.isnan(outcome.truth)
    true, predicted = outcome.truth[known].astype(int), outcome.values[known].astype(int)
    k = len(outcome.classes)
    counts = confusion_matrix(true, predicted, np.arange(k))
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    names = [escape(name) for name in outcome.classes]
    heads = "".join(f"<th>{name}</th>" for name in names)
    lines = ""
    for i, name in enumerate(names):
        cells = "".join(
            f'<td style="--share:{shares[i, j]:.2f}"><b>{counts[i, j]:.0f}</b>'
            f"<small>{percent(shares[i, j])}</small></td>"
            for j in range(k)
        )
        lines += f"<tr><th>{name}</th>{cells}</tr>"
    body = f"<table><tbody>{lines}<tr><th></th>{heads}</tr></tbody></table>"
    note = f"Rows: true, columns: predicted. {_common(counts, names)}"
    return scrolling_in("matrix", "Confusion matrix", f"{body}<p>{note}</p>")


def _common(counts: np.ndarray, names: list[str]) -> str:
    """The commonest error; of equally common ones that of the class with fewer rows."""
    wrong = counts * (1 - np.eye(len(counts)))
    if not wrong.any():
        return "No row is wrong."
    shares = wrong / np.maximum(counts.sum(axis=1, keepdims=True), 1)  # at most 1
    i, j = np.unravel_index((wrong + shares / 2).argmax(), wrong.shape)
    return (
        f"Most common error: <b>{names[i]} taken for {names[j]}</b>, {wrong[i, j]:.0f} of "
        f"{counts[i].sum():.0f}."
    )


def _facts(outcome: Predicted) -> str:
    """The other measures, those cross-validated in grey, as HTML."""
    trained = outcome.trained

    def beside(name: str) -> str:
        return f"<em>{number(trained.mean(name))} cross-validated</em>" if trained else ""

    items = "".join(
        f"<div><em>{escape(m.title)}</em><b>{number(outcome.scores[m.name])}</b>"
        f"{beside(m.name)}</div>"
        for m in metrics_of(outcome)[1:4]
    )
    return f'<div class="facts">{items}</div>'


def _shares(outcome: Predicted, stale: bool) -> None:
    """How often each class is predicted, beside how often it is among the rows learned from."""
    _remarks(outcome)
    if not outcome.classes or outcome.values is None or outcome.trained is None:
        return
    y, k = outcome.trained.whole.prepared.y, len(outcome.classes)
    if y is None:
        return
    predicted = np.bincount(outcome.values[outcome.usable].astype(int), minlength=k)
    told = np.bincount(y.astype(int), minlength=k)
    lines = "".join(
        f'<tr><th>{escape(outcome.classes[c])}</th><td><div class="share">'
        f'<i style="width:{100 * predicted[c] / max(predicted.sum(), 1):.1f}%"></i></div></td>'
        f"<td>{predicted[c]:,} <span>{percent(predicted[c] / max(predicted.sum(), 1))}</span></td>"
        f"<td><span>{percent(told[c] / told.sum())} in training</span></td></tr>"
        for c in np.argsort(-predicted)[:MOST_CLASSES]
    )
    with st.container(border=True):
        frame.card_heading("Predicted classes", "no target in the table, so there is no score")
        kinds = "scores shares stale" if stale else "scores shares"
        st.html(scrolling_in(kinds, "Predicted classes", f"<table>{lines}</table>"))
