"""How many groups: every criterion against its definition or a peer, and what they say together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sklearn.metrics as sk
from scipy.spatial.distance import pdist
from sklearn.datasets import load_iris

from mlcore.clustering.kmeans import KMeans
from mlcore.data.dataset import TableData
from mlcore.data.generators.classes.blobs import Blobs
from mlcore.evaluation.group_counts import (
    first_near_next,
    gap_statistic,
    mean_ranks,
    of_rows,
    opinion,
    reference_rows,
)
from mlcore.evaluation.metrics import groups
from mlcore.runs import carry_count
from mlcore.runs.carry import whole_fit
from mlcore.runs.counting.cluster_count import ClusterCount
from mlcore.runs.counting.counted import verdict
from mlcore.runs.counting.parts import NONE, OF_ROWS, RESAMPLE, ROWS, SPLIT
from mlcore.runs.run import Run
from mlcore.spine.errors import DataError
from mlcore.spine.iterate import returned
from mlcore.spine.random import generator
from mlcore.spine.registry import lookup
from service.kinds import files_of

NOTHING = np.full(4, np.nan)
FOUR = np.array([[0.0], [1.0], [4.0], [5.0]])


def test_golden_numbers_of_four_rows_in_two_pairs():
    labels = np.array([0, 0, 1, 1])
    found = of_rows(FOUR, labels)
    assert found["silhouette"] == pytest.approx(0.746032, abs=1e-6)
    assert found["calinski_harabasz"] == pytest.approx(32)
    assert found["davies_bouldin"] == pytest.approx(0.25)


@pytest.mark.parametrize("seed", range(5))
def test_criteria_are_those_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(70, 3)) + 10, rng.integers(0, 5, 70)
    found = of_rows(X, labels)
    assert found["silhouette"] == pytest.approx(sk.silhouette_score(X, labels), abs=1e-10)
    wanted = sk.calinski_harabasz_score(X, labels)
    assert found["calinski_harabasz"] == pytest.approx(wanted, rel=1e-10)
    assert found["davies_bouldin"] == pytest.approx(sk.davies_bouldin_score(X, labels), rel=1e-10)
    noisy = np.append(labels, [-1, -1])
    with_noise = of_rows(np.vstack([X, 50 * np.ones((2, 3))]), noisy)
    assert with_noise == pytest.approx(found)  # noise is in no group


def test_criteria_where_they_are_undefined():
    assert np.isnan(list(of_rows(FOUR, np.zeros(4, int)).values())).all()
    assert np.isnan(groups.calinski_harabasz(FOUR, np.arange(4)))
    assert np.isnan(groups.davies_bouldin(FOUR, [-1, -1, -1, -1]))
    doubled = np.repeat([[0.0], [1.0]], 2, axis=0)
    assert groups.calinski_harabasz(doubled, [0, 0, 1, 1]) == np.inf
    assert groups.davies_bouldin(doubled, [0, 0, 1, 1]) == 0


def gap_by_definition(X, labels, references):
    """Tibshirani, Walther and Hastie (2001): W is the sum over groups of the squared distances of
    all pairs, both ways, over twice the size."""

    def log_w(rows, of):
        pairs = [(rows[of == r], (of == r).sum()) for r in np.unique(of)]
        return np.log(sum(2 * (pdist(inside) ** 2).sum() / (2 * n) for inside, n in pairs))

    drawn = np.array([log_w(*each) for each in references])
    return drawn.mean() - log_w(X, labels), drawn.std() * np.sqrt(1 + 1 / len(drawn))


def test_the_gap_is_that_of_its_definition():
    rng = np.random.default_rng(3)
    X, labels = rng.normal(size=(30, 2)), np.arange(30) % 3
    references = [(rng.uniform(size=(30, 2)), rng.permutation(labels)) for _ in range(6)]
    wanted = gap_by_definition(X, labels, references)
    found = gap_statistic([groups.rss(X, labels)], [[groups.rss(*each)] for each in references])
    assert found.gap[0] == pytest.approx(wanted[0], abs=1e-12)
    assert found.error[0] == pytest.approx(wanted[1], abs=1e-12)


# Published output of R's `clusGap` (package cluster) for k-means of the standardised iris table, 25
# starts and 50 reference tables: log W, its expectation and the standard error, for k = 1, 2 and 3.
CLUS_GAP = (
    (4.534565, 4.755428, 0.025343),
    (4.021316, 4.489687, 0.027421),
    (3.806577, 4.295715, 0.023847),
)


def test_the_gap_of_iris_is_that_of_clus_gap():
    """By default R adds up distances that are not squared, which the formula leaves open."""
    iris = load_iris().data
    X = (iris - iris.mean(axis=0)) / iris.std(axis=0, ddof=1)

    def spreads(rows, starts):
        each = []
        for k in (1, 2, 3):
            labels = KMeans(n_clusters=k, n_init=starts).fit(rows, seed=1).labels
            own = [rows[labels == j] for j in range(k)]
            each.append(sum(pdist(part).sum() / len(part) for part in own) / 2)
        return each

    rng, (log_w, expected, error) = np.random.default_rng(0), np.array(CLUS_GAP).T
    within, drawn = spreads(X, 25), [spreads(reference_rows(X, rng), 3) for _ in range(50)]
    found = gap_statistic(within, drawn)
    np.testing.assert_allclose(np.log(within), log_w, atol=1e-6)  # as many digits are published
    # Both are means of 50 draws: the standard error of their difference is 0.2 of that of a draw.
    np.testing.assert_allclose(found.gap + log_w, expected, atol=0.8 * error.max())
    np.testing.assert_allclose(found.error, error, rtol=0.4)  # four standard errors of a deviation


def test_the_rule_takes_the_first_that_is_within_one_error_of_the_next():
    gap, error = np.array([0.1, 0.5, 0.9, 0.95, 2.0]), np.array([0.1, 0.1, 0.1, 0.1, 0.1])
    assert first_near_next(gap, error) == 2  # 0.9 >= 0.95 - 0.1
    assert first_near_next(np.array([0.1, 0.5, 0.9]), error[:3]) == 2  # none: the last
    assert first_near_next(NOTHING, NOTHING) is None
    assert np.isnan(gap_statistic([1.0, 0.5], np.empty((0, 2))).gap).all()


def test_references_fill_the_box_along_the_principal_axes():
    rng = np.random.default_rng(0)
    turned = np.array([[1.0, 1.0], [-1.0, 1.0]]) / np.sqrt(2)
    X = rng.uniform([-10, -1], [10, 1], size=(400, 2)) @ turned + 7
    drawn = reference_rows(X, generator(0, "reference"))
    along = (drawn - 7) @ turned.T
    assert drawn.shape == X.shape
    assert np.abs(along).max(axis=0) == pytest.approx([10, 1], rel=0.1)  # as narrow as the rows
    assert along.std(axis=0) == pytest.approx([10 / np.sqrt(3), 1 / np.sqrt(3)], rel=0.1)


def test_references_are_of_rows_that_lack_nothing_or_of_the_columns():
    rows = np.random.default_rng(0).normal(size=(50, 3))
    gappy = np.vstack([rows, np.where(np.eye(3, dtype=bool), np.nan, 9.0)])
    drawn, wanted = (reference_rows(X, np.random.default_rng(1)) for X in (gappy, rows))
    np.testing.assert_array_equal(drawn, wanted)
    boxed = reference_rows(gappy[50:], np.random.default_rng(1))
    assert boxed.shape == (3, 3)
    assert (boxed == 9.0).all()


def test_what_cannot_be_told_apart_is_said_so():
    ks = (1, 2, 3, 4)
    said = opinion("bic", ks, np.array([30.0, 10.0, 11.5, 12.5]), NOTHING).says
    assert said == (2, 3)
    assert opinion("silhouette", ks, np.array([np.nan, 0.5, 0.6, 0.595]), NOTHING).says == (3, 4)
    assert opinion("davies_bouldin", ks, np.array([np.nan, 0.5, 0.6, 0.7]), NOTHING).says == (2,)
    assert opinion("stability", ks, np.array([np.nan, 0.9, 0.8, 0.1]), NOTHING, 0.15).says == (2, 3)
    assert opinion("within", ks, np.array([10.0, 2.0, 1.5, 1.0]), NOTHING).says == (2,)
    assert opinion("within", ks, np.array([4.0, 3.0, 2.0, 1.0]), NOTHING).says == ()
    assert opinion("silhouette", ks, NOTHING, NOTHING).says == ()


def test_mean_ranks_leave_out_what_is_undefined_and_share_ties():
    ks = (1, 2, 3, 4)
    a = opinion("silhouette", ks, np.array([np.nan, 0.5, 0.5, 0.1]), NOTHING)
    b = opinion("bic", ks, np.array([1.0, 3.0, 2.0, 4.0]), NOTHING)
    np.testing.assert_array_equal(mean_ranks(ks, [a, b]), [np.nan, 1.75, 1.25, 3.0])
    assert np.isnan(mean_ranks(ks, [])).all()


def counted(method="kmeans", **design):
    data = TableData(source=Blobs(n_samples=120, centers=4, cluster_std=0.3, seed=2))
    run = Run(data=data, method=lookup("clustering", method)())
    small = {"highest": 6, "resamples": 4, "splits": 3, "references": 5} | design
    return carry_count.carried_out(ClusterCount.of(run, **small))


@pytest.mark.parametrize("method", ["kmeans", "agglomerative", "gaussian_mixture"])
def test_four_clouds_are_four_by_most_criteria(method):
    found = counted(method)
    says = {each.criterion.name: each.says for each in found.opinions}
    for name in ("silhouette", "calinski_harabasz", "davies_bouldin", "gap", "within"):
        assert says[name][:1] == (4,), name
    assert 4 in says["stability"]
    for name in ("bic", "dic"):
        assert (name in says) == (method == "gaussian_mixture")
    assert ("bic_spherical" in says) == (method == "kmeans")
    for name in ("bic_elliptical", "aic_elliptical"):
        assert (name in says) == (method != "gaussian_mixture")
        assert 4 in says.get(name, (4,))
    assert says["prediction_strength"] == (4,)
    assert 4 in says["stability_index"]
    assert found.parts[-6].stage == SPLIT and found.parts[-6].values.shape == (3, 6)
    assert says["consensus"] == (4,)
    assert found.by_rank == 4
    assert "4" in verdict(found).partition(":")[0]


def test_a_number_without_dic_is_named_where_the_method_has_one():
    design = {"resamples": 0, "splits": 0, "references": 0, "highest": 3}
    found = counted("gaussian_mixture", **design)
    assert "DIC is left out" not in verdict(found)
    values = found.parts[0].values.copy()
    values[OF_ROWS.index("dic"), 1:] = np.nan
    short = replace(found, parts=(replace(found.parts[0], values=values),))
    assert short.without_deviance == (2, 3)
    assert "DIC is left out with 2 and 3 clusters:" in verdict(short)
    assert counted("kmeans", **design).without_deviance == ()


def test_a_number_that_some_halves_cannot_have_keeps_its_rank():
    found = counted()
    last = found.parts[-6]
    values = last.values.copy()
    values[:, -1] = np.nan  # six clusters in halves of fewer rows
    parts = tuple(replace(p, values=values) if p is last else p for p in found.parts)
    short = replace(found, parts=parts)
    assert "stability_index" not in {each.criterion.name for each in short.opinions}
    assert np.isfinite(short.ranks[-1])


def test_shapes_of_groups_have_no_say_where_some_are_too_small_for_one():
    """Of 12 rows in 5 columns most groups have no covariance: no number loses its rank by that."""
    data = TableData(source=Blobs(n_samples=12, n_features=5, centers=3, seed=1))
    run = Run(data=data, method=lookup("clustering", "kmeans")())
    design = {"highest": 6, "resamples": 0, "splits": 0, "references": 0}
    done = carry_count.carried_out(ClusterCount.of(run, **design))
    names = [each.criterion.name for each in done.opinions]
    assert "bic_spherical" in names and "bic_elliptical" not in names
    assert np.isfinite(done.ranks[1:]).all()


def test_moving_centers_are_counted_as_those_of_k_means():
    """But for the gap, which is that of one run: two centers that stand badly end its search."""
    moving, still = counted("online_kmeans", references=0), counted("kmeans", references=0)
    says = [
        {each.criterion.name: each.says for each in found.opinions} for found in (moving, still)
    ]
    assert says[0] == says[1]
    assert moving.by_rank == 4


def test_a_tree_is_grown_once_and_gives_the_groups_of_separate_fits():
    found = counted("agglomerative", resamples=0, references=0)
    (rows,) = found.of(ROWS)
    run = found.run.run()
    for k, labels in zip(found.numbers, rows.labels, strict=True):
        apart = whole_fit(replace(run, method=run.method.with_groups(k)), run.data.dataset(), 0)
        assert groups.adjusted_rand(labels, apart.fit.labels) == 1


def test_resamples_have_no_row_twice_and_one_cluster_has_no_stability():
    found = counted()
    for part in found.of(RESAMPLE):
        assert len(part.at) == len(np.unique(part.at)) == 96
    assert found.agreements.shape == (6, 6)
    assert np.isnan(found.agreements[:, 0]).all()
    assert not np.isnan(found.agreements[:, 1:]).any()


def test_no_number_that_a_method_refuses_takes_the_others_away():
    method = lookup("clustering", "kmeans")(init="given")
    method = replace(method, init=replace(method.init, values=(0.0, 0.0, 1.0, 1.0, 2.0, 0.0)))
    data = TableData(source=Blobs(n_samples=60, seed=1))
    found = carry_count.carried_out(
        ClusterCount.of(Run(data=data, method=method), highest=4, resamples=2, references=2)
    )
    (rows,) = found.of(ROWS)
    assert [bool(why) for why in rows.failures] == [True, True, False, True]
    assert (rows.labels[0] == NONE).all()
    assert found.failure


def test_what_does_not_apply_says_so():
    dbscan = Run(data="iris", method=lookup("clustering", "dbscan")())
    with pytest.raises(DataError, match="is not told how many clusters to make"):
        ClusterCount.of(dbscan)
    few = ClusterCount(data=TableData(source=Blobs(n_samples=10)), method="kmeans")
    with pytest.raises(DataError, match="Lower the most clusters"):
        returned(carry_count.carry_out(few))


def test_the_number_of_a_method_does_not_change_its_count():
    three, five = (Run(data="iris", method=lookup("clustering", "kmeans")(n_clusters=k))
                   for k in (3, 5))  # fmt: skip
    assert ClusterCount.of(three).digest() == ClusterCount.of(five).digest()


def test_a_count_is_taken_away_as_table_and_report():
    outcome = counted(highest=3, resamples=2, references=2)
    files = {file.label: file.make() for file in files_of(outcome.run, outcome)}
    table = files["Every criterion and number of clusters"]
    assert b"davies_bouldin" in (table if isinstance(table, bytes) else table.encode())
    page = str(files["Report, one HTML file"])
    assert "Number of clusters of" in page
    assert verdict(outcome).partition(":")[0] in page
