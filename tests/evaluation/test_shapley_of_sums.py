"""The short ways to Shapley values: they are those over all sets of variables."""

from __future__ import annotations

from functools import cache
from math import comb
from typing import Any

import numpy as np
import pytest
from scipy.special import logit

from mlcore.data.dataset import TableData
from mlcore.data.generators.quantities.counts import Counts
from mlcore.ensembles.boosted import Questions
from mlcore.evaluation.explaining import _kernels
from mlcore.evaluation.explaining.shapley import shapley_exact
from mlcore.evaluation.explaining.shapley_of_sums import shapley_trees
from mlcore.evaluation.splits import KFold
from mlcore.runs.carry import splits_of
from mlcore.runs.explaining.model import Model, model_of
from mlcore.runs.explaining.sharing_out import shared_out
from mlcore.runs.explaining.short_ways import (
    AUTO,
    OUTPUTS,
    PATH_DEPENDENT,
    expects_paths,
    expects_short_way,
    in_short,
)
from mlcore.runs.run import Run
from mlcore.spine.capabilities_of_sums import TreeTerm
from mlcore.spine.errors import DataError
from mlcore.spine.registry import lookup


def regression(name: str, **settings: Any) -> Any:
    return lookup("regression", name)(**settings)


def classifier(name: str, **settings: Any) -> Any:
    return lookup("classification", name)(**settings)


SOURCES = {
    "sexes": TableData(source="penguins", target="sex"),
    "shares": TableData(source=Counts(n_samples=60, n_features=2, kind="shares")),
}
# Data with names and missing values, two classes, more classes; the scale on which they add up.
EXACT = [
    ("cars", regression("ridge"), ""),
    ("cars", regression("regression_tree"), ""),
    ("cars", regression("extra_trees_regression", n_estimators=10), ""),
    ("cars", regression("gradient_boosting_regression", n_estimators=15), ""),
    ("cars", regression("gradient_boosting_regression", n_estimators=9, loss="absolute"), ""),
    ("cars", regression("generalised_additive", n_splines=6), ""),
    ("cars", regression("generalised_additive", n_splines=6, family="gamma"), "logarithm"),
    ("cars", regression("generalised_linear", family="gamma"), "logarithm"),
    ("cars", regression("generalised_linear", family="gamma", exposure="weight_lbs"), "logarithm"),
    (
        "cars",
        regression("generalised_additive", family="gamma", exposure="weight_lbs", n_splines=6),
        "logarithm",
    ),
    ("shares", regression("generalised_linear", family="binomial"), "log-odds"),
    ("shares", regression("generalised_additive", family="binomial", n_splines=6), "log-odds"),
    ("cars", regression("bagging_regression", n_estimators=5, max_features=0.6), ""),
    ("cars", regression("bagging_regression", n_estimators=3, estimator="ridge"), ""),
    ("cars", regression("voting_regression"), ""),
    ("cars", regression("svr", kernel="linear"), ""),
    ("penguins", classifier("decision_tree"), ""),
    ("penguins", classifier("random_forest", n_estimators=20), ""),
    ("penguins", classifier("extra_trees", n_estimators=10), ""),
    ("penguins", classifier("bagging", n_estimators=5, max_features=0.7), ""),
    ("penguins", classifier("gradient_boosting", n_estimators=8), "score"),
    ("penguins", classifier("logistic"), "score"),
    ("penguins", classifier("lda"), "score"),
    ("penguins", classifier("nearest_mean"), "score"),
    ("penguins", classifier("perceptron"), "score"),
    ("penguins", classifier("adaboost", n_estimators=8), "score"),
    ("penguins", classifier("svc", kernel="linear", multiclass="ovr"), "score"),
    ("sexes", classifier("svc", kernel="linear"), "score"),
    ("sexes", classifier("gradient_boosting", n_estimators=8), "log-odds"),
    ("sexes", classifier("logistic"), "log-odds"),
    ("sexes", classifier("adaboost", n_estimators=8), "log-odds"),
    ("sexes", classifier("adaboost", n_estimators=6, variant="real"), "log-odds"),
    ("sexes", classifier("adaboost", n_estimators=6, variant="gentle"), "log-odds"),
]


@cache
def model(data: str, method: Any) -> Model:
    run = Run(data=SOURCES.get(data, data), method=method, evaluation=KFold(n_splits=3))
    dataset = run.data.dataset()
    return model_of(run, dataset, splits_of(run, dataset)[0])


def on_scale(asked: Model, scale: str) -> Any:
    """What adds up, of rows of the table: for each class where there are classes."""
    if not scale:
        return asked.outputs
    if scale == "logarithm":
        return lambda rows: np.log(asked.outputs(rows))
    if asked.dataset.task == "regression":
        return lambda rows: logit(asked.outputs(rows))

    def scores(rows: np.ndarray) -> np.ndarray:
        found = asked.fit.decision(asked.prepared.transform(rows))
        return found if found.ndim == 2 else np.column_stack([-found, found])

    return scores


@pytest.mark.parametrize(("data", "method", "scale"), EXACT)
def test_they_are_those_over_all_sets_of_variables(data, method, scale):
    asked = model(data, method)
    X = asked.dataset.X
    background, rows = X[asked.split.train[:8]], X[asked.split.test[:2]]
    found = in_short(asked, rows, background)
    assert found is not None
    assert found.scale == scale
    # AdaBoost: `decision` is half of the scores of which probabilities are a softmax.
    factor = 2.0 if method.card.name == "adaboost" else 1.0
    outputs = on_scale(asked, scale)
    for i, row in enumerate(rows):
        wanted = shapley_exact(outputs, row, background)
        np.testing.assert_allclose(found.values[i], factor * wanted.values, atol=1e-10, rtol=1e-9)
        np.testing.assert_allclose(found.base, factor * wanted.base, atol=1e-10, rtol=1e-9)


def test_outputs_are_shared_out_in_short_only_where_they_are_the_sum():
    asked = model("sexes", classifier("logistic"))
    X = asked.dataset.X
    assert in_short(asked, X[:1], X[1:4], OUTPUTS) is None
    trees = model("penguins", classifier("decision_tree"))
    assert in_short(trees, trees.dataset.X[:1], trees.dataset.X[1:4], OUTPUTS) is not None


@pytest.mark.parametrize(
    "method",
    [
        classifier("naive_bayes"),
        classifier("svc"),
        classifier("svc", kernel="linear"),  # pairs of classes vote
        classifier("bagging", n_estimators=2, vote="majority"),
        classifier("bagging", n_estimators=2, estimator="logistic"),
        classifier("adaboost", estimator="classifier", n_estimators=2),
        classifier("voting"),
    ],
)
def test_there_is_none_for_a_model_that_is_no_sum(method):
    asked = model("penguins", method)
    X = asked.dataset.X
    assert in_short(asked, X[:1], X[1:4]) is None


def test_there_is_none_where_a_step_mixes_the_variables_and_none_is_expected():
    run = Run(data="iris", preparation=("standardise", "whitening"), method="logistic",
              evaluation=KFold(n_splits=3))  # fmt: skip
    dataset = run.data.dataset()
    asked = model_of(run, dataset, splits_of(run, dataset)[0])
    assert in_short(asked, dataset.X[:2], dataset.X[2:9]) is None
    assert not expects_short_way(run)
    assert expects_short_way(Run(data="iris", method="logistic"))
    assert not expects_short_way(Run(data="iris", method="logistic"), OUTPUTS)
    assert expects_short_way(Run(data="iris", method="random_forest"), OUTPUTS)


TREES = [
    ("cars", regression("regression_tree")),
    ("cars", regression("extra_trees_regression", n_estimators=5)),
    ("cars", regression("gradient_boosting_regression", n_estimators=9, subsample=0.5)),
    ("cars", regression("bagging_regression", n_estimators=3, max_features=0.6)),
    ("penguins", classifier("decision_tree")),
    ("penguins", classifier("random_forest", n_estimators=5)),
    ("penguins", classifier("gradient_boosting", n_estimators=4)),
    ("penguins", classifier("adaboost", n_estimators=4)),
    ("sexes", classifier("gradient_boosting", n_estimators=6)),
]


def along_ways(asked: Model, row: np.ndarray, known: np.ndarray) -> np.ndarray:
    """By the definition: a node that asks about an unknown variable goes both ways, by shares."""
    names = [column.name for column in asked.dataset.columns]
    groups = np.array([names.index(column.variable) for column in asked.prepared.columns])
    Z = asked.prepared.transform(row[None])

    def mean(term: Any, goes: np.ndarray, own: np.ndarray, node: int) -> np.ndarray:
        left = int(term.tree.left[node])
        if left < 0:
            return term.answers[node]
        if known[own[term.tree.feature[node]]]:
            return mean(term, goes, own, left if goes[node] else left + 1)
        w = term.tree.weight
        sides = (mean(term, goes, own, child) * w[child] for child in (left, left + 1))
        return sum(sides) / w[node]  # type: ignore[return-value]

    total = 0.0
    for term in asked.fit.as_sum.trees:
        at = slice(None) if term.columns is None else term.columns
        total = total + mean(term, term.tree.answers_to(Z[:, at])[0], groups[at], 0)
    return np.asarray(total)


@pytest.mark.parametrize("remembered", [10, 1])  # ways that share out rows alike, and each alone
@pytest.mark.parametrize(("data", "method"), TREES)
def test_by_path_they_are_those_over_all_sets_by_the_definition(
    data, method, remembered, monkeypatch
):
    asked = model(data, method)
    X, p = asked.dataset.X, len(asked.dataset.columns)
    rows = X[asked.split.test[:2]]
    if remembered != _kernels.REMEMBERED:
        monkeypatch.setattr(_kernels, "REMEMBERED", remembered)
        loops = {name: it for name, it in vars(_kernels).items() if hasattr(it, "py_func")}
        plain = {name: loop.py_func for name, loop in loops.items()}
        for name, function in plain.items():
            monkeypatch.setattr(_kernels, name, function)
    found = in_short(asked, rows, X[asked.split.train[:8]], AUTO, PATH_DEPENDENT)
    assert found is not None
    for i, row in enumerate(rows):

        def worth(sets: np.ndarray, row: np.ndarray = row) -> np.ndarray:
            return np.array([along_ways(asked, row, each > 0.5) for each in sets])

        wanted = shapley_exact(worth, np.ones(p), np.zeros((1, p))).values
        mine = found.values[i][:, -wanted.shape[1] :]  # of two classes the second is the score
        np.testing.assert_allclose(mine, wanted, atol=1e-10, rtol=1e-9)
    whole = found.base + found.values.sum(axis=1)
    if not found.scale:
        np.testing.assert_allclose(whole, asked.outputs(rows), atol=1e-10)


def test_a_way_may_ask_about_more_variables_than_a_number_has_bits():
    n, inner = 70, np.arange(70)  # a leaf of answer 1 behind a question about each
    feature, left = np.full(2 * n + 1, -1), np.full(2 * n + 1, -1)
    feature[2 * inner], left[2 * inner] = inner, 2 * inner + 1
    missing_left, answers = np.zeros(2 * n + 1, bool), np.zeros((2 * n + 1, 1))
    answers[-1] = 1.0
    tree = Questions(feature, np.zeros(2 * n + 1), missing_left, left, np.ones(2 * n + 1))
    row, other = np.ones((1, n)), np.full((1, n), -1.0)
    row[0, 66:], other[0, 66:], other[0, :3] = -1.0, 1.0, 1.0  # of 3 it does not matter whose
    values = shapley_trees([TreeTerm(tree, answers)], row, other, np.arange(n), n)[0, :, 0]
    a, c = 63, 4
    np.testing.assert_allclose(values[3:66], 1 / (a * comb(a + c, a)), rtol=1e-12)
    np.testing.assert_allclose(values[66:], -1 / (c * comb(a + c, c)), rtol=1e-12)
    assert (values[:3] == 0.0).all()


def test_by_path_there_is_a_sentence_where_no_trees_are_summed():
    asked, lot = model("penguins", classifier("lda")), np.random.default_rng(0)
    rows = asked.dataset.X[:2]
    how = {"rounds": 1, "scale": AUTO, "perturbation": PATH_DEPENDENT, "exact_up_to": 5}
    with pytest.raises(DataError, match="need sums of trees; Linear discriminant"):
        shared_out(asked, rows, rows, lot, **how)  # type: ignore[arg-type]


def test_ways_are_expected_of_trees_alone():
    def expected(method: Any, scale: str = AUTO, data: str = "penguins") -> bool:
        return expects_paths(Run(data=data, method=method), scale)

    assert expected("random_forest")
    assert expected("gradient_boosting") and not expected("gradient_boosting", OUTPUTS)
    assert expected("adaboost") and not expected("logistic")
    assert expected(regression("bagging_regression"), data="cars")
    ridge = regression("bagging_regression", estimator="ridge")
    assert not expected(ridge, data="cars")
