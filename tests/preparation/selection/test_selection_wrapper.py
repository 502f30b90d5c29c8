"""Wrappers: published numbers, the reference, closed forms, inner splits, and their cost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.linear_model import LinearRegression as TheirLeastSquares
from sklearn.model_selection import KFold as TheirKFold

from mlcore.classification.lda import LDA
from mlcore.evaluation.splits import KFold
from mlcore.preparation.chain import prepare
from mlcore.preparation.selection import closed_form, wrapper
from mlcore.preparation.selection.floating import SFFS
from mlcore.preparation.selection.selector import SubsetSelector
from mlcore.preparation.selection.wrapper import Wrapper
from mlcore.regression.linear_regression import LinearRegression
from mlcore.regression.ridge import Ridge
from mlcore.runs.cost import estimate
from mlcore.spine.registry import lookup
from tests.preparation.selection.selecting import (
    columns_of,
    diabetes,
    noisy,
    penguins,
    selected,
)


@pytest.fixture
def their_folds(monkeypatch):
    """Inner folds as the reference draws them."""
    folds = list(TheirKFold(5, shuffle=True, random_state=0).split(np.zeros(442)))
    monkeypatch.setattr(wrapper, "_splits", lambda it, given: folds)
    return folds


@pytest.mark.parametrize(
    ("search", "kept", "error"),
    [
        ("sfs", {"bmi", "bp", "s3", "s5"}, 3064.141),
        ("sbs", {"bmi", "bp", "s1", "s5"}, 3079.811),
        ("exhaustive", {"bmi", "bp", "s3", "s5"}, 3064.141),
    ],
)
def test_least_squares_as_wrapper_on_diabetes(their_folds, search, kept, error):
    score = Wrapper(learner="linear_regression")
    fit, found = selected(SubsetSelector(score=score, search=search, n_features=4), *diabetes())
    assert found == kept
    assert -fit.best[4] == pytest.approx(error, abs=5e-4)


# --- against the reference ----------------------------------------------------------------------


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_the_wrapper_chooses_as_the_reference(their_folds, direction):
    X, y, columns = diabetes()
    search = "sfs" if direction == "forward" else "sbs"
    score = Wrapper(learner="linear_regression")
    for size in (2, 5, 8):
        fit, _ = selected(
            SubsetSelector(score=score, search=search, n_features=size), X, y, columns
        )
        peer: Any = SequentialFeatureSelector
        theirs = peer(
            TheirLeastSquares(), n_features_to_select=size, direction=direction, cv=their_folds,
            scoring="neg_mean_squared_error",
        ).fit(X, y)  # fmt: skip
        np.testing.assert_array_equal(fit.chosen, theirs.get_support())


def test_discriminants_as_wrapper_choose_as_the_reference(monkeypatch):
    X, y = load_iris(return_X_y=True)
    folds = list(TheirKFold(5, shuffle=True, random_state=1).split(X))
    monkeypatch.setattr(wrapper, "_splits", lambda it, given: folds)
    fit = SubsetSelector(score="wrapper", n_features=2).fit(X, y)
    peer: Any = SequentialFeatureSelector
    theirs = peer(LinearDiscriminantAnalysis(), n_features_to_select=2, cv=folds).fit(X, y)
    np.testing.assert_array_equal(fit.chosen, theirs.get_support())


# --- the closed forms are the methods -----------------------------------------------------------


@pytest.mark.parametrize("learner", [LinearRegression(), LDA(), Ridge(), Ridge(alpha=30.0)])
@pytest.mark.parametrize("spoiled", ["", "a copy", "a constant"])
def test_a_closed_form_scores_as_the_method_does(monkeypatch, learner, spoiled):
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:120, :7].copy()
    y = (X[:, 0] + np.sin(X[:, 1])) if learner.card.task == "regression" else y[:120]
    X[:, 3] = X[:, 2] if spoiled == "a copy" else X[:, 3]
    X[:, 4] = 1.0 if spoiled == "a constant" else X[:, 4]
    assert closed_form.closed_form(learner)
    quick = SubsetSelector(score=Wrapper(learner=learner), search="exhaustive").fit(X, y)
    monkeypatch.setattr(closed_form, "CLOSED_FORMS", {})
    slow = SubsetSelector(score=Wrapper(learner=learner), search="exhaustive").fit(X, y)
    np.testing.assert_allclose(quick.best, slow.best, rtol=1e-8)
    np.testing.assert_array_equal(quick.chosen, slow.chosen)


def test_settings_that_a_closed_form_does_not_know_are_fitted():
    assert closed_form.closed_form(Ridge(offset="none")) is None


# --- inner splits ---


def test_inner_folds_keep_groups_together(monkeypatch):
    X, y = noisy()
    groups = np.arange(80) // 4
    seen = []
    splits = KFold.splits
    monkeypatch.setattr(
        KFold, "splits", lambda *a, **k: (seen.extend(found := splits(*a, **k)), found)[1]
    )
    score = Wrapper(learner="linear_regression")
    prepare((SubsetSelector(score=score),), X, y, columns_of(7), groups=groups)
    assert len(seen) == 5
    for train, test in seen:
        assert not set(groups[train]) & set(groups[test])


@pytest.mark.parametrize("scheme", ["hold_out", "k_fold", "bootstrap_split"])
def test_a_wrapper_judges_by_every_scheme_on_equal_rows(scheme):
    """J is minus the mean loss of the method on the rows that each inner split leaves out."""
    X, y = noisy()
    score = Wrapper(learner="linear_regression", folds=scheme)
    fit = SubsetSelector(score=score, n_features=2).fit(X, y, seed=4)
    at = np.flatnonzero(fit.chosen)
    losses = [
        np.mean((TheirLeastSquares().fit(X[s.train][:, at], y[s.train]).predict(X[s.test][:, at])
                 - y[s.test]) ** 2)
        for s in score.folds.splits(80, seed=4)
    ]  # fmt: skip
    assert fit.best[2] == pytest.approx(-np.mean(losses), rel=1e-9)
    assert fit.chosen[[1, 4]].all()


# --- variables that help only together ----------------------------------------------------------


def trap(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Two variables that tell the classes apart only together, a weak one, and two of noise."""
    rng = np.random.default_rng(seed)
    corners = rng.choice([-1.0, 1.0], (400, 2))
    y = (corners.prod(axis=1) > 0).astype(int)
    weak = rng.normal(size=400) + 0.6 * (2 * y - 1)
    noise = rng.choice([-1.0, 1.0], (400, 2)) + rng.normal(size=(400, 2))
    return np.column_stack([corners + 0.3 * rng.normal(size=(400, 2)), weak, noise]), y


def trapped(search: Any, seed: int) -> tuple[list[int], float]:
    """The two variables that a search keeps by 15 nearest neighbours, and their inner accuracy."""
    knn: Any = lookup("classification", "knn")
    learner = knn(n_neighbors=15)
    X, y = trap(seed)
    fit = SubsetSelector(score=Wrapper(learner=learner), search=search, n_features=2).fit(X, y)
    return np.flatnonzero(fit.chosen).tolist(), 1 + float(fit.best[2])


@pytest.mark.parametrize("seed", range(4))
def test_the_forward_search_misses_what_helps_only_together(seed):
    assert trapped("sfs", seed)[1] < 0.8
    assert trapped(SFFS(delta=0), seed)[1] < 0.8


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("search", ["sbs", "exhaustive", SFFS(delta=2)])
def test_other_searches_find_it(search, seed):
    kept, accuracy = trapped(search, seed)
    assert kept == [0, 1]
    assert accuracy > 0.99


def test_the_cost_of_a_run_counts_its_search_for_variables():
    data = penguins().data.dataset({})
    plain, dear = (
        estimate(penguins(score=score), data)[0] for score in ("cfs", Wrapper(learner="logistic"))
    )
    assert dear > 10 * plain


@pytest.mark.parametrize(
    ("selector", "said"),
    [
        (SubsetSelector(), ""),
        (SubsetSelector(score="wrapper", n_features=12),
         "selecting 12 of 30 variables by about 1,470 inner fits"),
        (SubsetSelector(score="wrapper", search="exhaustive"),
         "selecting the best of 30 variables by about 5,370,000,000 inner fits"),
        (SubsetSelector(score=Wrapper(folds="leave_one_out"), n_features=1),
         "selecting 1 of 30 variables by about 12,000 inner fits"),
    ],
)  # fmt: skip
def test_what_a_search_takes_is_announced_in_fits(selector, said):
    assert selector.announced(400, 30) == said
