"""What comes next with a table: the pages that suit it, each with the reason why."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import streamlit as st

from mlcore.data.dataset import Dataset
from mlcore.spine.wording import count, rough_value
from ui import frame
from ui.wording import plain

LONGEST = 24  # characters of a name on a link
PLANE = 2  # columns that one picture shows as they are


class Way(NamedTuple):
    """A page, what is done there with this table, and why it suits."""

    page: str
    label: str
    icon: str
    why: str


def ways(dataset: Dataset) -> list[Way]:
    """The pages that suit a table, in the order of what people come for."""
    p, pages = len(dataset.columns), []
    if dataset.task:
        pages.append(_predict(dataset))
    pages.append(
        Way("clustering", "Find groups", "bubble_chart",
            f"Needs no target: rows are grouped by {count(p, 'column')}.")
    )  # fmt: skip
    if p > PLANE:
        pages.append(
            Way("dimensionality_reduction", "See it in two dimensions", "scatter_plot",
                f"{p} columns are more than one picture shows; a map keeps what it can of them.")
        )  # fmt: skip
    if dataset.task:
        pages.append(
            Way("compare", "Compare methods", "compare_arrows",
                f"No method is best on all tables: several on the same folds of {dataset.n:,} "
                "rows, with a test.")
        )  # fmt: skip
    return pages


def _predict(dataset: Dataset) -> Way:
    """The page that predicts the target."""
    name = dataset.target or ""
    label = f"Predict {name if len(name) <= LONGEST else f'{name[: LONGEST - 1]}…'}"
    if dataset.task == "classification":
        why = f"The target is one of {count(len(dataset.classes), 'class', 'classes')}."
    else:
        y = np.asarray(dataset.y, dtype=float)
        why = (
            f"The target is a quantity, {rough_value(np.nanmin(y))} to {rough_value(np.nanmax(y))}."
        )
    return Way(dataset.task, label, "target", why)


def ways_on(dataset: Dataset) -> None:
    """Draw the ways, side by side."""
    pages = ways(dataset)
    with st.container(border=True, key="ways-on"):
        note = "" if dataset.task else "to predict a column, choose it as target in the line above"
        frame.card_heading("What comes next", note)
        for place, way in zip(st.columns(len(pages)), pages, strict=True):
            with place:
                icon = f":material/{way.icon}:"
                st.page_link(f"pages/{way.page}.py", label=plain(way.label), icon=icon)
                st.caption(plain(way.why))
