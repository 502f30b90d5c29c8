"""Scores and ranks that differ by rounding alone are equal."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.evaluation.comparing.nemenyi import nemenyi
from mlcore.evaluation.metrics.classes import confusion_matrix
from mlcore.evaluation.splits import KFold
from mlcore.evaluation.spread import spread
from mlcore.runs import carry_tuning
from mlcore.runs.carry import carried_out
from mlcore.runs.carry_tuning import chosen
from mlcore.runs.run import Run


def test_of_means_that_tie_but_for_rounding_the_steadier_is_chosen():
    means, spreads = np.array([0.3, 0.1 + 0.2, 0.29]), np.array([0.1, 0.2, 0.0])
    assert chosen(means, spreads, "higher") == 0
    assert chosen(-means, spreads, "lower") == 0


def test_a_fold_that_scores_no_candidate_is_left_out_for_all():
    scores = np.array([[0.5, np.nan, 0.7], [0.8, np.nan, np.nan]])  # (candidates, folds)
    means, spreads = carry_tuning._summary(scores)
    np.testing.assert_allclose(means, [0.6, np.nan])
    np.testing.assert_allclose(spreads, [0.1 * 2**0.5, np.nan])


def test_scores_that_agree_but_for_rounding_have_no_spread():
    scores = np.full(10, 0.0042)
    assert scores.std(ddof=1) > 0
    assert spread(scores) == 0.0
    assert carry_tuning._summary(np.stack([scores, np.arange(10.0)]))[1][0] == 0.0
    assert spread(np.array([0.1, 0.2])) == pytest.approx(0.1 / 2**0.5)
    assert np.isnan(spread(np.array([0.5])))


def test_a_run_whose_folds_agree_says_that_they_do():
    run = Run(data="iris", method="constant", evaluation=KFold(n_splits=10))
    outcome = carried_out(run)
    names = [name for name in outcome.done[0].scores if np.ptp(outcome.values(name)) < 1e-12]
    assert names
    assert [outcome.spread(name) for name in names] == [0.0] * len(names)


def test_ranks_that_differ_by_the_critical_difference_are_not_told_apart():
    for n in range(5, 25):
        ranks = np.tile([1.0, 2.0], (n, 1))
        ranks[: n // 3] = [2.0, 1.0]
        at_the_edge = nemenyi(ranks, alpha=float(nemenyi(ranks).p[0, 1]))
        assert at_the_edge.cliques == ((0, 1),)


def test_codes_that_no_label_stands_for_are_in_no_cell():
    y, predicted = np.array([0, 1, 2, 1, 0, -1]), np.array([0, 1, 1, 2, -1, 0])
    np.testing.assert_array_equal(confusion_matrix(y, predicted, labels=[0, 1]), [[1, 0], [0, 1]])
