"""Selected rows: their table, their name, their file, and the change that they become."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from mlcore.data.steps.row_numbers import LONGEST
from mlcore.data.table import Table
from service import selecting
from tests.pages.conftest import address, shown, unfold


def calm(at: AppTest) -> AppTest:
    assert not at.exception, at.exception[0].stack_trace
    return at


def picked(at: AppTest, rows) -> AppTest:
    """The page with these rows selected, as a lasso does it."""
    at.session_state["selection.rows"] = tuple(rows)
    return calm(at.run())


def data_of(at: AppTest, page: str = "classification"):
    return at.session_state["mlscope"].states[page].run.data


def labels(at: AppTest) -> list[str]:
    return [button.label for button in at.button]


def test_a_selection_is_a_table_and_is_left_out_of_the_next_run(opened):
    at = opened("classification", data="iris", method="lda")
    assert "Leave out of the next run" not in labels(at)
    at = picked(at, [0, 1, 2, 70])
    assert "4 rows selected" in shown(at)
    assert list(at.dataframe[-1].value.index) == [1, 2, 3, 71]
    calm(at.text_input(key="selection.name").set_value("odd ones").run())
    calm(at.button(key="selection.leave_out").click().run())
    assert address(at)["data.steps"] == "picked_rows"
    assert address(at)["data.steps.0.numbers"] == "1-3,71"
    assert data_of(at).steps[0].name == "odd ones"
    assert data_of(at).dataset().n == 146
    assert "rows selected" not in shown(at)
    # Rows keep their numbers: the first that is left is row 4, and leaving it out says so.
    at = picked(at, [0])
    assert list(at.dataframe[-1].value.index) == [4]
    calm(at.button(key="selection.leave_out").click().run())
    assert address(at)["data.steps.1.numbers"] == "4"


def test_rows_are_selected_by_formula_and_by_mistake(opened):
    at = unfold(opened("classification", data="iris", method="lda"), "selection.ways")
    calm(at.text_input(key="selection.formula").set_value("sepal_length > ").run())
    assert [each.value for each in at.error if "expected" in each.value]
    name = data_of(at).dataset().table.names[0]
    calm(at.text_input(key="selection.formula").set_value(f"`{name}` > 7").run())
    assert "12 rows selected" in shown(at)
    calm(at.number_input(key="selection.worst").set_value(5).run())
    calm(at.button(key="selection.worst.go").click().run())
    assert "5 rows selected" in shown(at)
    boxes = {each.label: each for each in at.selectbox}
    boxes["True class"].select_index(1).run()
    {each.label: each for each in at.selectbox}["Predicted"].select_index(2).run()
    calm(at.button(key="selection.cell.go").click().run())
    assert "2 rows selected" in shown(at)  # the versicolor that LDA takes for virginica
    calm(at.button(key="selection.keep").click().run())
    assert len(data_of(at).columns()[0].columns[0].values) == 2


def test_the_server_computes_no_formula_and_writes_no_rows(opened, monkeypatch):
    """Both take as long as the table is large: three seconds of a million texts, minutes of CSV."""

    def here(*_: object) -> None:
        raise AssertionError("computed in the process of the server")

    monkeypatch.setattr(selecting, "truths", here)
    monkeypatch.setattr(Table, "to_csv", here)
    at = unfold(opened("data", data="iris"), "selection.ways")
    table = data_of(at, "data").dataset().table
    formula = f"`{table.names[0]}` > 7"
    calm(at.text_input(key="selection.formula").set_value(formula).run())
    assert "12 rows selected" in shown(at)
    rows = selecting.rows_where(formula, table)
    lines = selecting.csv_of(rows, table).splitlines()
    monkeypatch.undo()
    assert lines == table.take(rows).to_csv().splitlines() and len(lines) == 13


def test_a_name_brings_a_selection_back(opened):
    at = picked(opened("data", data="iris"), [3, 5])
    calm(at.text_input(key="selection.name").set_value("two").run())
    calm(at.button(key="selection.clear").click().run())
    at = unfold(at, "selection.ways")
    calm(at.button(key="selection.again.two").click().run())
    assert "2 rows selected" in shown(at)


def test_more_rows_than_a_link_holds_become_a_table_of_the_session(opened):
    at = opened("data", data="blobs", data__source__n_samples="6000")
    assert LONGEST < 3 * 6000
    at = picked(at, range(0, 6000, 2))
    calm(at.button(key="selection.leave_out").click().run())
    assert address(at)["data.steps"] == "listed_rows"
    digest = address(at)["data.steps.0.source.digest"]
    tables = at.session_state["session_tables"]
    assert tables[digest].names == ("row",)
    assert data_of(at, "data").dataset(tables).table.n_rows == 3000
