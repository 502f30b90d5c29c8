"""What a page greets with."""

from __future__ import annotations

import runpy
from pathlib import Path
from types import SimpleNamespace

from mlcore.runs.carry import carried_out
from tests.pages.conftest import unfold
from ui.method import page

PAGES = Path(__file__).parents[3] / "pages"


def test_principal_components_greet_with_two_and_what_they_leave_out(monkeypatch):
    """All of them leave out nothing, so their score is a rounding error: 1.7e-29."""
    made: list[page.Page] = []
    monkeypatch.setattr(page, "method_page", made.append)
    runpy.run_path(str(PAGES / "dimensionality_reduction.py"))
    outcome = carried_out(made[0].first())
    assert outcome.run.method.card.name == "pca"
    assert len(outcome.whole.fit.out_columns) == 2
    assert outcome.mean(outcome.judge.metric().name) > 0.01


def test_the_browser_is_left_alone_only_where_it_has_another_main_picture_to_draw(
    opened, monkeypatch
):
    pauses: list[float] = []
    monkeypatch.setattr(page, "runtime", SimpleNamespace(exists=lambda: True))
    monkeypatch.setattr(page, "pause", pauses.append)
    at = opened("classification", data="iris", method="lda")
    assert pauses == [page.UNDISTURBED]
    at = unfold(at, "examples")
    assert not at.exception and len(pauses) == 1
    opened("classification", data="iris", method="lda", view__tab="code")
    assert len(pauses) == 1


def test_a_score_that_is_defined_in_no_fold_says_so(opened):
    at = opened("clustering", data="moons", method="dbscan", method__eps="3")
    (shown,) = [html for html in at.get("html") if 'class="score"' in html.proto.body]
    assert "defined in no fold" in shown.proto.body
    assert "nan" not in shown.proto.body
