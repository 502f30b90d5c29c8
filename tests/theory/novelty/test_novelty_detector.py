"""A threshold on a score: the rule of the notes, shares that were asked for, rows left out."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.clustering.density.bandwidths import FixedWidth
from mlcore.clustering.gaussian_mixture import GaussianMixture
from mlcore.clustering.kernel_density import KernelDensity
from mlcore.clustering.kmeans import KMeans
from mlcore.clustering.soft_kmeans import SoftKMeans
from mlcore.clustering.som import SelfOrganisingMap
from mlcore.data.dataset import TableData
from mlcore.neighbours.membership import NeighbourMembership
from mlcore.novelty.neighbour_distance import NeighbourDistance
from mlcore.novelty.novelty_detector import NoveltyDetector
from mlcore.spine.errors import DataError, ParamError

LINE = np.array([[0.0], [1.0], [3.0], [7.0]])


def test_distances_of_rows_on_a_line_are_those_by_hand():
    fit = NoveltyDetector(contamination=0.25).fit(LINE)
    # A fitted row is no neighbour of itself when the threshold is found,
    np.testing.assert_allclose(fit.own_usualness, [-2.0, -1.5, -2.5, -5.0])
    assert fit.threshold == -3.125  # a quarter of the way from the second lowest down to the last
    np.testing.assert_array_equal(fit.own_usualness < fit.threshold, [False, False, False, True])
    # but keeps its distance of 0 when rows are judged.
    np.testing.assert_allclose(fit.usualness(LINE), [-0.5, -0.5, -1.0, -2.0])


def test_an_equal_row_may_be_left_out_when_rows_are_judged():
    scorer = NeighbourDistance(exclude_self=True)
    fit = NoveltyDetector(scorer=scorer, contamination=0.25).fit(LINE)
    np.testing.assert_allclose(fit.usualness(LINE), fit.own_usualness)
    assert fit.usualness([[2.0]])[0] == -1.0  # no stored row equals it, so the two nearest count


def test_the_kth_neighbour_alone():
    fit = NoveltyDetector(scorer=NeighbourDistance(reduce="kth"), contamination=0.25).fit(LINE)
    np.testing.assert_allclose(fit.own_usualness, [-3.0, -2.0, -3.0, -6.0])


def test_the_rule_of_the_notes_is_that_of_membership():
    X = TableData(source="students").dataset({}).X  # weight in kg, height in cm
    rule = NoveltyDetector(threshold=-7.0)
    fit = rule.fit(X)
    assert fit.predict([[100.0, 120.0]])[0] == -1
    assert np.isnan(fit.share_asked)
    members = NeighbourMembership(threshold=7.0).fit(
        np.vstack([X, [[100.0, 120.0]]]), np.array([0] * len(X) + [1])
    )
    places = np.random.default_rng(0).uniform([40, 120], [120, 210], (200, 2))
    np.testing.assert_array_equal(fit.predict(places) == 1, members.predict(places) == 0)


def test_a_row_exactly_at_a_given_threshold_lies_inside():
    fit = NoveltyDetector(threshold=-1.5).fit(LINE)
    assert fit.usualness([[-1.0]])[0] == -1.5
    assert fit.predict([[-1.0], [-1.001]]).tolist() == [1, -1]


def test_no_row_vouches_for_itself_in_a_kernel_density():
    rng = np.random.default_rng(1)
    X = np.vstack([rng.normal(size=(60, 2)), [[9.0, 9.0]]])
    density = KernelDensity(bandwidth=FixedWidth(h=0.5))
    fit = NoveltyDetector(scorer=density, contamination=0.05).fit(X)
    alone = [
        density.fit(np.delete(X, i, axis=0)).log_density(X[i : i + 1])[0] for i in range(len(X))
    ]
    np.testing.assert_allclose(fit.own_usualness, alone, rtol=1e-10)
    assert fit.own_usualness.argmin() == 60
    np.testing.assert_allclose(fit.usualness(X), density.fit(X).log_density(X))


def test_the_scores_of_a_mixture_are_log_densities():
    X = np.random.default_rng(2).normal(size=(80, 3))
    mixture = GaussianMixture(n_components=1, n_init=1)
    fit = NoveltyDetector(scorer=mixture, contamination=0.1).fit(X, seed=3)
    np.testing.assert_array_equal(fit.own_usualness, mixture.fit(X, seed=3).log_density(X))
    # One Gaussian accepts an ellipse, whose border is the quantile of the Mahalanobis distances.
    centred = X - X.mean(axis=0)
    apart = np.einsum("ij,ij->i", centred @ np.linalg.inv(centred.T @ centred / 80), centred)
    np.testing.assert_array_equal(fit.predict(X) == -1, apart > np.quantile(apart, 0.9))


@pytest.mark.parametrize("share", [0.02, 0.1, 0.4])
def test_of_new_rows_about_the_share_asked_for_is_outside(share):
    rng = np.random.default_rng(4)
    fit = NoveltyDetector(contamination=share).fit(rng.normal(size=(4000, 2)))
    outside = (fit.predict(rng.normal(size=(4000, 2))) == -1).mean()
    assert abs(outside - share) < 4 * np.sqrt(2 * share * (1 - share) / 4000)


def test_a_share_or_a_threshold_is_needed():
    with pytest.raises(ParamError, match="needs a share outside or a threshold"):
        NoveltyDetector(contamination=None)


@pytest.mark.parametrize(
    "scorer", [KMeans(n_clusters=2), KMeans(n_clusters=2, p=1.0), SoftKMeans(), SelfOrganisingMap()]
)
def test_prototypes_score_by_the_nearest(scorer):
    X = TableData(source="students").dataset({}).X
    fit = NoveltyDetector(scorer=scorer, contamination=0.1).fit(X)
    places = np.array([[100.0, 120.0], [60.0, 170.0]])
    power = getattr(scorer, "p", 2.0)
    apart = np.linalg.norm(places[:, None] - fit.scorer.centers, ord=power, axis=2)
    np.testing.assert_allclose(fit.usualness(places), -apart.min(axis=1))
    assert fit.predict(places).tolist() == [-1, 1]
    assert (fit.predict(X) == -1).mean() == pytest.approx(0.1, abs=0.005)
    assert fit.score_name == "minus the distance to the nearest center"


def test_missing_values_are_taken_where_the_scorer_takes_them():
    X = np.random.default_rng(0).normal(size=(80, 3))
    X[::5, 1] = np.nan
    mixture = GaussianMixture(n_components=1)
    fit = NoveltyDetector(scorer=mixture).fit(X)
    np.testing.assert_allclose(fit.usualness(X), mixture.fit(X).log_density(X))
    assert fit.predict([[9.0, np.nan, 0.0], [np.nan, 0.0, 0.0]]).tolist() == [-1, 1]
    with pytest.raises(DataError, match="missing"):
        NoveltyDetector().fit(X)
