"""Options of pictures on Data and on Preprocessing: the same control as on other pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from figures import view as registry
from figures.options import Options
from figures.theme import figure
from figures.view import TableColumn, View, joined, view, views
from mlcore.data.dataset import Dataset
from mlcore.preparation.chain import Prepared
from mlcore.spine.capabilities import Transforms
from mlcore.spine.params import choice
from tests.pages.conftest import address, shown, unfold


@dataclass(frozen=True, kw_only=True)
class SortOptions(Options):
    """How the picture of this test is sorted."""

    by: str = choice("name", "name", "size", label="Sort by", doc="What comes first.")


@pytest.fixture(autouse=True)
def _two_views(monkeypatch):
    """A picture of a table and one of a step, each with an option."""
    monkeypatch.setattr(registry, "_VIEWS", dict(views()))

    @view("sorted_table", title="Sorted table", options=SortOptions, on="data", order=1)
    def of_table(dataset: Dataset, *, options: SortOptions) -> View:
        """A picture of a table."""
        return _drawn(options)

    @view("sorted_step", title="Sorted step", options=SortOptions, of_step=Transforms)
    def of_step(prepared: Prepared, *, options: SortOptions) -> View:
        """A picture of a step."""
        return _drawn(options)


def _drawn(options: SortOptions) -> View:
    values = (TableColumn("x", np.arange(2)),)
    said = f"Sorted by {options.by} here."
    return joined(1, lambda _: figure(height=90), lambda _: said, lambda _: values, note="all rows")


def box(at: AppTest) -> Any:
    (control,) = [b for b in (*at.main.selectbox, *at.main.button_group) if b.label == "Sort by"]
    return control


def choose(at: AppTest, value: str) -> AppTest:
    control = box(at)
    pick = control.select if hasattr(control, "select") else control.set_value
    return pick(value).run()


@pytest.mark.parametrize(
    ("page", "name", "pairs"),
    [
        ("data", "sorted_table", {}),
        ("preprocessing", "sorted_step", {"view__stage": "1"}),
        ("preprocessing", "sorted_step", {}),
    ],
)
def test_the_control_moves_the_picture_and_the_address(opened, monkeypatch, page, name, pairs):
    drawn: list[str] = []
    monkeypatch.setattr(f"{__name__}._drawn", _noted(drawn))
    at = opened(page, data="penguins", **pairs)
    if page == "data":
        at.session_state["data.tab"] = name
    at = unfold(at, f"view.{name}")
    assert not at.exception
    assert drawn[-1] == "name"
    at = choose(at, "size")
    assert not at.exception
    assert drawn[-1] == "size"
    assert address(at)[f"view.{name}.by"] == "size"
    at.run()
    assert address(at)[f"view.{name}.by"] == "size"
    linked = opened(page, data="penguins", **pairs, **{f"view__{name}__by": "size"})
    assert not linked.exception
    assert "could not be used" not in shown(linked)


def _noted(drawn: list[str]):
    draw = _drawn

    def noted(options: SortOptions) -> View:
        drawn.append(options.by)
        return draw(options)

    return noted
