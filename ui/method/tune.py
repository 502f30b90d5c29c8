"""Tuning the run on the page: what to vary, what it costs, and what came of it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from figures.view import views
from mlcore.data.dataset import Dataset
from mlcore.evaluation.summary import summary
from mlcore.runs.carry import judge_of
from mlcore.runs.labels import noun_at
from mlcore.runs.run import Run
from mlcore.runs.tuning.search import GridSearch, RandomizedSearch, proposed, tunable
from mlcore.runs.tuning.tuned import Tuned, chosen_in_words
from mlcore.runs.tuning.tuning import Tuning
from mlcore.spine.errors import MlcoreError
from mlcore.spine.registry import entries
from mlcore.spine.wording import count, number
from service.kinds import files_of
from ui import controls, downloads, frame, state
from ui.method import panels
from ui.method.worth import worth_of_search
from ui.runs import progress, running, sharing
from ui.runs.progress import begin_buttons
from ui.runs.running import Shown
from ui.wording import distinct, plain

PLACE = "tune"
HOW_OF = {"grid_search": ("points", "inner"), "randomized_search": ("n_candidates", "inner")}


def tune(shown: Shown, dataset: Dataset) -> None:
    """Choose what is varied, see the cost, tune, and take the settings over."""
    run = shown.run
    st.caption(
        "Inner folds choose the settings, again in each outer fold; the outer folds score the "
        "choice on rows that had no say in it."
    )
    try:
        asked = _asked(run)
    except MlcoreError as error:
        st.error(plain(str(error)))
        return
    search_shown = running.carried(asked, dataset, PLACE, by_hand=True)
    if search_shown.status == "waiting":
        _preview(search_shown)
        return
    progress.status_line(search_shown, PLACE)
    tuned = None if search_shown.stale else search_shown.outcome
    if tuned is not None and tuned.overall is not None:
        _shown(tuned, dataset)


def _asked(run: Run) -> Tuning:
    """The controls of the search; ParamError where the method has nothing to vary."""
    params = {path: param for path, param in tunable(run)
              if path.startswith(("method.", "preparation."))}  # fmt: skip
    labels = distinct(params, lambda path: _label(run, path))
    left, right = st.columns([3, 2])
    with left:
        over = st.multiselect(
            "Settings to vary",
            list(labels),
            list(proposed(run)),
            format_func=labels.__getitem__,
            key=f"tune.over.{run.method.card.name}",
            help="Of the method, and of the steps of the preparation; without any, those proposed.",
            on_change=state.moved,
        )
    with right:
        kinds = {name: cls.title() for name, cls in entries("search").items()}
        kind = controls.one_of("Search", kinds, "grid_search", "tune.search", "What is tried.")
    with left:
        grid = kind == "grid_search"
        names = {path: noun_at(run, path) for path in over}
        start: Any = _grid(names) if grid else RandomizedSearch(over=tuple(over))
        metric = _metric(run)
    with right:
        search = controls.form(type(start), start, f"tune.{kind}", only=HOW_OF[kind])
    return Tuning.of(run, search, metric)


def _grid(names: dict[str, str]) -> GridSearch:
    """One line of values a setting, by path and name; an empty one is the usual range."""
    pairs = []
    for path, name in names.items():
        text = st.text_input(
            f"Values of {name}",
            placeholder="the usual range",
            key=f"tune.values.{path}",
            help="Separated by commas; empty takes values over the usual range.",
            on_change=state.moved,
        )
        pairs.append((path, text))
    return GridSearch(over=tuple(pairs))


def _label(run: Run, path: str) -> str:
    """A setting by its name; one of a part, or of a step of the preparation, behind that."""
    head, *inside = path.split(".")[:-1]
    noun = noun_at(run, path)
    if head == "method" and not inside:
        return f"{noun[0].upper()}{noun[1:]}"
    if head == "preparation":
        inside[0] = run.preparation[int(inside[0])].title()
    part = " ".join(_counted(inside)).replace("_", " ")
    return f"{part[0].upper()}{part[1:]}: {noun}"


def _counted(names: list[str]) -> list[str]:
    """Parts of a path with the place of one among several from 1: estimator 1, not estimators 0."""
    parts: list[str] = []
    for name in names:
        if name.isdigit() and parts:
            parts[-1] = parts[-1].removesuffix("s")
        parts.append(str(int(name) + 1) if name.isdigit() else name)
    return parts


def _metric(run: Run) -> str:
    """The measure that chooses."""
    titles = {m.name: m.title for m in judge_of(run).metrics()}
    first = next(iter(titles))
    return controls.listed(
        "Chosen by", titles, first, "tune.metric", "The measure that decides between candidates."
    )


def _preview(shown: Shown) -> None:
    """What it will cost, and the button."""
    left, right = st.columns([3, 2], vertical_alignment="center")
    left.markdown(f"{plain(shown.sentence)}.")
    with right:
        begin_buttons(shown, PLACE, "Tune")


def _shown(tuned: Tuned, dataset: Dataset) -> None:
    """The choice and its score, then where it was found and how optimistic it was."""
    _verdict(tuned)
    worth_of_search(tuned, dataset)
    pictures(tuned)
    with st.container(horizontal=True):
        sharing.share_search(tuned.run)
    downloads.offer(files_of(tuned.run, tuned, uploads=running.session_tables()), "tune")


def pictures(tuned: Tuned) -> None:
    """Where the choice was found, and how optimistic it was."""
    first = "search_heatmap" if len(tuned.paths) > 1 else "search_curve"
    places = st.columns(2)
    for place, name in zip(places, (first, "optimism_bar"), strict=True):
        with place.container(border=True, height="stretch"):
            drawn = views()[name].make(tuned)
            frame.card_heading(drawn.title, drawn.note)
            panels.show(drawn, name, run=tuned.run)


def _verdict(tuned: Tuned) -> None:
    chosen = tuned.chosen
    if chosen is None:
        return
    left, right = st.columns([3, 2], vertical_alignment="center")
    left.markdown(verdict(tuned))
    right.button(
        "Use these settings",
        key="tune.use",
        icon=":material/check:",
        on_click=state.moved,
        args=(_use, chosen),
    )


def verdict(tuned: Tuned) -> str:
    """What all rows choose, and how good such a choice is on test rows, as Markdown."""
    assert tuned.overall is not None  # nothing is shown before that
    text = f"All rows choose **{plain(chosen_in_words(tuned))}**."
    if tuned.scored:
        mean = summary(tuned.outer).mean
        folds = count(len(tuned.scored), "outer fold")
        text += f" {tuned.metric.heading}: **{number(mean)}** over {folds}."
    return text


def _use(chosen: Run) -> None:
    state.change(method=chosen.method, preparation=chosen.preparation)
