"""What stands in the tab How it works."""

from __future__ import annotations

import inspect

import pytest

from mlcore.spine.registry import lookup
from ui.method.cards import stands_in


@pytest.mark.parametrize(
    ("slot", "name"),
    [("reduction", "nmf"), ("reduction", "fast_ica"), ("regression", "ridge"),
     ("regression", "elastic_net"), ("regression", "knn_regression")],
)  # fmt: skip
def test_a_formula_of_the_text_is_not_shown_again(slot, name):
    method = lookup(slot, name)
    assert stands_in(inspect.getdoc(method) or "", method.card.formula)


@pytest.mark.parametrize(
    ("slot", "name"), [("reduction", "isomap"), ("regression", "quantile_regression")]
)
def test_a_formula_that_says_more_is_shown(slot, name):
    method = lookup(slot, name)
    assert not stands_in(inspect.getdoc(method) or "", method.card.formula)


@pytest.mark.parametrize(("name", "times"), [("nmf", 0), ("pca", 1)])
def test_the_tab_shows_a_formula_once(opened, name, times):
    at = opened("dimensionality_reduction", data="iris", method=name, **{"view.tab": "how"})
    assert len(at.latex) == times
