"""Densities and maps without places for later rows, as the pages show them."""

from __future__ import annotations

import pytest

from tests.pages.conftest import shown


@pytest.mark.parametrize(
    ("page", "pairs", "said"),
    [
        ("clustering", {"method": "gaussian_mixture"}, "log-likelihood"),
        ("dimensionality_reduction", {"method": "mds"}, "tress"),
        (
            "dimensionality_reduction",
            {"method": "mds", "method__kind": "metric"},
            "tress",
        ),
    ],
)
def test_the_page_shows_score_and_pictures(opened, page, pairs, said):
    at = opened(page, data="iris", **pairs)
    assert not at.exception and not at.error
    assert said in shown(at)
