"""The strip under the navigation: what data a page works on, and everything that can be changed.

Each item is a popover in which it is changed; the strip returns the run with these changes. What
is in a popover is made while it is open alone: every control costs time.
The same things can be changed elsewhere, so the key of a control names the value that it starts
from: with a key that stays, it would hold on to its own value and take the other change back.
"""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import Any

import streamlit as st

from figures.theme import class_color
from mlcore.data import bundled
from mlcore.data.dataset import Dataset, TableData
from mlcore.runs.run import AnyRun, Run
from mlcore.spine.params import params_of
from mlcore.spine.registry import lookup, names
from mlcore.spine.wording import count
from ui import controls, state
from ui.data.few_rows import suited_folds
from ui.runs import history, sharing
from ui.wording import plain

NO_TARGET = None


ITEMS = ("source", "rows", "columns", "target", "preparation", "seed")


def strip_place() -> Any:
    """Where the strip will stand."""
    return st.container(horizontal=True, wrap=False, key="data-strip", vertical_alignment="center")


def is_open() -> bool:
    """Whether an item is open, so that the strip may change the run; closed, it only shows it."""
    return any(st.session_state.get(_key(item)) for item in ITEMS)


def data_strip(run: Run, dataset: Dataset | None, place: Any = None) -> tuple[Run, Any]:
    """Draw the strip; the run as its controls now say, and the place for its end."""
    before = run
    with place or strip_place():
        data = _source(run.data, dataset)
        if dataset is not None:
            data = _rows(data, dataset)
            data = _columns(data, dataset)
            data = _target(data, dataset)
        run = replace(run, data=data, preparation=_preparation(run))
        if dataset is not None:
            run = as_proposed(before, run, dataset)
        run = replace(run, seed=_seed(run))
        st.space("stretch")
        end = st.container(horizontal=True, width="content", wrap=False, gap="small")
    return run, end


def strip_end(end: Any, run: AnyRun) -> None:
    """Undo, redo, the runs so far and Share: drawn when the state of this rerun is known."""
    with end:
        history.walks()
        sharing.share(run)


def _item(label: str, path: str, icon: str | None = None) -> Any:
    return st.popover(label, type="tertiary", icon=icon, key=_key(path), on_change=state.moved)


def _key(item: str) -> str:
    return state.key(f"strip.{item}.item")


def _source(data: TableData, dataset: Dataset | None) -> TableData:
    name = dataset.name if dataset else "Data"
    place = _item(f"**{plain(name)}**", "source", ":material/table:")
    if not place.open:
        return data
    with place:
        st.markdown("**Data set**")
        titles = {each: bundled.entry(each).title for each in bundled.names()}
        titles |= {each: each.replace("_", " ") for each in names("source") if each != "bundled"}
        del titles["upload"]
        now = _short_name(data)
        if now not in titles:
            titles[now] = name
        chosen = controls.listed(
            "Pick a data set", titles, now, f"strip.data.{now}", "Or bring yours."
        )
        st.page_link("pages/data.py", label="Bring your own data", icon=":material/upload_file:")
    return data if chosen == now else TableData(source=chosen)


def _short_name(data: TableData) -> str:
    source = data.source
    return getattr(source, source.card.stands_for) if source.card.stands_for else source.card.name


def _rows(data: TableData, dataset: Dataset) -> TableData:
    used, every = dataset.n, dataset.table.n_rows
    label = f"{used:,} of {every:,} rows" if used < every else count(every, "row")
    place = _item(label, "rows")
    if not place.open:
        return data
    with place:
        for note in dataset.notes or ("All rows of the table are used.",):
            st.markdown(plain(note))
        drop = controls.control(params_of(TableData)["drop"], "Leave out", data.drop, "strip.drop")
    return replace(data, drop=drop)


def _columns(data: TableData, dataset: Dataset) -> TableData:
    usable = [name for name, role in dataset.roles if role in ("feature", "ignore")]
    used = [column.name for column in dataset.columns]
    every = [name for name in usable if name in dataset.table.names]
    place = _item(f"{len(used)} of {count(len(every), 'column')}", "columns")
    if not place.open:
        return data
    with place:
        chosen = st.multiselect(
            "Columns to learn from",
            every,
            used,
            key=state.key(f"strip.columns.{'~'.join(used)}"),
            on_change=state.moved,
            help="The other columns are ignored.",
        )
    if set(chosen) == set(used):
        return data
    decided = {n: r for n, r in data.roles if r not in ("feature", "ignore")}
    decided |= {n: "feature" if n in chosen else "ignore" for n in every}
    return replace(data, roles=tuple(decided.items()))


def as_proposed(before: Any, run: Any, dataset: Dataset) -> Any:
    """The run, with what is proposed for rows like these: a step for words, folds that fit."""
    run = counting_words(before, run, dataset)
    return run if run.data.source != before.data.source else suited_folds(run, dataset)


def counting_words(before: Run, run: Run, dataset: Dataset) -> Run:
    """The run, with a step for the words of a column of text that is learned from.

    The step is added where the preparation is the one that is proposed for any table, and where
    such a column was just chosen; whoever then removes it, or chose other steps, is left alone.
    """
    step = lookup("preparation", "count_vectorizer")()
    if any(each.card.name == step.card.name for each in run.preparation):
        return run
    is_text = {name: dataset.table.column(name).kind == "text" for name in dataset.table.names}
    chosen = set(run.data.roles) - set(before.data.roles)
    is_chosen = any(role == "feature" and is_text.get(name) for name, role in chosen)
    is_used = any(is_text[c.name] for c in dataset.columns) and run.preparation == Run().preparation
    if run.data.source != before.data.source or not (is_chosen or is_used):
        return run
    return replace(run, preparation=(*run.preparation, step))


def _target(data: TableData, dataset: Dataset) -> TableData:
    more = f" and {len(dataset.target_names) - 1} more" if dataset.target_names else ""
    place = _item(f"Target: **{plain(dataset.target or 'none')}**{more}", "target")
    if dataset.task == "classification":
        st.html(balance_bar(dataset), width="content")
    if not place.open:
        return data
    titles: dict[Any, str] = {NO_TARGET: "no target"}
    titles |= {name: name for name in dataset.table.names}
    with place:
        chosen = controls.listed(
            "What is to be predicted", titles, dataset.target, f"strip.target.{dataset.target}",
            "Methods that learn from a target use this column; the others leave it aside.",
        )  # fmt: skip
    return data if chosen == dataset.target else aimed(data, dataset, chosen)


def aimed(data: TableData, dataset: Dataset, chosen: str | None) -> TableData:
    """The data with `chosen` as what is to be predicted, None for nothing.

    Targets go on together under another first one; any other choice takes the place of all.
    """
    together = dataset.target_names if chosen in dataset.target_names else ()
    roles = {name: role for name, role in data.roles if role != "target"}
    roles |= {name: "target" for name in together if name != chosen}
    return replace(data, target=chosen, roles=tuple(roles.items()))


def balance_bar(dataset: Dataset) -> str:
    """The shares of the classes as a bar with its text, as HTML."""
    assert dataset.y is not None  # it has classes
    counts = [int((dataset.y == k).sum()) for k in range(len(dataset.classes))]
    text = ", ".join(f"{escape(c)} {n}" for c, n in zip(dataset.classes, counts, strict=True))
    bars = "".join(
        f'<i style="flex:{n};background:{class_color(k)}"></i>' for k, n in enumerate(counts)
    )
    shown = count(len(counts), "class", "classes")
    return f'<div class="balance" title="{text}"><span>{bars}</span><em>{shown}</em></div>'


def _preparation(run: Run) -> tuple:
    place = _item(_summary(run), "preparation")
    if not place.open:
        return run.preparation
    steps = ", ".join(step.title() for step in run.preparation)
    with place:
        st.markdown(
            f"Fitted inside every fold: {steps}." if steps else "The rows go in as they are."
        )
        chosen = controls.control(
            params_of(Run)["preparation"], "Steps, in this order", run.preparation,
            "strip.preparation",
        )  # fmt: skip
        st.page_link("pages/preprocessing.py", label="Settings of each step")
    return chosen


def _summary(run: Run) -> str:
    names = [step.title() for step in run.preparation]
    if not names:
        return "No preparation"
    return names[-1] if len(names) == 1 else f"{names[-1]} + {len(names) - 1} more"


def _seed(run: Run) -> int:
    place = _item(f"Seed {run.seed}", "seed")
    if not place.open:
        return run.seed
    with place:
        return controls.control(params_of(Run)["seed"], "Seed", run.seed, "strip.seed")
