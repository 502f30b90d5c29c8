"""How much is tried: all by `make test`; by `make check` a sample, which is another one each day.

`MLSCOPE_SAMPLE=n` takes sample n. What is sampled is the product of an entry and its variants, or
of a page and the data sets: every entry, page and data set stays. Who writes a test asks `chosen`
`covered` or `crossed` for its cases; the shares of whole folders are below.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import groupby, product
from typing import TypeVar

import pytest

from mlscope.contract.sampling import VARIABLE, chosen, sample, turn

__all__ = ["VARIABLE", "chosen", "sample"]

T, U = TypeVar("T"), TypeVar("U")
# Of the test functions of a folder or file, one in so many is in a sample, with one of its cases:
# those that open pages, start processes, read many files or fit many methods.
ONE_IN = {
    "tests/pages": 10,
    "tests/service": 10,
    "tests/theory": 8,
    "tests/parity": 8,
    "tests/preparation": 8,
    "tests/evaluation": 5,
    "tests/spine/test_comparison.py": 3,
    "tests/spine/test_trial.py": 6,
    "tests/data/importing/test_habits.py": 3,
    "tests/data/importing/test_hostile_files.py": 3,
    "tests/figures/preparation/test_resampled.py": 3,
    "tests/figures/classification/test_few_label_views.py": 3,
    "tests/contract/test_experiment.py": 8,
    "tests/contract/test_scripts.py": 8,
}
# Of the cases of a folder one in so many is in a sample: each entry is looked at each day, by other
# checks.
CASES_ONE_IN = {
    "tests/contract": 6,
    "tests/figures": 6,
    "tests/spine": 4,
    "tests/data": 5,
}
# Their cases were chosen already, one for each entry.
CHOSEN = ("tests/pages/test_every_page.py",)


def told() -> str:
    """What the head of a run says, so that a failure can be repeated."""
    if sample() is None:
        return "everything is tried"
    return f"sample {sample()}: `make check SAMPLE={sample()}` repeats it, `make test` tries all"


def some(entries: Iterable[T], one_in: int, of: str) -> list[T]:
    """All entries; in a sample one in so many, where others look at each entry already."""
    found = list(entries)
    return found if sample() is None else found[turn(of, one_in) :: one_in]


def suiting(subjects: Iterable[T], suits: Callable[[T], bool], of: str) -> list[T]:
    """All subjects that suit an entry; in a sample the first after a place that turns."""
    every = list(subjects)
    if sample() is None:
        return [subject for subject in every if suits(subject)]
    first = turn(of, len(every))
    return [next(filter(suits, every[first:] + every[:first]))]


def crossed(rows: Sequence[T], columns: Sequence[U]) -> list[tuple[T, U]]:
    """All pairs; in a sample a diagonal, which has each row and each column at least once."""
    if sample() is None:
        return list(product(rows, columns))
    n = max(len(rows), len(columns))
    first = turn("crossed", n)
    return [(rows[k % len(rows)], columns[(k + first) % n % len(columns)]) for k in range(n)]


def covered(
    rows: Sequence[T],
    columns: Sequence[U],
    traits: Callable[[T], Iterable[Hashable]],
    each: int = 2,
) -> list[tuple[T, U]]:
    """Pairs with each trait in each column, by the first rows that have it, and each row in so many
    columns at least, which turn: as many as rows and columns together, where `crossed` has their
    product. In a sample the diagonal.

    Rows come cheapest first.
    """
    if sample() is not None:
        return crossed(rows, columns)
    found = dict.fromkeys(product(_with_every_trait(rows, traits), columns))
    for at, row in enumerate(rows):
        lacks = each - sum(row == other for other, _ in found)
        found |= dict.fromkeys((row, columns[(at * each + k) % len(columns)]) for k in range(lacks))
    return list(found)


def _with_every_trait(rows: Sequence[T], traits: Callable[[T], Iterable[Hashable]]) -> list[T]:
    """The rows that have a trait which none before them has."""
    met: set[Hashable] = set()
    found = []
    for row in rows:
        if not met.issuperset(new := set(traits(row))):
            met |= new
            found.append(row)
    return found


def taken(items: list[pytest.Item]) -> list[pytest.Item]:
    """The tests of a sample: of some folders a share of the functions, each with one case; of
    others a share of the cases."""
    if sample() is None:
        return items
    found = []
    for function, cases in groupby(items, key=lambda item: item.nodeid.partition("[")[0]):
        one_in, of_cases = _share(ONE_IN, function), _share(CASES_ONE_IN, function)
        if function.startswith(CHOSEN):
            found += cases
        elif one_in == 1:
            found += [item for item in cases if turn(item.nodeid, of_cases) == 0]
        elif turn(function, one_in) == 0:
            every = list(cases)
            found.append(every[turn(function, len(every) * one_in) // one_in])
    return found


def _share(shares: dict[str, int], function: str) -> int:
    return next((n for folder, n in shares.items() if function.startswith(folder)), 1)
