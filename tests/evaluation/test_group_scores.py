"""Scores of groupings without a truth, against what can be counted or is known elsewhere."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import sklearn.metrics as sk

from mlcore.clustering.agglomerative import Agglomerative
from mlcore.clustering.dbscan import DBSCAN
from mlcore.clustering.hierarchy.cuts import AtNumber
from mlcore.clustering.hierarchy.merge_starts import ColumnGroups
from mlcore.clustering.kernel_kmeans import KernelKMeans
from mlcore.clustering.kmeans import KMeans
from mlcore.evaluation.baselines import GroupsByChance
from mlcore.evaluation.group_likelihood import information_elliptical
from mlcore.evaluation.group_scores import (
    RESAMPLED,
    SHARE,
    GroupInformation,
    NoiseShare,
    Silhouette,
    Stability,
    _resamples,
)
from mlcore.evaluation.judge import judge_by
from mlcore.evaluation.metrics.metric import FITTED, LEFT_OUT, RESAMPLES
from mlcore.evaluation.sampled_rows import MOST_ROWS
from mlcore.evaluation.scoring import Case, Rows
from mlcore.evaluation.splits import Split
from mlcore.runs.carry import judge_of, scored_fold
from mlcore.runs.run import Run

CENTERS = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]])
TRUE = np.repeat(np.arange(3), 40)
X = CENTERS[TRUE] + np.random.default_rng(1).normal(size=(120, 2))


def case(method: Any, rows: np.ndarray = X, weights: Any = None) -> Case:
    """A method fitted to rows, beside others of which no score of groups knows."""
    more = {} if weights is None else {"weights": weights}
    train = Rows(rows, None, weights)
    fit = method.fit(rows, seed=1, **more)
    return Case(method=method, fit=fit, train=train, test=Rows(rows[:1] + 1e9), seed=5)


def labelled(labels: Any, rows: np.ndarray = X) -> Case:
    """A fit that knows its labels alone."""
    train = Rows(rows)
    fit = SimpleNamespace(labels=labels, columns=())
    return Case(method=KMeans(), fit=fit, train=train, test=train, seed=5)


def test_clear_groups_are_stable_and_too_many_are_not():
    right = Stability().scored(case(KMeans(n_clusters=3))).scores["stability"]
    many = Stability().scored(case(KMeans(n_clusters=7, n_init=1))).scores["stability"]
    assert right == 1.0
    assert many < 0.9


def test_stability_is_the_mean_agreement_of_pairs_of_resamples():
    method = KMeans(n_clusters=5, n_init=1)
    found = []
    for at, seed in _resamples(len(X), 5):
        labels = np.full(len(X), -1)
        labels[at] = method.fit(X[at], seed=seed).labels
        found.append(labels)
    agreed = []
    for i in range(RESAMPLED):
        for j in range(i):
            both = (found[i] >= 0) & (found[j] >= 0)
            agreed.append(sk.adjusted_rand_score(found[i][both], found[j][both]))
    assert len(agreed) == 6
    score = Stability().scored(case(method)).scores["stability"]
    assert score == pytest.approx(np.mean(agreed), rel=1e-12)


def test_resamples_are_drawn_by_the_seed_and_hold_no_row_twice():
    one, again, other = (_resamples(100, seed) for seed in (1, 1, 2))
    assert [seed for _, seed in one] == [seed for _, seed in again]
    np.testing.assert_array_equal([at for at, _ in one], [at for at, _ in again])
    assert not np.array_equal(one[0][0], other[0][0])
    assert all(len(set(at.tolist())) == SHARE * 100 for at, _ in one)


def test_groups_by_chance_agree_by_chance():
    rows = np.zeros((3000, 1))
    found = Stability().scored(case(GroupsByChance(n_groups=3), rows)).scores["stability"]
    assert found == pytest.approx(0, abs=0.01)


def test_a_method_is_not_asked_for_what_a_resample_has_no_rows_for():
    method = KMeans(n_clusters=5)
    assert np.isnan(Stability().scored(case(method, X[:5])).scores["stability"])
    assert np.isnan(Stability().scored(case(GroupsByChance(), X[:1])).scores["stability"])


def test_one_group_of_all_rows_has_no_stability():
    score = Stability().scored(case(DBSCAN(eps=100.0))).scores["stability"]
    assert np.isnan(score)
    assert np.isnan(Stability().scored(case(DBSCAN(eps=1e-9))).scores["stability"])  # all noise
    assert Stability().scored(case(DBSCAN(eps=4.0))).scores["stability"] == 1.0


def test_refits_get_the_weights_of_their_rows():
    weights = np.where(TRUE == 2, 0.0, 1.0)  # what has no weight draws no center
    found = case(KMeans(n_clusters=2), X, weights)
    assert Stability().scored(found).scores["stability"] == 1.0
    centers = found.refitted(np.arange(0, 120, 2), 3).centers
    assert np.abs(centers[:, 1]).max() < 1


def test_silhouette_is_that_of_the_reference_without_noise():
    labels = np.where(np.arange(120) % 10 == 0, -1, TRUE)
    used = labels >= 0
    found = Silhouette().scored(labelled(labels)).scores["silhouette"]
    assert found == pytest.approx(sk.silhouette_score(X[used], labels[used]), rel=1e-9)
    assert np.isnan(Silhouette().scored(labelled(np.zeros(120, int))).scores["silhouette"])
    assert np.isnan(Silhouette().scored(labelled(np.full(120, -1))).scores["silhouette"])


def test_silhouette_of_many_rows_is_that_of_some():
    rows = np.random.default_rng(2).normal(size=(3 * MOST_ROWS, 2))
    labels = (rows[:, 0] > 0).astype(int)
    found = Silhouette().scored(labelled(labels, rows)).scores["silhouette"]
    assert found == Silhouette().scored(labelled(labels, rows)).scores["silhouette"]
    assert found == pytest.approx(sk.silhouette_score(rows, labels), abs=0.02)


def test_likelihood_of_groups_is_that_of_their_ellipses_a_row_without_gaps():
    gaps = np.vstack([X, [[np.nan, 1.0]]])
    scores = GroupInformation().scored(labelled(np.append(TRUE, 0), gaps)).scores
    of = information_elliptical(X, TRUE)
    assert scores == {"bic_elliptical": of.bic / 120, "aic_elliptical": of.aic / 120}
    halves = GroupInformation().scored(labelled(TRUE % 2)).scores
    assert halves["bic_elliptical"] > scores["bic_elliptical"] + 0.5
    for nothing in (labelled(np.arange(120)), labelled(TRUE, np.full((120, 2), np.nan))):
        assert np.isnan(list(GroupInformation().scored(nothing).scores.values())).all()


def test_noise_is_counted():
    labels = np.array([0, -1, 1, -1, 1])
    assert NoiseShare().scored(labelled(labels, X[:5])).scores["noise"] == 0.4


def test_a_judge_says_on_which_rows_it_measures():
    judge = judge_by(("distortion", "stability", "silhouette"))
    rows = {metric.name: metric.rows for metric in judge.metrics()}
    assert rows == {"distortion": LEFT_OUT, "stability": RESAMPLES, "silhouette": FITTED}
    headings = [metric.heading for metric in judge.metrics()]
    assert headings[0] == "Distortion on test rows"
    assert headings[1] == "Stability over resamples of the training rows"
    assert headings[2] == "Silhouette of the training rows"
    assert [metric.name for metric in judge.of_rows.metrics()] == ["distortion"]
    assert judge.refits == RESAMPLED


def test_a_judge_fits_each_baseline_once():
    judge = judge_by(("distortion", "stability", "silhouette"))
    one, chance = judge.baselines(KMeans(n_clusters=4))
    assert one.method == KMeans(n_clusters=1)
    assert chance.method == GroupsByChance(n_groups=4)
    assert [metric.name for metric in chance.judge.metrics()] == ["stability", "silhouette"]


def test_only_what_is_asked_is_computed(monkeypatch):
    def never(*_: Any) -> Any:
        raise AssertionError("a refit was made")

    monkeypatch.setattr(Stability, "scored", never)
    judge = judge_by(("distortion", "stability"))
    assert judge.score(case(KMeans()), judge.metric("distortion")) > 0


@pytest.mark.parametrize(
    "method",
    [
        Agglomerative(start=ColumnGroups(name="origin"), cut=AtNumber(n_clusters=2)),
        KernelKMeans(n_clusters=3, init="column", groups="origin"),
    ],
)
def test_groups_that_begin_with_names_are_judged_beside_groups_by_chance(method):
    run = Run(data="cars", method=method)
    dataset = run.data.dataset({})
    fold = scored_fold(run, dataset, judge_of(run), 0, 1, Split(*np.split(np.arange(398), [300])))
    assert not fold.failure
    assert fold.scores["bic_elliptical"] < fold.baseline["bic_elliptical"]
    assert abs(fold.baseline["stability"]) < 0.1
