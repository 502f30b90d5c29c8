"""Permutation importance against scikit-learn, on the rows left out of equal folds; Shapley values
against shap."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from sklearn import datasets, ensemble, linear_model, model_selection
from sklearn.inspection import permutation_importance
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.pairs import Pair
from mlcore.data.dataset import TableData
from mlcore.evaluation.explaining.shapley_of_sums import shapley_of_sum
from mlcore.evaluation.splits import KFold
from mlcore.runs.carry_explanation import carried_out
from mlcore.runs.explaining.explanation import Explanation
from mlcore.runs.explaining.importance import Importance
from mlcore.runs.run import Run
from mlcore.spine.component import Component
from mlcore.spine.registry import lookup

SHUFFLES = 10


def importance_pair(name: str, method: Component, peer: object) -> Pair:
    """The mean loss of all variables over five folds; both draw their own shuffles."""
    run = Run(
        data=TableData(source="diabetes"),
        preparation=("one_hot", "standardise"),
        method=method,
        evaluation=KFold(shuffle=False, stratify="off"),
    )
    asked = Explanation.of(run, Importance(shuffles=SHUFFLES))
    X, y = datasets.load_diabetes(return_X_y=True, scaled=False)

    def theirs() -> float:
        model, means = make_pipeline(StandardScaler(), peer), []
        for train, test in model_selection.KFold(5).split(X):
            fitted = model.fit(X[train], y[train])
            losses = permutation_importance(
                fitted, X[test], y[test], n_repeats=SHUFFLES, random_state=0,
                scoring="neg_root_mean_squared_error",
            )  # fmt: skip
            means.append(losses["importances_mean"].mean())
        return float(np.mean(means))

    return Pair(
        f"permutation importance, {name}", "sklearn.permutation_importance",
        f"442 x 10, 5 folds x {SHUFFLES} shuffles",
        lambda: float(carried_out(asked).joined.mean.mean()), theirs,
        lambda a, b: b - a,
    )  # fmt: skip


def shapley_pair(name: str, method: Any, peer: Any) -> Pair:
    """Interventional values of 200 rows against 100; how far they are from adding up."""
    X, y = datasets.make_friedman1(1_200, 20, noise=1.0, random_state=0)
    rows, background = X[:200], X[1_000:1_100]

    @cache
    def models() -> tuple[Any, Any]:  # fitted when they are first asked for
        return method.fit(X[200:], y[200:]), peer.fit(X[200:], y[200:])

    def ours() -> float:
        fit, _ = models()
        values = shapley_of_sum(fit.as_sum, rows, background, np.arange(20), 20)
        off = values[:, :, 0].sum(axis=1) - fit.predict(rows) + fit.predict(background).mean()
        return float(np.abs(off).max())

    def theirs() -> float:
        shap, (_, model) = import_module("shap"), models()
        explainer = shap.TreeExplainer(model, background, feature_perturbation="interventional")
        values = explainer.shap_values(rows, check_additivity=False)
        off = values.sum(axis=1) - model.predict(rows) + model.predict(background).mean()
        return float(np.abs(off).max())

    return Pair(
        f"Shapley values, {name}", "shap.TreeExplainer", "200 rows x 20, 100 background rows",
        ours, theirs, lambda a, b: a - b, package="shap",
    )  # fmt: skip


PAIRS = [
    importance_pair("ridge", lookup("regression", "ridge")(), linear_model.Ridge()),
    importance_pair(
        "random forest",
        lookup("regression", "random_forest_regression")(),
        ensemble.RandomForestRegressor(max_features=1 / 3, random_state=0),
    ),
    shapley_pair(
        "random forest",
        lookup("regression", "random_forest_regression")(n_estimators=30, max_depth=8),
        ensemble.RandomForestRegressor(30, max_depth=8, max_features=1 / 3, random_state=0),
    ),
    shapley_pair(
        "gradient boosting",
        lookup("regression", "gradient_boosting_regression")(),
        ensemble.GradientBoostingRegressor(random_state=0),
    ),
]
