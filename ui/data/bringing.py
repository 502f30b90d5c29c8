"""How data come in without a file: a bundled set, a generator, the drawing pad."""

from __future__ import annotations

import inspect
from contextlib import suppress
from dataclasses import replace
from typing import Any

import streamlit as st

from figures.view import views, views_where
from mlcore.data import bundled
from mlcore.data.dataset import Dataset, TableData
from mlcore.data.drawn import Drawn
from mlcore.data.glimpses import makers
from mlcore.data.upload import uploaded
from mlcore.spine.errors import DataError
from ui import controls, selection
from ui.components.drawing_pad import drawing_pad
from ui.data.gallery import gallery
from ui.method import panels
from ui.runs.session_tables import session_tables

LOOKS = ("image_grid", "scatter_pairs", "column_profiles")
USED_BY = {"class": ("classification", "kernels", "clustering"), "height": ("regression",)}


def door(data: TableData) -> str | None:
    """The part of the Data page that a table came through, where it can be changed further.

    None where one was opened already: a control that begins somewhere may not be moved by others.
    """
    if "door" in st.session_state:
        return None
    if isinstance(data.source, Drawn):
        return "Draw"
    if uploaded(data).keys() - session_tables().keys():
        return "Upload"  # where the table that is not here can be brought again
    return "Generate" if data.source.card.name in makers() else "Table"


def through(door: str | None, data: TableData, dataset: Dataset | None) -> TableData:
    """What stands below an open door, and the table as it is left there."""
    if door == "Pick":
        gallery(data)
    if door == "Generate":
        return generate(data, dataset)
    return draw(data) if door == "Draw" else data


def generate(data: TableData, dataset: Dataset | None) -> TableData:
    """A generator with its knobs, and the rows that they draw."""
    known = makers()
    titles = {name: cls.title() for name, cls in known.items()}
    given = bundled.recipe(getattr(data.source, "name", "")) or data.source
    now = given.card.name
    left, right = st.columns([2, 3])
    with left:
        chosen = controls.listed(
            "Generator", {None: "Choose one", **titles}, now if now in known else None,
            f"generate.{now}", "Rows drawn from a recipe whose truth is known.",
        )  # fmt: skip
    if chosen is None:
        return data
    source = given if chosen == now else known[chosen]()
    with left:
        source = controls.form(known[chosen], source, f"generate.{chosen}")
    with right:
        st.markdown(inspect.cleandoc(known[chosen].__doc__ or ""))
        if dataset is not None and chosen == now:
            _drawn_rows(dataset)
    if source == given:
        return data
    return replace(data, source=source) if chosen == now else TableData(source=source)


def _drawn_rows(dataset: Dataset) -> None:
    """The first of the pictures that rows allow: images, points of two columns, single columns."""
    selection.about(dataset.table.digest())
    offered = panels.known(dataset, None, None)
    fitting = [name for name in LOOKS if name != "image_grid" or name in views_where(dataset)]
    for name in fitting:
        with suppress(DataError):  # says what it needs: the next needs less
            panels.show(panels.made(views()[name], offered), "generate.look")
            return


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
