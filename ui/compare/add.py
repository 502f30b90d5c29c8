"""From the page of a method into the comparison of this session, by one press."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import streamlit as st

from mlcore.data.dataset import Dataset
from mlcore.data.upload import uploaded
from mlcore.runs.comparable import standing
from mlcore.runs.presets import comparison_presets
from mlcore.runs.run import Comparison, Run
from mlcore.spine.component import Component
from mlcore.spine.param_kinds import Number
from mlcore.spine.params import counting
from mlcore.spine.wording import count
from ui import state
from ui.compare.looks import PAGE, ComparisonView
from ui.compare.methods import MOST, first_methods
from ui.runs import running, sharing
from ui.runs.running import Shown
from ui.wording import plain

BEGUN = "compare.begun"  # in the session: the methods of a comparison with one that a person chose


def add(shown: Shown) -> None:
    """The button; where the method is in the comparison already, the way there."""
    run = shown.run
    if shown.stale or shown.outcome is None or not shown.outcome.done:
        return
    page_state = state.session().states.get(PAGE)
    if page_state and run.method in _chosen(page_state.run, running.dataset_of(run)):
        label = f"In the comparison of {count(len(page_state.run.methods), 'method')}"
        st.page_link("pages/compare.py", label=label, icon=":material/compare_arrows:")
        return
    st.button(
        "Add to comparison",
        icon=":material/compare_arrows:",
        type="tertiary",
        key="compare.add",
        help="Puts this method, with these settings and data, beside others on the same folds.",
        on_click=state.moved,
        args=(_put, run),
    )


def _put(run: Run) -> None:
    page_state = state.session().states.get(PAGE)
    dataset = running.dataset_of(run)
    chosen = _comparable(run, _chosen(page_state.run, dataset) if page_state else ())
    if len(chosen) == MOST:
        st.toast(f"The comparison has {MOST} methods, which is the most. Remove one there first.")
        return
    methods = (*chosen, run.method) if chosen else (run.method, _company(run, dataset))
    st.session_state[BEGUN] = None if chosen else methods
    now = page_state.run if page_state else Comparison()
    shared = {name: getattr(run, name) for name in state.SHARED}
    view = page_state.view if page_state else ComparisonView()
    put = state.PageState(replace(now, methods=methods, **shared), view)
    state.keep(PAGE, put)
    st.toast(f"{_toast_text(methods, begins=not chosen)} {_way_there(put)}")


def _chosen(now: Comparison, dataset: Dataset) -> tuple[Any, ...]:
    """The methods of a comparison that a person chose: none of those with which the page greets,
    and not the one that keeps a first method company."""
    if now.methods in (comparison_presets()[0].run().methods, first_methods(dataset)):
        return ()
    return now.methods[:1] if now.methods == st.session_state.get(BEGUN) else now.methods


def _company(run: Run, dataset: Dataset) -> Component:
    """The method that stands beside a first one until a second is added: of another kind if one
    is judged as it is, else the same with another setting."""
    others = tuple(m for m in first_methods(dataset) if type(m) is not type(run.method))
    return (_comparable(run, others) or _kin(run.method))[0]


def _toast_text(methods: tuple[Any, ...], *, begins: bool) -> str:
    """What was done, in a sentence."""
    title = plain(methods[0 if begins else -1].title())
    if begins:
        return (
            f"{title} begins your comparison, beside {plain(methods[1].title())} until you add "
            "another one."
        )
    return f"{title} is now compared with {count(len(methods) - 1, 'other method')}."


def _way_there(put: state.PageState) -> str:
    """The link to the comparison; a table of a session is in its own tab alone."""
    address = sharing.link_to(PAGE, put)
    if uploaded(put.run) or len(address) > sharing.LONGEST_LINK:
        return "The link beside the title opens it."
    return f"[Open the comparison]({address})"


def _comparable(run: Run, methods: tuple[Any, ...]) -> tuple[Any, ...]:
    """Those of the methods that are judged on these data as the method of the run is."""
    if not methods:
        return ()
    every = (run.method, *methods[: MOST - 1])
    reasons = standing(_compared(run, every), running.dataset_of(run)).reasons
    usable = tuple(method for method, why in zip(every[1:], reasons[1:], strict=True) if not why)
    return usable + methods[MOST - 1 :]


def _compared(run: Run, methods: tuple[Any, ...]) -> Comparison:
    return Comparison(
        data=run.data, preparation=run.preparation, methods=methods, evaluation=run.evaluation
    )


def _kin(method: Component) -> tuple[Any, ...]:
    """The same method with another value of its first setting that is a number."""
    for name, param in counting(method).items():
        if isinstance(param, Number):
            now = getattr(method, name)
            value = next(value for value in param.grid(2) if value != now)
            return (_with(method, name, value),)
    return (type(method)(),)


def _with(method: Any, name: str, value: Any) -> Any:
    return type(method)(**{f.name: getattr(method, f.name) for f in fields(method)} | {name: value})
