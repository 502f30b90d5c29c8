"""The reliability diagram, on probabilities that can be counted."""

from __future__ import annotations

import numpy as np
import pytest

from figures.views.evaluation import reliability
from tests.figures import made


def binned(p, came_true):
    return reliability.binned(np.asarray(p, dtype=float), np.asarray(came_true), "yes")


def test_bins_hold_equal_numbers_and_equal_probabilities_stay_together():
    r = binned([0.1] * 10 + [0.9] * 10, [True] + [False] * 9 + [True] * 9 + [False])
    assert r.rows.tolist() == [10, 10]
    assert r.probability == pytest.approx([0.1, 0.9])
    assert r.right == pytest.approx([0.1, 0.9])
    assert r.error == pytest.approx(0.0)


def test_the_error_is_the_mean_distance_over_the_rows():
    r = binned([0.9] * 10 + [0.95] * 30, [True] * 5 + [False] * 5 + [True] * 30)
    assert r.error == pytest.approx((10 * 0.4 + 30 * 0.05) / 40)
    assert (r.low <= r.right).all() and (r.right <= r.high).all()
    assert "said 90 %, came true in 50 % of 10 rows" in reliability.reading(r)


def test_few_rows_make_one_bin():
    assert binned([0.2, 0.4, 0.6], [False, True, True]).rows.tolist() == [3]


def test_of_several_classes_the_predicted_one_is_judged_and_repeats_count_once():
    data = made.dataset(np.zeros((4, 1)), [0, 1, 2, 0], classes=("a", "b", "c"))
    P = np.array([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.1, 0.8, 0.1], [0.6, 0.3, 0.1]])
    folds = [made.fold(k, range(4), P.argmax(axis=1), n=4, probabilities=P) for k in (0, 1)]
    r = reliability.numbers(data, made.outcome(folds))
    assert r.of == "the predicted class"
    assert r.rows.sum() == 4
    assert r.right @ r.rows == pytest.approx(3)
