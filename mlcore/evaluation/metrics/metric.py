"""What a measure is called, on which rows it is measured, and which way is better."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

LEFT_OUT, FITTED, RESAMPLES = "left out", "fitted", "resamples"


class Metric(NamedTuple):
    """One measure of a scoring: its name in tables, its title, which way is better."""

    name: str
    title: str  # of one on training rows: says so
    better: str  # "higher" or "lower"
    note: str
    least: float = -inf
    most: float = inf
    is_proportion: bool = False  # of the rows: right or wrong, one by one
    rows: str = LEFT_OUT  # on which it is measured
    improved_by: str = ""  # of what a fit has: more "coordinates" or "centers" improve it alone

    @property
    def on(self) -> str:
        """The rows on which it is measured, in words."""
        return WHERE[self.rows]

    @property
    def heading(self) -> str:
        """Its title with the rows on which it is measured."""
        addition = {LEFT_OUT: f" on {self.on}", RESAMPLES: f" over {self.on}"}
        return f"{self.title}{addition.get(self.rows, '')}"


WHERE = {
    LEFT_OUT: "test rows",
    FITTED: "training rows",
    RESAMPLES: "resamples of the training rows",
}
