"""Several classes or outputs by several fits of one method against scikit-learn's wrappers."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from sklearn import linear_model as peer
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
from sklearn.multioutput import MultiOutputRegressor as TheirOutputs
from sklearn.naive_bayes import GaussianNB

from benchmarks.pairs import Pair
from mlcore.classification.costs import PerClass
from mlcore.classification.decision_rule import DecisionRule
from mlcore.classification.logistic import LogisticRegression
from mlcore.classification.multiclass import Multiclass
from mlcore.classification.multiclass_codes import ErrorCorrecting
from mlcore.classification.naive_bayes import NaiveBayes
from mlcore.ensembles.calibrated import Calibrated
from mlcore.evaluation.metrics.ranking import log_loss
from mlcore.regression.multi_output import MultiOutputRegressor

N, P, K = 5000, 20, 10
OURS, THEIRS = LogisticRegression(tol=1e-6), peer.LogisticRegression(solver="newton-cholesky")
MADE: dict[str, tuple[Any, Any]] = {
    "rest": (Multiclass(estimator=OURS), OneVsRestClassifier(THEIRS)),
    "pairs": (
        # pyrefly: ignore[bad-argument-type]  # its name stands for the part
        Multiclass(estimator=OURS, code="one_vs_one", decode="votes"),
        OneVsOneClassifier(THEIRS),
    ),
    "words": (
        Multiclass(estimator=OURS, code=ErrorCorrecting(length=20), decode="margins"),
        OutputCodeClassifier(THEIRS, code_size=2, random_state=0),
    ),
}


@lru_cache(maxsize=1)
def classes() -> tuple[np.ndarray, np.ndarray]:
    """Ten clouds of normal columns that overlap."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, K, N)
    return rng.normal(size=(N, P)) + rng.normal(size=(K, P))[y], y


@lru_cache(maxsize=1)
def outputs() -> tuple[np.ndarray, np.ndarray]:
    """Ten quantities, each a sum of all columns and noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, P))
    return X, X @ rng.normal(size=(P, K)) + rng.normal(size=(N, K))


def _copy(theirs: Any) -> Any:
    """The same settings, not fitted; to a checker `clone` may give a list of them."""
    return clone(theirs)


def multiclass_pair(name: str) -> Pair:
    """Fitting and predicting the same rows; the gap is that of the share of errors."""
    ours, theirs = MADE[name]
    X, y = classes()
    return Pair(
        f"multiclass {name}", f"sklearn.{type(theirs).__name__}", f"{N} x {P}, {K} classes",
        lambda: ours.fit(X, y).predict(X),
        lambda: _copy(theirs).fit(X, y).predict(X),
        lambda a, b: float((a != y).mean() - (b != y).mean()),
    )  # fmt: skip


def outputs_pair() -> Pair:
    """Ridge for each output; the gap is that of the mean squared error."""
    X, Y = outputs()
    return Pair(
        "multi_output", "sklearn.MultiOutputRegressor", f"{N} x {P}, {K} outputs",
        lambda: MultiOutputRegressor().fit(X, Y).predict(X),
        lambda: TheirOutputs(peer.Ridge()).fit(X, Y).predict(X),
        lambda a, b: float(((a - Y) ** 2).mean() - ((b - Y) ** 2).mean()),
    )  # fmt: skip


def costs_pair() -> Pair:
    """One class against nine by a cut; the gap is the share of rows that are called differently."""
    X, y = classes()
    ours = DecisionRule(estimator=OURS, costs=PerClass(values=(1.0, 9.0)))
    cut: Any = 0.1  # to a checker theirs takes only "auto"
    theirs = FixedThresholdClassifier(THEIRS, threshold=cut, response_method="predict_proba")
    return Pair(
        "decision_rule", "sklearn.FixedThresholdClassifier", f"{N} x {P}, 2 classes",
        lambda: ours.fit(X, y == 0).predict(X),
        lambda: _copy(theirs).fit(X, y == 0).predict(X),
        lambda a, b: float((a != b).mean()),
    )  # fmt: skip


def calibrated_pair(way: str) -> Pair:
    """Ten classes on five folds; the gap is that of the log loss of the same rows."""
    X, y = classes()
    ours = Calibrated(estimator=NaiveBayes(), calibration=way)
    theirs = CalibratedClassifierCV(GaussianNB(), method=way, cv=5)
    return Pair(
        f"calibrated {way}", "sklearn.CalibratedClassifierCV", f"{N} x {P}, {K} classes",
        lambda: ours.fit(X, y).probabilities(X),
        lambda: _copy(theirs).fit(X, y).predict_proba(X),
        lambda a, b: log_loss(y, a) - log_loss(y, b),
    )  # fmt: skip


PAIRS = [
    *(multiclass_pair(name) for name in MADE), outputs_pair(), costs_pair(),
    *(calibrated_pair(way) for way in ("sigmoid", "isotonic", "temperature")),
]  # fmt: skip
