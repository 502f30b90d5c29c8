"""Neighbours and naive Bayes: worked examples, and what does not depend on the way."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from mlcore.classification.naive_bayes import NaiveBayes, contributions
from mlcore.distances.k_d_tree import FEW, KDTree
from mlcore.distances.mahalanobis import Mahalanobis
from mlcore.distances.neighbours import Neighbours
from mlcore.neighbours.knn import KNNClassifier, KNNRegression, cover_hart
from mlcore.neighbours.vote_weights import InverseDistance, KernelWeight
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column

X, Y = load_iris(return_X_y=True)
RNG = np.random.default_rng(5)
FLU = np.array([[7, 7], [7, 4], [3, 4], [1, 4.0]])
POWERS = [0.0, 1.0, 2.0, 3.0, np.inf]


def differences(A, S, power):
    """All distances, in the plainest way."""
    gaps = np.abs(A[:, None] - S[None])
    if power == 0:
        return (gaps > 0).mean(axis=2)
    return gaps.max(axis=2) if power == np.inf else (gaps**power).sum(axis=2) ** (1 / power)


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("search", ["auto", "tree", "brute"])
@pytest.mark.parametrize("p", [2, 9])
@pytest.mark.parametrize("grain", [0, 1])
def test_every_way_finds_the_same_rows(power, search, p, grain):
    # Rounded values have many equal distances; of these the lower number comes first.
    S, A = (RNG.normal(size=(n, p)) for n in (300, 40))
    if grain:
        S, A = np.round(S), np.round(A)
    found = Neighbours(S, power, search).nearest(A, 6)
    D = differences(A, S, power)
    expected = np.sort(D, axis=1)[:, :6]
    np.testing.assert_allclose(found.distances, expected, rtol=1e-12)
    if grain == 0 or power in (0.0, 1.0, np.inf):  # roots of whole numbers may round apart
        np.testing.assert_array_equal(found.rows, np.argsort(D, axis=1, kind="stable")[:, :6])


N = 700
HOSTILE = {
    "any": RNG.normal(size=(N, 3)),
    "equal": np.ones((N, 3)),
    "mostly equal": np.where(np.arange(N)[:, None] % 9, 2.0, RNG.normal(size=(N, 3))),
    "a grid": np.round(RNG.normal(size=(N, 2))),
    "one far out": np.vstack([RNG.normal(size=(N - 1, 2)), [[1e90, -1e90]]]),
    "constant columns": np.column_stack([np.zeros((N, 2)), RNG.normal(size=N)]),
    "in order": np.sort(RNG.normal(size=(N, 1)), axis=0),
    "of all scales": np.exp(9 * RNG.normal(size=(N, 4))),
}


@pytest.mark.parametrize("rows", HOSTILE)
@pytest.mark.parametrize("power", [1.0, 2.0, 2.5, np.inf])
def test_the_tree_has_the_bits_of_looking_at_every_row(rows, power):
    S = HOSTILE[rows]
    for k in (1, 6, 80):  # so many are kept in another way than few
        by_tree = Neighbours(S, power, "tree").nearest(S[::30], k)
        one_by_one = Neighbours(S, power, "brute").nearest(S[::30], k)
        np.testing.assert_array_equal(by_tree.rows, one_by_one.rows)
        np.testing.assert_array_equal(by_tree.distances, one_by_one.distances)


def test_equal_rows_stand_by_number_so_that_higher_ones_need_not_be_looked_at():
    numbers = KDTree(np.ones((512, 2))).nodes.numbers
    np.testing.assert_array_equal(np.sort(numbers, axis=1), np.arange(512).reshape(16, 32))


def test_the_tree_does_not_depend_on_the_threads(monkeypatch):
    S, trees = RNG.normal(size=(FEW + 100, 2)), []
    for threads in ("1", "3"):
        monkeypatch.setenv("MLSCOPE_THREADS", threads)
        trees.append(KDTree(S).nodes)
    for one, other in zip(*trees, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("p", [3, 20])
def test_many_rows_are_found_as_few_are(p):
    S, A = RNG.normal(size=(4000, p)), RNG.normal(size=(150, p))
    S[2000:2400] = S[:400]  # equal rows: what is near in single precision is looked at again
    S += 1e4
    A += 1e4
    found = Neighbours(S).nearest(A, 10)
    D = ((A[:, None] - S[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(found.distances**2, np.sort(D, axis=1)[:, :10], rtol=1e-9)
    assert (np.diff(found.distances, axis=1) >= 0).all()


def test_the_flu_by_hand():
    fit = KNNClassifier(n_neighbors=3).fit(FLU, ["bad", "bad", "good", "good"])
    found = fit.neighbours([[3, 7]])
    np.testing.assert_allclose(found.distances[0] ** 2, [9, 13, 16])
    np.testing.assert_array_equal(found.rows[0], [2, 3, 0])
    assert fit.predict([[3, 7]]) == "good"
    np.testing.assert_allclose(fit.probabilities([[3, 7]]), [[1 / 3, 2 / 3]])


def test_one_neighbour_by_hand():
    fit = KNNClassifier(n_neighbors=1).fit([[0, 0], [0.5, 0.5], [1, 1]], [1, 2, 3])
    np.testing.assert_array_equal(fit.predict([[0.9, 0.8], [0.1, 0.3], [0.2, 0.6]]), [3, 1, 2])


@pytest.mark.parametrize(("k", "right"), [(1, 144), (5, 145), (10, 143), (15, 146)])
def test_leaving_out_each_iris(k, right):
    fit = KNNClassifier(n_neighbors=k).fit(X, Y)
    assert (fit.loo_predictions() == Y).sum() == right


def test_leaving_out_is_fitting_without_the_row():
    rows, y = np.round(RNG.normal(size=(40, 2)), 1), RNG.normal(size=40)
    fit = KNNRegression(n_neighbors=4).fit(rows, y)
    for i in range(40):
        kept = np.arange(40) != i
        without = KNNRegression(n_neighbors=4).fit(rows[kept], y[kept])
        assert fit.loo_predictions()[i] == pytest.approx(without.predict(rows[i : i + 1])[0])


def test_one_neighbour_repeats_different_rows():
    rows = RNG.normal(size=(50, 3))
    y = RNG.integers(0, 2, 50)
    np.testing.assert_array_equal(KNNClassifier(n_neighbors=1).fit(rows, y).predict(rows), y)


def test_a_tie_is_settled_by_the_nearest_or_by_chance():
    rows, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [1, 0, 0, 1]
    near = KNNClassifier(n_neighbors=4).fit(rows, y)
    np.testing.assert_array_equal(near.predict([[0.1], [1.1]]), [1, 0])
    np.testing.assert_array_equal(near.probabilities([[0.1], [1.1]]).argmax(axis=1), [1, 0])
    by_chance = KNNClassifier(n_neighbors=4, ties="random")
    said = {int(by_chance.fit(rows, y, seed=seed).predict([[0.1]])[0]) for seed in range(20)}
    assert said == {0, 1}


def test_weights_of_neighbours():
    far = np.array([[1.0, 2.0, 4.0], [0.0, 0.0, 3.0], [2.0, 2.0, 2.0]])
    np.testing.assert_allclose(
        InverseDistance().weights(far), [[1, 0.25, 0.0625], [1, 1, 0], [1, 1, 1]]
    )
    for shape in ("epanechnikov", "triangle", "tricube", "gaussian"):
        weights = KernelWeight(shape=shape).weights(far)
        assert (np.diff(weights, axis=1) <= 0).all()
        assert (weights.sum(axis=1) > 0).all()


def test_mahalanobis_forgets_any_linear_change_of_the_columns():
    A = RNG.normal(size=(4, 4))
    for scope in ("within", "total"):
        method = KNNClassifier(n_neighbors=6, metric=Mahalanobis(scope=scope))
        first, other = method.fit(X, Y), method.fit(X @ A, Y)
        # Equal rows of the data stay equal; others keep their distances up to rounding.
        np.testing.assert_allclose(
            first.neighbours(X).distances, other.neighbours(X @ A).distances, atol=1e-6
        )
    doubled = KNNClassifier(metric=Mahalanobis()).fit(np.hstack([X, X]), Y)
    assert doubled.notes == ("The rows vary in 4 of 8 directions; the others are not looked at.",)


def test_the_bound_of_cover_and_hart():
    assert cover_hart(0.1) == pytest.approx(0.18)
    assert cover_hart(0.5) == pytest.approx(0.5)
    assert cover_hart(2 / 3, 3) == pytest.approx(2 / 3)
    with pytest.raises(DataError, match="least error"):
        cover_hart(0.6)


ROWS = (
    "Bar yes Blue no", "Park yes Brown yes", "Library no Green yes", "Library no Blue no",
    "Bar no Brown yes", "Park yes Green yes", "Bar no Brown yes", "Library yes Brown yes",
    "Bar yes Green no", "Park yes Blue no",
)  # fmt: skip
LEVELS = (("Bar", "Library", "Park"), ("no", "yes"), ("Blue", "Brown", "Green"))
GLASSES = np.array([[LEVELS[j].index(v) for j, v in enumerate(r.split()[:3])] for r in ROWS], float)
WEARS = np.array([row.split()[3] for row in ROWS])
COLUMNS = tuple(
    Column(name, "nominal", levels)
    for name, levels in zip(("setting", "student", "eyes"), LEVELS, strict=True)
)
STUDENT_IN_A_BAR = np.array([[0.0, 1.0, 2.0]])


def test_glasses_by_hand():
    fit = NaiveBayes(smoothing=0.0).fit(GLASSES, WEARS, columns=COLUMNS)
    logs = fit.factors(STUDENT_IN_A_BAR)[0]
    np.testing.assert_allclose(np.exp(logs[1:].sum(axis=0)), [0.09375, 1 / 18], rtol=1e-12)
    np.testing.assert_allclose(np.exp(logs.sum(axis=0)), [0.0375, 1 / 30], rtol=1e-12)
    assert fit.predict(STUDENT_IN_A_BAR) == "no"


def test_smoothing_flips_the_glasses():
    fit = NaiveBayes().fit(GLASSES, WEARS, columns=COLUMNS)
    assert fit.probabilities(STUDENT_IN_A_BAR)[0, 1] == pytest.approx(0.505155, abs=1e-6)
    assert fit.predict(STUDENT_IN_A_BAR) == "yes"


def test_what_each_column_says_sums_to_the_log_odds():
    fit = NaiveBayes().fit(GLASSES, WEARS, columns=COLUMNS)
    for row in GLASSES:
        assert contributions(fit, row).sum() == pytest.approx(fit.decision([row])[0], abs=1e-12)


def test_what_is_missing_or_new_is_left_out():
    seen = (*COLUMNS[:2], Column("eyes", "nominal", (*LEVELS[2], "Grey")))
    fit = NaiveBayes().fit(GLASSES, WEARS, columns=seen)
    missing, new = STUDENT_IN_A_BAR.copy(), STUDENT_IN_A_BAR.copy()
    missing[0, 2], new[0, 2] = np.nan, 3.0
    np.testing.assert_allclose(fit.probabilities(missing), fit.probabilities(new))
    assert (fit.factors(missing)[0, 3] == 0).all()
    numbers = NaiveBayes().fit(X, Y)
    row = X[:1].copy()
    row[0, 1] = np.nan
    np.testing.assert_allclose(
        numbers.decision(row), numbers.factors(X[:1])[:, [0, 1, 3, 4]].sum(axis=1)
    )


def test_a_row_that_no_class_allows_gets_the_commonest():
    fit = NaiveBayes(smoothing=0.0).fit(GLASSES, WEARS, columns=COLUMNS)
    # Nobody with blue eyes wears glasses, nobody with brown eyes does not: no row is both.
    twice = (*COLUMNS, Column("other eye", "nominal", LEVELS[2]))
    both = NaiveBayes(smoothing=0.0).fit(
        np.column_stack([GLASSES, GLASSES[:, 2]]), WEARS, columns=twice
    )
    row = [[0.0, 1.0, 0.0, 1.0]]
    assert both.predict(row) == "yes"
    assert np.isnan(both.probabilities(row)).all()
    assert fit.predict([[0.0, 1.0, 0.0]]) == "no"


def test_naive_bayes_of_iris():
    assert (NaiveBayes().fit(X, Y).predict(X) == Y).sum() == 144


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("n", [30, 600])
@pytest.mark.parametrize("search", ["auto", "tree", "brute"])
def test_a_row_whose_distances_overflow_is_told_and_not_a_place_beyond_the_rows(n, search):
    S = RNG.normal(size=(n, 2))
    far = np.array([[0.0, 0.0], [1e120, 0.0]])
    with pytest.raises(DataError, match="Row 2 of those asked lies so far"):
        Neighbours(S, 3.0, search).nearest(far, 4)
    assert np.isfinite(Neighbours(S, 2.0, search).nearest(far, 4).distances).all()
