"""Models of sequences judged: how likely are rows left out, are the true states found."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from mlcore.evaluation.metrics.metric import FITTED, Metric
from mlcore.evaluation.scoring import Case, Rows, Scored, Scoring, finite
from mlcore.spine.component import Card, Component, enter
from mlcore.spine.fit import Column

LIKELIHOOD = Metric(
    "sequence_log_likelihood", "Log-likelihood a row", "higher",
    "Mean of log p(row | rows before it in its sequence), in nats, in prepared coordinates.",
)  # fmt: skip
ACCURACY = Metric(
    "state_accuracy", "Accuracy of states", "higher",
    "Share of rows in the state that the target says. Which state is which class is settled on the "
    "training rows, one state a class.", 0, 1, True,
)  # fmt: skip
OF_CRITERIA = (
    Metric(
        "bic", "BIC a training row", "lower",
        "Schwarz's criterion B log n - 2 log L of B free parameters, divided by n, in nats.",
        rows=FITTED,
    ),
    Metric(
        "aic", "AIC a training row", "lower",
        "Akaike's criterion 2 B - 2 log L of B free parameters, divided by n, in nats.",
        rows=FITTED,
    ),
)  # fmt: skip


class SequenceScoring(Scoring):
    """Judges a model of sequences beside the same one without memory, its `without_memory()`."""

    baseline_name = "no memory"

    def baseline_of(self, method: Component) -> Component:
        """The distribution of single rows, of the same kind."""
        wanted: Any = method
        return wanted.without_memory()


class OfLikelihood(SequenceScoring):
    """Judges by how likely rows are: a probability, or a density, which may be above 1. Which it is
    says `likelihoods_of(X, columns)` of the method."""

    is_in_prepared = True

    def unit(self, method: Any, X: np.ndarray, columns: tuple[Column, ...]) -> str:
        """As the method says what its likelihoods are of."""
        return method.likelihoods_of(X, columns)


@enter(
    Card(
        "sequence_likelihood",
        "Likelihood of sequences",
        ("scoring",),
        sources=("epfl:hmm_loglik_normalise",),
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class SequenceLikelihood(OfLikelihood):
    """How likely whole sequences are, divided by their rows."""

    def metrics(self) -> tuple[Metric, ...]:
        """The mean alone."""
        return (LIKELIHOOD,)

    def scored(self, case: Case) -> Scored:
        """The mean over the rows, each given those before it."""
        logs = finite(case.fit.log_density(case.test.X, **case.options))
        return Scored({LIKELIHOOD.name: float(logs.mean())})


@enter(Card("state_accuracy", "Accuracy of states", ("scoring",), kind="part"))
@dataclass(frozen=True, kw_only=True)
class StateAccuracy(SequenceScoring):
    """Whether hidden states are those that a column of true states says."""

    def metrics(self) -> tuple[Metric, ...]:
        """The share alone."""
        return (ACCURACY,)

    def scored(self, case: Case) -> Scored:
        """The share; NaN where no column of classes is the target."""
        y, known = case.test.y, case.train.y
        if y is None or known is None or y.ndim > 1 or not case.n_classes:
            return Scored({ACCURACY.name: nan})
        states = case.fit.predict(case.test.X, **case.options)
        class_of = _matched(_states(case, case.train), known, case.n_classes)
        named = class_of[np.minimum(states, len(class_of) - 1)]
        return Scored({ACCURACY.name: float((named == y).mean())})


def _states(case: Case, rows: Rows) -> np.ndarray:
    options = {} if rows.lengths is None else case.fit.options_for(rows.lengths)
    return case.fit.predict(rows.X, **options)


def _matched(states: np.ndarray, classes: np.ndarray, n_classes: int) -> np.ndarray:
    """The class of each state, (N,), so that most rows agree; -1 for states beyond the classes."""
    N = int(states.max()) + 1
    table = np.zeros((N, n_classes))
    np.add.at(table, (states, classes.astype(np.int64)), 1.0)
    state, own = linear_sum_assignment(-table)
    class_of = np.full(N, -1)
    class_of[state] = own
    return class_of


@enter(
    Card(
        "information",
        "Information criteria",
        ("scoring",),
        sources=("epfl:hmm_aic", "epfl:hmm_bic"),
        kind="part",
    )
)
@dataclass(frozen=True, kw_only=True)
class Information(OfLikelihood):
    """Likelihood of the training rows, less what the number of parameters costs."""

    def metrics(self) -> tuple[Metric, ...]:
        """Schwarz's criterion first."""
        return OF_CRITERIA

    def scored(self, case: Case) -> Scored:
        """Both, divided by the number of training rows."""
        n = len(case.train.X)
        return Scored({"bic": case.fit.bic / n, "aic": case.fit.aic / n})
