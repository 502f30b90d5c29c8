"""Linear methods and discriminants against scikit-learn, at equal or better objective."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from sklearn import linear_model as peer
from sklearn.cross_decomposition import PLSRegression as PeerPLS
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from statsmodels.nonparametric.smoothers_lowess import lowess

from benchmarks.pairs import Pair
from mlcore.classification.lda import LDA
from mlcore.classification.logistic import LogisticRegression
from mlcore.classification.nearest_mean import NearestMean
from mlcore.classification.qda import QDA
from mlcore.optimisation.lbfgs import LBFGS
from mlcore.optimisation.losses import Logistic, Softmax
from mlcore.optimisation.quantile_plane import pinball
from mlcore.regression.bayesian_linear import BayesianLinearRegression
from mlcore.regression.elastic_net import ElasticNet
from mlcore.regression.lars import Lars
from mlcore.regression.linear_regression import LinearRegression
from mlcore.regression.local_regression import LocalRegression
from mlcore.regression.pcr import PrincipalComponentRegression
from mlcore.regression.pls import PLSRegression
from mlcore.regression.quantile_regression import QuantileRegression
from mlcore.regression.ridge import Ridge
from mlcore.regression.robust_losses import AbsoluteErrors, HuberErrors
from mlcore.regression.robust_regression import RobustRegression

SIZES = {"small": (200, 5), "medium": (5000, 50), "wide": (200, 2000), "tall": (100_000, 20)}
ALPHA = 0.1  # of the lasso and the elastic net
ALPHAS = np.logspace(-3, 7, 100)  # of ridge by leave-one-out
N_ALPHAS: Any = 100  # of the lasso path; to a checker theirs takes a name


@lru_cache(maxsize=2)
def table(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal columns, of which ten matter, and a target with noise of variance 1."""
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(n, p)), np.zeros(p)
    w[: min(p, 10)] = rng.normal(size=min(p, 10))
    return X, X @ w + rng.normal(size=n)


def labelled(n: int, p: int, K: int) -> tuple[np.ndarray, np.ndarray]:
    """The same columns, and the target cut into K classes of equal size."""
    X, y = table(n, p)
    return X, np.searchsorted(np.quantile(y, np.arange(1, K) / K), y)


def worse(loss: Callable[[Any, np.ndarray, np.ndarray], float], *data: Any) -> Callable:
    """How much higher the objective of ours is than that of theirs, relative to it."""

    def gap(ours: Any, theirs: Any) -> float:
        a = loss(ours, ours.coefficients, ours.intercept)
        b = loss(ours, theirs.coef_, theirs.intercept_)
        return (a - b) / abs(b)

    return gap


def least_squares(X: np.ndarray, y: np.ndarray, l1: float, l2: float) -> Callable:
    """Half the mean square plus penalty, as a function of coefficients and intercept."""

    def loss(_: Any, w: np.ndarray, b: Any) -> float:
        fit = 0.5 * np.mean((y - X @ np.ravel(w) - b) ** 2)
        return fit + l1 * np.abs(w).sum() + 0.5 * l2 * np.sum(np.square(w))

    return loss


def likelihood(X: np.ndarray, y: np.ndarray) -> Callable:
    """Minus the log-likelihood plus half the squared length."""

    def loss(_: Any, w: np.ndarray, b: Any) -> float:
        W = np.atleast_2d(w)
        Z = W @ X.T + np.reshape(b, (-1, 1))
        rows = Logistic().at(y.astype(float), Z) if len(W) == 1 else Softmax().at(y, Z)
        return rows.value.sum() + 0.5 * np.sum(W**2)

    return loss


def regression_pair(name: str, size: str, ours: Any, theirs: Any, l1: float, l2: float) -> Pair:
    """Fitting a regression by both."""
    n, p = SIZES.get(size, (5000, 200))
    X, y = table(n, p)
    gap = worse(least_squares(X, y, l1, l2))
    peer = f"sklearn.{type(theirs).__name__}"
    return Pair(name, peer, f"{n} x {p}", lambda: ours.fit(X, y), lambda: theirs.fit(X, y), gap)


def path_pair(n: int, p: int) -> Pair:
    """The lasso path of a hundred alphas; compared is the mean of the objective along it."""
    X, y = table(n, p)
    centred, target = X - X.mean(axis=0), y - y.mean()

    def theirs() -> Any:
        return peer.lasso_path(centred, target, alphas=N_ALPHAS)

    def gap(a: Any, b: Any) -> float:
        alphas, W, _ = b
        squares = 0.5 * np.mean((target[:, None] - centred @ W) ** 2, axis=0)
        other = squares + alphas * np.abs(W).sum(axis=0)
        return float(np.mean((a.objective - other) / other))

    return Pair(
        "lasso path", "sklearn.lasso_path", f"{n} x {p}",
        lambda: ElasticNet().path(X, y), theirs, gap,
    )  # fmt: skip


def leave_one_out_pair() -> Pair:
    """Ridge with alpha by leave-one-out over a hundred values; compared is the least error."""
    X, y = table(5000, 200)
    theirs = peer.RidgeCV(ALPHAS)

    def gap(a: Any, b: Any) -> float:
        return float((np.nanmin(a.curve.loo) + b.best_score_) / -b.best_score_)

    ours = Ridge(alpha_rule="loo")
    return Pair(
        "ridge, leave-one-out", "sklearn.RidgeCV", "5000 x 200",
        lambda: ours.fit(X, y), lambda: theirs.fit(X, y), gap,
    )  # fmt: skip


def logistic_pair(name: str, size: str, ours: Any, solver: str, K: int) -> Pair:
    """Fitting a logistic regression by both."""
    n, p = SIZES.get(size, (20_000, 100))
    X, y = labelled(n, p, K)
    theirs = peer.LogisticRegression(solver=solver, max_iter=1000)
    gap = worse(likelihood(X, y))
    return Pair(
        f"{name}, {K} classes", f"sklearn.LogisticRegression {solver}", f"{n} x {p}",
        lambda: ours.fit(X, y), lambda: theirs.fit(X, y), gap,
    )  # fmt: skip


def discriminant_pair(n: int, p: int, K: int) -> Pair:
    """Fitting discriminants by both; compared is the error on the fitted rows."""
    X, y = labelled(n, p, K)
    theirs = LinearDiscriminantAnalysis()

    def gap(a: Any, b: Any) -> float:
        return float((b.predict(X) == y).mean() - (a.predict(X) == y).mean())

    return Pair(
        "lda", "sklearn.LinearDiscriminantAnalysis", f"{n} x {p}, {K} classes",
        lambda: LDA().fit(X, y), lambda: theirs.fit(X, y), gap,
    )  # fmt: skip


def quadratic_pair(n: int, p: int, K: int) -> Pair:
    """Fitting and predicting by quadratic discriminants; compared are the errors."""
    X, y = labelled(n, p, K)
    theirs = QuadraticDiscriminantAnalysis()

    def gap(a: Any, b: Any) -> float:
        return float((b == y).mean() - (a == y).mean())

    return Pair(
        "qda", "sklearn.QuadraticDiscriminantAnalysis", f"{n} x {p}, {K} classes",
        lambda: QDA().fit(X, y).predict(X), lambda: theirs.fit(X, y).predict(X), gap,
    )  # fmt: skip


def nearest_mean_pair(n: int, p: int, K: int) -> Pair:
    """Fitting and predicting by the nearest mean; compared are the errors."""
    X, y = labelled(n, p, K)
    theirs = NearestCentroid()

    def gap(a: Any, b: Any) -> float:
        return float((b == y).mean() - (a == y).mean())

    return Pair(
        "nearest_mean", "sklearn.NearestCentroid", f"{n} x {p}, {K} classes",
        lambda: NearestMean().fit(X, y).predict(X), lambda: theirs.fit(X, y).predict(X), gap,
    )  # fmt: skip


def ridges(size: str) -> list[Pair]:
    """Ridge by the quickest solver and by singular values; its objective is over n."""
    n = SIZES[size][0]
    return [
        regression_pair("ridge", size, Ridge(), peer.Ridge(), 0.0, 1.0 / n),
        regression_pair(
            "ridge svd", size, Ridge(solver="svd"), peer.Ridge(solver="svd"), 0.0, 1.0 / n
        ),
    ]


def lars_pair(n: int, p: int) -> Pair:
    """The whole lasso path, all knots; the gap is that of its coefficients."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    y = X[:, :20] @ rng.normal(size=20) + rng.normal(size=n)
    rule = {"method": "lasso", "max_iter": 10_000}
    return Pair(
        "lars", "sklearn.lars_path", f"{n} x {p}, whole path",
        lambda: Lars().path(X, y).coefficients,
        lambda: peer.lars_path(X - X.mean(axis=0), y - y.mean(), **rule)[2].T,
        lambda a, b: float(np.abs(a - b).max()) if a.shape == b.shape else np.inf,
    )  # fmt: skip


def heavy_tails(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal columns, and noise of which some is wild."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    return X, X @ rng.normal(size=p) + rng.standard_t(3, size=n)


def huber_pair(n: int, p: int) -> Pair:
    """Huber's loss with the scale found with the plane; ours to a higher precision."""
    X, y = heavy_tails(n, p)
    ours, theirs = RobustRegression(scale="joint", tol=1e-5), peer.HuberRegressor(alpha=0.0)
    huber = HuberErrors(threshold=theirs.epsilon)
    ours = replace(ours, loss=huber)

    def loss(w: np.ndarray, b: float, s: float) -> float:
        return float((s + 2 * s * huber.value((y - X @ w - b) / s)).sum())

    def gap(a: Any, b: Any) -> float:
        least = loss(b.coef_, b.intercept_, b.scale_)
        return (loss(a.coefficients, a.intercept, a.scale) - least) / least

    return Pair(
        "robust_regression, Huber", "sklearn.HuberRegressor", f"{n} x {p}",
        lambda: ours.fit(X, y), lambda: theirs.fit(X, y), gap,
    )  # fmt: skip


def evidence_pair(size: str) -> Pair:
    """Variances of the largest evidence; the gap is that of the evidence at both, by ours."""
    n, p = SIZES[size]
    X, y = table(n, p)
    ours, theirs = BayesianLinearRegression(), peer.BayesianRidge()

    def gap(a: Any, b: Any) -> float:
        given = replace(
            ours, hyper="fixed", noise_variance=1 / b.alpha_, prior_variance=1 / b.lambda_
        )
        least = -given.fit(X, y).log_evidence
        return (-a.log_evidence - least) / abs(least)

    return Pair(
        "bayesian_linear", "sklearn.BayesianRidge", f"{n} x {p}",
        lambda: ours.fit(X, y), lambda: theirs.fit(X, y), gap,
    )  # fmt: skip


def components_pair(size: str) -> Pair:
    """Least squares on ten principal components; the peer finds them exactly too."""
    n, p = SIZES[size]
    X, y = table(n, p)
    k = min(10, p)
    ours = PrincipalComponentRegression(n_components=k)
    theirs = make_pipeline(PCA(k, svd_solver="full"), peer.LinearRegression())

    def gap(a: Any, b: Any) -> float:
        own, other = (float(((y - fit.predict(X)) ** 2).sum()) for fit in (a, b))
        return (own - other) / other

    return Pair(
        "pcr", "sklearn.PCA and LinearRegression", f"{n} x {p}, {k} components",
        lambda: ours.fit(X, y), lambda: theirs.fit(X, y), gap,
    )  # fmt: skip


def loess_pair(n: int) -> Pair:
    """A curve with three robust passes; compared is the largest difference of the curves."""
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(size=n))
    y = np.sin(6 * x) + 0.3 * rng.normal(size=n)
    ours = LocalRegression(window="tricube", width="span", span=0.3, robust_iter=3)
    return Pair(
        "local_regression", "statsmodels.lowess", f"{n} x 1, span 0.3",
        lambda: ours.fit(x[:, None], y),
        lambda: lowess(y, x, frac=0.3, it=3, return_sorted=False),
        lambda a, b: float(np.abs(a.predict(x[:, None]) - b).max()),
    )  # fmt: skip


def latent_pair(size: str) -> Pair:
    """Ten components of partial least squares; ours finds five more, to say what they hold."""
    n, p = SIZES[size]
    X, y = table(n, p)
    k = min(10, p)
    ours, theirs = PLSRegression(n_components=k), PeerPLS(k, scale=False)

    def gap(a: Any, b: Any) -> float:
        own, other = (float(((y - np.ravel(fit.predict(X))) ** 2).sum()) for fit in (a, b))
        return (own - other) / other

    return Pair(
        "pls_regression", "sklearn.PLSRegression", f"{n} x {p}, {k} components",
        lambda: ours.fit(X, y), lambda: theirs.fit(X, y), gap,
    )  # fmt: skip


def absolute_pair(n: int, p: int) -> Pair:
    """The plane of least absolute errors."""
    X, y = heavy_tails(n, p)
    ours, theirs = RobustRegression(loss=AbsoluteErrors()), peer.QuantileRegressor(alpha=0.0)

    def gap(a: Any, b: Any) -> float:
        own, other = (float(np.abs(y - fit.predict(X)).sum()) for fit in (a, b))
        return (own - other) / other

    return Pair(
        "robust_regression, absolute", "sklearn.QuantileRegressor", f"{n} x {p}",
        lambda: ours.fit(X, y), lambda: theirs.fit(X, y), gap,
    )  # fmt: skip


def quantile_pair(n: int, p: int, alpha: float) -> Pair:
    """Three planes at once, which the peer finds one by one; compared is the summed objective."""
    X, y = heavy_tails(n, p)
    levels = (0.1, 0.5, 0.9)
    ours = QuantileRegression(quantiles=levels, alpha=alpha)

    def theirs() -> list[Any]:
        return [peer.QuantileRegressor(quantile=q, alpha=alpha).fit(X, y) for q in levels]

    def gap(a: Any, b: list[Any]) -> float:
        def cost(w: np.ndarray, height: float, q: float) -> float:
            return float(pinball(y - X @ w - height, q).mean() + alpha * np.abs(w).sum())

        own = sum(map(cost, a.planes, a.heights, levels))
        other = sum(cost(fit.coef_, fit.intercept_, q) for fit, q in zip(b, levels, strict=True))
        return (own - other) / other

    return Pair(
        f"quantile_regression, alpha {alpha:g}", "sklearn.QuantileRegressor",
        f"{n} x {p}, 3 quantiles", lambda: ours.fit(X, y), theirs, gap,
    )  # fmt: skip


def nets(size: str) -> list[Pair]:
    """The lasso and a half-and-half elastic net; ours to a hundredth of the peer's gap."""
    lasso = ElasticNet(alpha=ALPHA, tol=1e-6)
    half, theirs = replace(lasso, l1_ratio=0.5), peer.ElasticNet(ALPHA, l1_ratio=0.5)
    return [
        regression_pair("lasso", size, lasso, peer.Lasso(ALPHA), ALPHA, 0.0),
        regression_pair("elastic_net", size, half, theirs, ALPHA / 2, ALPHA / 2),
        path_pair(*SIZES[size]),
    ]


def logistics(size: str) -> list[Pair]:
    """L-BFGS stops at the slope of the peer, 1e-4 a row; Newton at a tenth, for its last step."""
    newton = LogisticRegression(tol=1e-5)
    lbfgs = LogisticRegression(tol=1e-4, solver=LBFGS())
    pairs = [logistic_pair("logistic lbfgs", size, lbfgs, "lbfgs", K) for K in (2, 3)]
    if size != "wide":  # the peer would invert a matrix of 2000 columns in each step
        pairs.append(logistic_pair("logistic newton", size, newton, "newton-cholesky", 2))
        pairs.append(logistic_pair("logistic newton", size, newton, "newton-cholesky", 3))
    return pairs


INTELEX = (
    "ridge", "linear_regression", "lasso", "elastic_net",
    *(f"logistic lbfgs, {K} classes" for K in (2, 3, 10)),
)  # fmt: skip
PAIRS = [
    *(pair for size in SIZES for pair in ridges(size)),
    leave_one_out_pair(),
    regression_pair(
        "linear_regression", "medium", LinearRegression(), peer.LinearRegression(), 0.0, 0.0
    ),
    regression_pair(
        "linear_regression", "tall", LinearRegression(), peer.LinearRegression(), 0.0, 0.0
    ),
    *(pair for size in SIZES for pair in nets(size)),
    path_pair(1000, 500),
    lars_pair(1000, 500),
    huber_pair(200, 5),
    huber_pair(50_000, 20),
    absolute_pair(2000, 10),
    *(components_pair(size) for size in SIZES),
    *(latent_pair(size) for size in SIZES),
    *(loess_pair(n) for n in (300, 1_000)),
    *(quantile_pair(n, p, a) for n, p in ((200, 5), (5000, 20)) for a in (0.0, 0.05)),
    *(evidence_pair(size) for size in ("small", "medium", "tall")),
    *(pair for size in SIZES for pair in logistics(size)),
    logistic_pair("logistic lbfgs", "many", LogisticRegression(tol=1e-4), "lbfgs", 10),
    *(discriminant_pair(*size, 3) for size in SIZES.values()),
    discriminant_pair(50_000, 100, 10),
    nearest_mean_pair(2000, 10, 3),
    nearest_mean_pair(50_000, 100, 10),
    quadratic_pair(2000, 10, 3),
    quadratic_pair(50_000, 100, 10),
]
