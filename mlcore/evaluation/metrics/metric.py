"""What a measure is called, and which way is better."""

from __future__ import annotations

from math import inf
from typing import NamedTuple


class Metric(NamedTuple):
    """One measure of a scoring: the name in tables, what it is called, which way is better."""

    name: str
    title: str
    better: str  # "higher" or "lower"
    note: str
    least: float = -inf
    most: float = inf
    is_proportion: bool = False  # of the rows: right or wrong, one by one
