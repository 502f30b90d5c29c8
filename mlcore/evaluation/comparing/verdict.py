"""One plain sentence of two methods: better, practically equal, or the data cannot tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import NamedTuple

from mlcore.evaluation.comparing.bayes import Posterior
from mlcore.evaluation.comparing.paired import PairedT
from mlcore.spine.wording import listed, p_value, rough

ALPHA = 0.05  # of all claims of one table together
SURE = 0.95  # a posterior probability
SAYING = {
    "better": "It is better than {}.",
    "worse": "It is worse than {}.",
    "equal": "For practical purposes it is equal to {}.",
    "unknown": "The data cannot tell it apart from {}.",
}


class Verdict(NamedTuple):
    """The conclusion on the first method beside the second, with its sentence."""

    kind: str  # "better", "worse", "equal" or "unknown"
    sentence: str


def verdict(first: str, second: str, test: PairedT, posterior: Posterior, p: float) -> Verdict:
    """Better or worse where both schools agree, equal where the posterior is sure of it.

    `p` is that of the test after adjustment for all pairs that are shown. Better needs p < 0.05
    and P(better) > 0.95, equal for practical purposes P(same) > 0.95.
    """
    # The interval is of this pair alone; an adjusted p may say less than it.
    odds = p_value(p) if p <= test.p else f"adjusted {p_value(p)}"
    if p < ALPHA and posterior.better > SURE:
        return Verdict("better", _beats(first, second, test.difference, test.low, test.high, odds))
    if p < ALPHA and posterior.worse > SURE:
        mirrored = -test.difference, -test.high, -test.low
        return Verdict("worse", _beats(second, first, *mirrored, odds))
    if posterior.same > SURE:
        return Verdict(
            "equal",
            f"{first} and {second} are equal for practical purposes: they differ by at most "
            f"{posterior.rope:.3g} with probability {posterior.same:.2g}.",
        )
    return Verdict(
        "unknown",
        f"The data cannot tell {first} and {second} apart: the difference is "
        f"{rough(test.difference)} {_interval(test.low, test.high)}, {odds}.",
    )


def same_predictions(first: str, second: str) -> Verdict:
    """The verdict on two methods without any difference to test."""
    return Verdict("equal", f"{first} and {second} make the same predictions on all folds.")


def untested(first: str, second: str, why: str) -> Verdict:
    """The verdict where there is no test; `why` goes on after a colon."""
    return Verdict("unknown", f"There is no test of {first} and {second}: {why}")


def headline(opening: str, others: Mapping[str, Sequence[str]]) -> str:
    """What is known of one method beside the others: sentences after an opening one.

    `others` lists names by the kind of the verdict on the one method beside them.
    """
    sentences = [
        SAYING[kind].format(listed(names, most=inf)) for kind, names in others.items() if names
    ]
    return " ".join([opening, *sentences])


def _beats(winner: str, loser: str, by: float, low: float, high: float, odds: str) -> str:
    return f"{winner} beats {loser} by {rough(by)} {_interval(low, high)}, {odds}."


def _interval(low: float, high: float) -> str:
    return f"(95% interval {rough(low)} to {rough(high)})"
