"""A table of two to four rows: each is left out once, where five folds would be refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mlcore.data.dataset import TableData
from mlcore.data.table import Table, coded, numeric
from tests.pages.conftest import address, shown
from ui import state


def small(n: int) -> Table:
    return Table.of(numeric("x", [1.0, 2.0, 3.5, 4.0][:n]), numeric("y", [1.5, 2.0, 3.0, 5.5][:n]))


def grouped() -> Table:
    patients = [f"p{i // 30}" for i in range(90)]
    x = numeric("x", [float(i % 7) for i in range(90)])
    return Table.of(x, coded("patient", patients), numeric("y", [i % 5 + 0.5 for i in range(90)]))


def at_table(opened, page: str, table: Table, **pairs: str):
    """The page with this table."""
    at = opened("methods").switch_page(f"pages/{page}.py")
    at.session_state["session_tables"] = {table.digest(): table}
    pairs |= {"data": "upload", "data.source.digest": table.digest(), "data.target": "y"}
    for name, value in pairs.items():
        at.query_params[name] = value
    at.run()
    assert not at.exception, at.exception[0].stack_trace
    return at


@pytest.mark.parametrize("n", [2, 3, 4])
def test_each_of_very_few_rows_is_left_out_once(opened, n):
    at = at_table(opened, "regression", small(n), method="ridge")
    assert address(at)["evaluation"] == "leave_one_out"
    folds = at.session_state["last.regression"].done
    assert [fold.test.tolist() for fold in folds] == [[row] for row in range(n)]
    assert "Not with this data yet" not in shown(at)


@pytest.mark.parametrize("page", ["data", "preprocessing", "compare"])
def test_so_it_is_on_every_page(opened, page):
    methods = {"methods": "ridge,constant_regressor"} if page == "compare" else {}
    at = at_table(opened, page, small(4), **methods)
    assert address(at)["evaluation"] == "leave_one_out"


def test_few_groups_are_left_out_one_by_one(opened):
    roles = {"data.roles": "patient:group"}
    at = at_table(opened, "regression", grouped(), method="ridge", **roles)
    assert address(at)["evaluation"] == "leave_one_out"
    assert len(at.session_state["last.regression"].done) == 3


def test_folds_that_fit_are_left_as_they_were_chosen(opened):
    at = at_table(opened, "regression", small(4), method="ridge", **{"evaluation.n_splits": "2"})
    assert (address(at)["evaluation"], address(at)["evaluation.n_splits"]) == ("k_fold", "2")


def test_another_table_gets_the_usual_folds_again(opened):
    at = at_table(opened, "regression", small(3), method="ridge")
    session = at.session_state["mlscope"]
    now = session.states["regression"]
    run = replace(now.run, data=TableData(source="diabetes"))
    session.states["regression"] = state.PageState(run, now.view)
    session.shared["data"] = run.data  # as if it had been picked
    at.query_params.clear()
    at.run()
    assert address(at)["evaluation"] == "k_fold"
    assert len(at.session_state["last.regression"].done) == 5
