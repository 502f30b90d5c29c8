"""What is known of boosting before and after a fit: bounds of its error, and its margins."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlcore.ensembles.capabilities import HasBoostingRounds
from mlcore.spine.errors import DataError
from mlcore.spine.records import function


@function("training_bound", title="Bounds of AdaBoost", sources=("cs2:adaboost_bound",))
def training_bound(errors: Any) -> tuple[np.ndarray, np.ndarray]:
    """Two bounds of the training error after 1, 2 ... rounds of these weighted errors, shape (T,).

    The product of 2 sqrt(e (1 - e)), and exp(-2 sum (1/2 - e)^2), which is above it; (T,) each.
    """
    e = np.asarray(errors, dtype=np.float64)
    product = np.cumprod(2.0 * np.sqrt(np.maximum(e * (1.0 - e), 0.0)))
    return product, np.exp(-2.0 * np.cumsum((0.5 - e) ** 2))


@function("margins", title="Margins of a vote", sources=("cs2:adaboost_margins",))
def margins(fit: HasBoostingRounds, X: Any, y: Any, rounds: int | None = None) -> np.ndarray:
    """The votes for the true class less those for the best other one, as a share of all votes.

    Rows X, shape (m, p), and their classes y, shape (m,), by all rounds or the first of them; of
    discrete votes from -1 to 1, shape (m,). Raises DataError for a class
    that the fit does not know.
    """
    codes, V = _codes(fit, y, "Margins"), fit.votes(X, rounds)
    at = np.arange(len(V)), codes
    own = V[at].copy()
    V[at] = -np.inf
    return (own - V.max(axis=1)) / (np.abs(fit.alphas[:rounds]).sum() or 1.0)


@function(
    "boosting_weights",
    title="Weights of rows in boosting",
    sources=("cs2:adaboost", "cs2:weighted_resampling"),
)
def boosting_weights(
    fit: HasBoostingRounds, X: Any, y: Any, rounds: int, weights: Any = None
) -> np.ndarray:
    """The share of each row in the weighted error of the round after the first `rounds`, (m,).

    Rows X, shape (m, p), their classes y, shape (m,), and their weights before the first round, 1
    if none are given. A share is the weight times exp(-2 (V_y - mean V)) of the votes V so far.
    Raises DataError for a class that the fit does not know.
    """
    codes, V = _codes(fit, y, "Weights"), fit.votes(X, rounds)
    w = np.ones(len(V)) if weights is None else np.asarray(weights, dtype=np.float64)
    logs = -2.0 * (V[np.arange(len(V)), codes] - V.mean(axis=1))
    shares = w * np.exp(logs - logs[w > 0].max(initial=-np.inf))
    return shares / shares.sum()


def _codes(fit: HasBoostingRounds, y: Any, who: str) -> np.ndarray:
    """The place of each class among those of the fit."""
    y = np.asarray(y)
    codes = np.clip(np.searchsorted(fit.classes, y), 0, len(fit.classes) - 1)
    if (fit.classes[codes] != y).any():
        raise DataError(f"{who} need the true classes, and some are none that the fit knows.")
    return codes
