"""How the pictures of a method's page share their rows."""

from __future__ import annotations

import numpy as np
import pytest

from figures.view import views, views_on
from tests.figures.made import dataset
from ui.method.panels import led, rows_of, widths


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


@pytest.mark.parametrize(("n_columns", "first"), [(1, "fit_plot"), (2, "residuals")])
def test_a_fit_of_one_column_is_seen_before_its_errors(n_columns, first):
    entries = [views()[name] for name in ("residuals", "interval_coverage", "fit_plot")]
    ordered = led(entries, dataset(np.zeros((3, n_columns))))
    assert ordered[0].record.name == first
    assert set(ordered) == set(entries)


def test_what_is_learned_is_seen_before_what_was_taken_for_likely_and_what_was_cut_off():
    names = views_on("regression")
    assert names.index("posterior_band") < names.index("prior_functions")
    assert names.index("residuals") < names.index("tree_diagram") < names.index("pruning_path")
