"""What a fitted method is judged by, on rows that it has not seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mlcore.capabilities import GivesDecision, GivesProbabilities
from mlcore.component import Card, Component, enter, lookup
from mlcore.errors import DataError
from mlcore.evaluation.metrics import classes, numbers, ranking
from mlcore.evaluation.metrics.groups import nearest


class Metric(NamedTuple):
    """One measure of a scoring: the name in tables, what it is called, which way is better."""

    name: str
    title: str
    better: str  # "higher" or "lower"
    note: str


class Scored(NamedTuple):
    """The measures on some rows, and what they were computed from."""

    scores: dict[str, float]
    predictions: np.ndarray | None = None  # (m,)
    probabilities: np.ndarray | None = None  # (m, K) in order of all classes


@dataclass(frozen=True, kw_only=True)
class Scoring(Component):
    """Judges a fit by rows; a measure that these rows leave undefined is NaN."""

    def metrics(self) -> tuple[Metric, ...]:
        """What is measured; tables sort by the first and tests compare it."""
        raise NotImplementedError(f"{type(self).__name__} declares no metrics")

    def scored(self, fit: Any, X: np.ndarray, y: np.ndarray | None, n_classes: int = 0) -> Scored:
        """The measures of a fit on prepared rows X, shape (m, p), with the truth y, shape (m,)."""
        raise NotImplementedError(f"{type(self).__name__} declares no scores")

    def baseline_of(self, method: Component) -> Component:
        """The simplest thing that could be done in place of `method`."""
        raise NotImplementedError(f"{type(self).__name__} declares no baseline")


@enter(Card("classification_scores", "Scores of classification", ("scoring",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class ClassificationScores(Scoring):
    """Accuracy and its companions; probabilities and rankings where the method gives them."""

    def metrics(self) -> tuple[Metric, ...]:
        """Accuracy first."""
        return (
            Metric("accuracy", "Accuracy", "higher", "Share of rows predicted right."),
            Metric(
                "balanced_accuracy",
                "Balanced accuracy",
                "higher",
                "Mean share found over the classes: rare ones count as much as common ones.",
            ),
            Metric("f_score", "F score", "higher", "Mean over the classes of their F1 score."),
            Metric(
                "matthews",
                "Matthews correlation",
                "higher",
                "Correlation of true and predicted class: 0 is chance, 1 perfect.",
            ),
            Metric("log_loss", "Log loss", "lower", "Mean of -ln p(true class), in nats."),
            Metric(
                "brier_score",
                "Brier score",
                "lower",
                "Squared distance of the probabilities from the truth, summed over classes.",
            ),
            Metric(
                "roc_auc",
                "AUC",
                "higher",
                "Chance that a row of a class is ranked above one of another; mean over classes.",
            ),
        )

    def scored(self, fit: Any, X: np.ndarray, y: np.ndarray | None, n_classes: int = 0) -> Scored:
        """The measures; `y` holds codes 0 .. n_classes - 1, of which the fit may lack some."""
        y = _target(y, self.title())
        predicted = np.asarray(fit.predict(X))
        scores = {
            "accuracy": classes.accuracy(y, predicted),
            "balanced_accuracy": classes.balanced_accuracy(y, predicted),
            "f_score": classes.f_score(y, predicted),
            "matthews": classes.matthews(y, predicted),
        }
        P = None
        if isinstance(fit, GivesProbabilities):
            P = aligned(_finite(fit.probabilities(X), self.title()), fit.classes, n_classes)
            scores["log_loss"] = ranking.log_loss(y, P)
            scores["brier_score"] = ranking.brier_score(y, P)
        scores["roc_auc"] = _auc(fit, X, y, P, n_classes)
        return Scored(_complete(scores, self), predicted, P)

    def baseline_of(self, method: Component) -> Component:
        """The class that is most frequent in the training rows, whatever the columns say."""
        return lookup("classification", "constant")()


def aligned(P: np.ndarray, found: Any, n_classes: int) -> np.ndarray:
    """Probabilities with a column for each of `n_classes`; 0 for those that the fit never saw."""
    whole = np.zeros((len(P), n_classes))
    whole[:, np.asarray(found, dtype=int)] = P
    return whole


def _auc(fit: Any, X: np.ndarray, y: np.ndarray, P: np.ndarray | None, n_classes: int) -> float:
    """Area under the ROC curve by probabilities, else by the decision function, else NaN."""
    ranks = P
    if ranks is None:
        if not isinstance(fit, GivesDecision):
            return float("nan")
        decision = _finite(fit.decision(X), "The ranking")
        if decision.ndim == 1:
            decision = np.column_stack([-decision, decision])
        # A class that the fit never saw ranks every row the same.
        ranks = aligned(decision, fit.classes, n_classes)
    return ranking.roc_auc(y == 1, ranks[:, 1]) if n_classes == 2 else ranking.roc_auc(y, ranks)


@enter(Card("regression_scores", "Scores of regression", ("scoring",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class RegressionScores(Scoring):
    """How far predictions are from the truth."""

    def metrics(self) -> tuple[Metric, ...]:
        """Root mean squared error first."""
        return (
            Metric("rmse", "RMSE", "lower", "Root mean squared error, in units of the target."),
            Metric("mae", "MAE", "lower", "Mean absolute error, in units of the target."),
            Metric(
                "median_ae",
                "Median error",
                "lower",
                "Median absolute error, in units of the target.",
            ),
            Metric("max_error", "Largest error", "lower", "In units of the target."),
            Metric("r2", "R²", "higher", "1 is perfect, 0 as good as the mean of these rows."),
        )

    def scored(self, fit: Any, X: np.ndarray, y: np.ndarray | None, n_classes: int = 0) -> Scored:
        """The measures; R² of a single row or a constant target is NaN."""
        y = _target(y, self.title())
        predicted = _finite(fit.predict(X), self.title())
        measures: tuple[Callable[..., float], ...] = (
            numbers.rmse, numbers.mae, numbers.median_ae, numbers.max_error, numbers.r2,
        )  # fmt: skip
        return Scored({f.__name__: f(y, predicted) for f in measures}, predicted)

    def baseline_of(self, method: Component) -> Component:
        """The mean of the training rows' target, whatever the columns say."""
        return lookup("regression", "constant_regression")()


@enter(
    Card(
        "distortion",
        "Distortion",
        ("scoring",),
        sources=("cs1:vq_distortion", "cs2:vq_distortion"),
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class Distortion(Scoring):
    """Mean squared distance of rows to the nearest center."""

    def metrics(self) -> tuple[Metric, ...]:
        """The distortion alone."""
        note = "Mean squared distance to the nearest center, in the prepared coordinates."
        return (Metric("distortion", "Distortion", "lower", note),)

    def scored(self, fit: Any, X: np.ndarray, y: np.ndarray | None, n_classes: int = 0) -> Scored:
        """The distortion, and the nearest center of each row."""
        labels, squares = nearest(X, fit.centers)
        return Scored({"distortion": float(squares.mean())}, labels)

    def baseline_of(self, method: Component) -> Component:
        """One center: the mean of the training rows."""
        return lookup("clustering", "kmeans")(n_clusters=1)


@enter(Card("reconstruction", "Reconstruction", ("scoring",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class Reconstruction(Scoring):
    """How much of a row survives the way to the new coordinates and back."""

    def metrics(self) -> tuple[Metric, ...]:
        """The squared error first."""
        return (
            Metric(
                "reconstruction_error",
                "Reconstruction error",
                "lower",
                "Mean squared distance between a row and its reconstruction, summed over columns.",
            ),
            Metric(
                "variance_kept",
                "Variance kept",
                "higher",
                "1 - error / mean squared distance of these rows from their mean.",
            ),
        )

    def scored(self, fit: Any, X: np.ndarray, y: np.ndarray | None, n_classes: int = 0) -> Scored:
        """Both measures; the share is NaN for rows that are all the same."""
        back = _finite(fit.inverse_transform(fit.transform(X)), self.title())
        error = float(((X - back) ** 2).sum(axis=1).mean())
        total = float(((X - X.mean(axis=0)) ** 2).sum(axis=1).mean())
        kept = 1 - error / total if total > 0 else float("nan")
        return Scored({"reconstruction_error": error, "variance_kept": kept})

    def baseline_of(self, method: Component) -> Component:
        """No component at all: every row becomes the mean of the training rows."""
        return lookup("baseline", "mean_row")()


def _target(y: np.ndarray | None, who: str) -> np.ndarray:
    if y is None:
        raise DataError(f"{who} need a target to compare with; choose a target column.")
    return y


def _finite(values: Any, who: str) -> np.ndarray:
    """Predictions as an array; DataError where some are not finite: that fold has failed."""
    values = np.asarray(values, dtype=np.float64)
    bad = int((~np.isfinite(values)).sum())
    if bad:
        verb = "prediction is" if bad == 1 else "predictions are"
        raise DataError(f"{who}: {bad} {verb} not finite, so this fold has no score.")
    return values


def _complete(scores: dict[str, float], scoring: Scoring) -> dict[str, float]:
    """Every measure in order, NaN for those that the method does not allow."""
    return {m.name: scores.get(m.name, float("nan")) for m in scoring.metrics()}
