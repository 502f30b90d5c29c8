"""A view of a package that fails: the page says whose fault it is, and goes on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from figures import view as registry_of_views
from mlcore.spine import registry
from mlcore.spine.outside import Package
from tests.pages.conftest import shown

NAME = "confusion_heatmap"


def fails(*given, **how):
    raise RuntimeError("no picture today")


def returns_nothing(outcome, dataset, options):
    return None


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (fails, "a fault in the package strange 0.1, noted in MLScope's log."),
        (returns_nothing, f"must be a View, and {__name__}.returns_nothing returned nothing."),
    ],
)
def test_the_page_tells_whose_fault_it_is(opened, monkeypatch, make, says):
    ours, into = registry_of_views.views()[NAME], {}
    before = registry_of_views._INTO.set(into)
    registry_of_views.view(NAME, title="Strange")(make)
    registry_of_views._INTO.reset(before)
    monkeypatch.setitem(registry_of_views._VIEWS, NAME, replace(ours, make=into[NAME].make))
    monkeypatch.setattr(registry, "packages", lambda: (Package("strange", "0.1", __name__, {}),))
    at = opened("classification", data="penguins", method="lda")
    assert says in shown(at) and not at.exception
    assert "MLScope itself" not in shown(at)
