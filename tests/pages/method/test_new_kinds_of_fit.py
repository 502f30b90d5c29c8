"""Densities and maps without places for later rows, as the pages show them."""

from __future__ import annotations

import pytest

from tests.pages.conftest import shown


@pytest.mark.parametrize(
    ("page", "pairs", "said"),
    [
        ("clustering", {"method": "gaussian_mixture"}, "Components"),
        ("dimensionality_reduction", {"method": "mds"}, "Embedding"),
        (
            "dimensionality_reduction",
            {"method": "mds", "method__kind": "metric"},
            "Embedding",
        ),
    ],
)
def test_the_page_opens_with_its_pictures(opened, page, pairs, said):
    at = opened(page, data="iris", **pairs)
    assert not at.exception and not at.error
    assert said in shown(at)
