"""The page of trials: the world at the top, the scores, then pictures of what was learned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from figures.numbers.trials import played
from figures.view import View, optional, views, views_on
from mlcore.runs.presets import trial_presets
from mlcore.runs.run import Trial
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.errors import MlcoreError
from mlcore.spine.groups import group
from mlcore.spine.params import integer, part
from mlcore.spine.wording import in_sentence
from ui import frame, state, tabs
from ui.data.strip import strip_end
from ui.method import labs, panels
from ui.runs import progress, running
from ui.runs.running import Shown
from ui.trial import grid_editor
from ui.trial import tabs as trial_tabs
from ui.trial.controls import moved_to, trial_controls
from ui.trial.world_strip import world_strip
from ui.wording import plain


@enter(Card("trial_view", "View", ("view",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class TrialView(Component):
    """What of a trial is looked at; travels in the link, changes no number."""

    which: int = integer(0, low=0, high=9, soft=(0, 9), doc="Method that the maps show, from 0.")
    step: int | None = integer(
        None, low=0, soft=(0, 200), or_none="the player is closed", doc="Step of the player."
    )
    options: tuple[tuple[str, Any], ...] = group(
        known=optional, doc="What is chosen of each picture."
    )
    tab: str = tabs.open_tab()
    lab: Any = part(None, slot="lab", none="no lab is open", doc="The lab that is open.")


def trial_page(name: str, title: str, family: str, greeting: Callable[[], Trial]) -> None:
    """Draw the page: read state, controls, carry out, show."""
    start = state.opened(name, greeting(), TrialView)
    labs.follow_click()
    grid_editor.apply_click(start.run.problem)
    run, end = world_strip(start.run)
    with st.sidebar:
        run = trial_controls(run, trial_presets(family))
    now = replace(start, run=run, view=labs.chosen_view(start.view))
    state.publish(name, now)
    if run.problem != start.run.problem or len(run.methods) != len(start.run.methods):
        state.show(now)  # the strip above and the boxes of the methods say what was before
        state.rerun()
    strip_end(end, run)
    frame.title(title, run.problem.title())
    frame.problems()
    _result(name, now)


def _result(name: str, now: state.PageState) -> None:
    shown = running.carried(now.run, None, name)
    if shown.does_not_apply:
        with st.container(border=True, key="empty", horizontal_alignment="center"):
            st.markdown("## Not in this world")
            st.markdown(plain(shown.sentence))
            progress.offer_smaller(shown)
            st.button(f"Take methods for {in_sentence(now.run.problem.title())}", key="trial.suits",
                      on_click=state.moved, args=(_take_others, name, now))  # fmt: skip
        return
    progress.status_line(shown)
    if shown.outcome is None:
        st.container(border=True, height=420, key="skeleton")
        return
    with st.container(border=True):
        _picture("trial_scores", shown, now)
    trial_tabs.below(shown, lambda: _pictures(shown, now))


def _take_others(name: str, now: state.PageState) -> None:
    """Go on in this world with the methods with which it greets."""
    state.keep(name, replace(now, run=moved_to(now.run.problem, now.run)))


def _pictures(shown: Shown, now: state.PageState) -> None:
    """In rows of two; those that no method of the trial allows are left out."""
    if grid_editor.is_editable(now.run.problem):
        grid_editor.brush(now.run.problem)
    every = [name for name in _names(shown) if _allowed(name, shown)]
    for at in range(0, len(every), 2):
        names = every[at : at + 2]
        places = st.columns([views()[name].share for name in names])
        for place, name in zip(places, names, strict=True):
            with place.container(border=True, height="stretch"):
                _picture(name, shown, now)


def _allowed(name: str, shown: Shown) -> bool:
    """Whether some method of the trial has what a picture asks for."""
    asks = views()[name].asks
    return any(row.can(*asks) for row in shown.outcome.results)


def _picture(name: str, shown: Shown, now: state.PageState) -> None:
    entry, above = views()[name], st.container()
    offered: dict[str, Any] = {"trial": shown.outcome}
    if entry.takes("which"):
        offered["which"] = _which(name, shown, now)
    with above:
        heading, chosen = panels.head(entry, offered, now.view)
    try:
        drawn = entry.drawn(offered, chosen)
    except MlcoreError as error:
        with heading:
            frame.card_heading(entry.record.title)
        st.markdown(plain(str(error)))
        return
    with heading:
        frame.view_heading(drawn)
    is_played = drawn.step is not None and not shown.stale and shown.status != "running"
    event = panels.show(
        drawn,
        name,
        stale=shown.stale,
        run=shown.outcome.run,
        rows=None if shown.stale else grid_editor.clickable(shown.run.problem, drawn.figure),
        player=_player(drawn, shown.run, offered.get("which")) if is_played else None,
        step=_step(now) if name == _first_of_one(shown) else None,
    )
    if event.step and name == _first_of_one(shown):
        state.publish(name_of_page(), replace(now, view=replace(now.view, step=event.step - 1)))


def _step(now: state.PageState) -> int | None:
    """The step of the player, from 1; an address counts from 0."""
    return None if now.view.step is None else now.view.step + 1


def name_of_page() -> str:
    """The page of this rerun."""
    return state.session().here


def _names(shown: Shown) -> tuple[str, ...]:
    """The pictures of the world, in order."""
    return views_on(*shown.outcome.world.places)


def _first_of_one(shown: Shown) -> str:
    """The first picture of one method: it has the choice of which, and its step is in the link."""
    shown_ones = (name for name in _names(shown) if _allowed(name, shown))
    return next((name for name in shown_ones if views()[name].takes("which")), "")


def _player(drawn: View, run: Trial, which: int | None) -> Callable[[], Any]:
    """The recording for the player, made when the player is opened.

    A picture of no method is played as the solver of the world finds it.
    """
    world = run.problem.world()
    played_run = replace(run, methods=(world.solver,)) if which is None else run

    def record() -> Any:
        _, steps = running.trial_steps_of(played_run, which or 0)
        return played(world, drawn, steps, follows=f"{played_run.short()} {which or 0}")

    return record


def _which(name: str, shown: Shown, now: state.PageState) -> int:
    """Which method a map shows: the chosen one, or the first that has what the map asks for."""
    asks = views()[name].asks
    rows = shown.outcome.results
    able = [k for k, row in enumerate(rows) if row.can(*asks)]
    chosen = now.view.which if now.view.which in able else able[0]
    if name != _first_of_one(shown) or len(able) < 2:
        return chosen
    choice = st.selectbox(
        "Method shown",
        able,
        able.index(chosen),
        format_func=lambda k: rows[k].label,
        key=state.key("view.which"),
        label_visibility="collapsed",
        on_change=state.moved,
    )
    if choice != now.view.which:
        state.publish(name_of_page(), replace(now, view=replace(now.view, which=choice)))
    return choice
