"""The sidebar of a trial: the problem, the methods, how often and how long."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from mlcore.decisions.world import HasMap, World
from mlcore.runs.carry_trial import labels
from mlcore.runs.presets import WholePreset
from mlcore.runs.run import Trial
from mlcore.spine.component import Component
from mlcore.spine.errors import ParamError
from mlcore.spine.params import params_of
from mlcore.spine.registry import entries
from ui import controls, lists, state
from ui.method.examples import examples
from ui.wording import plain

MOST = 10  # methods of a trial


def trial_controls(run: Trial, presets: tuple[WholePreset[Trial], ...]) -> Trial:
    """The controls in the sidebar, and the trial that they describe."""
    before = run.problem.world()
    # Those of worlds like that on the page come first.
    # Asked of their methods: to build every world takes long, and some need a slow import.
    examples(presets, _use, order=lambda p: not suits(before, p.run()))
    problem = _problem(run.problem)
    world = problem.world()
    if not before.is_like(world):
        return moved_to(problem, run)
    st.divider()
    methods = _methods(run, world)
    st.divider()
    return replace(run, problem=problem, methods=methods, **_amounts(run, world))


def suits(world: World, run: Trial) -> bool:
    """Whether the methods of a trial act in worlds like this one."""
    return all(isinstance(world, method.acts_in) for method in run.methods)


def _use(preset: WholePreset[Trial]) -> None:
    trial = preset.run()
    state.change(**{name: getattr(trial, name) for name in params_of(Trial) if name != "seed"})


def _problem(now: Any) -> Any:
    """The problem and its settings; the map of a grid in lines, as it lies."""
    options = entries("problem")
    titles = {name: cls.title() for name, cls in options.items()}
    first = now.card.name
    use = controls.one_of("World", titles, first, "problem", "In what the methods are tried.")
    now = now if use == first else options[use]()
    names = tuple(name for name in params_of(options[use]) if name != "layout")
    form: Any = controls.form(options[use], now, f"problem.{use}", only=names)
    return _map(form) if isinstance(form, HasMap) else form


def _map(now: Any) -> Any:
    """The map as text: the way in for the keyboard."""
    param = params_of(type(now))["layout"]
    text = st.text_area(
        param.label,
        now.layout.replace("/", "\n"),
        key=state.key(f"problem.layout.{now.layout}"),
        help=f"{param.doc.replace('separated by /', 'one below the other')} "
        "Or choose a brush above the map and click its cells.",
        on_change=state.moved,
    )
    try:
        return replace(now, layout="/".join((text or "").split()))
    except ParamError as error:
        st.error(plain(str(error)))
        return now


def moved_to(problem: Any, run: Trial) -> Trial:
    """A trial in another kind of world, with the methods that suit it."""
    names = problem.world().first_agents
    return Trial(problem=problem, methods=names, budget=1000, replicates=30, seed=run.seed)


def _methods(run: Trial, world: World) -> tuple[Component, ...]:
    """Every method in a box of its own; more of them can be added, one can be removed."""
    st.markdown("**Methods**")
    names = labels(run.methods)
    methods = tuple(_method(run, k, names[k]) for k in range(len(run.methods)))
    if len(methods) < MOST:
        with st.popover("Add a method", icon=":material/add:", width="stretch"):
            for form in _offered(world):
                st.button(
                    form.label,
                    key=f"add.{form.card.name}.{form.label}",
                    type="tertiary",
                    help=(type(form).__doc__ or "").split("\n")[0],
                    on_click=lists.press,
                    args=("methods", run.methods, lists.longer(form)),
                )
    return methods


def _method(run: Trial, k: int, label: str) -> Component:
    method = run.methods[k]
    with st.expander(label, key=state.key(f"methods.{k}.box")):
        form = controls.form(type(method), method, f"methods.{k}.{method.card.name}")
        if len(run.methods) > 1:
            st.button(
                "Remove",
                icon=":material/close:",
                type="tertiary",
                key=f"remove.{k}",
                on_click=lists.press,
                args=("methods", run.methods, lists.without(k)),
            )
    return form


def _offered(world: World) -> list[Any]:
    """The methods that suit a world, under the names by which people look for them."""
    forms = [form for cls in entries("agent").values() for form in cls.forms()]
    return [form for form in forms if isinstance(world, form.acts_in)]


def _amounts(run: Trial, world: World) -> dict[str, int]:
    declared = params_of(Trial)
    return {
        "budget": controls.control(declared["budget"], world.budget_unit, run.budget, "budget"),
        "replicates": controls.control(
            declared["replicates"], "Replicates", run.replicates, "replicates"
        ),
    }
