"""Agreement of groupings: golden numbers, the peer, and matched labels."""

from __future__ import annotations

import re

import numpy as np
import pytest
import sklearn.metrics as sk

from figures.views.comparison import agreement_matrix
from mlcore.data.dataset import TableData
from mlcore.evaluation.metrics.agreement import (
    AVERAGES,
    adjusted_mutual_information,
    fowlkes_mallows,
    homogeneity_completeness,
    match_labels,
    normalised_mutual_information,
    rand_index,
    variation_of_information,
)
from mlcore.evaluation.metrics.groups import adjusted_rand
from mlcore.runs import carry_comparison
from mlcore.runs.run import Comparison
from mlcore.spine.errors import DataError

ONE, OTHER = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]


def test_golden_numbers():
    assert adjusted_rand(ONE, OTHER) == pytest.approx(0.242424, abs=1e-6)
    assert normalised_mutual_information(ONE, OTHER) == pytest.approx(0.515804, abs=1e-6)
    geometric = normalised_mutual_information(ONE, OTHER, "geometric")
    assert geometric == pytest.approx(0.529541, abs=1e-6)
    assert adjusted_mutual_information(ONE, OTHER) == pytest.approx(0.298792, abs=1e-6)
    wanted = pytest.approx((2 / 3, 0.420620, 0.515804), abs=1e-6)
    assert homogeneity_completeness(ONE, OTHER) == wanted
    assert fowlkes_mallows(ONE, OTHER) == pytest.approx(0.471405, abs=1e-6)
    assert rand_index(ONE, OTHER) == pytest.approx(2 / 3)
    # H(a) = log 2, H(b) = log 3, I = 2/3 log 2.
    wanted = np.log(2) + np.log(3) - 2 * (2 / 3) * np.log(2)
    assert variation_of_information(ONE, OTHER) == pytest.approx(wanted)


@pytest.mark.parametrize("seed", range(20))
def test_mutual_information_is_that_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(-1, 1 + seed % 5, 40), rng.integers(0, 1 + seed % 4, 40)
    wanted = sk.normalized_mutual_info_score(a, b)
    assert normalised_mutual_information(a, b) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("seed", range(40))
def test_agreement_is_that_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 400))
    a, b = rng.integers(-1, 1 + seed % 7, n), rng.integers(0, 1 + seed % 5, n)
    b[: n // 2] = a[: n // 2]
    wanted = pytest.approx(sk.homogeneity_completeness_v_measure(a, b), abs=1e-12)
    assert homogeneity_completeness(a, b) == wanted
    assert fowlkes_mallows(a, b) == pytest.approx(sk.fowlkes_mallows_score(a, b), abs=1e-12)
    assert rand_index(a, b) == pytest.approx(sk.rand_score(a, b), abs=1e-12)
    for average in AVERAGES:
        how = {"average_method": average}
        wanted = pytest.approx(sk.normalized_mutual_info_score(a, b, **how), abs=1e-12)
        assert normalised_mutual_information(a, b, average) == wanted
        wanted = pytest.approx(sk.adjusted_mutual_info_score(a, b, **how), abs=1e-9)
        assert adjusted_mutual_information(a, b, average) == wanted


def test_chance_in_large_groups_is_summed_where_it_is():
    """Groups of ten thousand rows, of which only counts near the mean are looked at."""
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 3, 30_000), rng.choice(4, 30_000, p=[0.9, 0.06, 0.039, 0.001])
    wanted = pytest.approx(sk.adjusted_mutual_info_score(a, b), abs=1e-11)
    assert adjusted_mutual_information(a, b) == wanted


def test_agreement_of_equal_and_of_empty_groupings():
    alone, one = np.arange(6), np.zeros(6)
    for measure in (adjusted_mutual_information, normalised_mutual_information, rand_index):
        assert measure(alone, alone) == measure(one, one) == measure(OTHER, OTHER) == 1
        assert measure(alone, one) == 0
    assert adjusted_mutual_information(alone, ONE) == pytest.approx(0, abs=1e-12)
    assert fowlkes_mallows(alone, one) == 0 and fowlkes_mallows(one, one) == 1
    assert homogeneity_completeness(one, alone) == (1, 0, 0)
    with pytest.raises(DataError, match="arithmetic, geometric, min and max; got 'mean'"):
        adjusted_mutual_information(one, one, "mean")


def test_variation_is_a_metric():
    rng = np.random.default_rng(1)
    for _ in range(30):
        a, b, c = rng.integers(0, 4, size=(3, 25))
        through = variation_of_information(a, b) + variation_of_information(b, c)
        assert variation_of_information(a, c) <= through + 1e-12
        assert variation_of_information(a, b) == pytest.approx(variation_of_information(b, a))
        assert variation_of_information(a, 7 - a) == pytest.approx(0, abs=1e-12)


def test_matched_labels_of_permuted_groups_do_not_differ():
    a = np.array([0, 0, 1, 1, 2, 2, -1])
    b = np.array([5, 5, 3, 3, 4, 4, -1])
    found = match_labels(a, b)
    assert found.pairs == ((-1, -1), (0, 5), (1, 3), (2, 4))
    assert found.share == 0
    b[0] = 3
    assert match_labels(a, b).differ.tolist() == [0]
    assert match_labels(ONE, OTHER).share == pytest.approx(2 / 6)


@pytest.fixture(scope="module")
def compared():
    run = Comparison(data=TableData(source="iris"), methods=("kmeans", "agglomerative", "dbscan"))
    return carry_comparison.carried_out(run)


def test_the_matrix_has_every_pair_and_the_target(compared):
    dataset = compared.run.data.dataset()
    a = agreement_matrix.numbers(dataset, compared)
    assert a.labels[-1] == "target species"
    labels = [e.outcome.whole.labels(dataset.X) for e in compared.scored]
    assert a.rand[0, 1] == a.rand[1, 0] == adjusted_rand(labels[0], labels[1])
    assert a.rand[0, 3] == sk.adjusted_rand_score(labels[0], dataset.y)
    assert "noise" in a.matched[2][0] or "noise" in a.matched[2][3]
    said = agreement_matrix.reading(a)
    assert "nearest to the target" in said and said.endswith("Noise counts as one group.")
    without = agreement_matrix.reading(a._replace(has_noise=False))
    assert said == f"{without} Noise counts as one group."
    assert len(agreement_matrix.table(a)[0].values) == 6
    assert a.beyond[0, 3] == pytest.approx(sk.adjusted_mutual_info_score(labels[0], dataset.y))


@pytest.mark.parametrize(("k", "lines"), [(3, 2), (7, 3)])
def test_a_cell_among_many_has_one_number_in_a_line(k, lines):
    """A cell of seven is 31 pixels wide on a phone: five letters."""
    names, flat = tuple("abcdefg"[:k]), np.full((k, k), 0.284)
    cells = tuple((np.array([0]),) * k for _ in range(k))
    a = agreement_matrix.Agreement(
        names, False, -flat, flat, flat, flat, ((("",) * k),) * k, cells, False, flat
    )
    cell = re.sub("<(?!br)[^>]*>", "", agreement_matrix.draw(a).data[0].text[0][1]).split("<br>")
    assert len(cell) == lines and cell[0] == "−0.28"
    assert max(map(len, cell)) <= (11 if k == 3 else 5)


def test_one_clustering_without_a_target_agrees_with_nothing():
    data = TableData(source="iris", target=None)
    run = Comparison(data=data, methods=("kmeans", "lda"))
    found = carry_comparison.carried_out(run)
    with pytest.raises(DataError, match="Add another method"):
        agreement_matrix.numbers(run.data.dataset(), found)
