"""From the page of a method into the comparison of this session, by one press."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import streamlit as st

from mlcore.runs.comparable import standing
from mlcore.runs.run import Comparison, Run
from mlcore.spine.component import Component
from mlcore.spine.param_kinds import Number
from mlcore.spine.params import params_of
from mlcore.spine.wording import count
from ui import state
from ui.compare.looks import PAGE, ComparisonView
from ui.compare.methods import MOST, first_methods
from ui.runs import running
from ui.runs.running import Shown

KIN = 3  # settings of one method that begin a comparison where no other method is of its kind


def add(shown: Shown) -> None:
    """The button; where the method is in the comparison already, the way there."""
    run = shown.run
    if shown.stale or shown.outcome is None or not shown.outcome.done:
        return
    page_state = state.session().states.get(PAGE)
    methods = page_state.run.methods if page_state else ()
    if run.method in methods:
        label = f"In the comparison of {count(len(methods), 'method')}"
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
    methods = _beside(run, page_state.run.methods if page_state else ())
    if len(methods) == MOST:
        st.toast(f"The comparison has {MOST} methods, which is the most. Remove one there first.")
        return
    now = page_state.run if page_state else Comparison()
    shared = {name: getattr(run, name) for name in state.SHARED}
    compared = replace(now, methods=(*methods, run.method), **shared)
    state.keep(PAGE, state.PageState(compared, page_state.view if page_state else ComparisonView()))
    others = count(len(methods), "other method")
    st.toast(f"{run.method.title()} is now compared with {others}.")


def _beside(run: Run, methods: tuple[Any, ...]) -> tuple[Any, ...]:
    """The methods that stand in a comparison beside the one of a run, which is not among them.

    Those that are there, as far as they can be compared with it; else those that suit the data;
    else the method itself with other settings.
    """
    own = type(run.method)
    first = first_methods(running.dataset_of(run))
    for each in (methods, tuple(method for method in first if type(method) is not own)):
        if comparison := _comparable(run, each):
            return comparison
    return _kin(run.method)


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
    """The same method with other values of its first setting that is a number."""
    for name, param in params_of(type(method)).items():
        if isinstance(param, Number):
            now = getattr(method, name)
            values = [value for value in param.grid(KIN + 1) if value != now][:KIN]
            return tuple(_with(method, name, value) for value in values)
    return (type(method)(),)


def _with(method: Any, name: str, value: Any) -> Any:
    return type(method)(**{f.name: getattr(method, f.name) for f in fields(method)} | {name: value})
