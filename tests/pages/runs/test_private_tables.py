"""What rests on an uploaded table is shown to those alone who have the table.

An address names the table by its digest and the cache of results is everybody's. So each test lets
one session bring a table and compute, and another open the same address without the table.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from mlcore.data.dataset import TableData, share
from mlcore.data.importing import read
from mlcore.data.upload import Upload
from mlcore.runs.explaining.explanation import Explanation
from mlcore.runs.run import AnyRun, Comparison, Run
from mlcore.runs.tuning.tuning import Tuning
from mlcore.spine.errors import MlcoreError
from service.results import results
from tests.pages.conftest import shown
from ui import state
from ui.method import curves
from ui.runs import running
from ui.runs.running import Shown

# What nobody can know who has not seen the table: names of columns and of classes.
COLUMNS, TARGET, CLASSES = ("dingo", "bilby", "potoroo"), "quokka", ("wombat", "numbat")
SECRETS = (*COLUMNS, TARGET, *CLASSES)
SENTENCE = "The table 'mine.csv' is not here"


def _table(quantity: bool) -> Any:
    rng = np.random.default_rng(7)
    lines = [",".join((*COLUMNS, TARGET))]
    for k in range(61):
        cells = [f"{value:.3f}" for value in rng.normal(k % 2, 1.0, 3)]
        lines.append(",".join([*cells, f"{k + rng.random():.3f}" if quantity else CLASSES[k % 2]]))
    return read("\n".join(lines).encode(), "mine.csv").table


GROUPS, QUANTITY = _table(False), _table(True)
HELD = {table.digest(): table for table in (GROUPS, QUANTITY)}
MINE = TableData(source=Upload(digest=GROUPS.digest(), name="mine.csv"))
MINE_TOO = TableData(source=Upload(digest=QUANTITY.digest(), name="mine.csv"), target=None)
TWO = ("lda", "constant")
# By what is looked at: the page, and what its address asks for.
PAGES: dict[str, tuple[str, AnyRun]] = {
    "data": ("data", Run(data=MINE)),
    "preprocessing": ("preprocessing", Run(data=MINE)),
    "reduction": ("dimensionality_reduction", Run(data=MINE, method="pca")),
    "clustering": ("clustering", Run(data=MINE)),
    "classification": ("classification", Run(data=MINE, method="lda")),
    "regression": ("regression", Run(data=TableData(source=MINE_TOO.source), method="ridge")),
    "kernels": ("kernels", Run(data=MINE, method="svc")),
    "neural_networks": ("neural_networks", Run(data=MINE, method="mlp_classifier")),
    "sequences": ("sequences", Run(data=MINE, method="hmm")),
    "compare": ("compare", Comparison(data=MINE, methods=TWO)),
    "compare with more": ("compare", Comparison(data="iris", more=(MINE,), methods=TWO)),
    "compare with more, two": (
        "compare", Comparison(data=MINE, more=(TableData(source="iris"), MINE_TOO), methods=TWO)
    ),
}  # fmt: skip
TABS = {"compare": "sets", "classification": "files", "data": "rows"}


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    """An empty cache before each test and behind it."""
    results().clear()
    yield
    results().clear()


def session(opened: Any, page: str, run: AnyRun, held: dict[str, Any]) -> AppTest:
    """A session with these tables that opens the address of a run."""
    at = opened("methods").switch_page(f"pages/{page}.py")
    at.session_state["session_tables"] = dict(held)
    at.query_params["view.tab"] = TABS.get(page, "how")
    for name, value in run.to_link().items():
        at.query_params[name] = value
    at.run()
    assert not at.exception, at.exception[0].stack_trace
    return at


def everything(at: AppTest) -> str:
    """All that was sent to the browser, names of files and data of pictures too."""
    return "\n".join(str(getattr(node, "proto", "")) for node in at._tree)


@pytest.mark.parametrize("kind", PAGES)
def test_an_address_shows_nothing_of_a_table_to_who_has_it_not(opened, kind):
    page, run = PAGES[kind]
    first = everything(session(opened, page, run, HELD))
    assert SENTENCE not in first
    assert [word for word in SECRETS if word in first] or run.data == TableData(source="iris")
    assert len(results()) > 0
    at = session(opened, page, run, {})
    second = everything(at)
    assert SENTENCE in shown(at)
    assert [word for word in SECRETS if word in second] == []
    assert "±" not in second and "61" not in shown(at)
    assert f"last.{page}" not in at.session_state


def test_a_comparison_can_go_on_without_the_table_that_is_not_here(opened):
    at = session(opened, *PAGES["compare with more"], {})
    at.button(key="more.without").click().run()
    assert not at.exception and not at.error
    assert "best mean" in everything(at)
    assert at.session_state["mlscope"].states["compare"].run.more == ()


def test_what_one_could_not_read_is_not_shown_to_who_can(opened):
    """The order of the two sessions turned round: the first must not leave its refusal behind."""
    page, run = PAGES["compare with more"]
    session(opened, page, run, {})
    at = session(opened, page, run, HELD)
    assert "is not here" not in everything(at)
    assert len(at.session_state["last.compare"].sets) == 2


IRIS = Run(data="iris").data.dataset()
LDA = Run(data=MINE, method="lda")
TUNING = Tuning(data=MINE, method="naive_bayes")
# What is asked about what, by name; the rows are those of another table, which this session has.
KINDS: dict[str, tuple[Callable[[Any], Any], AnyRun]] = {
    "rows": (running.dataset_of, LDA),
    "columns": (running.columns_of, LDA),
    "run": (lambda run: running.carried(run, IRIS, "classification"), LDA),
    "parts": (lambda run: running.carried(run, IRIS, "classification", ("Whole",)), LDA),
    "comparison": (
        lambda run: running.carried(run, IRIS, "compare"),
        Comparison(data="iris", more=(MINE,), methods=TWO),
    ),
    "tuning": (
        lambda run: running.carried(run, IRIS, "tune"), TUNING
    ),
    "explanation": (
        lambda run: running.carried(run, IRIS, "explain"), Explanation(data=MINE, method="lda")
    ),
    "steps": (running.steps_of, Run(data=MINE, method="kmeans")),
    "curve": (lambda run: curves._job(run, IRIS, "").result(60), LDA),
}  # fmt: skip


def _script(kind: str) -> None:
    """A page of one question, to be run by Streamlit; what comes is noted in the session."""
    import streamlit as st

    from tests.pages.runs.test_private_tables import answer

    st.session_state["answer"] = answer(kind)


def answer(kind: str) -> Any:
    """What a session gets: a result, or a sentence."""
    ask, about = KINDS[kind]
    state.session().here = "classification"
    try:
        found = ask(about)
    except MlcoreError as error:
        return str(error)
    return (found.outcome or found.sentence) if isinstance(found, Shown) else found


@pytest.mark.parametrize("kind", KINDS)
def test_no_kind_of_result_is_got_without_the_table(kind):
    """Below the pages, which stop where there are no rows before they ask the cache for more."""

    def asked(held: dict[str, Any]) -> Any:
        at = AppTest.from_function(_script, default_timeout=90, args=(kind,))
        at.session_state["session_tables"] = dict(held)
        at.run()
        assert not at.exception, at.exception[0].stack_trace
        return at.session_state["answer"]

    assert not isinstance(asked(HELD), str | None)
    theirs = asked({})
    assert theirs is None if kind == "columns" else SENTENCE in theirs


def test_rows_that_somebody_uses_are_not_those_of_who_lacks_the_table():
    shared = MINE.dataset(HELD)
    share(MINE, shared)
    assert MINE.dataset(HELD) is shared
    with pytest.raises(MlcoreError, match="is not here"):
        MINE.dataset({})
    del shared
    gc.collect()
    assert MINE.dataset(HELD).n == 61
