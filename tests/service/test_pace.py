"""How long runs will take: a range that learns from the runs of this machine."""

from __future__ import annotations

import pytest

from service.pace import LEAST, Pace


def test_before_any_run_the_card_is_in_the_middle_of_a_wide_range():
    low, high = Pace().range("run knn", 28.0)
    assert low < 14 and high > 56
    assert low * high == pytest.approx(28.0**2)


def test_a_first_run_moves_the_range_and_more_make_it_narrow():
    pace = Pace()
    widths = []
    for _ in range(12):
        pace.learn("run forest", 28.0, 180.0)
        low, high = pace.range("run forest", 28.0)
        widths.append(high / low)
    assert low < 180 < high
    assert widths[-1] < 2 < widths[0]
    first = Pace()
    first.learn("run forest", 28.0, 180.0)
    assert first.range("run forest", 28.0).high > 180


def test_other_methods_are_on_the_same_machine():
    pace = Pace()
    for _ in range(8):
        pace.learn("run forest", 1.0, 4.0)
    low, high = pace.range("run knn", 10.0)
    assert low < 40 < high
    assert low > Pace().range("run knn", 10.0).low


def test_runs_far_apart_leave_the_range_as_wide_as_at_first():
    pace = Pace()
    for took in (0.5, 60.0, 1.0, 90.0):
        pace.learn("run knn", 1.0, took)
    low, high = pace.range("run knn", 1.0)
    first = Pace().range("run knn", 1.0)
    assert high / low <= first.high / first.low * (1 + 1e-12)


def test_what_is_quick_teaches_nothing():
    pace = Pace()
    pace.learn("run knn", LEAST / 2, 60.0)
    pace.learn("run knn", 10.0, 0.0)  # it was known
    assert pace.range("run knn", 10.0) == Pace().range("run knn", 10.0)
