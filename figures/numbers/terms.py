"""Which sum of curves a picture is of: that of the fit, or of the log odds of one class."""

from __future__ import annotations

from typing import Any

from figures.numbers.interest import class_of_interest
from mlcore.classification.capabilities import HasTermsByClass
from mlcore.data.dataset import Dataset
from mlcore.runs.carry import Whole


def class_of_odds() -> Any:
    """Declare the option whose log odds are drawn, where there are classes."""
    return class_of_interest(
        "The class whose log odds, against all others, are drawn.",
        of_more="the first", unnamed="The first class",
    )  # fmt: skip


def sum_of(dataset: Dataset, whole: Whole, positive: str | None) -> tuple[Any, str]:
    """A fit that has terms, and what they add up to, in words: the target or the class `positive`.

    Where no class is named it is the second of two, and the first of more.
    """
    fit: Any = whole.fit
    if not isinstance(fit, HasTermsByClass):
        return fit, dataset.target or "target"
    codes = fit.classes.tolist()
    code = dataset.classes.index(positive) if positive in dataset.classes else None
    k = codes.index(code) if code in codes else int(len(codes) == 2)
    return fit.terms_of(k), dataset.classes[codes[k]]
