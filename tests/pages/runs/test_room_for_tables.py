"""A session holds the tables that its pages are about, and of the others as many as fit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mlcore.data.dataset import TableData
from mlcore.data.table import Table, numeric
from mlcore.data.upload import Upload
from mlcore.runs.run import Run
from service.limits import current_limits
from ui import state
from ui.runs import session_tables


def table(name: str, kilobytes: int) -> tuple[str, Table]:
    made = Table.of(numeric(name, np.arange(kilobytes * 128.0)))
    return made.digest(), made


def held() -> list[str]:
    return [each.names[0] for each in session_tables.session_tables().values()]


@pytest.fixture(autouse=True)
def _small(monkeypatch) -> None:
    """Room for 256 kB of one browser."""
    small = replace(current_limits(), uploads_mb=1)
    monkeypatch.setattr(session_tables, "current_limits", lambda: small)


def test_the_tables_that_came_first_go():
    for name in "abcdab":
        session_tables.hold(dict([table(name, 100)]))
    assert held() == ["a", "b"]


def test_a_table_that_a_page_is_about_stays_and_one_that_has_just_come():
    digest, made = table("shown", 100)
    session_tables.hold({digest: made})
    run = Run(data=TableData(source=Upload.of(digest, "shown.csv")), method="kmeans")
    state.session().states["clustering"] = state.PageState(run, None)
    for name in "abc":
        session_tables.hold(dict([table(name, 100)]))
    assert held() == ["shown", "c"]
    session_tables.hold(dict([table("large", 400)]))
    assert held() == ["shown", "large"]
