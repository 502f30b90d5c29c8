"""Shapley values beside those of the package shap, of the same models against the same rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mlcore.evaluation.explaining.shapley import shapley_exact
from mlcore.evaluation.explaining.shapley_of_sums import shapley_by_path, shapley_of_sum
from mlcore.spine.registry import lookup

shap = pytest.importorskip("shap", reason="shap is a development requirement, for this file alone")

RNG = np.random.default_rng(5)
X = RNG.normal(size=(160, 6))
Y = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + 0.1 * RNG.normal(size=160)
CODES = (Y > 0).astype(int)
THREE = np.digitize(Y, [-0.5, 0.5])
DEEP = X.argmax(axis=1) + X[:, 1] * X[:, 4]  # asked for by all variables on one way
ROWS, BACKGROUND = X[:9], X[100:140]
GROUPS = np.arange(6)


def ours(total: Any) -> np.ndarray:
    return shapley_of_sum(total, ROWS, BACKGROUND, GROUPS, 6)


def as_theirs(term: Any) -> dict[str, np.ndarray]:
    """One of our trees as theirs: `<=` goes left, by arrays a node; leaves have -1."""
    left = np.asarray(term.tree.left, dtype=np.int32)
    is_leaf = left < 0
    return {
        "children_left": left,
        "children_right": np.where(is_leaf, -1, left + 1).astype(np.int32),
        "children_default": left,
        "features": np.where(is_leaf, -2, term.tree.feature).astype(np.int32),
        "thresholds": np.asarray(term.tree.cut, dtype=np.float64),
        "values": np.asarray(term.answers, dtype=np.float64),
        "node_sample_weight": np.array(term.tree.weight, dtype=np.float64),
    }


def theirs_of_trees(total: Any, background: np.ndarray | None) -> np.ndarray:
    """TreeExplainer on our trees, path-dependent without background rows, without the margin of the
    start."""
    perturbation = "tree_path_dependent" if background is None else "interventional"
    model = {
        "trees": [as_theirs(term) for term in total.trees],
        "internal_dtype": np.float64,
        "input_dtype": np.float64,
        "objective": "squared_error",
        "tree_output": "raw_value",
        "base_offset": 0,
    }
    explainer = shap.TreeExplainer(model, background, feature_perturbation=perturbation)
    values = explainer.shap_values(ROWS, check_additivity=False)
    return values if values.ndim == 3 else values[:, :, None]


trees = pytest.mark.parametrize(
    ("method", "y"),
    [
        (lookup("regression", "regression_tree")(), Y),
        (lookup("regression", "random_forest_regression")(n_estimators=20), Y),
        (lookup("regression", "extra_trees_regression")(n_estimators=20), Y),
        (lookup("regression", "gradient_boosting_regression")(n_estimators=30), Y),
        (lookup("regression", "bagging_regression")(n_estimators=5), Y),
        (lookup("classification", "gradient_boosting")(n_estimators=30), CODES),
        (lookup("classification", "gradient_boosting")(n_estimators=10), THREE),
        (lookup("classification", "random_forest")(n_estimators=20), THREE),
        (lookup("classification", "adaboost")(n_estimators=20), CODES),
        (lookup("regression", "regression_tree")(max_leaf_nodes=120), DEEP),
    ],
)


@trees
def test_trees_are_shared_out_as_by_interventional_tree_shap(method, y):
    total = method.fit(X, y).as_sum
    # Theirs adds weights and answers of interventional trees up in single precision.
    np.testing.assert_allclose(ours(total), theirs_of_trees(total, BACKGROUND), rtol=0, atol=1e-6)


@trees
def test_trees_are_shared_out_as_by_path_dependent_tree_shap(method, y):
    total = method.fit(X, y).as_sum
    mine = shapley_by_path(total.trees, ROWS, GROUPS, 6)
    np.testing.assert_allclose(mine, theirs_of_trees(total, None), rtol=0, atol=1e-8)


@pytest.mark.parametrize(
    ("method", "y"),
    [
        (lookup("regression", "ridge")(), Y),
        (lookup("classification", "logistic")(), CODES),
        (lookup("classification", "logistic")(), THREE),
        (lookup("classification", "lda")(), THREE),
    ],
)
def test_lines_are_shared_out_as_by_linear_shap(method, y):
    fit = method.fit(X, y)
    masker = shap.maskers.Independent(BACKGROUND, max_samples=len(BACKGROUND))
    explainer = shap.LinearExplainer((fit.coefficients, fit.intercept), masker)
    values = explainer.shap_values(ROWS)
    values = values if values.ndim == 3 else values[:, :, None]
    np.testing.assert_allclose(ours(fit.as_sum), values, rtol=0, atol=1e-8)


def test_any_function_is_shared_out_as_by_the_exact_explainer():
    def f(rows: np.ndarray) -> np.ndarray:
        return rows[:, 0] * rows[:, 1] + np.sin(rows[:, 2] * rows[:, 3]) + rows[:, 4] ** 2

    masker = shap.maskers.Independent(BACKGROUND, max_samples=len(BACKGROUND))
    theirs = shap.explainers.Exact(f, masker)(ROWS).values
    found = [shapley_exact(lambda rows: f(rows)[:, None], row, BACKGROUND) for row in ROWS]
    mine = np.stack([one.values[:, 0] for one in found])
    np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-8)


def test_generalised_additive_models_are_shared_out_as_by_the_exact_explainer():
    fit = lookup("regression", "generalised_additive")(n_splines=8).fit(X, Y)
    masker = shap.maskers.Independent(BACKGROUND, max_samples=len(BACKGROUND))
    theirs = shap.explainers.Exact(fit.predict, masker)(ROWS).values
    np.testing.assert_allclose(ours(fit.as_sum)[:, :, 0], theirs, rtol=0, atol=1e-8)
