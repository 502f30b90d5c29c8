"""The sidebar of a comparison: the methods, each with its settings, and the folds they share."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mlcore.data.dataset import Dataset
from mlcore.runs.carry_comparison import labels
from mlcore.runs.comparing.sizes import as_many
from mlcore.runs.presets import WholePreset
from mlcore.runs.run import Comparison, Pipeline
from mlcore.spine.params import params_of
from ui import controls, lists, state
from ui.compare.methods import LEAST, MOST, first_methods, offered, page_of
from ui.method.examples import examples, looked_at
from ui.method.page import MethodView
from ui.reading import pen


def comparison_controls(
    run: Comparison, dataset: Dataset, presets: tuple[WholePreset[Comparison], ...]
) -> Comparison:
    """The controls in the sidebar, and the comparison that they describe."""
    examples(presets, _use)
    pen().markdown(f"**Methods** <small>{len(run.methods)}</small>", unsafe_allow_html=True)
    names = labels(run)
    methods = tuple(_box(run, k, names[k]) for k in range(len(run.methods)))
    if len(methods) < MOST:
        _add(run, dataset)
    pen().divider()
    return replace(run, methods=methods, evaluation=_evaluation(run, dataset))


def _use(preset: WholePreset[Comparison]) -> None:
    session, run = state.session(), preset.run()
    now = session.states[session.here]
    fields = {name: getattr(run, name) for name in params_of(Comparison) if name != "seed"}
    state.show(replace(now, run=replace(now.run, **fields), view=looked_at(preset, now.view)))


def _box(run: Comparison, k: int, label: str) -> Any:
    """The settings of one method; they are made while the box is open alone."""
    entrant, path = run.methods[k], f"methods.{k}"
    place = controls.folded(label, f"{path}.box")
    if not place.open:
        return entrant
    with place:
        settings = _settings(run, entrant, path)
        with pen().container(horizontal=True, gap="small"):
            is_full, is_least = len(run.methods) == MOST, len(run.methods) == LEAST
            for name, icon, key, change, off in (
                ("Duplicate", "content_copy", "copy", lists.doubled(k), is_full),
                ("Remove", "close", "remove", lists.without(k), is_least),
            ):
                lists.offer(name, icon, "", f"{key}.{k}", "methods", run.methods, change, off)
            pen().button(
                "Open", icon=":material/open_in_full:", type="tertiary", key=f"open.{k}",
                help="Shows this method alone, with its steps, curves and tuning.",
                on_click=_open, args=(k,),
            )  # fmt: skip
    return settings


def _settings(run: Comparison, entrant: Any, path: str) -> Any:
    """The form of a method, and its own preparation if it has one."""
    is_pipeline = isinstance(entrant, Pipeline)
    method: Any = entrant.method if is_pipeline else entrant
    within = f"{path}.pipeline.method" if is_pipeline else path
    method_form: Any = controls.form(type(method), method, f"{within}.{method.card.name}")
    is_own = pen().toggle(
        "Own preparation",
        is_pipeline,
        key=state.key(f"{path}.own"),
        help="The rows are prepared for this method in another way than for the others.",
        on_change=state.moved,
    )
    if not is_own:
        return method_form
    steps = entrant.preparation if is_pipeline else run.preparation
    declared, at = params_of(Pipeline)["preparation"], f"{path}.pipeline.preparation"
    steps = controls.control(declared, "Steps, in this order", steps, at)
    return Pipeline(preparation=steps, method=method_form)


def _add(run: Comparison, dataset: Dataset) -> None:
    dropped = controls.dropped_down("Add a method", "add", "add")
    lists.to_add(
        dropped, "add", offered(dataset), "methods", run.methods,
        lambda cls: as_many(cls(), run.methods),
    )  # fmt: skip


def _evaluation(run: Comparison, dataset: Dataset) -> Any:
    """Which rows are test rows, and the way back to the first methods."""
    declared = params_of(Comparison)["evaluation"]
    scheme = controls.control(declared, "Cross-validation scheme", run.evaluation, "evaluation")
    first = {"methods": first_methods(dataset), "evaluation": Comparison().evaluation}
    pen().button(
        "Reset to defaults", type="tertiary", key="reset", on_click=state.change, kwargs=first
    )
    return scheme


def _open(k: int) -> None:
    """Show one method on its own page, on the same data and folds."""
    session = state.session()
    run = session.states[session.here].run.runs()[k]
    state.lead(state.PageState(run, MethodView()), page_of(run.method))
