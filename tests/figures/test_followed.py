"""What the steps of a method are followed by is called what it is."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from figures.view import views
from mlcore.spine.iterate import Step
from mlcore.spine.registry import lookup, names, slots_of

STEPS = [Step(k, float(v), None) for k, v in enumerate((0, 300))]
# What each of these yields is no more than a measure of how far it is: nothing is made small or
# large by its steps, or something else is.
MEASURES = {
    "active_learning", "agglomerative", "bagging", "bagging_regression", "dbscan", "extra_trees",
    "extra_trees_regression", "isolation_forest", "isomap", "lars", "local_regression",
    "mean_shift", "multiclass", "pca", "pcr", "perceptron", "pls_regression", "random_forest",
    "random_forest_regression", "som",
}  # fmt: skip


def every_iterative() -> dict[str, type]:
    methods = {n: lookup(s, n) for s in slots_of("method") for n in names(s)}
    return {name: cls for name, cls in methods.items() if hasattr(cls, "followed")}


def test_only_what_is_made_small_or_large_is_called_an_objective():
    every = every_iterative()
    assert {name for name, cls in every.items() if cls.followed != "objective"} == MEASURES


def test_every_method_with_steps_says_what_it_is_followed_by():
    for slot in slots_of("method"):
        for name in names(slot):
            cls = lookup(slot, name)
            assert hasattr(cls, "followed") == hasattr(cls, "steps"), name


def test_rows_that_joined_are_no_objective():
    fit = SimpleNamespace(made_by=lookup("clustering", "dbscan")())
    drawn = views()["objective_trace"].make(STEPS, fit)
    assert drawn.reading.startswith("Rows in groups 0 at the first step, 300 after")
    assert "objective" not in f"{drawn.title} {drawn.reading} {drawn.table[1].name}".lower()


def test_before_any_row_is_out_of_the_bag_there_is_no_error():
    X = np.arange(6.0)[:, None]
    method = lookup("regression", "random_forest_regression")(n_estimators=12)
    for seed in range(200):  # the first tree draws all six rows in one of 65 starts
        fit = method.fit(X, X[:, 0], seed=seed)
        if np.isnan(fit.oob_errors[0]):
            break
    steps = list(method.steps(X, X[:, 0], seed=seed))
    first = int(np.flatnonzero(np.isfinite(fit.oob_errors))[0])
    assert np.isnan([step.objective for step in steps[:first]]).all() and first > 0
    drawn = views()["objective_trace"].make(steps, fit)
    assert f"at step {first + 1}, undefined before" in drawn.reading
    assert "0.00 at" not in drawn.reading
    nothing = views()["objective_trace"].make(steps[:first], fit)
    assert "undefined at every step" in nothing.reading
