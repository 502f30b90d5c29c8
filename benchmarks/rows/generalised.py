"""Generalised linear and additive regression against scikit-learn and statsmodels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from sklearn import linear_model as peer
from statsmodels.gam.api import BSplines, GLMGam
from statsmodels.genmod import families
from statsmodels.genmod.generalized_linear_model import GLM

from benchmarks.pairs import Pair
from mlcore.classification.additive_logistic import AdditiveLogistic
from mlcore.regression.families import Family
from mlcore.regression.generalised_additive import GeneralisedAdditive
from mlcore.regression.generalised_linear import GeneralisedLinear
from mlcore.spine.fit import Column

Draw = Callable[[np.random.Generator, np.ndarray], np.ndarray]
# Power of the variance, and how targets are drawn about their means.
COUNTED: dict[str, tuple[float, Draw]] = {
    "poisson": (1.0, lambda rng, mean: rng.poisson(mean).astype(float)),
    "gamma": (2.0, lambda rng, mean: rng.gamma(2.0, mean / 2.0)),
    "inverse_gaussian": (3.0, lambda rng, mean: rng.wald(mean, 3.0)),
}


def counted_pair(n: int, p: int, family: str) -> Pair:
    """Counts or amounts whose logarithm is a plane; both until objectives agree in ten digits."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    mean = np.exp(X @ rng.normal(size=p) * 0.3 / p**0.5 + 1.0)
    power, drawn = COUNTED[family]
    y = drawn(rng, mean)
    ours = GeneralisedLinear(alpha=0.1, family=cast(Family, family))
    limits: dict[str, Any] = {"alpha": 0.1, "tol": 1e-6, "max_iter": 1000}
    theirs = peer.TweedieRegressor(power=power, **limits)
    if family != "inverse_gaussian":
        theirs = (peer.PoissonRegressor if family == "poisson" else peer.GammaRegressor)(**limits)

    def loss(mean: np.ndarray, w: np.ndarray) -> float:
        return float(ours.family.deviance(y, mean).mean() / 2 + 0.05 * w @ w)

    def gap(a: Any, b: Any) -> float:
        own, least = loss(a.predict(X), a.coefficients), loss(b.predict(X), b.coef_)
        return (own - least) / least

    return Pair(
        f"generalised_linear, {family}", f"sklearn.{type(theirs).__name__}", f"{n} x {p}",
        lambda: ours.fit(X, y), lambda: theirs.fit(X, y), gap,
    )  # fmt: skip


def exposed_pair(n: int, p: int) -> Pair:
    """Counts over unequal times, to the optimum on both sides."""
    rng = np.random.default_rng(0)
    X, time = rng.normal(size=(n, p)), rng.uniform(0.2, 5.0, n)
    y = rng.poisson(time * np.exp(X @ rng.normal(size=p) * 0.3 / p**0.5)).astype(float)
    columns = (*(Column(f"x{j}") for j in range(p)), Column("time"))
    rows, one = np.column_stack([X, time]), np.column_stack([np.ones(n), X])
    ours = GeneralisedLinear(family=cast(Family, "poisson"), exposure="time")
    return Pair(
        "generalised_linear, exposure", "statsmodels.GLM", f"{n} x {p}",
        lambda: ours.fit(rows, y, columns=columns),
        lambda: GLM(y, one, family=families.Poisson(), exposure=time).fit(tol=1e-10),
        lambda a, b: float((a.deviance - b.deviance) / b.deviance),
    )  # fmt: skip


def shares_pair(n: int, p: int) -> Pair:
    """Shares of up to twenty trials, to the optimum on both sides."""
    rng = np.random.default_rng(0)
    X, trials = rng.normal(size=(n, p)), rng.integers(1, 21, n)
    mean = 1.0 / (1.0 + np.exp(-X @ rng.normal(size=p) / p**0.5))
    y, one = rng.binomial(trials, mean) / trials, np.column_stack([np.ones(n), X])
    ours = GeneralisedLinear(family=cast(Family, "binomial"))
    return Pair(
        "generalised_linear, binomial", "statsmodels.GLM", f"{n} x {p}",
        lambda: ours.fit(X, y, weights=trials),
        lambda: GLM(y, one, family=families.Binomial(), var_weights=trials).fit(tol=1e-10),
        lambda a, b: float((a.deviance - b.deviance) / b.deviance),
    )  # fmt: skip


def additive_pair(n: int, p: int) -> Pair:
    """A curve of twelve cubic splines a column of counts, each smoothed as given."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.0, 1.0, (n, p))
    y = rng.poisson(np.exp(np.sin(3.0 * X[:, 0]) + X[:, 1] ** 2)).astype(float)
    family = cast(Family, "poisson")
    ours = GeneralisedAdditive(family=family, smoothing="given", strength=1e-2, n_splines=12)

    def gap(a: Any, b: Any) -> float:
        own, other = (float(ours.family.deviance(y, m).sum()) for m in (a.predict(X), b.mu))
        return (own - other) / other

    return Pair(
        "generalised_additive, poisson", "statsmodels.GLMGam", f"{n} x {p}",
        lambda: ours.fit(X, y), lambda: gam(X, y, families.Poisson()), gap,
    )  # fmt: skip


def odds_pair(n: int, p: int) -> Pair:
    """The same of the log odds of two classes."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.0, 1.0, (n, p))
    y = rng.binomial(1, 1.0 / (1.0 + np.exp(-np.sin(3.0 * X[:, 0]) - 3.0 * X[:, 1] ** 2 + 1.0)))
    ours = AdditiveLogistic(smoothing="given", strength=3e-3, n_splines=12, alpha=0.0)

    def loss(share: np.ndarray) -> float:
        return float(-np.log(np.where(y == 1, share, 1.0 - share)).mean())

    def gap(a: Any, b: Any) -> float:
        own, other = loss(a.probabilities(X)[:, 1]), loss(b.mu)
        return (own - other) / other

    return Pair(
        "additive_logistic", "statsmodels.GLMGam", f"{n} x {p}",
        lambda: ours.fit(X, y), lambda: gam(X, y, families.Binomial()), gap,
    )  # fmt: skip


def gam(X: np.ndarray, y: np.ndarray, family: Any) -> Any:
    """The peer. Its knots are at quantiles, and its penalty has another unit: the work is alike,
    the answer nearly."""
    n, p = X.shape
    smoother = BSplines(X, df=[12] * p, degree=[3] * p)
    alpha: Any = [1e-4] * p
    return GLMGam(y, np.ones((n, 1)), smoother, alpha=alpha, family=family).fit()


PAIRS = [
    counted_pair(200, 5, "poisson"),
    counted_pair(50_000, 20, "poisson"),
    counted_pair(5000, 50, "gamma"),
    counted_pair(5000, 50, "inverse_gaussian"),
    exposed_pair(20_000, 10),
    shares_pair(20_000, 10),
    additive_pair(2000, 5),
    odds_pair(2000, 5),
    odds_pair(10_000, 5),
]
