"""The section that changes a table: add, set, move, remove; errors at their step; the link."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from mlcore.data.dataset import TableData
from mlcore.data.steps.new_column import NewColumn
from mlcore.runs import differences
from mlcore.runs.run import Run
from service.results import results
from tests.pages.conftest import address, shown, unfold
from ui.data import upload


def calm(at: AppTest) -> AppTest:
    assert not at.exception, at.exception[0].stack_trace
    return at


def named(at: AppTest, kind: str, end: str):
    """The widget of a kind whose key ends so."""
    return next(each for each in getattr(at, kind) if each.key and each.key.endswith(end))


def added(at: AppTest, name: str) -> AppTest:
    at = unfold(at, "changes.add")
    return calm(at.button(key=f"changes.add.{name}").click().run())


def run_of(at: AppTest):
    return at.session_state["mlscope"].states["data"].run


def test_a_change_is_added_set_moved_and_removed(opened):
    results().clear()
    at = opened("data", data="penguins")
    assert "changes" not in {key.what for key in results()._entries}  # the table once, not twice
    at = added(at, "new_column")
    assert "Not set yet: does nothing." in shown(at)
    calm(named(at, "text_input", "new_column.name").set_value("ratio").run())
    calm(
        named(at, "text_input", "new_column.formula")
        .set_value("bill_length_mm / bill_depth_mm").run()
    )  # fmt: skip
    assert address(at)["data.steps"] == "new_column"
    assert address(at)["data.steps.0.formula"] == "bill_length_mm / bill_depth_mm"
    at = added(at, "keep_rows")
    calm(named(at, "selectbox", "keep_rows.column").set_value("ratio").run())
    calm(named(at, "selectbox", "keep_rows.test").set_value("is_more_than").run())
    calm(named(at, "text_input", "keep_rows.value").set_value("2.5").run())
    kept = run_of(at).data.dataset().table
    assert "ratio" in kept.names and 0 < kept.n_rows < 344
    assert f"{kept.n_rows} rows" in shown(at)
    calm(at.button(key="changes.up.1").click().run())  # the ratio is not there yet
    assert [error.value for error in at.error if "no column 'ratio'" in error.value]
    assert "Waits for the change above." in shown(at)
    calm(at.button(key="changes.out.0").click().run())
    assert address(at)["data.steps"] == "new_column"
    assert not [error.value for error in at.error]


def test_a_formula_that_cannot_be_read_is_told_at_its_step(opened):
    pairs = {"data": "penguins", "data__steps": "new_column", "data__steps__0__formula": "1 + * 2"}
    at = calm(opened("data", **pairs))
    assert any(each.value.startswith("At letter 5 of the formula") for each in at.error)
    calm(named(at, "text_input", "new_column.formula").set_value("1 + 2").run())
    assert not at.error


@pytest.mark.parametrize("page", ["classification", "compare", "preprocessing"])
def test_every_page_has_the_changed_table(opened, page):
    pairs = {
        "data": "penguins", "data__steps": "keep_rows", "data__steps__0__column": "island",
        "data__steps__0__values": "Biscoe",
    }  # fmt: skip
    calm(opened(page, **pairs))
    at = calm(opened(page, **pairs))
    labels = [each.proto.popover.label for each in at.get("popover")]
    assert any("168 rows" in label or "of 168" in label for label in labels), labels


def test_changes_stay_when_the_same_file_is_read_in_another_way():
    steps = (NewColumn(name="new", formula="age + 1"),)
    data = TableData(steps=steps, kinds={"age": "count", "gone": "text"})
    kept = upload._kept(data, ("age",))
    assert (kept["steps"], kept["kinds"]) == (steps, (("age", "count"),))


def test_two_runs_say_which_changes_of_the_table_they_have():
    first = Run(data="penguins")
    second = Run(data=TableData(steps=(NewColumn(name="new", formula="year + 1"),)))
    told = str(differences.settings(first, second))
    assert "New column by a formula" in told or "new_column" in told or "year + 1" in told
