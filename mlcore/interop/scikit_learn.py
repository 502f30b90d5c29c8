"""Any method as a scikit-learn estimator: `estimator(KMeans(n_clusters=4))`.

`method` stays as it was given. Its settings are listed and set as `method__n_clusters`, those of
its parts as `method__kernel__gamma`: frozen components are rebuilt, never changed. scikit-learn
hands on rows and knows no sequences: to a method that takes `lengths` they are a single one.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClusterMixin,
    DensityMixin,
    OutlierMixin,
    RegressorMixin,
    TransformerMixin,
)
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight as checked_weights
from sklearn.utils.validation import check_is_fitted, validate_data

from mlcore.interop.nested import SEPARATOR, rebuilt, settings_of
from mlcore.spine.asking import can, promises
from mlcore.spine.capabilities import (
    GivesDecision,
    GivesDensity,
    GivesProbabilities,
    HasEmbedding,
    HasLabels,
    Inverts,
    JudgesRows,
    Predicts,
    Transforms,
)
from mlcore.spine.method import Method
from mlcore.spine.registry import made


def estimator(method: Method | str, random_state: int = 0) -> Any:
    """The adapter for a method or the name of one, chosen by what it learns and takes."""
    chosen: Any = made("method", method)
    kind = chosen.card.task or ("clustering" if promises(chosen, HasLabels) else "reduction")
    if kind == "clustering" and promises(chosen, Transforms):
        kind = "cluster map"
    if kind == "reduction" and promises(chosen, JudgesRows):
        kind = "novelty"
    if kind == "reduction" and promises(chosen, GivesDensity):
        kind = "density map" if promises(chosen, Transforms) else "density"
    if kind == "reduction" and "target" in chosen.card.takes:
        kind = "supervised reduction"
    elif kind == "reduction" and not promises(chosen, Transforms):
        kind = "places"
    return ADAPTERS[kind, "weights" in chosen.card.takes](chosen, random_state)


def _if_it(capability: type) -> Any:
    """Show a method of the adapter only where the fit has a capability."""
    return available_if(lambda self: promises(self._made(), capability))


class Adapter(BaseEstimator):
    """What all adapters share. `fit_` is the fit of the method."""

    slot = "method"

    def __init__(self, method: Any = "", random_state: int = 0) -> None:
        self.method = method
        self.random_state = random_state

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The method, the seed, and every setting of the method if `deep`."""
        own = {"method": self.method, "random_state": self.random_state}
        return own | (settings_of("method", self._made()) if deep else {})

    def set_params(self, **params: Any) -> Adapter:
        """Set the method, then its settings, outermost first."""
        for name in sorted(params, key=lambda name: name.count(SEPARATOR)):
            self._set(name, params[name])
        return self

    def _set(self, name: str, value: Any) -> None:
        head, _, rest = name.partition(SEPARATOR)
        if head not in ("method", "random_state") or (rest and head != "method"):
            raise ValueError(f"Invalid parameter {name!r}; it must be method, method__... or seed.")
        if rest:
            self.method = rebuilt(self._made(), rest.split(SEPARATOR), value)
        else:
            setattr(self, head, value)

    def _made(self) -> Any:
        return made(self.slot, self.method)

    def _learn(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to checked rows; scikit-learn's own checks have spoken before."""
        method = self._made()
        weights = {}
        if sample_weight is not None:
            weights["weights"] = checked_weights(sample_weight, X, dtype=np.float64)
        self.fit_ = method.fit(X, y, seed=_seed(self.random_state), **weights)
        self.n_iter_ = max(self.fit_.n_iter, 1)
        return self

    def _checked(self, X: Any, y: Any = "no_validation", **more: Any) -> Any:
        allowed = "allow-nan" if self._made().takes_missing() else True
        return validate_data(
            self, X, y, dtype=np.float64, order="C", ensure_all_finite=allowed, **more
        )

    def _rows(self, X: Any) -> np.ndarray:
        check_is_fitted(self, "fit_")
        return self._checked(X, reset=False)

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn asks of an estimator, from the card."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._made().takes_missing()
        return tags


class Classifier(ClassifierMixin, Adapter):
    """A method that predicts classes."""

    slot = "classification"

    def __init__(self, method: Any = "constant", random_state: int = 0) -> None:
        super().__init__(method, random_state)

    def fit(self, X: Any, y: Any) -> Classifier:
        """Fit to rows X, shape (n, p), and labels y of any kind, shape (n,)."""
        return self._fit(X, y)

    def _fit(self, X: Any, y: Any, sample_weight: Any = None) -> Classifier:
        X, y = self._checked(X, y, ensure_min_samples=2)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        return self._learn(X, codes, sample_weight)

    def predict(self, X: Any) -> np.ndarray:
        """The label of each row of X, shape (m,)."""
        rows = self._rows(X)
        return self.classes_[self.fit_.predict(rows)]

    @_if_it(GivesProbabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities in order of `classes_`, shape (m, K)."""
        rows = self._rows(X)
        return self.fit_.probabilities(rows)

    @_if_it(GivesDecision)
    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of which the largest wins, shape (m, K); of two classes (m,), positive for the
        second."""
        rows = self._rows(X)
        return self.fit_.decision(rows)


class Regressor(RegressorMixin, Adapter):
    """A method that predicts a number."""

    slot = "regression"

    def __init__(self, method: Any = "constant_regression", random_state: int = 0) -> None:
        super().__init__(method, random_state)

    def fit(self, X: Any, y: Any) -> Regressor:
        """Fit to rows X, shape (n, p), and numbers y, shape (n,), or (n, q) of several outputs."""
        return self._fit(X, y)

    def _fit(self, X: Any, y: Any, sample_weight: Any = None) -> Regressor:
        several = "outputs" in self._made().card.takes
        X, y = self._checked(X, y, ensure_min_samples=2, y_numeric=True, multi_output=several)
        return self._learn(X, y, sample_weight)

    def predict(self, X: Any) -> np.ndarray:
        """The number for each row of X, shape (m,), or (m, q) of several outputs."""
        rows = self._rows(X)
        return self.fit_.predict(rows)

    def __sklearn_tags__(self) -> Any:
        """Whether it learns several outputs, from the card."""
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = "outputs" in self._made().card.takes
        return tags


class _Transforms(Adapter):
    """What adapters without a target share."""

    def fit(self, X: Any, y: Any = None) -> _Transforms:
        """Fit to rows X, shape (n, p); y is ignored."""
        return self._fit(X)

    def _fit(self, X: Any, sample_weight: Any = None) -> _Transforms:
        self._learn(self._checked(X, ensure_min_samples=2), None, sample_weight)
        if can(self.fit_, HasLabels):
            self.labels_ = self.fit_.labels
        if can(self.fit_, HasEmbedding):
            self.embedding_ = self.fit_.embedding
        return self

    @_if_it(Predicts)
    def predict(self, X: Any) -> np.ndarray:
        """The group of each row of X, shape (m,)."""
        rows = self._rows(X)
        return self.fit_.predict(rows)

    @_if_it(Transforms)
    def transform(self, X: Any) -> np.ndarray:
        """The new coordinates of each row of X, shape (m, q)."""
        rows = self._rows(X)
        return self.fit_.transform(rows)

    @_if_it(Inverts)
    def inverse_transform(self, X: Any) -> np.ndarray:
        """From new coordinates, shape (m, q), back to rows, shape (m, p)."""
        check_is_fitted(self, "fit_")
        return self.fit_.inverse_transform(X)

    @_if_it(Transforms)
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the new coordinates, shape (q,)."""
        check_is_fitted(self, "fit_")
        return np.array([column.name for column in self.fit_.out_columns], dtype=object)


class Clusterer(ClusterMixin, _Transforms):
    """A method that finds groups."""

    slot = "clustering"

    def __init__(self, method: Any = "kmeans", random_state: int = 0) -> None:
        super().__init__(method, random_state)


class ClusterMap(TransformerMixin, Clusterer):
    """A method that finds groups, and gives rows coordinates by them."""

    def __init__(self, method: Any = "som", random_state: int = 0) -> None:
        super().__init__(method, random_state)


class Detector(OutlierMixin, _Transforms):
    """A method that says which rows are usual: 1 for those inside, -1 for those outside."""

    slot = "novelty"

    def __init__(self, method: Any = "novelty_detector", random_state: int = 0) -> None:
        super().__init__(method, random_state)

    @property
    def offset_(self) -> float:
        """The threshold of the score."""
        check_is_fitted(self, "fit_")
        return self.fit_.threshold

    def score_samples(self, X: Any) -> np.ndarray:
        """How usual each row of X is, shape (m,)."""
        rows = self._rows(X)
        return self.fit_.usualness(rows)

    def decision_function(self, X: Any) -> np.ndarray:
        """The score less the threshold, shape (m,): below 0 outside."""
        return self.score_samples(X) - self.offset_


class Density(DensityMixin, _Transforms):
    """A method that says how densely rows lie, and makes no groups of them."""

    slot = "clustering"

    def __init__(self, method: Any = "kernel_density", random_state: int = 0) -> None:
        super().__init__(method, random_state)

    def score_samples(self, X: Any) -> np.ndarray:
        """The logarithm of the density at each row of X, shape (m,)."""
        rows = self._rows(X)
        return self.fit_.log_density(rows)

    def score(self, X: Any, y: Any = None) -> float:
        """The sum of these logarithms; y is ignored."""
        return float(self.score_samples(X).sum())


class DensityTransformer(TransformerMixin, Density):
    """A method that gives new coordinates, and says how densely rows lie."""

    slot = "reduction"

    def __init__(self, method: Any = "probabilistic_pca", random_state: int = 0) -> None:
        super().__init__(method, random_state)


class Transformer(TransformerMixin, _Transforms):
    """A method that gives new coordinates."""

    slot = "reduction"

    def __init__(self, method: Any = "pca", random_state: int = 0) -> None:
        super().__init__(method, random_state)


class Placer(_Transforms):
    """A map of the fitted rows alone: `embedding_`, shape (n, q)."""

    slot = "reduction"

    def __init__(self, method: Any = "tsne", random_state: int = 0) -> None:
        super().__init__(method, random_state)

    @_if_it(HasEmbedding)
    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """Fit to rows X, shape (n, p), and give their places, shape (n, q); y is ignored."""
        return self.fit(X).embedding_


class SupervisedTransformer(Transformer):
    """A map that learns from classes."""

    def __init__(self, method: Any = "metric_learning", random_state: int = 0) -> None:
        super().__init__(method, random_state)

    # pyrefly: ignore[bad-override]  # it cannot do without a target
    def fit(self, X: Any, y: Any) -> SupervisedTransformer:
        """Fit to rows X and labels y of any kind."""
        return self._fit(X, y)

    # pyrefly: ignore[bad-override]  # as above
    def _fit(self, X: Any, y: Any, sample_weight: Any = None) -> SupervisedTransformer:
        X, y = self._checked(X, y, ensure_min_samples=2)
        check_classification_targets(y)
        codes = np.unique(y, return_inverse=True)[1]
        return self._learn(X, codes, sample_weight)

    def __sklearn_tags__(self) -> Any:
        """It cannot do without a target."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


class WeightedSupervisedTransformer(SupervisedTransformer):
    """A map that learns from classes, and whose rows may count differently."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SupervisedTransformer:
        """Fit to rows X, shape (n, p), labels y and weights, both shape (n,)."""
        return self._fit(X, y, sample_weight)


class WeightedClassifier(Classifier):
    """A classifier whose rows may count differently."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Classifier:
        """Fit to rows X, shape (n, p), labels y and weights, both shape (n,)."""
        return self._fit(X, y, sample_weight)


class WeightedRegressor(Regressor):
    """A regressor whose rows may count differently."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Regressor:
        """Fit to rows X, shape (n, p), numbers y and weights, both shape (n,)."""
        return self._fit(X, y, sample_weight)


class WeightedClusterer(Clusterer):
    """A clusterer whose rows may count differently."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> _Transforms:
        """Fit to rows X, shape (n, p), and weights, shape (n,)."""
        return self._fit(X, sample_weight)


class WeightedDensity(Density):
    """A density of rows that may count differently."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> _Transforms:
        """Fit to rows X, shape (n, p), and weights, shape (n,)."""
        return self._fit(X, sample_weight)


class WeightedDetector(Detector):
    """A detector whose rows may count differently."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> _Transforms:
        """Fit to rows X, shape (n, p), and weights, shape (n,)."""
        return self._fit(X, sample_weight)


class WeightedTransformer(Transformer):
    """A map whose rows may count differently."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> _Transforms:
        """Fit to rows X, shape (n, p), and weights, shape (n,)."""
        return self._fit(X, sample_weight)


ADAPTERS: dict[tuple[str, bool], type[Adapter]] = {
    ("classification", False): Classifier,
    ("classification", True): WeightedClassifier,
    ("regression", False): Regressor,
    ("regression", True): WeightedRegressor,
    ("clustering", False): Clusterer,
    ("clustering", True): WeightedClusterer,
    ("cluster map", False): ClusterMap,
    ("novelty", False): Detector,
    ("novelty", True): WeightedDetector,
    ("density", False): Density,
    ("density", True): WeightedDensity,
    ("density map", False): DensityTransformer,
    ("reduction", False): Transformer,
    ("places", False): Placer,
    ("supervised reduction", False): SupervisedTransformer,
    ("supervised reduction", True): WeightedSupervisedTransformer,
    ("reduction", True): WeightedTransformer,
}


def _seed(random_state: Any) -> Any:
    """A seed: 0 for None, so that two fits are equal; drawn from a generator where one is given."""
    if random_state is None:
        return 0
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    return random_state
