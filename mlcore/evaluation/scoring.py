"""What a fitted method is judged by: on test rows, on the training rows, over resamples."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import nan
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mlcore.evaluation.metrics import classes, numbers, ranking
from mlcore.evaluation.metrics.groups import nearest
from mlcore.evaluation.metrics.metric import Metric
from mlcore.maths.arrays import means
from mlcore.spine.capabilities import GivesDecision, GivesProbabilities, HasClasses
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column
from mlcore.spine.registry import lookup

EXACT = 1e-12  # of the largest number: what lies nearer to it is apart by rounding alone


def without_rounding(squares: np.ndarray, X: np.ndarray) -> np.ndarray:
    """Squared distances of rows X, (n, p), to what stands for them, (n,): 0 what rounding made.

    Where everything comes back the last digits would else be compared as if they were errors.
    """
    largest = (X**2).sum(axis=1).max(initial=0.0)
    return np.where(squares <= EXACT**2 * largest, 0.0, squares)


def _settled(y: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Predictions of y, both (n,): y itself where they differ by rounding."""
    is_exact = np.abs(predicted - y) <= EXACT * np.abs(y).max(initial=0.0)
    return np.where(is_exact, y, predicted)


class Rows(NamedTuple):
    """Prepared rows with what is known of them."""

    X: np.ndarray  # (n, p)
    y: np.ndarray | None = None  # (n,) the truth, or (n, q) of several outputs
    weights: np.ndarray | None = None  # (n,)
    lengths: np.ndarray | None = None  # (k,) of the sequences that they are, one after the other


@dataclass(frozen=True, eq=False, kw_only=True)
class Case:
    """What is judged: a fitted method, the rows that it learned from, and rows that it did not."""

    method: Any
    fit: Any
    train: Rows  # as the method got them
    test: Rows
    n_classes: int = 0
    seed: int = 0

    @property
    def options(self) -> dict[str, Any]:
        """The keywords of the verbs of the fit for the rows to judge on."""
        return {} if self.test.lengths is None else self.fit.options_for(self.test.lengths)

    def on(self, rows: Rows) -> Case:
        """The same fit, to be judged on other rows."""
        return replace(self, test=rows)

    def refitted(self, at: np.ndarray, seed: int) -> Any:
        """The method fitted to the training rows at these positions, shape (m,), alone.

        Raises DataError for a method that learns sequences: single rows of one are none.
        """
        if self.train.lengths is not None:
            raise DataError(
                f"{self.method.title()} learns whole sequences, so it cannot be fitted to single "
                "rows drawn from them."
            )
        X, y, weights = (None if values is None else values[at] for values in self.train[:3])
        settings = {} if weights is None else {"weights": weights}
        return self.method.fit(X, y, seed=seed, columns=self.fit.columns, **settings)


class Scored(NamedTuple):
    """The measures on some rows, and what they were computed from."""

    scores: dict[str, float]
    predictions: np.ndarray | None = None  # (m,), or (m, q) of several outputs
    probabilities: np.ndarray | None = None  # (m, K) in order of all classes


@dataclass(frozen=True, kw_only=True)
class Scoring(Component):
    """Judges a fit; a measure that the rows leave undefined is NaN.

    `refits` says how often it fits the method anew. A scoring `is_in_prepared` coordinates where
    its numbers change with the preparation: they say nothing beside those of another one.
    """

    baseline_name: ClassVar[str]  # what the baseline is called beside a score
    refits: ClassVar[int] = 0
    is_in_prepared: ClassVar[bool] = False

    def metrics(self) -> tuple[Metric, ...]:
        """What is measured; tables sort by the first and tests compare it."""
        raise NotImplementedError(f"{type(self).__name__} declares no metrics")

    def unit(self, method: Any, X: np.ndarray, columns: tuple[Column, ...]) -> str:
        """Of what the numbers of a method on prepared rows X, shape (n, p), are, in plural.

        The numbers of two methods say nothing beside each other unless they are of the same.
        """
        return ""

    def scored(self, case: Case) -> Scored:
        """The measures of a fit."""
        raise NotImplementedError(f"{type(self).__name__} declares no scores")

    def baseline_of(self, method: Component) -> Component:
        """The simplest thing that could be done in place of `method`."""
        raise NotImplementedError(f"{type(self).__name__} declares no baseline")

    def _complete(self, scores: dict[str, float]) -> dict[str, float]:
        """Every measure in order, NaN for those that the method does not allow."""
        return {metric.name: scores.get(metric.name, nan) for metric in self.metrics()}


OF_CLASSES = (
    Metric("accuracy", "Accuracy", "higher", "Share of rows predicted right.", 0, 1, True),
    Metric(
        "balanced_accuracy", "Balanced accuracy", "higher",
        "Mean over the classes of the share found: rare ones count as much as common ones.", 0, 1,
    ),
    Metric("f_score", "F score", "higher", "Mean over the classes of their F1 score.", 0, 1),
    Metric(
        "matthews", "Matthews correlation", "higher",
        "Correlation of true and predicted class: 0 is chance, 1 perfect.", -1, 1,
    ),
    Metric(
        "log_loss", "Log loss", "lower",
        "Mean of the negative logarithm of the true class's probability, in nats.", 0,
    ),
    Metric(
        "brier_score", "Brier score", "lower",
        "Squared distance of the probabilities from the truth; summed over more than 2 classes.",
        0, 2,
    ),
    Metric(
        "roc_auc", "AUC", "higher",
        "Probability that a row of a class ranks above one of the others; mean over the classes.",
        0, 1,
    ),
)  # fmt: skip


@enter(Card("classification_scores", "Scores of classification", ("scoring",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class ClassificationScores(Scoring):
    """Accuracy and its companions; probabilities and rankings where the method gives them."""

    baseline_name = "largest class"

    def metrics(self) -> tuple[Metric, ...]:
        """Accuracy first."""
        return OF_CLASSES

    def scored(self, case: Case) -> Scored:
        """The measures; the truth is codes 0 .. n_classes - 1, of which the fit may lack some."""
        fit, X, n_classes, options = case.fit, case.test.X, case.n_classes, case.options
        y = _target(case.test.y, self.title())
        predicted = np.asarray(fit.predict(X, **options))
        scores = label_scores(y, predicted)
        P = None
        if isinstance(fit, GivesProbabilities):
            P = aligned(finite(fit.probabilities(X, **options)), fit.classes, n_classes)
            scores["log_loss"] = ranking.log_loss(y, P)
            scores["brier_score"] = ranking.brier_score(y, P[:, 1] if n_classes == 2 else P)
        ranks = _decisions(fit, X, n_classes, options) if P is None else P
        if ranks is not None:
            scores["roc_auc"] = auc(y, ranks)
        return Scored(self._complete(scores), predicted, P)

    def baseline_of(self, method: Component) -> Component:
        """The commonest class of the training rows, whatever the columns say."""
        return lookup("classification", "constant")()


def label_scores(y: np.ndarray, predicted: np.ndarray) -> dict[str, float]:
    """The measures of classes alone, of true and predicted codes, (m,) each."""
    return {
        "accuracy": classes.accuracy(y, predicted),
        "balanced_accuracy": classes.balanced_accuracy(y, predicted),
        "f_score": classes.f_score(y, predicted),
        "matthews": classes.matthews(y, predicted),
    }


def aligned(values: np.ndarray, fitted_classes: Any, n_classes: int) -> np.ndarray:
    """A column for each of `n_classes`, shape (m, K); 0 for those that the fit never saw."""
    whole = np.zeros((len(values), n_classes))
    whole[:, np.asarray(fitted_classes, dtype=int)] = values
    return whole


def auc(y: np.ndarray, ranks: np.ndarray) -> float:
    """Area under the ROC curve: of the second of two classes, else the mean over the classes.

    `y` are codes, shape (m,), `ranks` the scores of the classes, shape (m, K).
    """
    return (
        ranking.roc_auc(y == 1, ranks[:, 1]) if ranks.shape[1] == 2 else ranking.roc_auc(y, ranks)
    )


def _decisions(
    fit: Any, X: np.ndarray, n_classes: int, options: dict[str, Any]
) -> np.ndarray | None:
    """The values of the decision function for each class, shape (m, K), or None without one."""
    if not (isinstance(fit, GivesDecision) and isinstance(fit, HasClasses)):
        return None
    fitted_classes, decision = fit.classes, finite(fit.decision(X, **options))
    if decision.ndim == 1:
        decision = np.column_stack([-decision, decision])
    return aligned(decision, fitted_classes, n_classes)


OF_NUMBERS = (
    Metric("rmse", "RMSE", "lower", "Root mean squared error, in units of the target.", 0),
    Metric("mae", "MAE", "lower", "Mean absolute error, in units of the target.", 0),
    Metric(
        "median_ae", "Median error", "lower", "Median absolute error, in units of the target.", 0
    ),
    Metric("max_error", "Maximum error", "lower", "In units of the target.", 0),
    Metric("r2", "R²", "higher", "1 is perfect, 0 as good as the mean of these rows.", most=1),
)


@enter(Card("regression_scores", "Scores of regression", ("scoring",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class RegressionScores(Scoring):
    """How far predictions are from the truth."""

    baseline_name = "mean"

    def metrics(self) -> tuple[Metric, ...]:
        """Root mean squared error first."""
        return OF_NUMBERS

    def scored(self, case: Case) -> Scored:
        """The measures; R² of a single row or a constant target is NaN."""
        y = _target(case.test.y, self.title())
        predicted = finite(case.fit.predict(case.test.X, **case.options))
        return Scored(
            self._complete(numbers.regression_scores(y, _settled(y, predicted))), predicted
        )

    def baseline_of(self, method: Component) -> Component:
        """The mean of the training rows' target, whatever the columns say."""
        return lookup("regression", "constant_regression")()


DISTORTION = Metric(
    "distortion", "Distortion", "lower",
    "Mean squared distance to the nearest center, in prepared coordinates.", 0,
    improved_by="centers",
)  # fmt: skip


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

    baseline_name = "one center"
    is_in_prepared = True

    def metrics(self) -> tuple[Metric, ...]:
        """The distortion alone."""
        return (DISTORTION,)

    def scored(self, case: Case) -> Scored:
        """The distortion, and the nearest center of each row."""
        labels, squares = nearest(case.test.X, finite(case.fit.centers))
        squares = without_rounding(squares, case.test.X)
        return Scored({DISTORTION.name: float(squares.mean())}, labels)

    def baseline_of(self, method: Component) -> Component:
        """One center: the mean of the training rows."""
        return lookup("clustering", "kmeans")(n_clusters=1)


LOG_LIKELIHOOD = Metric(
    "log_likelihood", "Mean log-likelihood", "higher",
    "Mean of the logarithm of the density at a row, in nats, in prepared coordinates.",
)  # fmt: skip


@enter(
    Card(
        "log_likelihood",
        "Log-likelihood",
        ("scoring",),
        sources=("mi2:gmm_validation",),
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class LogLikelihood(Scoring):
    """How likely rows are under a density."""

    baseline_name = "one Gaussian"
    is_in_prepared = True

    def metrics(self) -> tuple[Metric, ...]:
        """The mean alone."""
        return (LOG_LIKELIHOOD,)

    def scored(self, case: Case) -> Scored:
        """The mean log-density of the rows."""
        log_densities = finite(case.fit.log_density(case.test.X))
        return Scored({LOG_LIKELIHOOD.name: float(log_densities.mean())})

    def baseline_of(self, method: Component) -> Component:
        """One Gaussian with the mean and the covariance of the training rows."""
        return lookup("clustering", "gaussian_mixture")(n_components=1)


OF_RECONSTRUCTIONS = (
    Metric(
        "reconstruction_error", "Reconstruction error", "lower",
        "Mean squared distance between a row and its reconstruction, in prepared coordinates.", 0,
        improved_by="coordinates",
    ),
    Metric(
        "variance_kept", "Variance kept", "higher",
        "1 - error / mean squared distance of these rows from their mean.", most=1,
        improved_by="coordinates",
    ),
)  # fmt: skip


@enter(Card("reconstruction", "Reconstruction", ("scoring",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class Reconstruction(Scoring):
    """How much of a row survives the way to the new coordinates and back."""

    baseline_name = "mean row"
    is_in_prepared = True

    def metrics(self) -> tuple[Metric, ...]:
        """The squared error first."""
        return OF_RECONSTRUCTIONS

    def scored(self, case: Case) -> Scored:
        """Both measures; the share is NaN for rows that are all the same."""
        fit, X = case.fit, case.test.X
        options = case.options
        back = finite(fit.inverse_transform(fit.transform(X, **options), **options))
        error = float(without_rounding(((X - back) ** 2).sum(axis=1), X).mean())
        total = float(((X - means(X)) ** 2).sum(axis=1).mean())
        share = 1 - error / total if total > 0 else nan
        return Scored({"reconstruction_error": error, "variance_kept": share})

    def baseline_of(self, method: Component) -> Component:
        """No component at all: every row becomes the mean of the training rows."""
        return lookup("baseline", "mean_row")()


def _target(y: np.ndarray | None, who: str) -> np.ndarray:
    if y is None:
        raise DataError(f"{who} need a target to compare with; choose a target column.")
    return y


def finite(values: Any) -> np.ndarray:
    """Predictions of any shape as an array. Raises DataError if some are not finite.

    The fold of such predictions counts as failed.
    """
    values = np.asarray(values, dtype=np.float64)
    bad = int((~np.isfinite(values)).sum())
    if bad:
        subject = "1 predicted value is" if bad == 1 else f"{bad} predicted values are"
        raise DataError(f"{subject} not finite, so these rows have no score. Scale the columns.")
    return values
