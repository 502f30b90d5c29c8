"""One plain sentence of two methods: better, practically equal, or the data cannot tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import NamedTuple

from mlcore.evaluation.comparing.paired import PairedT
from mlcore.spine.wording import listed, number, p_value

ALPHA = 0.05  # of all claims of one table together
SAYING = {
    "better": "It is better than {}.",
    "worse": "It is worse than {}.",
    "equal": "For practical purposes it is equal to {}.",
    "unknown": "The data cannot tell it apart from {}.",
    "untested": "No test is made of it and {}.",
}


class Verdict(NamedTuple):
    """The conclusion on the first method beside the second, with its sentence."""

    kind: str  # "better", "worse", "equal", "unknown"; "untested" where nothing could be tested
    sentence: str


def verdict(
    first: str, second: str, test: PairedT, p: float, *, rope: float = 0.0, together: int = 1
) -> Verdict:
    """What the interval of the difference says, and nothing but it.

    `test` holds the interval and `p` the p-value, both adjusted for the number of comparisons that
    stand `together`, so that the one leaves out 0 where the other is below 5 %. Better or worse: 0
    lies outside. Equal for practical purposes: all of it is within `rope`, the difference that does
    not matter. Unknown: else.
    """
    odds = p_value(p) + (f", both adjusted for {together} comparisons" if together > 1 else "")
    by = _by(test.difference, test.low, test.high, odds)
    if -rope <= test.low and test.high <= rope:
        return Verdict("equal", _equal(first, second, test, by, rope))
    if test.low > 0:
        return Verdict("better", _beats(first, second, by, rope - test.low))
    if test.high < 0:
        by = _by(-test.difference, -test.high, -test.low, odds)
        return Verdict("worse", _beats(second, first, by, rope + test.high))
    return Verdict(
        "unknown",
        f"The data cannot tell {first} and {second} apart: the difference is {by}.",
    )


def same_predictions(first: str, second: str) -> Verdict:
    """The verdict on two methods without any difference to test."""
    return Verdict("equal", f"{first} and {second} make the same predictions on all folds.")


def untested(first: str, second: str, why: str) -> Verdict:
    """The verdict where there is no test; `why` goes on after a colon."""
    return Verdict("untested", f"There is no test of {first} and {second}: {why}")


def headline(opening: str, others: Mapping[str, Sequence[str]]) -> str:
    """What is known of one method beside the others: sentences after an opening one.

    `others` lists names by the kind of the verdict on the one method beside them.
    """
    sentences = [
        SAYING[kind].format(listed(names, most=inf)) for kind, names in others.items() if names
    ]
    return " ".join([opening, *sentences])


def _beats(winner: str, loser: str, by: str, short: float) -> str:
    """`short` is by how much the end of the interval at 0 misses what matters in practice."""
    sentence = f"{winner} beats {loser} by {by}."
    return sentence + (" It may be by less than matters in practice." if short > 0 else "")


def _equal(first: str, second: str, test: PairedT, by: str, rope: float) -> str:
    if test.low == test.high == 0:
        return f"{first} and {second} are equal: there is no difference on any split."
    return (
        f"{first} and {second} are equal for practical purposes: the difference is {by}, and up to "
        f"{rope:.3g} does not matter."
    )


def _by(difference: float, low: float, high: float, odds: str) -> str:
    return f"{number(difference)} (95 % interval {number(low)} to {number(high)}), {odds}"
