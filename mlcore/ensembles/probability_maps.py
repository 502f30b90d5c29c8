"""From the score of a class to a probability that means what it says: three ways to learn it."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import brentq, isotonic_regression
from scipy.special import expit

from mlcore.maths.class_scores import softmax
from mlcore.spine.records import function

MOST_STEPS, SMALLEST = 100, 1e-10  # of Newton's method, and the slope at which it ends
STEADY = 1e-12  # added to the curvature: scores that are all alike have none along them
ROUNDING = 1e-12  # of the largest score: scores that differ by less are one
REACH = 12.0  # natural logarithm of how far the inverse temperature may be from 1


@function(
    "platt_scaling",
    title="Platt scaling",
    synonyms=("sigmoid calibration", "logistic calibration", "Platt calibration"),
)
def platt_scaling(scores: Any, y: Any, weights: Any = None) -> tuple[float, float]:
    """Slope and offset of the sigmoid 1 / (1 + exp(-(slope s + offset))) that fits best.

    Scores and y, true or 1 for the class, have shape (n,). The targets are (n1 + 1) / (n1 + 2) and
    1 / (n0 + 2) in place of 1 and 0, so that scores that separate the rows leave the slope finite.
    By Newton's method with step halving, which the convex log loss allows.

    Platt (1999), Advances in Large Margin Classifiers; Lin, Lin and Weng (2007), Machine Learning
    68.
    """
    s, y = np.asarray(scores, dtype=np.float64), np.asarray(y, dtype=bool)
    w = np.ones(len(s)) if weights is None else np.asarray(weights, dtype=np.float64)
    n1, n0 = w[y].sum(), w[~y].sum()
    target = np.where(y, (n1 + 1) / (n1 + 2), 1 / (n0 + 2))
    size = float(np.abs(s).max()) or 1.0  # scores of any size have curvatures of one size
    Z = np.column_stack([s / size, np.ones(len(s))])
    theta = np.array([0.0, np.log((n1 + 1) / (n0 + 1))])

    def loss(theta: np.ndarray) -> float:
        u = Z @ theta
        return float(w @ (np.logaddexp(0.0, u) - target * u))

    at = loss(theta)
    for _ in range(MOST_STEPS):
        p = expit(Z @ theta)
        slope = Z.T @ (w * (p - target))
        if np.abs(slope).max() <= SMALLEST * w.sum():
            break
        bend = (Z.T * (w * p * (1 - p))) @ Z + STEADY * w.sum() * np.eye(2)
        move, length = np.linalg.solve(bend, slope), 1.0
        while length > SMALLEST and (new := loss(theta - length * move)) > at:
            length /= 2
        if length <= SMALLEST:
            break
        theta, at = theta - length * move, new
    return float(theta[0] / size), float(theta[1])


@function(
    "isotonic_map",
    title="Isotonic calibration",
    synonyms=("isotonic regression", "pool adjacent violators", "IsotonicRegression"),
)
def isotonic_map(scores: Any, y: Any, weights: Any = None) -> np.ndarray:
    """Knots of the rising map with the least squared error: scores and values, shape (q, 2).

    Between knots it is straight, beyond them flat. Scores and y have shape (n,).

    Zadrozny and Elkan (2002), KDD 8; Barlow and others (1972): pool adjacent violators.
    """
    s, y = np.asarray(scores, dtype=np.float64), np.asarray(y, dtype=np.float64)
    w = np.ones(len(s)) if weights is None else np.asarray(weights, dtype=np.float64)
    x, of = _distinct(s)
    weight = np.bincount(of, weights=w)
    mean = np.bincount(of, weights=w * y) / weight
    value = isotonic_regression(mean, weights=weight).x
    flat = np.zeros(len(x), dtype=bool)  # within a block only its ends are needed
    flat[1:-1] = (value[1:-1] == value[:-2]) & (value[1:-1] == value[2:])
    return np.column_stack([x, value])[~flat]


def _distinct(s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct scores, ascending, and which of them each is, (n,).

    Shares of the same votes that are added up in another order differ in the last bit: as two
    scores they would make a step where there is none.
    """
    order = np.argsort(s, kind="stable")
    first = np.append(True, np.diff(s[order]) > ROUNDING * np.abs(s).max())
    of = np.empty(len(s), dtype=np.int64)
    of[order] = np.cumsum(first) - 1
    return s[order][first], of


@function("temperature_scaling", title="Temperature scaling", synonyms=("temperature calibration",))
def temperature_scaling(scores: Any, y: Any, weights: Any = None) -> float:
    """The inverse temperature b > 0 with the least log loss of softmax(b s), or of expit(b s).

    Scores have shape (n, K), or (n, 1) for two classes, where they speak for the second; y holds
    codes, (n,). One number for all classes: the order of the classes, and so the one that is
    said, stays as it was.

    Guo, Pleiss, Sun and Weinberger (2017), ICML 34.
    """
    S, y = np.asarray(scores, dtype=np.float64), np.asarray(y)
    S = np.column_stack([np.zeros(len(S)), S[:, 0]]) if S.shape[1] == 1 else S
    w = np.ones(len(S)) if weights is None else np.asarray(weights, dtype=np.float64)
    S = S - S.max(axis=1, keepdims=True)
    size = float(np.abs(S).max()) or 1.0
    S = S / size
    own = S[np.arange(len(y)), y]

    def slope(log_b: float) -> float:
        return float(w @ ((softmax(np.exp(log_b) * S) * S).sum(axis=1) - own))

    # The loss is convex in b, so that its slope rises through 0 once, or stays on one side.
    low, high = -REACH, REACH
    if slope(low) >= 0:
        return float(np.exp(low) / size)
    if slope(high) <= 0:
        return float(np.exp(high) / size)
    log_b: Any = brentq(slope, low, high, xtol=1e-12)
    return float(np.exp(log_b) / size)


def joined(P: np.ndarray) -> np.ndarray:
    """Values of maps of one class each, (m, K), or (m, 1) for the second of two, as shares, (m, K).

    Alike where all are 0.
    """
    if P.shape[1] == 1:
        return np.column_stack([1 - P[:, 0], P[:, 0]])
    total = P.sum(axis=1, keepdims=True)
    K = P.shape[1]
    return np.divide(P, total, out=np.full_like(P, 1 / K), where=total > 0)
