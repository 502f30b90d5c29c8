"""Verdict and score table of a comparison: a line a method, a dot a fold, the baseline first."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import Any

import numpy as np
import streamlit as st

from figures.numbers.comparisons import Row, of_best_mean, rows_of
from figures.numbers.differences import WORDS
from figures.views.evaluation.fold_dots import stacked
from mlcore.data.dataset import Dataset
from mlcore.evaluation.metrics.metric import Metric
from mlcore.runs.comparing.pairs import BASELINE, Pair, Pairs
from mlcore.runs.comparing.sizes import made_equal
from mlcore.spine.wording import count, deviation, number, seconds
from ui import frame, state
from ui.compare import copy as compare_copy
from ui.compare import looks as compare_looks
from ui.compare.looks import PAGE, ComparisonView
from ui.runs.running import Shown
from ui.wording import scrolling_in

ACROSS = 46  # dots side by side that fill a strip, which decides who stands on whom
HIGH = 34  # pixels of a strip
LATER = ("Best minus this", "On training rows", "Time")  # heads that a phone has before each value
DOT = 7
MOST_JOINED = 60  # folds that light up together when one of them is pointed at


def verdict(shown: Shown, dataset: Dataset, view: ComparisonView) -> None:
    """What was found, in a few plain sentences, with the test in grey."""
    if not shown.outcome.scored:
        return
    pairs = compare_looks.pairs_of(shown, dataset, view)
    first, _, others = pairs.headline.partition(". ")
    beside = pairs.beside_nothing
    doubt = "" if beside is None or beside.verdict.kind == "better" else beside.verdict.sentence
    more = f"{others} {doubt}".strip()
    sentence = f"<b>{escape(first.removesuffix('.'))}.</b> {escape(more)}"
    st.html(
        f'<div class="verdict{" stale" if shown.stale else ""}"><p>{sentence} '
        f"<span>{escape(_test(pairs))}</span></p></div>"
    )
    _offer_equal(shown, pairs)


def _offer_equal(shown: Shown, pairs: Pairs) -> None:
    """One press for a fair comparison, where more coordinates or centers win by themselves."""
    if not pairs.is_unfair or shown.stale:
        return
    if (equal := made_equal(shown.outcome, pairs.metric)) is not None:
        st.button(
            f"Give all {equal.n} {pairs.metric.improved_by}",
            key="compare.equal",
            icon=":material/balance:",
            type="tertiary",
            help="As many as the method has that has the fewest, so that none is better by having "
            "more.",
            on_click=state.moved,
            args=(_put, equal.methods),
        )


def _put(methods: tuple[Any, ...]) -> None:
    now = state.session().states[PAGE]
    state.keep(PAGE, replace(now, run=replace(now.run, methods=methods)))


def _test(pairs: Pairs) -> str:
    """By what the verdict was reached."""
    if not pairs.together:
        return ""
    beside = (*pairs.pairs, *filter(None, [pairs.beside_nothing]))
    folds = max(len(pair.differences) for pair in beside)
    done = f"{folds} of {pairs.planned} folds" if folds < pairs.planned else count(folds, "fold")
    for_many = count(pairs.together, "comparison")
    return f"Corrected resampled t-test, {done}, intervals and p adjusted for {for_many}."


def scores(shown: Shown, dataset: Dataset, view: ComparisonView) -> None:
    """The heading with the score to sort by, and the table."""
    left, right = st.columns([3, 1.2], vertical_alignment="center")
    with left:
        frame.card_heading("Scores", _note(shown, dataset))
    with right:
        compare_looks.metric(view, shown.run, dataset)
    table_of(shown, dataset, view)
    if shown.outcome.scored and not shown.stale:
        compare_copy.offer(lambda: _to_copy(shown, dataset, view))


def table_of(shown: Shown, dataset: Dataset, view: ComparisonView) -> None:
    """The table, sorted by the score that is looked at."""
    outcome = shown.outcome
    if not outcome.scored:
        st.html(failures(outcome.entrants))
        return
    st.html(table(*_rows(shown, dataset, view), stale=shown.stale))


def _rows(
    shown: Shown, dataset: Dataset, view: ComparisonView
) -> tuple[tuple[Row, ...], Metric, dict[int, Pair]]:
    """The lines of the table, what they are sorted by, and the best beside each of them."""
    pairs = compare_looks.pairs_of(shown, dataset, view)
    beside = {pair.second.which: pair for pair in pairs.pairs}
    if pairs.beside_nothing is not None:
        beside[BASELINE] = pairs.beside_nothing
    return rows_of(shown.outcome.entrants, pairs.metric), pairs.metric, beside


def _to_copy(
    shown: Shown, dataset: Dataset, view: ComparisonView
) -> tuple[list[tuple[str, ...]], str]:
    """The table without its dots, and what it is of."""
    test = _test(compare_looks.pairs_of(shown, dataset, view))
    note = f"{dataset.name}: {_note(shown, dataset)}. {test} Run {shown.outcome.run.short()}."
    return texts(*_rows(shown, dataset, view)), note


def texts(rows: tuple[Row, ...], metric: Metric, beside: dict[int, Pair]) -> list[tuple[str, ...]]:
    """The table as plain text, a tuple a line, the heads first."""
    best = {row.which for row in of_best_mean(rows)}
    lines: list[tuple[str, ...]] = [
        ("Method", metric.title, "Verdict", "Best minus this", "On training rows")
    ]
    for row in rows:
        if not row.done:
            lines.append((row.label, "–", row.failure, "–", "–"))
            continue
        pair = beside.get(row.which)
        score, word = (
            f"{number(row.mean)} ± {deviation(row.spread, row.mean)}",
            _word(row, pair, best)[0],
        )
        lines.append(
            (row.label, score, word, " ".join(_difference(pair)).strip(), number(row.fitted))
        )
    return lines


def _note(shown: Shown, dataset: Dataset) -> str:
    """On what the scores are computed."""
    run = shown.outcome.run
    y = dataset.y if dataset.task == "classification" else None
    manner = run.evaluation.describe(y, dataset.together, dataset.unit)
    return f"{manner}, seed {run.seed}, n = {dataset.n:,}"


def failures(entrants: Any) -> str:
    """Every method with the reason why it has no score, as HTML."""
    lines = "".join(
        f'<tr class="failed"><th scope="row">{escape(one.label)}</th>'
        f"<td>{escape(one.failure)}</td></tr>"
        for one in entrants
    )
    return scrolling(f"<table><tbody>{lines}</tbody></table>")


def scrolling(table: str, *kinds: str) -> str:
    """Scores that scroll sideways where they have no room."""
    return scrolling_in(" ".join(("scores", *kinds)), "Scores", table)


def table(
    rows: tuple[Row, ...], metric: Metric, beside: dict[int, Pair], *, stale: bool = False
) -> str:
    """The rows as HTML; dots of all of them stand on one axis.

    `beside` holds, by its place among the methods, the pair of the best method with each other one.
    """
    low, high = _ends(rows)
    heads = ("Method", metric.title, f"Folds, {number(low, 2)} to {number(high, 2)}",
             "Verdict", *LATER)  # fmt: skip
    head = "".join(f"<th>{escape(text)}</th>" for text in heads)
    best = {row.which for row in of_best_mean(rows)}
    lines = [_line(row, rows[0], low, high, beside.get(row.which), best) for row in rows]
    is_sure = all(pair.verdict.kind == "better" for pair in beside.values())
    style = _together(max((len(row.values) for row in rows), default=0))
    known = (("stale", stale), ("decided", is_sure), ("methods", True))
    kinds = [kind for kind, holds in known if holds]
    body = f"<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody>"
    return scrolling(f"<style>{style}</style><table>{body}</table>", *kinds)


def _ends(rows: tuple[Row, ...]) -> tuple[float, float]:
    """The axis of the strips."""
    every = np.concatenate([row.values for row in rows])
    every = every[np.isfinite(every)]
    if not len(every):
        return 0.0, 1.0
    low, high = float(every.min()), float(every.max())
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _line(row: Row, base: Row, low: float, high: float, pair: Pair | None, best: set[int]) -> str:
    name = f'<th scope="row">{escape(row.label)}</th>'
    if not row.done:
        # In sight, however wide the table is.
        why = f'<td colspan="3">{escape(row.failure)}</td><td colspan="3"></td>'
        return f'<tr class="failed">{name}{why}</tr>'
    word, why = _word(row, pair, best)
    difference, interval = _difference(pair)
    cells = (
        f"<b>{number(row.mean)}</b> <span>± {deviation(row.spread, row.mean)}</span>",
        _strip(row, base.mean, low, high),
        f'<em title="{escape(why)}">{escape(word)}</em>',
    )
    later = (
        f"{difference} <span>{interval}</span>",
        number(row.fitted),
        seconds(row.seconds) if np.isfinite(row.seconds) else "–",
    )
    body = "".join(f"<td>{cell}</td>" for cell in cells)
    for head, cell in zip(LATER, later, strict=True):
        body += f'<td data-head="{head}">{cell}</td>'
    return f'<tr class="{_class(row, pair, best)}">{name}{body}</tr>'


def _class(row: Row, pair: Pair | None, best: set[int]) -> str:
    """How a line is marked: the baseline, and what is not told apart from the best method."""
    if row.which == BASELINE:
        return "baseline"
    if row.which in best:
        return "best near"
    return "near" if pair is not None and pair.verdict.kind in ("unknown", "equal") else ""


def _difference(pair: Pair | None) -> tuple[str, str]:
    """The mean difference to the best, and its interval."""
    if pair is None or pair.test is None:
        return "–", ""
    test = pair.test
    texts = number(test.difference), f"[{number(test.low)}, {number(test.high)}]"
    return texts[0].replace("-", "−"), texts[1].replace("-", "−")


def _word(row: Row, pair: Pair | None, best: set[int]) -> tuple[str, str]:
    """The verdict on this line in a word and in a sentence; and folds that are missing."""
    if row.which in best:
        word, why = "best mean", "" if pair is None else pair.verdict.sentence
    elif pair is None:
        word, why = "–", ""
    else:
        word = {"better": "worse", "worse": "better"}.get(
            pair.verdict.kind, WORDS[pair.verdict.kind]
        )
        why = pair.verdict.sentence
    if row.done < len(row.values):
        word, why = f"{word}, {row.done} of {len(row.values)} folds", f"{why} {row.failure}"
    return word, why.strip()


def _strip(row: Row, baseline: float, low: float, high: float) -> str:
    """A dot a fold, the mean as an upright line, the baseline dotted."""
    known = np.flatnonzero(np.isfinite(row.values))
    values = row.values[known]
    level = stacked(values, (high - low) / ACROSS)
    dots = "".join(
        f'<i class="f{k}" style="left:{_at(v, low, high)};top:{up:.1f}px" '
        f'title="fold {k + 1}: {number(v)}"></i>'
        for k, v, up in zip(known, values, _heights(level, values), strict=True)
    )
    line = f'<u style="left:{_at(row.mean, low, high)}"></u>'
    dotted = f'<s style="left:{_at(baseline, low, high)}"></s>' if np.isfinite(baseline) else ""
    return f'<div class="strip">{dotted}{line}{dots}</div>'


def _heights(level: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Pixels from the top of a strip: every pile of dots about its middle."""
    step = min(DOT - 1.5, (HIGH - DOT) / max(int(level.max(initial=0)), 1))
    tops = {v: level[values == v].max() for v in np.unique(values)}
    middle = np.array([tops[v] / 2 for v in values])
    return (HIGH - DOT) / 2 + step * (middle - level)


def _at(value: float, low: float, high: float) -> str:
    return f"{2 + 96 * (value - low) / (high - low):.1f}%"


def _together(folds: int) -> str:
    """The style by which the same fold lights up in every row."""
    lit = "{opacity:1;background:currentColor;transform:scale(1.5)}"
    return "".join(f".scores:has(.f{k}:hover) .f{k}{lit}" for k in range(min(folds, MOST_JOINED)))
