"""What of a result a person has asked to be explained: it travels in the link as one part."""

from __future__ import annotations

from dataclasses import dataclass

from mlcore.runs.explaining.slices import OF_CLASSES, OF_NUMBERS, OF_PROBABILITIES
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import choice, column, columns, flag, integer, pairs, text


@enter(Card("explained", "Explained", ("explained",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class Explained(Component):
    """The variable, the row and its other values that are looked at, and how closely."""

    variable: str | None = column("auto", auto="auto", doc="Whose effect is shown.")
    second: str | None = column(
        None, or_none="one variable alone", doc="With which other variable it is crossed."
    )
    row: int = integer(1, low=1, soft=(1, 1000), doc="The row of the table, counted from 1.")
    changes: tuple = pairs(doc="Other values of the row, by column: a number, a name, or missing.")
    shuffles: int = integer(
        10, low=1, high=1000, soft=(5, 50), label="Shuffles per fold",
        doc="How often each variable is shuffled in each fold.",
    )  # fmt: skip
    part: str = choice("variables", "variables", "groups", doc="Which part is open.")
    by: tuple = columns(doc="Columns whose groups are scored; the first 12 if none.")
    crossed: bool = flag(True, label="Pairs of columns", doc="Groups of two columns together too.")
    smallest: int = integer(
        20, low=2, high=100_000, soft=(5, 200), label="Smallest group",
        doc="Groups with fewer rows are not looked at.",
    )  # fmt: skip
    measure: str = choice(
        "auto", "auto", *OF_CLASSES, *OF_PROBABILITIES, *OF_NUMBERS, doc="What is compared."
    )
    protected: str | None = column(
        None, or_none="no column", doc="The column between whose groups fairness is asked for."
    )
    positive: str = text("", label="Selected class", doc="The class that counts as selected.")
