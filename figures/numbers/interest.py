"""The class of interest: the option of pictures that part one class from the rest."""

from __future__ import annotations

from functools import partial
from typing import Any

from figures.numbers.left_out import has_probabilities
from figures.options import Offered, Values, among
from mlcore.spine.asking import can
from mlcore.spine.capabilities_of_costs import LearnsFromCosts
from mlcore.spine.params import text


def class_of_interest(doc: str, *, of_more: str, unnamed: str) -> Any:
    """Declare the option of an outcome with probabilities or learned costs: a class by its name.

    Where none is named it is the second of two classes; of more it is `of_more`, which the control
    calls `unnamed`.
    """
    declared = text(
        None, none=f"of two classes the second, of more {of_more}", label="Class of interest",
        doc=doc,
    )  # fmt: skip
    return among(declared, partial(_classes, unnamed=unnamed))


def _classes(offered: Offered, *, unnamed: str) -> Values:
    """Each class by its name, and what is drawn where none is named."""
    by_costs = can(offered.get("fit"), LearnsFromCosts)  # which give no probabilities
    if not by_costs and not has_probabilities(offered.get("outcome")):
        return {}
    names = offered["dataset"].classes
    none = "The second class" if len(names) == 2 else unnamed
    return {None: none} | {name: name for name in names}
