"""The table of Newton's steps: what is known in closed form at the start and at the end."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from figures.views.classification import newton_steps as picture
from mlcore.classification.likelihood import standard_errors
from mlcore.classification.logistic import LogisticRegression
from tests.figures import made

RNG = np.random.default_rng(4)
X = RNG.normal(size=(80, 2))
Y = (X @ [1.0, -2.0] + RNG.logistic(size=80) > 0).astype(int)


def test_the_first_step_is_least_squares_of_what_a_coin_leaves():
    t = LogisticRegression(penalty="none", solver="newton").newton_steps(X, Y)
    assert t.log_likelihood[0] == pytest.approx(80 * np.log(0.5))
    design = np.column_stack([X, np.ones(80)])
    # At zero every weight is 1/4 and the working response 4 (y - 1/2).
    first = np.linalg.lstsq(design, 4 * (Y - 0.5), rcond=None)[0]
    np.testing.assert_allclose(t.coefficients[1, 0], first, rtol=1e-9)
    np.testing.assert_allclose(
        t.errors[0, 0], 2 * np.sqrt(np.diag(np.linalg.inv(design.T @ design))), rtol=1e-9
    )
    assert t.slope[0] == pytest.approx(
        max(np.abs((X - X.mean(axis=0)).T @ (Y - 0.5)).max(), abs((Y - 0.5).sum()))
    )


def test_the_last_step_is_the_fit_and_the_distance_is_squared():
    method = LogisticRegression(penalty="none", tol=1e-12)
    t, fit = method.newton_steps(X, Y), method.fit(X, Y)
    np.testing.assert_array_equal(t.coefficients[-1, 0, :-1], fit.coefficients)
    np.testing.assert_allclose(t.errors[-1, 0, :-1], fit.standard_errors)
    assert t.log_likelihood[-1] == pytest.approx(fit.log_likelihood)
    off = np.abs(t.coefficients[:, 0] - t.coefficients[-1, 0]).max(axis=1)
    near = np.flatnonzero((off < 0.3) & (off > 1e-7))
    assert len(near) > 1 and (off[near[1:]] < off[near[:-1]] ** 2 * 2).all()
    assert (np.diff(t.log_likelihood) > -1e-9).all()


def test_weights_are_rows_and_a_penalty_is_not_in_the_likelihood():
    w = np.where(np.arange(80) < 40, 2.0, 1.0)
    twice = np.concatenate([X, X[:40]]), np.concatenate([Y, Y[:40]])
    of, known = LogisticRegression().newton_steps(X, Y, weights=w), LogisticRegression()
    np.testing.assert_allclose(of.log_likelihood, known.newton_steps(*twice).log_likelihood)
    assert of.objective[-1] > -of.log_likelihood[-1]


def test_what_several_classes_share_is_zero_and_a_reference_has_errors_of_zero():
    y = RNG.integers(0, 3, 80)
    free = LogisticRegression(penalty="none").newton_steps(X, y)
    assert free.coefficients.shape[1:] == (3, 3)
    np.testing.assert_allclose(free.coefficients.sum(axis=1), 0.0, atol=1e-12)
    # At coefficients of zero an intercept less the mean has the variance (1 - 1/3) 3 / n where
    # the columns have mean 0: that of log counts of n / 3 rows a class.
    level = LogisticRegression(penalty="none").newton_steps(X - X.mean(axis=0), y)
    np.testing.assert_allclose(level.errors[0, :, -1], (2 / 80) ** 0.5)
    pairs = LogisticRegression(penalty="none", loss="pairwise").newton_steps(X, y)
    assert np.isnan(pairs.errors).all()
    fixed = LogisticRegression(penalty="none", reference="last").newton_steps(X, y)
    assert (fixed.errors[:, 2] == 0).all() and (fixed.errors[:, :2] > 0).all()


def test_the_picture_shows_the_steps_of_the_chosen_class_and_only_those_of_newton():
    y = RNG.integers(0, 3, 80)
    data = made.dataset(X, y, ("a", "b", "c"))
    whole = made.whole(data, LogisticRegression())
    t = picture.numbers(data, whole, 3)
    assert t.of == "c" and picture.is_by_newton(data, whole)
    np.testing.assert_allclose(t.estimates[-1, :-1], whole.fit.coefficients[2])
    assert "Not converged" not in picture.reading(t)
    for solver in ("lbfgs", "fista"):
        assert not picture.is_by_newton(data, made.whole(data, LogisticRegression(solver=solver)))
    two = made.dataset(X, Y, ("a", "b"))
    drawn = picture.draw(picture.numbers(two, made.whole(two, LogisticRegression())))
    assert drawn.data[0].name == "x1" and drawn.data[-1].name == "steepest slope"


def test_a_variance_that_rounding_makes_negative_is_unknown():
    """As of a date beside texts, at an early step: without a warning, or its picture is lost."""
    loss = SimpleNamespace(at=lambda y, predictor: None, shared=False)
    curvature = np.diag([1.0, -1e-9, 4.0])
    problem: Any = SimpleNamespace(
        X=np.ones((1, 2)), y=None, mean=np.zeros(2), outputs=1, loss=loss,
        curvature=lambda local: curvature,
    )  # fmt: skip
    np.testing.assert_array_equal(standard_errors(problem, np.zeros(1), 1), [[1.0, np.nan, 0.5]])
