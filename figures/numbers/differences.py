"""How the pairs of a comparison are called, and in which order they stand."""

from __future__ import annotations

from mlcore.evaluation.metrics.metric import Metric
from mlcore.runs.comparing.pairs import Pair, Pairs
from mlcore.spine.errors import DataError
from mlcore.spine.wording import in_sentence

WORDS = {
    "better": "better",
    "worse": "worse",
    "equal": "equal",
    "unknown": "undecided",
    "untested": "not tested",
}


def tested(pairs: Pairs) -> tuple[Pair, ...]:
    """The pairs that were tested, by their difference; DataError where there is none."""
    pairs_tested = [pair for pair in pairs.pairs if pair.test is not None]
    if not pairs_tested:
        why = next((pair.remark for pair in pairs.pairs if pair.remark), "")
        raise DataError(why or "Only one method has scores, so there is nothing to compare.")
    return tuple(sorted(pairs_tested, key=lambda pair: pair.differences.mean()))


def names_of(pairs: tuple[Pair, ...]) -> tuple[str, ...]:
    """What sets a pair apart from the others: one name where the other is that of all."""
    if len({pair.first.which for pair in pairs}) == 1:
        return tuple(pair.second.label for pair in pairs)
    if len({pair.second.which for pair in pairs}) == 1:
        return tuple(pair.first.label for pair in pairs)
    return tuple(f"{pair.first.label} − {pair.second.label}" for pair in pairs)


def what_of(pairs: tuple[Pair, ...]) -> str:
    """What is subtracted from what, for the heading."""
    if len({pair.first.which for pair in pairs}) == 1:
        return f"{pairs[0].first.label} minus the other"
    if len({pair.second.which for pair in pairs}) == 1:
        return f"the method minus {pairs[0].second.label}"
    return "the first minus the second"


def unit_of(metric: Metric) -> str:
    """The score in whose differences more is better."""
    title = in_sentence(metric.title)
    return title if metric.better == "higher" else f"{title} turned round, so that more is better"


def axis_of(metric: Metric) -> str:
    """The title of an axis of such differences, short enough for a phone."""
    title = f"Difference in {in_sentence(metric.title)}"
    return title if metric.better == "higher" else f"{title}, turned round"


def side(pair: Pair) -> str:
    """The verdict on a pair in a word, seen from the method that its row names."""
    return WORDS[pair.verdict.kind]


def family(pairs: Pairs) -> str:
    """How many comparisons intervals and probabilities allow for."""
    n = pairs.together
    return f"adjusted for {n} comparisons" if n > 1 else "of one comparison"
