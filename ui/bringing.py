"""How data come in without a file: a bundled set, a generator, the drawing pad."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

import streamlit as st

from mlcore.component import entries
from mlcore.data import bundled
from mlcore.data.dataset import TableData
from mlcore.data.drawn import Drawn
from mlcore.data.examples import Example, groups
from mlcore.data.generators.shared import Generator
from ui import controls, state
from ui.components.drawing_pad import drawing_pad

USED_BY = {"class": ("classification", "kernels", "clustering"), "height": ("regression",)}
MEASURED = "Measured"  # the sets that are files


def door(data: TableData) -> str:
    """The part of the Data page that a table came through, where it can be changed further."""
    if isinstance(data.source, Drawn):
        return "Draw"
    return "Generate" if isinstance(data.source, Generator) else "Table"


def pick(data: TableData) -> None:
    """The bundled sets as cards, one group at a time."""
    found = {MEASURED: bundled.files(), **groups()}
    used = getattr(data.source, "name", "")
    held = [title for title, sets in found.items() if used in {entry.name for entry in sets}]
    chosen = st.pills(
        "Kind of data",
        list(found),
        default=(held or [MEASURED])[0],
        key=state.key("pick.group"),
        on_change=state.moved,
        label_visibility="collapsed",
    )
    sets = found[chosen or MEASURED]
    for at in range(0, len(sets), 3):
        for place, entry in zip(st.columns(3), sets[at : at + 3], strict=False):
            with place.container(border=True, height="stretch"):
                st.markdown(f"**{entry.title}** <small>{_size(entry)}</small>",
                            unsafe_allow_html=True)  # fmt: skip
                st.markdown(entry.shows)
                st.button(
                    "Use it",
                    key=f"pick.{entry.name}",
                    on_click=state.change,
                    kwargs={"data": TableData(source=entry.name)},
                    disabled=used == entry.name,
                )


def _size(entry: bundled.Entry | Example) -> str:
    return f"{entry.rows:,} × {entry.columns}" if isinstance(entry, bundled.Entry) else ""


def generate(data: TableData) -> TableData:
    """A generator with its knobs."""
    makers = {n: c for n, c in entries("source").items() if issubclass(c, Generator)}
    titles = {name: cls.title() for name, cls in makers.items()}
    given = bundled.recipe(getattr(data.source, "name", "")) or data.source
    now = given.card.name
    left, right = st.columns([2, 3])
    with left:
        chosen = controls.listed(
            "Generator", {None: "Choose one", **titles}, now if now in makers else None,
            f"generate.{now}", "Rows drawn from a recipe whose truth is known.",
        )  # fmt: skip
    if chosen is None:
        return data
    source = given if chosen == now else makers[chosen]()
    with left:
        source = controls.form(makers[chosen], source, f"generate.{chosen}")
    right.markdown(inspect.cleandoc(makers[chosen].__doc__ or ""))
    if source == given:
        return data
    return replace(data, source=source) if chosen == now else TableData(source=source)


def draw(data: TableData) -> TableData:
    """The drawing pad; what is on it becomes the data of every page with the first stroke."""
    source: Any = data.source
    is_drawn = isinstance(source, Drawn)
    left, right = st.columns([3, 2])
    with left:
        points = drawing_pad("draw.pad", source.points if is_drawn else "")
    with right:
        st.markdown(
            "Click to set a point, drag to set many. Draw a case that you wonder about, then "
            "open a method and watch what it makes of it. The link carries the points."
        )
        if not is_drawn:
            return TableData(source=Drawn(points=points)) if points else data
        source = controls.form(Drawn, source, "draw", only=("target",))
        with st.container(horizontal=True, gap="small", key="chips"):
            for page in USED_BY[source.target]:
                st.page_link(f"pages/{page}.py", label=page.capitalize())
    source = replace(source, points=points)
    is_same = source.target == data.source.target
    return replace(data, source=source) if is_same else TableData(source=source)
