"""A view of a package that is none: whose it is, and what it should have returned."""

from __future__ import annotations

import pytest

from figures import view as registry_of_views
from figures.view import view
from mlcore.spine import registry
from mlcore.spine.errors import DataError
from mlcore.spine.outside import Package


@pytest.fixture
def entered():
    """Views that are entered here alone."""
    into: dict = {}
    before = registry_of_views._INTO.set(into)
    yield into
    registry_of_views._INTO.reset(before)


@pytest.mark.parametrize(
    ("returned", "came"), [(None, "nothing"), ("a picture", "an object of type str")]
)
def test_what_is_no_view_is_told_with_the_function_that_made_it(entered, returned, came):
    def rings(fit):
        return returned

    made = view("strange_rings", title="Rings")(rings)
    with pytest.raises(DataError) as error:
        made(fit=None)
    assert str(error.value) == (
        f"The picture 'Rings' must be a View, and {__name__}.rings returned {came}. It should end "
        "with `return joined(...)`, of figures.view."
    )


def test_a_fault_is_told_of_the_package_that_the_view_is_of(entered, monkeypatch):
    view("strange_rings", title="Rings")(lambda fit: None)
    entry = entered["strange_rings"]
    assert entry.source == "MLScope itself"
    package = Package("strange", "0.1", __name__, {})
    monkeypatch.setattr(registry, "packages", lambda: (package,))
    assert entry.source == "the package strange 0.1"


def test_a_view_that_would_stand_twice_on_a_page_is_refused(entered):
    with pytest.raises(DataError, match="'strange_rings' must say either `on` or `when`"):
        view("strange_rings", title="Rings", on="clustering", when=lambda data, whole: True)
    assert not entered
