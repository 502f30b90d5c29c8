"""Several targets: how the table of columns makes them, and what is drawn of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from mlcore.data.audit import audit
from mlcore.data.dataset import TableData
from mlcore.data.table import Table, numeric
from mlcore.data.upload import Upload
from mlcore.runs.run import Run
from tests.pages.conftest import shown, unfold
from ui import state
from ui.data import columns, findings
from ui.method.page import MethodView


def changed(data: TableData, name: str, role: str) -> TableData:
    """The decisions after one role was chosen in the table of columns."""
    table, roles = data.columns()
    return columns.with_role(data, table, roles, name, role)


def test_a_further_quantity_joins_the_targets_and_leaves_them_again():
    two = changed(TableData(source="diabetes"), "bmi", "target")
    assert two.dataset().target_names == ("progression", "bmi")
    one = changed(two, "bmi", "feature")
    assert (one.dataset().target, one.dataset().target_names) == ("progression", ())
    other = changed(two, "progression", "feature")
    assert (other.dataset().target, other.dataset().target_names) == ("bmi", ())


def test_classes_take_the_place_of_the_target():
    data = changed(TableData(source="penguins"), "island", "target")
    assert (data.dataset().target, data.roles) == ("island", ())


def test_a_choice_in_a_table_that_is_just_drawn_anew_is_not_lost(monkeypatch):
    run = Run(data=TableData(source="penguins"))
    page = state.Session(here="data", states={"data": state.PageState(run, MethodView())})
    held: dict = {"mlscope": page}
    monkeypatch.setattr(st, "session_state", held)
    former = (run.data.columns()[0], run.data.dataset(), {})  # as the browser still shows it
    rows = {}
    for row, name in ((6, "sex"), (1, "island"), (0, "species")):
        rows[str(row)] = {"Role": "target"}
        held["table"] = {"edited_rows": dict(sorted(rows.items()))}
        columns._take("table", *former)
        assert page.states["data"].run.data.dataset().target == name
    held["table"] = {"edited_rows": rows | {"7": {"Type": "nominal"}}}
    columns._take("table", *former)
    dataset = page.states["data"].run.data.dataset()
    assert (dataset.target, dataset.table.column("year").kind) == ("species", "nominal")
    assert page.walks.can("data", "past")


def test_the_page_draws_each_output_and_the_first(opened):
    at = opened("regression", data="linnerud", method="multi_output_regressor")
    assert not at.exception
    said = shown(at)
    assert "could not be drawn" not in said
    assert "Error by output" in said
    assert "first of 3 outputs" in said


def test_other_methods_show_the_first_target_alone(opened):
    said = shown(opened("regression", data="linnerud", method="ridge"))
    assert "Predicted against true" in said
    assert "Error by output" not in said
    assert "outputs" not in said.replace("methods for several outputs", "")


def test_the_first_of_the_targets_is_chosen_in_the_strip(opened):
    at = opened("regression", data="linnerud", method="multi_output_regressor")
    dataset = choose(at, "waist")
    assert dataset.target_names == ("waist", "weight", "pulse")
    dataset = choose(at, "chins")
    assert (dataset.target, dataset.target_names) == ("chins", ())


def choose(at, name: str):
    """The rows of the page after a target was chosen in the strip."""
    at = unfold(at, "strip.target.item")
    next(b for b in at.selectbox if b.label == "What is to be predicted").set_value(name).run()
    assert not at.exception
    return at.session_state["mlscope"].states["regression"].run.data.dataset()


def test_an_output_is_no_leak_of_another():
    y = np.random.default_rng(0).normal(size=60)
    table = Table.of(numeric("x", y**2), numeric("y", y), numeric("twice", 2 * y))
    held = {table.digest(): table}
    alone = TableData(source=Upload(digest=table.digest()), target="y")
    together = replace(alone, roles=(("twice", "target"),))
    found = [finding for finding in audit(table, "y") if finding.column == "twice"]
    assert [f.title for f in found if findings._concerns(f, alone.dataset(held))]
    assert not [f.title for f in found if findings._concerns(f, together.dataset(held))]
