"""Variable selection, whitening and tuning against scikit-learn and mlxtend, on equal folds."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from mlxtend.feature_selection import SequentialFeatureSelector as Floating
from sklearn import datasets, discriminant_analysis, linear_model, model_selection, neighbors
from sklearn.decomposition import PCA
from sklearn.feature_selection import SequentialFeatureSelector, chi2, mutual_info_classif
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.pairs import Pair
from mlcore.data.dataset import TableData
from mlcore.evaluation.splits import KFold
from mlcore.preparation.selection.counted import ChiSquare
from mlcore.preparation.selection.filters import UnivariateFilter
from mlcore.preparation.selection.floating import SFFS
from mlcore.preparation.selection.selector import SubsetSelector
from mlcore.preparation.selection.wrapper import Wrapper
from mlcore.preparation.whitening import Whitening
from mlcore.runs import carry_tuning
from mlcore.runs.tuning.search import GridSearch
from mlcore.runs.tuning.tuning import Tuning
from mlcore.spine.registry import lookup

# In the order of the rows both sides cut the same folds, as long as 5 divides their number.
OURS = KFold(shuffle=False, stratify="off")
THEIRS = model_selection.KFold(5)
SCORES = {"classification": "accuracy", "regression": "neg_mean_squared_error"}
ALPHAS = [10.0**k for k in range(-3, 5)]


@lru_cache
def table(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Standardised rows of a known table, shuffled, as many as 5 divides."""
    if name == "made":
        rng = np.random.default_rng(1)
        X = rng.normal(size=(1000, 30)) @ rng.normal(size=(30, 30))
        return X, X[:, :8] @ rng.normal(size=8) + 10 * rng.normal(size=1000)
    data = getattr(datasets, f"load_{name}")(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(data[0]) // 5 * 5)
    return StandardScaler().fit_transform(data[0][order]), data[1][order]


def chosen_by_ours(data: str, learner: str, search: Any, size: int) -> np.ndarray:
    """Which variables ours keeps."""
    score = Wrapper(learner=learner, folds=OURS)
    X, y = table(data)
    return SubsetSelector(score=score, search=search, n_features=size).fit(X, y).chosen


def loss_of(data: str, peer: Any, task: str, chosen: np.ndarray) -> float:
    """The loss of a choice on the common folds, by the peer's method."""
    X, y = table(data)
    return -model_selection.cross_val_score(
        peer, X[:, np.flatnonzero(chosen)], y, cv=THEIRS, scoring=SCORES[task]
    ).mean()


def selection_pair(
    learner: str, peer: Any, data: str, direction: str, size: int, *, floating: bool = False
) -> Pair:
    """The same search with the same method on the same folds by both."""
    task = lookup("learner", learner).card.task
    X, _ = table(data)
    search: Any = SFFS() if floating else "sfs" if direction == "forward" else "sbs"
    theirs = their_floating if floating else their_plain
    return Pair(
        f"{'sffs' if floating else search} {learner}",
        f"{'mlxtend' if floating else 'sklearn'}.SequentialFeatureSelector",
        f"{len(X)} x {X.shape[1]}, {data}, {size} kept",
        lambda: chosen_by_ours(data, learner, search, size),
        lambda: theirs(peer, data, direction, size, SCORES[task]),
        lambda a, b: loss_of(data, peer, task, a) - loss_of(data, peer, task, b),
    )


def their_plain(peer: Any, data: str, direction: str, size: int, scoring: str) -> np.ndarray:
    """Which variables scikit-learn keeps."""
    make: Any = SequentialFeatureSelector
    selector = make(
        peer, n_features_to_select=size, direction=direction, cv=THEIRS, scoring=scoring
    )
    return selector.fit(*table(data)).get_support()


def their_floating(peer: Any, data: str, direction: str, size: int, scoring: str) -> np.ndarray:
    """Which variables mlxtend keeps."""
    forward = direction == "forward"
    make: Any = Floating
    selector = make(
        peer, k_features=size, forward=forward, floating=True, cv=THEIRS, scoring=scoring
    ).fit(*table(data))
    return np.isin(np.arange(table(data)[0].shape[1]), selector.k_feature_idx_)


def white_pair(n: int, p: int) -> Pair:
    """Principal components of variance 1; the gap is what the covariance differs from I more."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p)) @ rng.normal(size=(p, p))
    return Pair(
        "whitening pca", "sklearn.PCA(whiten=True)", f"{n} x {p}",
        lambda: Whitening(method="pca").fit(X).transform(X),
        lambda: PCA(whiten=True).fit_transform(X) * np.sqrt(n / (n - 1)),
        lambda a, b: off_white(a) - off_white(b),
    )  # fmt: skip


def off_white(Z: np.ndarray) -> float:
    """The largest difference between the covariance and the identity."""
    return float(np.abs(Z.T @ Z / len(Z) - np.eye(Z.shape[1])).max())


def information_pair(n: int, p: int) -> Pair:
    """Information of every column with two classes, by three neighbours; the gap is the largest."""
    X = np.random.default_rng(0).normal(size=(n, p))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    step = UnivariateFilter(relevance="mutual_information")
    return Pair(
        "mutual information", "sklearn.mutual_info_classif", f"{n} x {p}",
        lambda: step.fit(X, y).relevance,
        lambda: mutual_info_classif(X, y, random_state=0),
        lambda a, b: float(np.abs(a - b).max()),
    )  # fmt: skip


def chi_square_pair(n: int, p: int) -> Pair:
    """Counts of every column by three classes."""
    rng = np.random.default_rng(0)
    X, y = rng.poisson(2.0, (n, p)).astype(float), rng.integers(0, 3, n)
    step = UnivariateFilter(relevance=ChiSquare(of_what="values"))
    return Pair(
        "chi-square of counts", "sklearn.chi2", f"{n} x {p}",
        lambda: step.fit(X, y).relevance, lambda: chi2(X, y)[0],
        lambda a, b: float(np.abs(a - b).max()),
    )  # fmt: skip


def tuning_pair(method: str, peer: Any, name: str, grid: dict[str, list]) -> Pair:
    """Nested search over the same grid, and on all rows; the gap is that of the outer error.

    5 does not divide 442, so a few rows stand in another fold, and the errors differ a little.
    """
    over = {f"method.{k}": ",".join(map(str, values)) for k, values in grid.items()}
    run = Tuning(
        data=TableData(source="diabetes"), preparation=("one_hot", "standardise"), method=method,
        search=GridSearch(over=tuple(over.items()), inner=OURS), evaluation=OURS,
    )  # fmt: skip
    their_grid = {f"{name}__{k}": values for k, values in grid.items()}
    return Pair(
        f"tuning {method}", "sklearn.GridSearchCV, nested", f"442 x 10, {len(ALPHAS)} values",
        lambda: float(carry_tuning.carried_out(run).outer.mean()),
        their_nested(make_pipeline(StandardScaler(), peer), their_grid),
        lambda a, b: a - b,
    )  # fmt: skip


def their_nested(peer: Any, grid: dict[str, list]) -> Callable[[], float]:
    """The search on all rows, then its outer error."""
    X, y = datasets.load_diabetes(return_X_y=True, scaled=False)
    scoring = "neg_root_mean_squared_error"
    make: Any = model_selection.GridSearchCV

    def work() -> float:
        search = make(peer, grid, cv=THEIRS, scoring=scoring)
        search.fit(X, y)
        return -float(model_selection.cross_val_score(search, X, y, cv=THEIRS, scoring=scoring)
                      .mean())  # fmt: skip

    return work


LEAST_SQUARES = linear_model.LinearRegression()
DISCRIMINANTS = discriminant_analysis.LinearDiscriminantAnalysis()
NEIGHBOURS = neighbors.KNeighborsClassifier(10)

PAIRS = [
    selection_pair("linear_regression", LEAST_SQUARES, "diabetes", "forward", 4),
    selection_pair("linear_regression", LEAST_SQUARES, "made", "forward", 10),
    selection_pair("linear_regression", LEAST_SQUARES, "made", "backward", 20),
    selection_pair("ridge", linear_model.Ridge(), "made", "forward", 4),
    selection_pair("lda", DISCRIMINANTS, "breast_cancer", "forward", 5),
    selection_pair("lda", DISCRIMINANTS, "wine", "backward", 4),
    selection_pair("knn", NEIGHBOURS, "breast_cancer", "forward", 5),
    selection_pair("knn", NEIGHBOURS, "wine", "backward", 4),
    selection_pair("linear_regression", LEAST_SQUARES, "diabetes", "forward", 6, floating=True),
    selection_pair("lda", DISCRIMINANTS, "wine", "forward", 6, floating=True),
    selection_pair("knn", NEIGHBOURS, "wine", "forward", 6, floating=True),
    information_pair(10_000, 50),
    chi_square_pair(10_000, 50),
    white_pair(100_000, 20),
    white_pair(2000, 200),
    tuning_pair("ridge", linear_model.Ridge(), "ridge", {"alpha": ALPHAS}),
]
