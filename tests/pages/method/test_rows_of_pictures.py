"""How the pictures of a method's page share their rows."""

from __future__ import annotations

import pytest

from figures.view import views
from ui.method.panels import rows_of, widths


def row(*names: str) -> list:
    (only,) = rows_of([views()[name] for name in names])
    return only


@pytest.mark.parametrize(
    ("names", "is_first", "parts"),
    [
        (("cluster_map", "silhouette_bars"), True, [5, 3]),
        (("cluster_map", "silhouette_bars"), False, [1, 1]),
        (("embedding_scatter", "component_contours"), True, [1, 1]),
        (("embedding_scatter", "map_graph"), True, [1, 1]),
        (("embedding_scatter", "shepard"), True, [5, 3]),
        (("cluster_map",), True, [1]),
    ],
)
def test_a_picture_of_the_same_rows_is_as_wide_as_the_first(names, is_first, parts):
    assert widths(row(*names), is_first=is_first) == parts
