"""Measures against scikit-learn and against numbers worked out by hand."""

from __future__ import annotations

import warnings
from math import isnan, nan
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial.distance import cdist
from sklearn import metrics as sk

from mlcore.evaluation.cost_scores import mean_cost
from mlcore.evaluation.metrics import by_class, classes, groups, numbers, ranking
from mlcore.spine.errors import DataError, ParamError

SEEDS = range(4)


def labelled(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Truth and prediction over 4 classes of which seed 3 never predicts one, and weights."""
    rng = np.random.default_rng(seed)
    y = rng.choice(4, 200, p=[0.5, 0.3, 0.15, 0.05])
    predicted = np.where(rng.random(200) < 0.6, y, rng.integers(0, 4 - (seed == 3), 200))
    if seed == 3:
        predicted[predicted == 3] = 0
    return y, predicted, rng.integers(0, 4, 200) / 3


def of_classes(name: str, **options):
    """The reference's measure, NaN for a class where ours is not defined."""
    return lambda y, p, w: getattr(sk, name)(y, p, sample_weight=w, **options)


CLASS_PARITY = [
    (classes.accuracy, of_classes("accuracy_score")),
    (classes.error_rate, of_classes("zero_one_loss")),
    (classes.balanced_accuracy, of_classes("balanced_accuracy_score")),
    (classes.matthews, of_classes("matthews_corrcoef")),
    (classes.cohen_kappa, lambda y, p, w: sk.cohen_kappa_score(y, p, sample_weight=w)),
    (classes.recall, of_classes("recall_score", average="macro")),
    (classes.f_score, of_classes("f1_score", average="macro")),
]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("ours", "theirs"), CLASS_PARITY, ids=[o.__name__ for o, _ in CLASS_PARITY]
)
def test_measures_of_classes(ours, theirs, seed, weighted):
    y, predicted, w = labelled(seed)
    w = w if weighted else None
    assert ours(y, predicted, weights=w) == pytest.approx(theirs(y, predicted, w), abs=1e-12)


@pytest.mark.parametrize("average", ["macro", "micro", "weighted", None])
@pytest.mark.parametrize("name", ["precision", "recall", "f_score"])
def test_averages(name, average):
    y, predicted, w = labelled(1)
    theirs = {"precision": sk.precision_score, "recall": sk.recall_score, "f_score": sk.f1_score}
    wanted = theirs[name](y, predicted, average=average, sample_weight=w)
    found = getattr(classes, name)(y, predicted, average=average or "none", weights=w)
    np.testing.assert_allclose(found, wanted, atol=1e-12)


@pytest.mark.parametrize("beta", [0.5, 2.0])
def test_beta_of_the_f_score(beta):
    y, predicted, _ = labelled(0)
    wanted = sk.fbeta_score(y, predicted, beta=beta, average="macro")
    assert classes.f_score(y, predicted, beta=beta) == pytest.approx(wanted, abs=1e-12)


def test_a_class_that_is_never_predicted_has_no_precision():
    # The reference takes 0 with a warning; here it is not defined, and the mean leaves it out.
    y, predicted, _ = labelled(3)
    each = classes.precision(y, predicted, average="none")
    assert isnan(each[3])
    assert classes.precision(y, predicted) == pytest.approx(each[:3].mean())
    assert classes.f_score(y, predicted, average="none")[3] == 0


@pytest.mark.parametrize("normalise", ["none", "true", "predicted", "all"])
def test_confusion_matrix(normalise):
    y, predicted, w = labelled(2)
    wanted = sk.confusion_matrix(
        y,
        predicted,
        sample_weight=w,
        normalize=None if normalise == "none" else {"predicted": "pred"}.get(normalise, normalise),
    )
    found = classes.confusion_matrix(y, predicted, weights=w, normalise=normalise)
    np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_confusion_matrix_of_short_whole_numbers():
    y = np.arange(30, dtype=np.uint8)
    found = classes.confusion_matrix(y, y, labels=np.arange(30))
    np.testing.assert_array_equal(found, np.eye(30))
    np.testing.assert_array_equal(classes.confusion_matrix(y, y), np.eye(30))


def test_confusion_matrix_of_texts_in_a_given_order():
    y, predicted = np.array(["b", "a", "c", "a"]), np.array(["a", "a", "c", "c"])
    found = classes.confusion_matrix(y, predicted, labels=["c", "b", "a"])
    np.testing.assert_array_equal(found, [[1, 0, 0], [0, 0, 1], [1, 0, 1]])


def from_counts(counts: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Truth and prediction with this confusion matrix."""
    flat = np.array(counts)
    y, predicted = np.divmod(np.repeat(np.arange(flat.size), flat.ravel()), len(flat))
    return y, predicted


FOUR = [[13, 2, 2, 3], [1, 25, 4, 0], [0, 0, 40, 0], [2, 0, 1, 7]]


def test_four_classes_by_hand():
    y, predicted = from_counts(FOUR)
    assert classes.accuracy(y, predicted) == pytest.approx(0.85)
    assert classes.balanced_accuracy(y, predicted) == pytest.approx(0.795833, abs=1e-6)
    assert classes.cohen_kappa(y, predicted) == pytest.approx(0.782293, abs=1e-6)
    assert classes.matthews(y, predicted) == pytest.approx(0.786698, abs=1e-6)
    assert classes.f_score(y, predicted) == pytest.approx(0.804739, abs=1e-6)
    counts = classes.binary_counts(classes.confusion_matrix(y, predicted))
    assert [v[2] for v in counts] == [40, 0, 7, 53]
    each = classes.precision(y, predicted, average="none")
    np.testing.assert_allclose(each, [0.8125, 0.9259, 0.8511, 0.7], atol=1e-4)
    each = classes.specificity(y, predicted, average="none")
    np.testing.assert_allclose(each, [0.9625, 0.9714, 0.8833, 0.9667], atol=1e-4)


def test_costs_stand_in_the_row_of_the_true_class():
    """A missed row of the second class costs 10, any other error 1: 0.60, the other way 0.33."""
    y, predicted = from_counts(FOUR)
    costs = 1.0 - np.eye(4)
    costs[1] *= 10.0
    fit = SimpleNamespace(classes=np.arange(4), costs=costs, predict=lambda X: predicted)
    assert mean_cost(fit, y[:, None], y) == pytest.approx(0.60)
    fit.costs = costs.T
    assert mean_cost(fit, y[:, None], y) == pytest.approx(0.33)


@pytest.mark.parametrize(("apart", "area"), [(1, 0.760250), (2, 0.921350), (3, 0.983053)])
def test_the_auc_of_two_bell_curves(apart, area):
    """Phi(apart / sqrt 2), of quantiles in place of draws."""
    z = stats.norm.ppf((np.arange(2000) + 0.5) / 2000)
    scores = np.concatenate([z, z + apart])
    assert ranking.roc_auc(np.repeat([0, 1], 2000), scores) == pytest.approx(area, abs=2e-4)


def test_counts_of_one_class_against_the_rest():
    y, predicted = from_counts([[5, 2, 0], [1, 6, 3], [0, 0, 4]])
    c = classes.binary_counts(classes.confusion_matrix(y, predicted))
    assert [v.tolist() for v in c] == [[5, 6, 4], [2, 4, 0], [1, 2, 3], [13, 9, 14]]
    specificity = classes.specificity(y, predicted, average="none")
    np.testing.assert_allclose(specificity, [13 / 14, 9 / 11, 14 / 17])


def test_the_report_has_a_line_for_each_class():
    y, predicted = from_counts([[5, 2, 0], [1, 6, 3], [0, 0, 4]])
    scores = np.eye(3)[predicted]
    lines = by_class.class_report(y, predicted, scores)
    assert [line.n for line in lines] == [7, 10, 4]
    assert lines[1].recall == pytest.approx(0.6)
    assert lines[1].precision == pytest.approx(0.75)
    assert lines[0].auc == pytest.approx(sk.roc_auc_score(y == 0, scores[:, 0]))
    assert isnan(by_class.class_report(y, predicted)[0].auc)


def test_what_is_undefined_is_nan():
    one = np.zeros(5, dtype=int)
    assert classes.matthews(one, one) == 0
    assert isnan(classes.cohen_kappa(one, one))
    assert isnan(ranking.roc_auc(one, np.arange(5.0)))
    assert isnan(ranking.average_precision(one, np.arange(5.0)))
    assert np.isnan(ranking.roc_curve(one, np.arange(5.0)).y).all()
    assert isnan(numbers.r2([2.0, 2.0], [1.0, 2.0]))
    assert isnan(numbers.r2([2.0], [1.0]))


@pytest.mark.parametrize(
    "call",
    [
        lambda: classes.accuracy([1, 2], [1]),
        lambda: classes.accuracy([], []),
        lambda: classes.accuracy([1, 2], [1, 2], weights=[1.0]),
        lambda: ranking.roc_auc([0, 1], [0.1, nan]),
        lambda: ranking.log_loss([0, 2], [[0.5, 0.5], [0.5, 0.5]]),
        lambda: ranking.roc_auc([0, 1, 2], np.zeros((3, 2)), labels=[0, 1, 2]),
    ],
)
def test_arrays_that_do_not_fit_together_are_refused(call):
    with pytest.raises(DataError):
        call()


def test_unknown_words_are_refused():
    with pytest.raises(ParamError, match="average must be one of"):
        classes.recall([0, 1], [0, 1], average="mean")
    with pytest.raises(ParamError, match="normalise must be one of"):
        classes.confusion_matrix([0, 1], [0, 1], normalise="rows")


def ranked(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels 0 and 1, scores with many ties, weights."""
    rng = np.random.default_rng(seed)
    y = (rng.random(150) < 0.3).astype(int)
    return y, np.round(rng.normal(size=150) + y, 1), rng.integers(1, 5, 150) / 2


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_measures_of_rankings(seed, weighted):
    y, scores, w = ranked(seed)
    w = w if weighted else None
    wanted = sk.roc_auc_score(y, scores, sample_weight=w)
    assert ranking.roc_auc(y, scores, weights=w) == pytest.approx(wanted, abs=1e-12)
    wanted = sk.average_precision_score(y, scores, sample_weight=w)
    assert ranking.average_precision(y, scores, weights=w) == pytest.approx(wanted, abs=1e-12)
    x, high, cuts = sk.roc_curve(y, scores, sample_weight=w, drop_intermediate=False)
    found = ranking.roc_curve(y, scores, weights=w)
    for ours, theirs in zip(found, (x, high, cuts), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)
    precision, recall, cuts = sk.precision_recall_curve(y, scores, sample_weight=w)
    curve = ranking.pr_curve(y, scores, weights=w)
    np.testing.assert_allclose(curve.x[1:], recall[-2::-1], atol=1e-12)
    np.testing.assert_allclose(curve.y[1:], precision[-2::-1], atol=1e-12)
    np.testing.assert_allclose(curve.cuts[1:], cuts[::-1])


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("seed", SEEDS)
def test_measures_of_probabilities(seed, k):
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.ones(k), 120)
    P[0] = np.eye(k)[0]
    y = np.array([rng.choice(k, p=row) for row in P])
    w = rng.random(120)
    found = ranking.log_loss(y, P, weights=w)
    assert found == pytest.approx(sk.log_loss(y, P, sample_weight=w), abs=1e-12)
    wanted = sk.brier_score_loss(y, P, sample_weight=w, scale_by_half=False)
    assert ranking.brier_score(y, P, weights=w) == pytest.approx(wanted, abs=1e-12)
    if k == 2:
        wanted = sk.brier_score_loss(y, P[:, 1])
        assert ranking.brier_score(y, P[:, 1]) == pytest.approx(wanted, abs=1e-12)
    else:
        wanted = sk.roc_auc_score(y, P, multi_class="ovr")
        assert ranking.roc_auc(y, P) == pytest.approx(wanted, abs=1e-12)


def test_six_scores_by_hand():
    y, scores = [1, 1, 0, 1, 0, 0], np.array([0.9, 0.8, 0.7, 0.6, 0.4, 0.3])
    assert ranking.roc_auc(y, scores) == pytest.approx(8 / 9)
    assert ranking.average_precision(y, scores) == pytest.approx(0.916667, abs=1e-6)
    assert ranking.brier_score(y, scores) == pytest.approx(0.158333, abs=1e-6)
    assert ranking.log_loss(y, scores) == pytest.approx(0.485134, abs=1e-6)


def test_four_scores_by_hand_and_scores_that_are_all_equal():
    y, scores = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    assert ranking.roc_auc(y, scores) == pytest.approx(0.75)
    assert ranking.average_precision(y, scores) == pytest.approx(0.833333, abs=1e-6)
    assert ranking.roc_auc(y, np.zeros(4)) == 0.5
    assert ranking.average_precision([0, 0, 0, 1], np.zeros(4)) == 0.25


@given(st.lists(st.tuples(st.booleans(), st.integers(-3, 3)), min_size=2, max_size=30))
def test_auc_is_a_matter_of_order_alone(rows):
    y, scores = (np.array(column) for column in zip(*rows, strict=True))
    area = ranking.roc_auc(y, scores)
    np.testing.assert_allclose(ranking.roc_auc(y, np.exp(scores) * 7), area)
    np.testing.assert_allclose(ranking.roc_auc(y, -scores), 1 - area)
    np.testing.assert_allclose(ranking.roc_auc(~y, scores), 1 - area)


def test_more_negatives_leave_the_roc_curve_and_change_precision():
    y, scores, _ = ranked(0)
    both, again = np.append(y, y[y == 0]), np.append(scores, scores[y == 0])
    assert ranking.roc_auc(both, again) == pytest.approx(ranking.roc_auc(y, scores))
    assert ranking.average_precision(both, again) < ranking.average_precision(y, scores)


NUMBER_PARITY = [
    (numbers.mse, sk.mean_squared_error),
    (numbers.rmse, sk.root_mean_squared_error),
    (numbers.mae, sk.mean_absolute_error),
    (numbers.r2, sk.r2_score),
    (numbers.explained_variance, sk.explained_variance_score),
    (numbers.median_ae, sk.median_absolute_error),
]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("ours", "theirs"), NUMBER_PARITY, ids=[o.__name__ for o, _ in NUMBER_PARITY]
)
def test_measures_of_numbers(ours, theirs, weighted):
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        y = rng.normal(50, 10, 81)
        predicted, w = y + rng.normal(1, 3, 81), rng.integers(0, 3, 81)
        w = w if weighted else None
        wanted = theirs(y, predicted, sample_weight=w)
        assert ours(y, predicted, weights=w) == pytest.approx(wanted, rel=1e-12)


def test_four_predictions_by_hand():
    y, predicted = (3, -0.5, 2, 7), (2.5, 0, 2, 8)
    found = numbers.regression_scores(y, predicted)
    assert found["r2"] == pytest.approx(0.948608, abs=1e-6)
    assert (found["mse"], found["mae"], found["max_error"]) == (0.375, 0.5, 1.0)


@pytest.mark.parametrize("seed", SEEDS)
def test_adjusted_rand_and_silhouettes(seed):
    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(90, 3)) + 1e3, rng.integers(0, 4, 90)
    labels[:1] = 7  # alone in its group
    other = np.where(rng.random(90) < 0.5, labels, rng.integers(0, 3, 90))
    wanted = sk.adjusted_rand_score(labels, other)
    assert groups.adjusted_rand(labels, other) == pytest.approx(wanted, abs=1e-12)
    wanted = sk.silhouette_samples(X, labels)
    np.testing.assert_allclose(groups.silhouette_samples(X, labels), wanted, atol=1e-10)


def test_silhouettes_do_not_depend_on_the_size_of_a_block(monkeypatch):
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(57, 2)), rng.integers(0, 3, 57)
    whole = groups.silhouette_samples(X, labels)
    monkeypatch.setattr(groups, "BLOCK_VALUES", 300)
    np.testing.assert_allclose(groups.silhouette_samples(X, labels), whole, atol=1e-12)


def test_silhouettes_of_wide_rows_are_those_of_the_reference():
    rng = np.random.default_rng(1)
    X, labels = rng.normal(size=(80, 40)) + 1e3, rng.integers(0, 3, 80)
    X[40:] = X[:40]  # rows twice, whose distance is zero
    # Of exact distances: its own lose digits so far from the origin.
    wanted = sk.silhouette_samples(cdist(X, X), labels, metric="precomputed")
    np.testing.assert_allclose(groups.silhouette_samples(X, labels), wanted, atol=1e-7)


def test_silhouettes_without_a_second_group_and_of_noise():
    X = np.arange(6.0)[:, None]
    assert np.isnan(groups.silhouette_samples(X, np.zeros(6, dtype=int))).all()
    widths = groups.silhouette_samples(X, [0, 0, 0, 1, 1, -1])
    assert isnan(widths[-1])
    np.testing.assert_allclose(widths[:5], sk.silhouette_samples(X[:5], [0, 0, 0, 1, 1]))
    equal = groups.silhouette_samples(np.zeros((4, 2)), [0, 0, 1, 1])
    np.testing.assert_array_equal(equal, 0)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=25))
def test_adjusted_rand_is_symmetric_and_blind_to_names(rows):
    a, b = (np.array(column) for column in zip(*rows, strict=True))
    found = groups.adjusted_rand(a, b)
    np.testing.assert_allclose(groups.adjusted_rand(b, a), found, atol=1e-12)
    np.testing.assert_allclose(groups.adjusted_rand(5 - a, b * 10), found, atol=1e-12)
    assert groups.adjusted_rand(a, a) == 1
    assert found <= 1


def test_rss_is_least_at_the_means():
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(40, 2)), rng.integers(0, 3, 40)
    means = np.array([X[labels == k].mean(axis=0) for k in range(3)])
    least = groups.rss(X, labels)
    assert groups.rss(X, labels, means) == pytest.approx(least)
    assert groups.rss(X, labels, means + 0.1) > least
    assert groups.rss(X, np.append(-1, labels[1:])) < least


def test_the_nearest_center_is_found_far_from_the_origin():
    rng = np.random.default_rng(0)
    X, centers = rng.normal(size=(50, 2)) + 1e8, rng.normal(size=(4, 2)) + 1e8
    labels, squares = groups.nearest(X, centers)
    wanted = ((X[:, None] - centers) ** 2).sum(axis=2)
    np.testing.assert_array_equal(labels, wanted.argmin(axis=1))
    np.testing.assert_allclose(squares, wanted.min(axis=1), rtol=1e-6)


def test_no_measure_warns():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        by_class.class_report([0, 0, 1], [0, 0, 0], np.zeros((3, 2)))
        ranking.pr_curve([0, 0], [1.0, 2.0])
