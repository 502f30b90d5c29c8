"""Every method as a scikit-learn estimator: its checks, and the tools that people use them in."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_clusterer, is_regressor
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import check_estimator, estimator_checks_generator

from mlcore.clustering.kmeans import KMeans
from mlcore.clustering.starts import GivenPoints, RandomRows
from mlcore.ensembles.gradient_boosting_regression import GradientBoostingRegression
from mlcore.interop.scikit_learn import (
    Adapter,
    Clusterer,
    DensityTransformer,
    Transformer,
    estimator,
)
from mlcore.reduction.pca import PCA
from mlcore.reduction.solvers import Power
from mlcore.regression.ridge import Ridge
from mlcore.spine.errors import MlcoreError
from mlcore.spine.registry import entries
from mlcore.trees.regression_tree import RegressionTree
from tests import sampling

X, Y = load_iris(return_X_y=True)

BASELINE = "a constant answer is worse than scikit-learn asks of a method that learns"
NUMBERING = "which group is number 0 depends on the order of the rows, as in scikit-learn's own"
UNITS = "the threshold of the notes is in kg and cm, and accepts every standardised row"
LOTS = "rows are drawn at random, and of weighted rows there are fewer"
FOLDS = "rows are dealt to folds, and of weighted rows there are fewer"
STEPS = "a row of weight 2 moves the weights once, twice as far, and is not met twice"
ROWS_IN_A_LEAF = "a leaf needs five rows whatever they weigh, and of weighted rows there are fewer"
FEW_A_CLASS = "a covariance of its own needs more rows in each class than there are columns"
DIRECTIONS = "two of ten directions are kept, chosen without a look at the target"
AVERAGED = "a probability is a mean over a latent value that is surer of some rows than of others"
SMOOTHING = (
    "the smoothing is chosen by how many rows there are, and of weighted rows there are fewer"
)
NO_WIDTH = (
    "where the tube has no width, both of a row's multipliers are free: equal to the tolerance"
)
SMALL_CLASS = "the weighted rows of one class are fewer than nu has a solution for"
ONE_COLUMN = "a single column shares no factor with another, and is refused in our own words"
ONE_SEQUENCE = dict.fromkeys(
    ("check_methods_sample_order_invariance", "check_methods_subset_invariance"),
    "the rows are one sequence, and what is said of a row hangs on those beside it",
)
MANY_UNITS = "a map shares the rows of one group among many units"
# check of scikit-learn -> why it fails. Strict: an exception that is not needed fails.
EXCEPTIONS = {
    "constant": {"check_classifiers_train": BASELINE},
    "constant_regression": {"check_regressors_train": BASELINE},
    "membership": {"check_classifiers_train": UNITS},
    "qda": {
        "check_sample_weights_shape": FEW_A_CLASS,
        "check_sample_weights_not_overwritten": FEW_A_CLASS,
        "check_sample_weight_equivalence_on_dense_data": FEW_A_CLASS,
    },
    "perceptron": {"check_sample_weight_equivalence_on_dense_data": STEPS},
    "bagging": {"check_sample_weight_equivalence_on_dense_data": LOTS},
    "bagging_regression": {"check_sample_weight_equivalence_on_dense_data": LOTS},
    "calibrated_classifier": {"check_sample_weight_equivalence_on_dense_data": FOLDS},
    "stacking": {"check_sample_weight_equivalence_on_dense_data": FOLDS},
    "stacking_regression": {"check_sample_weight_equivalence_on_dense_data": FOLDS},
    "random_forest": {"check_sample_weight_equivalence_on_dense_data": LOTS},
    "random_forest_regression": {"check_sample_weight_equivalence_on_dense_data": LOTS},
    "extra_trees_regression": {"check_sample_weight_equivalence_on_dense_data": ROWS_IN_A_LEAF},
    "kmeans": {"check_sample_weight_equivalence_on_dense_data": NUMBERING},
    "kernel_kmeans": {"check_sample_weight_equivalence_on_dense_data": NUMBERING},
    "soft_kmeans": {"check_sample_weight_equivalence_on_dense_data": NUMBERING},
    "gaussian_mixture": {"check_sample_weight_equivalence_on_dense_data": NUMBERING},
    "generalised_additive": {"check_sample_weight_equivalence_on_dense_data": SMOOTHING},
    "pcr": {"check_regressors_train": DIRECTIONS},
    "probabilistic_pca": {"check_fit2d_1feature": ONE_COLUMN},
    "cca": {"check_fit2d_1feature": ONE_COLUMN},
    "gp_classification": {"check_decision_proba_consistency": AVERAGED},
    "som": {"check_clustering": MANY_UNITS},
    "hmm": ONE_SEQUENCE,
    "markov_chain": ONE_SEQUENCE,
    "nu_svc": {"check_sample_weight_equivalence_on_dense_data": SMALL_CLASS},
    "nu_svr": {"check_sample_weight_equivalence_on_dense_data": NO_WIDTH},
}
# What only repeats is done fewer times, and settings are taken as given where they can be learned:
# each method is fitted some fifty times.
FEWER = {"method__n_estimators": 10, "method__learn": "none", "method__budget": 10}
MEMBERS = (Ridge(), RegressionTree(), GradientBoostingRegression(n_estimators=10))
NEEDS_A_SWITCH = {"check_array_api_input"}  # skipped unless scipy is told to, before its import


def quick(name: str) -> Adapter:
    """The estimator of a method with few members."""
    made = estimator(name)
    if name == "stacking_regression":
        return made.set_params(method__estimators=MEMBERS)
    return made.set_params(**{k: n for k, n in FEWER.items() if k in made.get_params()})


# What the adapter does for every method alike: the first method of each adapter is asked that. How
# methods take such rows (integers, other orders in memory, read-only, infinite) is in our contract.
OF_THE_ADAPTER = {
    "check_classifier_data_not_an_array",
    "check_complex_data",
    "check_dict_unchanged",
    "check_dont_overwrite_parameters",
    "check_dtype_object",
    "check_estimator_cloneable",
    "check_estimator_repr",
    "check_estimator_sparse_array",
    "check_estimator_sparse_matrix",
    "check_estimators_dtypes",
    "check_estimators_fit_returns_self",
    "check_estimators_nan_inf",
    "check_estimators_overwrite_params",
    "check_estimators_pickle",
    "check_estimators_unfitted",
    "check_f_contiguous_array_estimator",
    "check_fit2d_predict1d",
    "check_fit_check_is_fitted",
    "check_fit_score_takes_y",
    "check_get_params_invariance",
    "check_n_features_in",
    "check_n_features_in_after_fitting",
    "check_pipeline_consistency",
    "check_positive_only_tag_during_fit",
    "check_readonly_memmap_input",
    "check_regressor_data_not_an_array",
    "check_sample_weights_list",
    "check_sample_weights_not_an_array",
    "check_sample_weights_pandas_series",
    "check_set_params",
    "check_transformer_data_not_an_array",
    "check_transformer_preserve_dtypes",
}


@cache
def first_of_each_adapter() -> set[str]:
    """A method of each way to be an estimator, the one that comes first."""
    found: dict[type, str] = {}
    for name in entries("method"):
        found.setdefault(type(quick(name)), name)
    return set(found.values())


def name_of(check: Any) -> str:
    return getattr(check, "func", check).__name__


@pytest.mark.parametrize("name", sampling.some(entries("method"), 3, "estimators"))
def test_scikit_learn_is_satisfied(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    is_asked_all = name in first_of_each_adapter()

    def asked(*given: Any, **how: Any) -> Iterator[tuple[Any, Any]]:
        for made, check in estimator_checks_generator(*given, **how):
            if is_asked_all or name_of(check) not in OF_THE_ADAPTER:
                yield made, check

    monkeypatch.setattr(estimator_checks, "estimator_checks_generator", asked)
    expected = EXCEPTIONS.get(name, {})
    results = check_estimator(
        quick(name), expected_failed_checks=expected, on_fail=None, on_skip=None
    )
    by_status: dict[str, set[str]] = {}
    for result in results:
        by_status.setdefault(result["status"], set()).add(result["check_name"])
    failures = [(r["check_name"], r["exception"]) for r in results if r["status"] == "failed"]
    assert failures == []
    assert by_status.get("xfail", set()) == set(expected)
    assert by_status.get("skipped", set()) <= NEEDS_A_SWITCH
    assert len(by_status["passed"]) > (30 if is_asked_all else 8)


def test_every_check_of_the_adapter_is_asked_of_some_method() -> None:
    asked = {
        name_of(check)
        for name in first_of_each_adapter()
        for _, check in estimator_checks_generator(quick(name))
    }
    assert asked >= OF_THE_ADAPTER
    assert not {check for each in EXCEPTIONS.values() for check in each} & OF_THE_ADAPTER


def test_the_adapter_follows_what_the_method_does() -> None:
    assert is_clusterer(estimator("kmeans"))
    assert isinstance(estimator("pca"), Transformer)
    assert isinstance(estimator("probabilistic_pca"), DensityTransformer)
    assert hasattr(estimator("probabilistic_pca"), "score_samples")
    assert is_regressor(estimator("constant_regression"))
    assert is_classifier(estimator("constant"))
    assert hasattr(estimator("kmeans"), "predict")
    assert not hasattr(estimator("kmeans"), "transform")
    assert not hasattr(estimator("pca"), "predict")
    assert hasattr(estimator("constant"), "predict_proba")
    assert not hasattr(estimator("constant"), "decision_function")


def test_a_map_of_the_fitted_rows_gives_their_places_and_no_others() -> None:
    placed = estimator("tsne").set_params(method__max_iter=20)
    assert not hasattr(placed, "transform")
    places = placed.fit_transform(X)
    assert places.shape == (150, 2)
    np.testing.assert_array_equal(places, placed.embedding_)


def test_detectors_score_rows_as_theirs_do() -> None:
    method = entries("novelty")["local_outlier_factor"]()
    ours, theirs = method.fit(X[:100]), estimator(method).fit(X[:100])
    np.testing.assert_array_equal(theirs.predict(X), ours.predict(X))
    np.testing.assert_array_equal(theirs.decision_function(X), ours.usualness(X) - ours.threshold)
    assert theirs.offset_ == ours.threshold
    assert not is_clusterer(theirs)


def test_results_are_those_of_the_method() -> None:
    method = KMeans(n_clusters=4, n_init=2)
    ours, theirs = method.fit(X, seed=9), estimator(method, random_state=9).fit(X)
    np.testing.assert_array_equal(theirs.labels_, ours.labels)
    np.testing.assert_array_equal(theirs.fit_predict(X), ours.labels)
    Z = estimator(PCA(n_components=2)).fit_transform(X)
    np.testing.assert_array_equal(Z, PCA(n_components=2).fit(X).transform(X))
    weights = np.arange(150.0)
    weighted = estimator(method).fit(X, sample_weight=weights)
    np.testing.assert_array_equal(weighted.labels_, method.fit(X, weights=weights).labels)


def test_settings_are_listed_and_set_however_deep() -> None:
    method = PCA(solver=Power(tol=1e-6))
    adapter = estimator(method)
    assert adapter.method is method
    listed = adapter.get_params()
    assert (listed["method__n_components"], listed["method__solver__tol"]) == (None, 1e-6)
    assert set(adapter.get_params(deep=False)) == {"method", "random_state"}
    adapter.set_params(method__solver__max_iter=7, method__n_components=2)
    assert adapter.method == PCA(n_components=2, solver=Power(tol=1e-6, max_iter=7))
    assert method == PCA(solver=Power(tol=1e-6))
    adapter.set_params(method__solver__max_iter=9, method__solver="power")
    assert adapter.method.solver == Power(max_iter=9)
    adapter.set_params(method=PCA(), random_state=3)
    assert (adapter.method, adapter.random_state) == (PCA(), 3)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("method__n_clusters", 0, "k-means: n_clusters must be at least 1; got 0."),
        ("method__k", 3, "Invalid parameter 'k' of k-means; it has n_clusters, init"),
        ("method__init__k", 3, "Invalid parameter 'k' of k-means\\+\\+"),
        ("k", 3, "Invalid parameter 'k'"),
    ],
)
def test_wrong_settings_are_refused(name: str, value: object, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        estimator("kmeans").set_params(**{name: value})


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(MlcoreError, match="Did you mean 'kmeans'"):
        estimator("kmean")


def test_clone_and_pickle_keep_everything() -> None:
    adapter = estimator(KMeans(init=RandomRows(), n_init=3), random_state=4).fit(X)
    twin = clone(adapter)
    assert isinstance(twin, Clusterer)
    assert twin.method == adapter.method
    assert not hasattr(twin, "fit_")
    back = pickle.loads(pickle.dumps(adapter))
    np.testing.assert_array_equal(back.predict(X), adapter.predict(X))


def test_a_pipeline_in_a_grid_search() -> None:
    steps = make_pipeline(StandardScaler(), estimator("pca"))
    grid = {"transformer__method__n_components": [1, 2, 3]}
    search = GridSearchCV(steps, grid, scoring=_kept, cv=3).fit(X)
    assert search.best_params_ == {"transformer__method__n_components": 3}
    names = search.best_estimator_[-1].get_feature_names_out()
    assert list(names) == ["PC1", "PC2", "PC3"]


def _kept(model: Any, rows: np.ndarray, y: object = None) -> float:
    """Minus the squared error of the reconstruction."""
    back = model.inverse_transform(model.transform(rows))
    return -float(((rows - back) ** 2).mean())


def test_a_grid_over_parts_and_their_settings() -> None:
    start = tuple(X[[0, 60, 120]].ravel())
    grid = {"method__init": ["random", GivenPoints(values=start)], "method__n_init": [1]}
    search = GridSearchCV(estimator(KMeans()), grid, scoring=_compact, cv=3).fit(X)
    assert search.best_estimator_.method.n_clusters == 3


def _compact(model: Any, rows: np.ndarray, y: object = None) -> float:
    """Minus the mean squared distance to the nearest center."""
    centers = model.fit_.centers[model.predict(rows)]
    return -float(((rows - centers) ** 2).mean())


def test_cross_validation_of_a_classifier() -> None:
    names = np.array(["setosa", "versicolor", "virginica"])[Y]
    assert cross_val_score(estimator("lda"), X, names, cv=3).min() > 0.9


def test_a_random_state_may_be_none_or_a_generator() -> None:
    method = KMeans(n_clusters=7, n_init=1)
    first = estimator(method, random_state=None).fit(X).labels_  # type: ignore[arg-type]
    np.testing.assert_array_equal(first, method.fit(X, seed=0).labels)
    drawn = [
        estimator(method, random_state=np.random.RandomState(5)).fit(X).labels_  # type: ignore
        for _ in range(2)
    ]
    np.testing.assert_array_equal(*drawn)
