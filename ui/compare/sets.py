"""The methods over several data sets: which to take, the scores on each, ranks and their tests."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import Any

import numpy as np
import streamlit as st

from figures.view import views
from mlcore.data import bundled
from mlcore.data.dataset import Dataset, TableData
from mlcore.data.glimpses import glimpses
from mlcore.data.upload import uploaded
from mlcore.runs.comparing.tables import OverTables, over_tables
from mlcore.runs.run import Comparison
from mlcore.spine.errors import MlcoreError
from mlcore.spine.wording import count, number
from ui import state
from ui.compare import looks as compare_looks
from ui.compare.card import card
from ui.compare.looks import ComparisonView
from ui.compare.scores import scrolling
from ui.reading import pen
from ui.runs import running
from ui.runs.running import Shown
from ui.wording import plain

TAB = "Several data sets"
MOST = 19  # further data sets


def further(run: Comparison, dataset: Dataset) -> Comparison:
    """The control for further data sets, and the comparison with those that are ticked."""
    taken = {data.source for data in (run.data, *run.more)}
    others = [data for data in _fitting(run, dataset) if data.source not in taken]
    options = _by_title([*run.more, *others])
    current = list(options)[: len(run.more)]
    chosen_titles = pen().multiselect(
        "Further data sets",
        list(options),
        current,
        key=state.key("more"),
        max_selections=MOST,
        placeholder="Choose data sets with a target of the same kind",
        help="The methods are compared on each of them, on folds of its own, and ranked.",
        on_change=state.moved,
    )
    return replace(run, more=tuple(options[title] for title in chosen_titles))


def _by_title(every: list[TableData]) -> dict[str, TableData]:
    """The data sets as they are called in the list; namesakes get a number."""
    by_title: dict[str, TableData] = {}
    for data in every:
        title = _title(data)
        same = sum(known == title or known.startswith(f"{title} (") for known in by_title)
        by_title[f"{title} ({same + 1})" if same else title] = data
    return by_title


def _title(data: TableData) -> str:
    source: Any = data.source
    if source.card.stands_for:
        return bundled.entry(getattr(source, source.card.stands_for)).title
    return source.name if uploaded(data) else source.title()


def _fitting(run: Comparison, dataset: Dataset) -> list[TableData]:
    """The data sets whose target is of the kind that these methods predict."""
    any_task = not dataset.task
    brought = [data for data in _brought() if any_task or _task(run, data) == dataset.task]
    known = [name for name, it in glimpses().items() if any_task or it.task == dataset.task]
    return [*brought, *(TableData(source=name) for name in known)]


def _task(run: Comparison, data: TableData) -> str:
    try:
        return running.dataset_of(run.runs(data)[0]).task
    except MlcoreError:  # a table of which nothing can be learned yet is not offered
        return ""


def _brought() -> list[TableData]:
    """The tables that this session brought, with what was decided about them last."""
    session, tables = state.session(), running.session_tables()
    every = [*(kept for _, kept in session.walks.past), *session.states.values()]
    data = [kept.run.data for kept in every if hasattr(kept.run, "data")]
    brought = {digest: each for each in data for digest in uploaded(each)}
    return [each for digest, each in brought.items() if digest in tables]


def sets(shown: Shown, dataset: Dataset, view: ComparisonView) -> None:
    """Choose data sets; the scores on all of them, the ranks, and what they allow to say."""
    left, right = st.columns([3, 1.4], vertical_alignment="bottom")
    with left:
        further(shown.run, dataset)
    with right:
        view = compare_looks.posthoc(view)
    outcome = shown.outcome
    if len(outcome.sets) == 1:
        st.markdown(
            "Folds of one table say which method is better on this table. To say something in "
            "general, choose further data sets: from five on, the ranks of the methods are tested."
        )
        return
    try:
        name = compare_looks.metric_name(view, shown.outcome.run, dataset)
        over = over_tables(outcome, name, posthoc=view.posthoc)
    except MlcoreError as error:
        st.markdown(plain(str(error)))
        return
    stale = " stale" if shown.stale else ""
    st.html(f'<div class="verdict{stale}"><p>{escape(over.sentence)}</p></div>')
    with st.container(border=True, key="scores-of-sets"):
        _heading(over)
        st.html(table(over))
        _missing(outcome)
    card(shown, "cd_diagram", lambda: views()["cd_diagram"].make(over))


def _heading(over: OverTables) -> None:
    used = count(int(over.complete.sum()), "data set")
    st.markdown(
        f"**{over.metric.title} on every data set** <small>mean over its folds, the rank in grey; "
        f"ranks over {used}</small>",
        unsafe_allow_html=True,
    )


def table(over: OverTables) -> str:
    """A line a data set, a column a method, and the mean ranks below, as HTML."""
    head = "".join(f"<th>{escape(label)}</th>" for label in ("Data set", *over.labels))
    ranks = np.full(over.scores.shape, np.nan)
    ranks[over.complete] = over.ranks
    lines = [
        _line(name, scores, own)
        for name, scores, own in zip(over.names, over.scores, ranks, strict=True)
    ]
    means = "".join(f"<td>{number(rank, 2)}</td>" for rank in over.mean_ranks)
    foot = f'<tr><th scope="row">Mean rank</th>{means}</tr>'
    body = f"<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}{foot}</tbody>"
    return scrolling(f"<table>{body}</table>")


def _line(name: str, scores: np.ndarray, ranks: np.ndarray) -> str:
    cells = "".join(
        f"<td>{number(score)}{f' <span>{rank:g}</span>' if np.isfinite(rank) else ''}</td>"
        for score, rank in zip(scores, ranks, strict=True)
    )
    return f'<tr><th scope="row">{escape(name)}</th>{cells}</tr>'


def _missing(outcome: Any) -> None:
    """Why some scores are missing, one line a data set."""
    for name, entrants in zip(outcome.names, outcome.sets, strict=True):
        reasons = {entrant.failure for entrant in entrants if not entrant.has_scores}
        for reason in sorted(reasons):
            st.caption(f"{plain(name)}: {plain(reason)}")
