"""What the eigenvalues of a graph of rows are read as."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from figures.views.clustering.eigengap import numbers, reading


def read_of(*values: float, asked: int = 2) -> str:
    return reading(
        numbers(SimpleNamespace(eigenvalues=values, coordinates=np.zeros((9, asked))))  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(("asked", "same"), [(2, ", as many groups as were asked for"), (3, "")])
def test_parts_without_an_edge_between_them_are_certain_and_no_gap_says_otherwise(asked, same):
    text = read_of(0.0, 1e-12, 0.01, 0.02, 0.9, asked=asked)
    assert text == f"2 eigenvalues are 0: the graph falls into so many parts{same}."


def test_the_widest_gap_is_a_hint_where_the_graph_is_one_part():
    assert "0.500, comes after 2 eigenvalues: as many groups as" in read_of(0.0, 0.1, 0.6, 0.7)
    assert "after 3 eigenvalues: a hint, no proof, for 3 groups." in read_of(0.0, 0.1, 0.2, 0.7)
