"""The page of a family of methods: controls at the left, the score first, then the pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from html import escape
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import streamlit as st
from streamlit import runtime

from figures.view import optional, views_for
from mlcore.data.dataset import Dataset
from mlcore.evaluation.intervals import interval_of
from mlcore.evaluation.metrics.metric import LEFT_OUT
from mlcore.evaluation.summary import rows_left_out
from mlcore.preparation.chain import trained
from mlcore.preparation.order import unit_remark
from mlcore.runs.presets import Preset, presets
from mlcore.runs.run import Run
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.errors import MlcoreError
from mlcore.spine.groups import group
from mlcore.spine.params import column, integer, params_of, part
from mlcore.spine.registry import entries, names, slots_of
from mlcore.spine.wording import count, deviation, number, seconds
from service.admission import pause
from ui import controls, frame, lessons, state, tabs
from ui.compare import add as compare_add
from ui.data.asking import ask_for_leaks
from ui.data.selected import follow, selected_rows
from ui.data.strip import as_proposed, data_strip, is_open, strip_end, strip_place
from ui.method import clicks, curves, explain, labs, panels, stability, tune
from ui.method import count as clusters
from ui.method.ahead import look_ahead, was_sent
from ui.method.examples import examples, looked_at
from ui.method.not_yet import not_yet
from ui.method.worth import worth
from ui.predict import tab as predicting
from ui.reading import pen, reading
from ui.runs import progress, running
from ui.runs.running import Shown
from ui.wording import plain

PICTURES = "Pictures"
UNDISTURBED = 0.07  # seconds in which a browser begins to draw, with nothing else to do
# What else there is, beside the pictures; only the open one is made.
TABS: dict[str, Callable[[Shown, Dataset], None]] = {
    clusters.TAB: clusters.numbers,
    stability.TAB: stability.stability,
    explain.TAB: explain.explain,
    "Predict": predicting.predict,
    "Tune": tune.tune,
    "Curves": curves.curves,
    "Data and folds": panels.folds,
    labs.TAB: lambda *_: labs.labs(),
    "How it works": lambda shown, _: panels.how(shown.run.method),
    "Code": lambda shown, _: panels.code(shown.run),
    "Take it away": panels.files,
}
# The tabs that are not there for every run.
FITS: dict[str, Callable[[Run], bool]] = {
    clusters.TAB: clusters.fits,
    stability.TAB: stability.fits,
    explain.TAB: explain.predicts,
}


@enter(Card("method_view", "View", ("view",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class MethodView(Component):
    """What of a result is looked at; travels in the link, changes no number."""

    x: str | None = column("auto", auto="auto", doc="Column on the horizontal axis.")
    y: str | None = column("auto", auto="auto", doc="Column on the vertical axis.")
    step: int | None = integer(
        None,
        low=-1,
        soft=(-1, 200),
        or_none="the player is closed",
        doc="Step of the player, 0 for the first; -1 is the start before it.",
    )
    options: tuple[tuple[str, Any], ...] = group(
        known=optional, doc="What is chosen of each picture."
    )
    tab: str = tabs.open_tab()
    lesson: str = lessons.open_lesson()
    explain: Any = part(None, slot="explained", none="as at first", doc="What is explained.")
    lab: Any = part(None, slot="lab", none="no lab is open", doc="The lab that is open.")


@dataclass(frozen=True)
class Page:
    """What a family's page is called, which methods it offers, and which of them greets.

    `of_task` is whether the pictures of the method's task stand on it as well.
    """

    name: str
    title: str
    slot: str
    method: str  # shown first; its settings as in a link: "pca&method.n_components=2"
    of_task: bool = False

    def first(self) -> Run:
        """The run that greets."""
        return Run.from_link(dict(parse_qsl(f"method={self.method}", keep_blank_values=True)))[0]


def method_page(page: Page) -> None:
    """Draw the page: read state, controls, carry out, show."""
    start = state.opened(page.name, page.first(), MethodView, page.slot)
    labs.follow_click()
    clusters.follow_click(start.run)
    dataset, problem = _dataset(start.run)
    run = start.run if dataset is None else as_proposed(start.run, start.run, dataset)
    strip, end = strip_place(), None
    if is_open():
        run, end = data_strip(run, dataset, strip)
    if dataset is not None:
        follow(dataset)
        controls.CONTEXT.set(controls.Context(tuple(c.name for c in dataset.columns)))
        explain.follow_click(dataset)
        clicks.follow(run, dataset)
    with reading():
        now = _chosen_state(page, replace(start, run=run))
    state.publish(page.name, now)
    if run.data != start.run.data:
        state.rerun()  # the strip above still says what was before
    with st.container(horizontal=True, key="title"):
        frame.title(page.title, now.run.method.title())
        beside = st.container(width="content")
    frame.problems(panels.lost_axes(dataset, now.view))
    lessons.beside(now.view)
    doubts = st.container()
    result = _result(page, now, dataset, beside) if dataset is not None else iter(())
    next(result, None)  # the main picture goes first: it is what a person waits for
    if end is None:
        _, end = data_strip(run, dataset, strip)
    strip_end(end, now.run)
    if dataset is not None:
        with doubts:
            ask_for_leaks((now.run,), dataset)
    with st.sidebar:
        drawn = _chosen_state(page, replace(start, run=run))
    if drawn != now and drawn != start:  # a control that did not keep what was read
        state.publish(page.name, drawn)
        state.rerun()
    if dataset is None:
        frame.no_data(plain(problem))
    for _ in result:
        pass


def _dataset(run: Run) -> tuple[Dataset | None, str]:
    try:
        return running.dataset_of(run), ""
    except MlcoreError as error:
        return None, str(error)


def _chosen_state(page: Page, start: state.PageState) -> state.PageState:
    """What the controls of the sidebar say: method, examples, knobs, folds, axes."""
    run, view = _controls(page, start.run), _axes(start.view)
    return replace(start, run=run, view=labs.chosen_view(view))


def _controls(page: Page, run: Run) -> Run:
    options = entries(page.slot)
    titles = {name: _in_its_kind(page.slot, name, cls.title()) for name, cls in options.items()}
    now = run.method.card.name
    use = controls.listed("Method", titles, now, "method", "What is fitted to the rows.")
    family = options[use].card.family  # a page may borrow the method of another family
    examples([p for p in presets(family) if p.entry == use], _use)
    method = run.method if use == now else options[use]()
    method = controls.form(options[use], method, f"method.{use}")
    evaluation = _evaluation(run.evaluation)
    pen().button(
        "Reset to defaults", type="tertiary", key="reset", on_click=state.change,
        kwargs={"method": options[use](), "evaluation": Run().evaluation},
    )  # fmt: skip
    return replace(run, method=method, evaluation=evaluation)


# What stands before the title of a method of another kind than the page is called after.
KINDS = {"novelty": "Novelty: "}


def _in_its_kind(place: str, name: str, title: str) -> str:
    """The title of a method, behind the name of its kind where that is not the page's own."""
    slot = next(slot for slot in slots_of(place) if name in names(slot))
    return KINDS.get(slot, "") + title


def _evaluation(start: Component) -> Component:
    """Which rows are test rows."""
    place = controls.folded("Cross-validation", "left-out")
    if not place.open:
        return start
    with place:
        return controls.control(params_of(Run)["evaluation"], "By", start, "evaluation")


def _axes(view: Component) -> Component:
    """Which columns the pictures of rows are drawn on, where there are more than two."""
    if len(controls.context().columns) < 3:
        return view
    place = controls.folded("Axes of the pictures", "axes")
    if not place.open:
        return view
    with place:
        return controls.form(MethodView, view, "view", only=("x", "y"))


def _use(preset: Preset) -> None:
    session = state.session()
    now = session.states[session.here]
    view = looked_at(preset, now.view)
    state.show(replace(now, run=replace(now.run, **preset.fields()), view=view))


def _result(page: Page, now: state.PageState, dataset: Dataset, beside: Any) -> Iterator[None]:
    """Draw the result; yields when its main picture is on its way, if it has one.

    What is done with the whole of it stands `beside` the title.
    """
    shown, view = running.started(now.run, dataset, page.name), now.view
    is_early = shown.outcome is not None  # there is something to draw before the folds
    if not is_early:
        shown = running.completed(shown, page.name)
    if shown.does_not_apply:
        not_yet(shown, dataset)
        return
    status = st.container()
    if shown.outcome is None:
        with status:
            progress.status_line(shown)
        st.container(border=True, height=420, key="skeleton")
        return
    header = st.container(border=True, key="score")
    findings = st.container()
    offered = {t: make for t, make in TABS.items() if t not in FITS or FITS[t](now.run)}
    pictures, *places = tabs.places((PICTURES, *offered))
    more = now.run.method.card.slots if page.of_task else ()
    names = views_for((page.slot, *more), dataset, shown.outcome.whole)
    with pictures:
        drawings = panels.drawings(names, shown, dataset) if pictures.open else []
    main, others = drawings[:1], drawings[1:]
    if is_early and any(drawing.needs_folds for drawing in main):
        shown, is_early = running.completed(shown, page.name), False
    for drawing in main:
        drawing.draw(shown, dataset, view)
    # While the browser is at the main picture it hears of nothing else: what comes meanwhile is
    # worked on first, and the picture would be shown half as late again (measured).
    is_there = was_sent(now.run)
    if main and _is_new(now) and not is_there and runtime.exists():  # else there is no browser
        pause(UNDISTURBED)
    if is_early:
        shown = running.completed(shown, page.name)
    for drawing in others:
        drawing.prepare(shown, dataset, view)
    yield
    with status:
        progress.status_line(shown)
    with header:
        score(shown)
    with findings:
        worth(shown, dataset)
    with beside:
        compare_add.add(shown)
    for drawing in others:
        drawing.draw(shown, dataset, view)
    if pictures.open:
        with pictures:
            selected_rows(dataset, shown)
    for place, make in zip(places, offered.values(), strict=True):
        if place.open:
            with place:
                make(shown, dataset)
    for drawing in main:
        look_ahead(shown, dataset, view, drawing)


def _is_new(now: state.PageState) -> bool:
    """Whether a main picture was not what the browser drew last: a popover leaves it as it is."""
    drawn = (now.run.digest(), now.view)
    last, st.session_state["main.drawn"] = st.session_state.get("main.drawn"), drawn
    return drawn != last


def score(shown: Shown, *, brief: bool = False) -> None:
    """Mean and standard deviation large, a dot a fold beside the baseline, the other scores.

    A `brief` one is without the others.
    """
    outcome = shown.outcome
    if outcome is None or not outcome.done:
        if outcome is None or not _tells_failed(outcome):
            st.markdown("No fold is scored yet.")
        return
    first, *others = outcome.judge.metrics()
    widths = [2.2, 4] if brief else [2.2, 5, 3]
    left, middle, *right = st.columns(widths, vertical_alignment="center")
    interval = interval_of(outcome, first)
    likely = "defined in no fold" if np.isnan(outcome.mean(first.name)) else ""
    if interval.is_known:
        likely = f"likely {number(interval.low)} to {number(interval.high)}"
    settings = "former settings: " if shown.stale else ""
    left.html(
        f'<div class="score{" stale" if shown.stale else ""}">'
        f"<p>{escape(first.heading)}</p>"
        f"<b>{number(outcome.mean(first.name))}</b> "
        f"<span>± {deviation(outcome.spread(first.name), outcome.mean(first.name))}</span>"
        f"<p>{settings}mean ± sd, {count(len(outcome.done), 'fold')}{_judged_on(outcome)}</p>"
        f'<p title="{escape(interval.sentence)}">{likely}</p></div>'
    )
    with middle:
        panels.fold_dots(outcome, stale=shown.stale)
    for place in right:
        place.html(facts(outcome, others))
    prepared = outcome.whole.prepared
    for sentence in (trained(prepared.summary()), unit_remark(outcome.run.method, prepared)):
        if sentence:
            st.caption(plain(sentence))
    _tells_failed(outcome)


def _tells_failed(outcome: Any) -> bool:
    """Say how many folds have no score, and why the first has none; whether there is one."""
    failed = [fold for fold in outcome.folds if fold.failure]
    if failed:
        st.warning(
            f"{len(failed)} of {len(outcome.folds)} folds did not finish: "
            f"{plain(failed[0].failure)}"
        )
    return bool(failed)


def _judged_on(outcome: Any) -> str:
    """How many rows left out the first score is of; nothing where it is of other rows."""
    if outcome.judge.metric().rows != LEFT_OUT:
        return ""
    left = rows_left_out(outcome.done)
    return f", n = {left.rows:,}{left.again}"


def facts(outcome: Any, metrics: list[Any]) -> str:
    """The secondary scores and the time of a fit, as HTML."""
    took = float(np.median([fold.seconds for fold in outcome.done]))
    shown = [(m.title, number(outcome.mean(m.name))) for m in metrics[:3]]
    shown.append(("Time", f"{seconds(took)} / fold"))
    items = "".join(f"<div><em>{escape(k)}</em><b>{v}</b></div>" for k, v in shown)
    return f'<div class="facts">{items}</div>'
