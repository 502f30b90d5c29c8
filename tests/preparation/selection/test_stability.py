"""The stability of a selection against Kuncheva's index and its own limits."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from mlcore.preparation.selection.stability import selection_stability


def kuncheva(Z: np.ndarray) -> float:
    """Mean over all pairs of (r d - k^2) / (k (d - k)) for choices of k out of d, r shared."""
    d, k = Z.shape[1], int(Z[0].sum())
    shared = [int((a & b).sum()) for a, b in combinations(Z, 2)]
    return float(np.mean([(r * d - k**2) / (k * (d - k)) for r in shared]))


@pytest.mark.parametrize("seed", range(5))
def test_for_choices_of_equal_size_it_is_kunchevas_index(seed):
    rng = np.random.default_rng(seed)
    d, k, M = 12, 1 + seed, 6
    Z = np.array([np.isin(np.arange(d), rng.choice(d, k, replace=False)) for _ in range(M)])
    assert selection_stability(Z) == pytest.approx(kuncheva(Z), abs=1e-12)


def test_always_the_same_choice_is_1_and_chance_is_near_0():
    same = np.tile(np.arange(9) < 3, (4, 1))
    assert selection_stability(same) == 1
    rng = np.random.default_rng(0)
    by_chance = [selection_stability(rng.random((8, 20)) < 0.4) for _ in range(300)]
    assert np.mean(by_chance) == pytest.approx(0, abs=0.02)


def test_the_order_of_folds_and_variables_does_not_matter():
    Z = np.random.default_rng(1).random((5, 7)) < 0.5
    assert selection_stability(Z[::-1, ::-1]) == pytest.approx(selection_stability(Z), abs=1e-12)


@pytest.mark.parametrize("Z", [np.ones((3, 4)), np.zeros((3, 4)), np.eye(4)[:1]])
def test_where_nothing_could_differ_it_is_undefined(Z):
    assert np.isnan(selection_stability(Z))
