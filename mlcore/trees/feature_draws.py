"""How many columns a node of a tree tries, drawn afresh in each: parts of forests."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt, log2
from typing import Any

from mlcore.spine.component import Card, Component, enter
from mlcore.spine.params import integer, real


@dataclass(frozen=True, kw_only=True)
class FeatureDraw(Component):
    """A number of columns, at least one and at most all of them."""

    def tried(self, p: int) -> int:
        """How many of p columns a node tries."""
        return min(max(self._wanted(p), 1), p)

    def theirs(self) -> Any:
        """The same in the words of scikit-learn."""
        raise NotImplementedError(f"{type(self).__name__} declares no words")

    def _wanted(self, p: int) -> int:
        raise NotImplementedError(f"{type(self).__name__} declares no number")


@enter(Card("all", "All features", ("feature_draw",), kind="part", formula="m = p"))
@dataclass(frozen=True, kw_only=True)
class AllFeatures(FeatureDraw):
    """Every column is tried, so that only the rows tell trees apart."""

    def theirs(self) -> Any:
        """In theirs the word for all is 1.0; None is left out of what is written."""
        return 1.0

    def _wanted(self, p: int) -> int:
        return p


@enter(
    Card(
        "root",
        "Square root of the features",
        ("feature_draw",),
        kind="part",
        sources=("cs2:random_forest",),
        formula=r"m = \lfloor \sqrt p \rfloor",
        synonyms=("sqrt", "mtry"),
    )
)
@dataclass(frozen=True, kw_only=True)
class RootFeatures(FeatureDraw):
    """As many columns as the square root of their number, rounded down."""

    def theirs(self) -> Any:
        """By its name."""
        return "sqrt"

    def _wanted(self, p: int) -> int:
        return isqrt(p)


@enter(
    Card(
        "third",
        "A third of the features",
        ("feature_draw",),
        kind="part",
        sources=("cs2:random_forest",),
        formula=r"m = \lfloor p / 3 \rfloor",
    )
)
@dataclass(frozen=True, kw_only=True)
class ThirdOfFeatures(FeatureDraw):
    """A third of the columns, rounded down."""

    def theirs(self) -> Any:
        """As a share, which theirs rounds down too: a little more, for 3 times 1 / 3 is less."""
        return 1 / 3 + 1e-9

    def _wanted(self, p: int) -> int:
        return p // 3


@enter(
    Card(
        "log2",
        "Logarithm of the features",
        ("feature_draw",),
        kind="part",
        formula=r"m = \lfloor \log_2 p \rfloor",
    )
)
@dataclass(frozen=True, kw_only=True)
class LogFeatures(FeatureDraw):
    """As many columns as the logarithm of their number to base 2, rounded down."""

    def theirs(self) -> Any:
        """By its name."""
        return "log2"

    def _wanted(self, p: int) -> int:
        return int(log2(p))


@enter(Card("share", "Share of the features", ("feature_draw",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class ShareOfFeatures(FeatureDraw):
    """A share of the columns, rounded down."""

    value: float = real(
        0.5, above=0.0, high=1.0, soft=(0.1, 1.0), label="Share", doc="Share of the columns."
    )

    def theirs(self) -> Any:
        """As it is."""
        return self.value

    def _wanted(self, p: int) -> int:
        return int(self.value * p)


@enter(Card("count", "Number of features", ("feature_draw",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class CountOfFeatures(FeatureDraw):
    """So many columns, or all where there are fewer; with one, chance alone chooses it."""

    value: int = integer(
        1, low=1, soft=(1, 20), symbol="m", label="Number", doc="Number of columns."
    )

    def theirs(self) -> Any:
        """As it is."""
        return self.value

    def _wanted(self, p: int) -> int:
        return self.value
