"""What tests say that take folds for independent: for teaching, beside the honest answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mlcore.evaluation.comparing import five_by_two as halves
from mlcore.evaluation.comparing import wilcoxon
from mlcore.evaluation.comparing.paired import NAIVE_RATES, naive_paired_t
from mlcore.runs.carry import FoldResult
from mlcore.runs.comparing.pairs import Pair
from mlcore.spine.errors import DataError


class Taught(NamedTuple):
    """One test for teaching: its p-value, not adjusted, and how far off it is known to be."""

    name: str
    p: float
    remark: str


def taught(pair: Pair) -> tuple[Taught, ...]:
    """The tests for teaching that can be asked of a pair; none where the honest one cannot."""
    if pair.test is None:
        return ()
    tests = [
        Taught("Naive t-test", naive_paired_t(pair.differences).p, NAIVE_RATES),
        Taught(
            "Wilcoxon",
            wilcoxon.wilcoxon_signed_rank(pair.differences).p,
            wilcoxon.RATES,
        ),
    ]
    return (*tests, *_five_by_two(pair))


def _five_by_two(pair: Pair) -> tuple[Taught, ...]:
    if len(pair.differences) != 10 or not _are_halves(_folds_of(pair)):
        return ()
    try:
        test = halves.five_by_two(pair.differences.reshape(5, 2))
    except DataError:  # the halves agree in every repetition
        return ()
    return (
        Taught("5 x 2 t-test", test.p_t, halves.RATES),
        Taught("5 x 2 F-test", test.p_f, halves.RATES),
    )


def _folds_of(pair: Pair) -> list[FoldResult]:
    return [fold for fold in pair.first.folds if fold.k in pair.ks]


def _are_halves(folds: Sequence[FoldResult]) -> bool:
    """Whether the folds are pairs of halves, of which each is fitted once and left out once."""
    return all(
        np.array_equal(np.sort(one.train), np.sort(other.test))
        for one, other in zip(folds[::2], folds[1::2])
    )
