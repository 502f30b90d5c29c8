"""A sample leaves out no entry, page or set for ever, and without one nothing is left out."""

from __future__ import annotations

from itertools import chain, product
from types import SimpleNamespace
from typing import Any

import pytest

from tests import sampling

PAGES, SETS = ("a", "b", "c"), tuple(range(7))
PAGES_TESTS: list[Any] = [
    SimpleNamespace(nodeid=f"tests/pages/test_x.py::test_{name}{case}")
    for name in "pqrs"
    for case in (["[0]", "[1]"] if name < "r" else [""])
]
OTHERS: list[Any] = [SimpleNamespace(nodeid=f"tests/maths/test_x.py::test[{k}]") for k in range(4)]


@pytest.fixture
def at(monkeypatch):
    """`at(n)`: from now on it is sample n."""
    return lambda n: monkeypatch.setenv(sampling.VARIABLE, str(n))


@pytest.fixture(autouse=True)
def _of_all(monkeypatch):
    monkeypatch.delenv(sampling.VARIABLE, raising=False)


def test_without_a_sample_everything_is_tried():
    assert sampling.chosen(SETS, "x") == list(SETS)
    assert sampling.crossed(PAGES, SETS) == list(product(PAGES, SETS))
    assert sampling.suiting(SETS, lambda k: k > 2, "x") == [3, 4, 5, 6]
    assert sampling.taken(PAGES_TESTS + OTHERS) == PAGES_TESTS + OTHERS
    assert sampling.told() == "everything is tried"


def test_every_variant_has_its_turn_beside_the_default(at):
    found = []
    for n in range(len(SETS) - 1):
        at(n)
        default, other = sampling.chosen(SETS, "x")
        assert default == SETS[0]
        found.append(other)
    assert sorted(found) == list(SETS[1:])


@pytest.mark.parametrize(("rows", "columns"), [(PAGES, SETS), (SETS, PAGES), (SETS, SETS)])
def test_a_diagonal_has_every_row_and_column_and_every_pair_has_its_turn(at, rows, columns):
    found = set()
    for n in range(len(SETS)):
        at(n)
        pairs = sampling.crossed(rows, columns)
        assert len(pairs) == len(SETS)
        assert {row for row, _ in pairs} == set(rows)
        assert {column for _, column in pairs} == set(columns)
        found |= set(pairs)
    assert found == set(product(rows, columns))


def test_what_is_covered_has_each_trait_in_each_column_each_row_twice_and_no_product(at):
    rows, columns = tuple(range(20)), tuple("abcde")
    pairs = sampling.covered(rows, columns, lambda k: {k % 3 == 0, "first" if k < 2 else "later"})
    assert {row for row, _ in pairs} == set(rows)
    assert min(sum(row == other for other, _ in pairs) for row in rows) == 2
    for column in columns:
        with_it = {row for row, other in pairs if other == column}
        assert {k % 3 == 0 for k in with_it} == {True, False}
        assert min(with_it) < 2 <= max(with_it)
    assert len(pairs) == len(set(pairs)) == 3 * len(columns) + 17 * 2
    at(1)
    assert sampling.covered(rows, columns, lambda k: {k}) == sampling.crossed(rows, columns)


def test_a_subject_that_suits_is_found_and_each_has_its_turn(at):
    found = set()
    for n in range(len(SETS)):
        at(n)
        (one,) = sampling.suiting(SETS, lambda k: k % 2 == 0, "x")
        found.add(one)
    assert found == {0, 2, 4, 6}


def test_some_of_the_entries_are_a_share_and_each_has_its_turn(at):
    assert sampling.some(SETS, 3, "x") == list(SETS)
    found = []
    for n in range(3):
        at(n)
        found += sampling.some(SETS, 3, "x")
    assert sorted(found) == list(SETS)


def test_of_pages_a_share_is_tried_and_every_case_has_its_turn(at):
    found = set()
    for n in range(20):
        at(n)
        kept = sampling.taken(PAGES_TESTS + OTHERS)
        assert kept[-len(OTHERS) :] == OTHERS
        functions = [item.nodeid.partition("[")[0] for item in kept[: -len(OTHERS)]]
        assert len(set(functions)) == len(functions) < 4
        found |= {item.nodeid for item in kept}
    assert found == {item.nodeid for item in PAGES_TESTS + OTHERS}


@pytest.mark.parametrize(("folder", "one_in"), sampling.CASES_ONE_IN.items())
def test_of_the_cases_of_an_entry_a_share_is_tried_and_each_has_its_turn(at, folder, one_in):
    cases: Any = [SimpleNamespace(nodeid=f"{folder}/test_x.py::test[{k}]") for k in range(400)]
    samples = []
    for n in range(one_in):
        at(n)
        samples.append([item.nodeid for item in sampling.taken(cases)])
    assert all(0.7 < len(each) * one_in / 400 < 1.3 for each in samples)
    assert sorted(chain.from_iterable(samples)) == sorted(item.nodeid for item in cases)


def test_the_head_says_how_to_repeat_it_and_nonsense_is_refused(at):
    at(12)
    assert "make check SAMPLE=12" in sampling.told()
    at("today")
    with pytest.raises(pytest.UsageError, match="must be a whole number"):
        sampling.told()
