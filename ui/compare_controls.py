"""The sidebar of a comparison: the methods, each with its settings, and the folds they share."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mlcore.carry_comparison import labels
from mlcore.component import Component, entries
from mlcore.data.dataset import Dataset
from mlcore.params import params_of
from mlcore.presets import ComparisonPreset
from mlcore.run import Comparison, Pipeline
from ui import controls, state
from ui.examples import examples
from ui.reading import pen

LEAST, MOST = 2, 10  # methods of a comparison
BASELINES = ("constant", "constant_regression")  # the first row already
FIRST = {
    "classification": ("lda", "logistic", "knn", "decision_tree", "naive_bayes", "svc"),
    "regression": ("linear_regression", "ridge", "elastic_net", "knn_regression",
                   "regression_tree"),
}  # fmt: skip
GROUPS = (2, 3, 4, 5)  # of k-means, where there is nothing to predict


def comparison_controls(
    run: Comparison, dataset: Dataset, presets: tuple[ComparisonPreset, ...]
) -> Comparison:
    """The controls in the sidebar, and the comparison that they describe."""
    examples(presets, _use)
    pen().markdown(f"**Methods** <small>{len(run.methods)}</small>", unsafe_allow_html=True)
    names = labels(run)
    methods = tuple(_box(run, k, names[k]) for k in range(len(run.methods)))
    if len(methods) < MOST:
        _add(dataset)
    pen().divider()
    return replace(run, methods=methods, evaluation=_evaluation(run, dataset))


def offered(dataset: Dataset) -> dict[str, type[Component]]:
    """The methods that suit the target of these data, or learn without one if there is none."""
    if dataset.task:
        return {n: cls for n, cls in entries(dataset.task).items() if n not in BASELINES}
    every = entries("clustering") | entries("reduction")
    return {n: cls for n, cls in every.items() if cls.card.score and not cls.card.task}


def first_methods(dataset: Dataset) -> tuple[Any, ...]:
    """The methods with which a comparison on these data begins."""
    found: dict[str, Any] = offered(dataset)
    if dataset.task:
        return tuple(found[name]() for name in FIRST[dataset.task])
    return tuple(found["kmeans"](n_clusters=k) for k in GROUPS)


def _use(preset: ComparisonPreset) -> None:
    run = preset.comparison()
    state.change(**{name: getattr(run, name) for name in params_of(Comparison) if name != "seed"})


def _box(run: Comparison, k: int, label: str) -> Any:
    """The settings of one method; they are made while the box is open alone."""
    entrant, path = run.methods[k], f"methods.{k}"
    place = controls.folded(label, f"{path}.box")
    if not place.open:
        return entrant
    with place:
        found = _settings(run, entrant, path)
        with pen().container(horizontal=True, gap="small"):
            is_full, is_least = len(run.methods) == MOST, len(run.methods) == LEAST
            _button("Duplicate", ":material/content_copy:", f"copy.{k}", _copy, k, is_full)
            _button("Remove", ":material/close:", f"remove.{k}", _remove, k, is_least)
    return found


def _settings(run: Comparison, entrant: Any, path: str) -> Any:
    """The form of a method, and its own preparation if it has one."""
    is_pipeline = isinstance(entrant, Pipeline)
    method: Any = entrant.method if is_pipeline else entrant
    found: Any = controls.form(type(method), method, f"{path}.{method.card.name}")
    is_own = pen().toggle(
        "Own preparation",
        is_pipeline,
        key=state.key(f"{path}.own"),
        help="The rows are prepared for this method in another way than for the others.",
        on_change=state.moved,
    )
    if not is_own:
        return found
    steps = entrant.preparation if is_pipeline else run.preparation
    declared = params_of(Pipeline)["preparation"]
    steps = controls.control(declared, "Steps, in this order", steps, f"{path}.preparation")
    return Pipeline(preparation=steps, method=found)


def _add(dataset: Dataset) -> None:
    place = pen().popover(
        "Add a method",
        icon=":material/add:",
        width="stretch",
        key=state.key("add"),
        on_change=state.moved,
    )
    if not place.open:
        return
    with place:
        for name, cls in offered(dataset).items():
            said = (cls.__doc__ or "").split("\n")[0]
            _button(cls.title(), None, f"add.{name}", _put_in, cls(), False, said)


def _evaluation(run: Comparison, dataset: Dataset) -> Any:
    """Which rows are left out to score, and the way back to the first methods."""
    declared = params_of(Comparison)["evaluation"]
    found = controls.control(declared, "Left out to score, by", run.evaluation, "evaluation")
    first = {"methods": first_methods(dataset), "evaluation": Comparison().evaluation}
    pen().button(
        "Reset to defaults", type="tertiary", key="reset", on_click=state.change, kwargs=first
    )
    return found


def _button(
    label: str, icon: str | None, key: str, then: Any, what: Any, is_off: bool, said: str = ""
) -> None:
    pen().button(
        label, icon=icon, type="tertiary", key=key, disabled=is_off, help=said or None,
        on_click=then, args=(what,),
    )  # fmt: skip


def _methods() -> tuple[Any, ...]:
    """The methods as they are when a button is pressed."""
    held = state.session()
    return held.states[held.here].run.methods


def _put_in(method: Component) -> None:
    state.change(methods=(*_methods(), method))


def _copy(k: int) -> None:
    methods = _methods()
    state.change(methods=(*methods[: k + 1], *methods[k:]))


def _remove(k: int) -> None:
    methods = _methods()
    state.change(methods=(*methods[:k], *methods[k + 1 :]))
