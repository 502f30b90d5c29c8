"""By what the settings of a Gaussian process are learned from its rows."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter, methodcaller
from typing import Any, NamedTuple


class Criterion(NamedTuple):
    """What is made as large as can be, in nats."""

    name: str  # inside a sentence
    value: Callable[[Any], float]  # of a process
    gradient: Callable[[Any], dict[str, float]]  # by the logarithm of each setting


EVIDENCE = Criterion("log evidence", attrgetter("evidence"), methodcaller("gradient"))
LEFT_OUT = Criterion(
    "leave-one-out log density", attrgetter("left_out"), methodcaller("left_out_gradient")
)
CRITERIA = {"evidence": EVIDENCE, "loo": LEFT_OUT}  # by the value of the setting learn
