"""What every guide promises: a page that exists, sources, methods that are there, formulas."""

from __future__ import annotations

import pytest

from mlcore.catalogue import records
from mlcore.guides import Guide, guides, of_page
from mlcore.spine.registry import names
from tests.contract.test_components import SOURCE
from tests.contract.test_labs import PAGES


@pytest.mark.parametrize("guide", [pytest.param(g, id=g.name) for g in guides()])
def test_a_guide_is_complete(guide: Guide):
    assert guide.page in PAGES | {"neural_networks", "sequences"}  # which have no lab yet
    assert guide.sources
    assert [s for s in guide.sources if not SOURCE.fullmatch(s)] == []
    assert set(guide.methods) <= set(names("method")) | set(names("agent"))
    assert 400 < len(guide.text) < 3000
    assert guide.text.count("$") % 2 == 0
    assert guide.record().summary.endswith((".", ":", "?"))


@pytest.mark.parametrize("page", sorted(PAGES))
def test_every_page_has_one(page):
    assert of_page(page)


def test_names_are_unique():
    found = [guide.name for guide in guides()]
    assert len(set(found)) == len(found)


def test_a_guide_of_some_methods_stands_beside_these_alone():
    assert [g.name for g in of_page("regression", "ridge")] == ["penalties"]
    assert of_page("regression", "linear_regression") == ()


def test_of_groups_nothing_is_said_beside_what_finds_none():
    assert [g.name for g in of_page("clustering", "kmeans", ["clustering"])] == ["reading_clusters"]
    assert of_page("clustering", "novelty_detector", ["novelty"]) == ()


def test_the_catalogue_lists_guides_and_labs_with_their_page():
    found = {(r.kind, r.name): r for r in records()}
    assert found["guide", "penalties"].page == "regression"
    assert found["lab", "leak_switch"].page == "preprocessing"
