"""What the benchmark of fifty sessions expects is what a page writes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from benchmarks import sessions
from mlcore.runs.carry import carried_out
from mlcore.runs.run import Run
from tests.pages.conftest import shown


@pytest.mark.parametrize(("page", "pairs"), sessions.KINDS[1:5:2])
def test_a_session_is_shown_what_the_benchmark_expects(
    opened: Callable[..., AppTest], page: str, pairs: dict[str, str]
) -> None:
    at = opened(page, **pairs)
    written = "\n".join(item.proto.body for item in at.get("html"))
    match = sessions.SCORE.search(written.replace("\n", " "))
    assert match, f"{shown(at)}\n{written}"
    assert match.groups() == sessions.shown_of(carried_out(Run.from_link(pairs)[0]))
