"""Facts about logistic regression, discriminants and the constant class."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from mlcore.classification.constant import ConstantClassifier
from mlcore.classification.lda import LDA
from mlcore.classification.logistic import LogisticRegression
from mlcore.classification.logits import discriminant_coefficients, logistic_function
from mlcore.classification.priors import Empirical, Equal, GivenShares
from mlcore.classification.scatter import (
    Perturb,
    PseudoInverse,
    Refuse,
    Shrinkage,
    scatter_matrices,
)
from mlcore.classification.separability import separation
from mlcore.optimisation.composed import minimise
from mlcore.optimisation.fista import Fista
from mlcore.optimisation.lbfgs import LBFGS
from mlcore.optimisation.losses import Softmax
from mlcore.optimisation.newton import Newton
from mlcore.optimisation.penalties import L1, L2, NoPenalty
from mlcore.regression.linear_regression import LinearRegression
from mlcore.spine.asking import can
from mlcore.spine.capabilities import HasComponents
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.iterate import record

IRIS, SPECIES = load_iris(return_X_y=True)
TWO = SPECIES > 0  # versicolor and virginica, which overlap
RNG = np.random.default_rng(0)


# Logistic regression


def test_golden_objectives_of_iris():
    fit = LogisticRegression().fit(IRIS, SPECIES)
    assert abs(fit.objective - 28.886317) < 1e-6
    assert np.abs(fit.coefficients.sum(axis=0)).max() < 1e-9
    assert (fit.predict(IRIS) == SPECIES).sum() == 146
    assert abs(LogisticRegression().fit(IRIS[TWO], SPECIES[TWO]).objective - 24.054662) < 1e-6
    bare = LogisticRegression(penalty="none").fit(IRIS[TWO], SPECIES[TWO])
    assert abs(bare.log_likelihood + 5.949273) < 1e-6
    assert bare.separation in ("", "none")


@pytest.mark.parametrize("loss", ["softmax", "sigmoids", "pairwise"])
@pytest.mark.parametrize("solver", [Newton(), LBFGS(), Fista()], ids=lambda it: it.card.name)
def test_the_slope_is_zero_at_the_end_and_never_rises_on_the_way(loss, solver):
    method = LogisticRegression(loss=loss, solver=solver, max_iter=20_000)
    steps = record(method.steps(IRIS, SPECIES), keep=10**6)
    assert np.diff([s.objective for s in steps]).max() <= 1e-12 * steps[0].objective
    assert steps[-1].stop.kind == "converged"
    assert steps[-1].state.slope <= 150e-8


def test_mean_probabilities_are_class_shares():
    for weights in (None, RNG.integers(0, 3, 150).astype(float)):
        fit = LogisticRegression(penalty=L2(alpha=7.0)).fit(IRIS, SPECIES, weights=weights)
        w = np.ones(150) if weights is None else weights
        shares = np.bincount(SPECIES, weights=w)
        # The intercepts are free, so their slopes vanish: sums of p are counts.
        np.testing.assert_allclose(w @ fit.probabilities(IRIS), shares, atol=1e-5)


def test_two_classes_have_one_vector_and_the_symmetric_pair_has_twice_the_penalty():
    X, y = IRIS[TWO], SPECIES[TWO]
    one = LogisticRegression(penalty=L2(alpha=0.5)).fit(X, y)
    assert one.coefficients.shape == (4,)
    pair = minimise(Softmax(), L2(alpha=1.0), Newton(), X, y - 1, outputs=2)
    # alpha (|w/2|^2 + |w/2|^2) / 2 = alpha/2 |w|^2 / 2.
    np.testing.assert_allclose(
        pair.coefficients[1] - pair.coefficients[0], one.coefficients, rtol=1e-6
    )


def test_the_reference_class_does_not_matter_without_a_penalty():
    X = np.vstack([IRIS[:, :2], RNG.normal(size=(60, 2)) + 5])
    y = np.append(SPECIES, RNG.integers(0, 3, 60))
    fits = [
        LogisticRegression(penalty=NoPenalty(), reference=r).fit(X, y)
        for r in ("none", "first", "last")
    ]
    for fit in fits[1:]:
        np.testing.assert_allclose(fit.probabilities(X), fits[0].probabilities(X), atol=1e-7)
    assert not fits[1].coefficients[0].any()
    assert not fits[2].coefficients[2].any()
    charged = [LogisticRegression(reference=r).fit(X, y) for r in ("first", "last")]
    assert np.abs(charged[0].probabilities(X) - charged[1].probabilities(X)).max() > 1e-3


def test_separation_is_named():
    assert separation(IRIS, SPECIES == 0) == "complete"
    assert separation(IRIS[TWO], SPECIES[TWO]) == "none"
    assert separation([[1], [2], [2], [3]], [0, 0, 1, 1]) == "quasi"
    assert separation(IRIS, SPECIES) == "quasi"  # setosa is ahead, the others tie
    corners = np.array([[0.0, 0], [9, 0], [0, 9]])
    rows = np.repeat(corners, 4, axis=0) + RNG.normal(size=(12, 2)) * 0.1
    assert separation(rows, np.repeat([0, 1, 2], 4)) == "complete"


def test_of_several_classes_those_are_named_that_can_be_separated():
    fit = LogisticRegression(penalty="none").fit(IRIS, SPECIES)
    assert fit.separation == "quasi"
    (said,) = [note for note in fit.notes if "separated" in note]
    assert said.startswith("Of the classes, 0 exactly can be separated from all others: the like")
    x = np.array([0.0, 1, 1, 2, 0, 2])[:, None]  # 0 lies in the middle of 1 and of 2
    pair = LogisticRegression(penalty="none").fit(np.vstack([x, x + 9]), np.repeat([0, 1, 2], 4))
    assert not any(note.startswith("The classes") for note in pair.notes)


def test_separated_classes_are_explained():
    for y, x in ((SPECIES == 0, IRIS), ([0, 0, 1, 1], [[1.0], [2], [2], [3]])):
        fit = LogisticRegression(penalty="none").fit(x, y)
        assert fit.separation in ("complete", "quasi")
        assert "Use a penalty" in fit.notes[0]
        assert np.isnan(fit.standard_errors).all()
    assert np.isfinite(
        LogisticRegression(penalty="none").fit(IRIS[TWO], SPECIES[TWO]).standard_errors
    ).all()
    assert np.isnan(LogisticRegression().fit(IRIS[TWO], SPECIES[TWO]).standard_errors).all()


def test_plain_newton_may_diverge_where_halving_does_not():
    x = np.array([[-10.0], [-9], [1], [10], [11]])
    y = np.array([0, 1, 0, 1, 1])
    plain = LogisticRegression(penalty="none", solver=Newton(halving=False), start=1.0)
    values = [s.objective for s in plain.steps(x, y)]
    assert max(values) > 10 * values[0] or not np.isfinite(values[-1]) or np.diff(values).max() > 1
    careful = LogisticRegression(penalty="none", start=1.0).fit(x, y)
    assert careful.stop.kind == "converged"


def test_the_path_begins_with_no_coefficient_and_ends_at_the_fit():
    for penalty in (L1(), L2()):
        method = LogisticRegression(penalty=penalty, tol=1e-10)
        path = method.path(IRIS, SPECIES)
        assert path.coefficients.shape == (50, 4, 3)
        assert (np.diff(path.alphas) < 0).all()
        assert (np.diff(path.df) > -1e-6).all() or isinstance(penalty, L1)
        last = LogisticRegression(penalty=type(penalty)(alpha=path.alphas[-1]), tol=1e-10)
        fit = last.fit(IRIS, SPECIES)
        np.testing.assert_allclose(path.objective[-1], fit.objective, rtol=1e-8)
        np.testing.assert_allclose(path.coefficients[-1], fit.coefficients.T, atol=1e-2)
        assert path.objective[-1] < path.objective[0]
    assert not LogisticRegression(penalty=L1()).path(IRIS, SPECIES).coefficients[0].any()
    assert LogisticRegression().path(IRIS[TWO], SPECIES[TWO]).coefficients.shape == (50, 4)
    with pytest.raises(DataError, match="no path"):
        LogisticRegression(penalty="none").path(IRIS, SPECIES)


def test_many_unknowns_change_the_solver_and_say_so():
    X, y = RNG.normal(size=(300, 250)), RNG.integers(0, 3, 300)
    fit = LogisticRegression().fit(X, y)
    assert "L-BFGS was used" in fit.notes[0]
    sparse = LogisticRegression(penalty=L1(alpha=20.0), tol=1e-5, max_iter=1000).fit(X, y)
    assert "FISTA" in sparse.notes[0]
    assert (sparse.coefficients == 0).any()


def test_parts_that_do_not_fit_together_are_refused():
    with pytest.raises(ParamError, match="without corners"):
        LogisticRegression(penalty="l1", solver="lbfgs")
    with pytest.raises(ParamError, match="softmax"):
        LogisticRegression(loss="pairwise", reference="last")


# Discriminants


def test_golden_scatter_of_eight_rows():
    X = np.array([[1, 2], [2, 3], [3, 3], [2, 1], [6, 5], [7, 8], [8, 7], [7, 6.0]])
    y = np.repeat([0, 1], 4)
    within, between, total = scatter_matrices(X, y)
    np.testing.assert_allclose(within, [[4, 3], [3, 7.75]])
    np.testing.assert_allclose(between, [[50, 42.5], [42.5, 36.125]])
    np.testing.assert_allclose(total, (X - X.mean(axis=0)).T @ (X - X.mean(axis=0)))
    fit = LDA().fit(X, y)
    np.testing.assert_allclose(fit.variances, [12.590909], atol=1e-6)
    axis = fit.axes[0] / np.linalg.norm(fit.axes[0])
    np.testing.assert_allclose(axis, [0.997054, 0.076696], atol=1e-6)
    # The common covariance is that scatter over its divisor: 8 rows, or 6 beside two means.
    np.testing.assert_allclose(fit.covariance, np.array([[4, 3], [3, 7.75]]) / 8, atol=1e-12)
    unbiased = LDA(divisor="unbiased").fit(X, y).covariance
    np.testing.assert_allclose(unbiased, np.array([[4, 3], [3, 7.75]]) / 6, atol=1e-12)


def test_the_covariance_of_the_discriminants_is_the_one_that_they_invert():
    X = np.array([[1, 2], [2, 3], [3, 3], [2, 1], [6, 5], [7, 8], [8, 7], [7, 6.0]])
    y = np.repeat([0, 1], 4)
    for settings in ({}, {"singular": "shrinkage"}, {"singular": "perturb"}, {"trim": 0.25}):
        fit = LDA(**settings).fit(X, y)
        slope = np.linalg.solve(fit.covariance, fit.means[1] - fit.means[0])
        np.testing.assert_allclose(fit.coefficients, slope, rtol=1e-9, err_msg=str(settings))
        np.testing.assert_array_equal(fit.covariances, [fit.covariance] * 2)


def test_more_columns_than_rows_have_no_covariance_to_draw():
    X = np.random.default_rng(0).normal(size=(6, 9))
    fit = LDA().fit(X, np.repeat([0, 1], 3))
    assert fit.covariance is None
    assert not can(fit, HasComponents)


def test_golden_discriminants_of_iris():
    fit = LDA().fit(IRIS, SPECIES)
    np.testing.assert_allclose(fit.variances, [32.191929, 0.285391], atol=1e-6)
    np.testing.assert_allclose(fit.shares, [0.991213, 0.008787], atol=1e-6)
    assert (fit.predict(IRIS) == SPECIES).sum() == 147


@pytest.mark.parametrize("prior", [Empirical(), Equal(), GivenShares(values=(0.2, 0.3, 0.5))])
@pytest.mark.parametrize("divisor", ["ml", "unbiased"])
def test_the_posterior_is_that_of_gaussian_densities(prior, divisor):
    fit = LDA(prior=prior, divisor=divisor).fit(IRIS, SPECIES)
    S = scatter_matrices(IRIS, SPECIES)[0] / (150 if divisor == "ml" else 147)
    away = IRIS[:, None] - fit.means
    logs = -0.5 * np.einsum("ikp,pq,ikq->ik", away, np.linalg.inv(S), away) + np.log(fit.prior)
    P = np.exp(logs - logs.max(axis=1, keepdims=True))
    np.testing.assert_allclose(
        fit.probabilities(IRIS), P / P.sum(axis=1, keepdims=True), atol=1e-10
    )


@pytest.mark.parametrize("divisor", ["ml", "unbiased"])
@pytest.mark.parametrize("p", [4, 200])
def test_scores_have_unit_covariance_within_classes(divisor, p):
    X = IRIS if p == 4 else RNG.normal(size=(150, p)) + SPECIES[:, None]
    Z = LDA(divisor=divisor).fit(X, SPECIES).transform(X)
    within = scatter_matrices(Z, SPECIES)[0] / (150 if divisor == "ml" else 147)
    np.testing.assert_allclose(within, np.eye(2), atol=1e-9)


def test_affine_maps_change_nothing():
    A = RNG.normal(size=(4, 4)) + 2 * np.eye(4)
    moved = IRIS @ A + 100 * RNG.normal(size=4)
    one, other = LDA().fit(IRIS, SPECIES), LDA().fit(moved, SPECIES)
    # The map has condition number 10 and the shift loses two digits.
    np.testing.assert_allclose(one.probabilities(IRIS), other.probabilities(moved), atol=1e-8)
    np.testing.assert_allclose(one.variances, other.variances, rtol=1e-8)
    scale = 10.0 ** np.arange(-8, 8, 4)
    np.testing.assert_allclose(
        one.probabilities(IRIS),
        LDA().fit(IRIS * scale, SPECIES).probabilities(IRIS * scale),
        atol=1e-10,
    )


def test_whole_weights_are_repeated_rows():
    w = RNG.integers(0, 4, 150)
    again = np.repeat(np.arange(150), w)
    for method in (LDA(), LDA(singular=Shrinkage()), LogisticRegression(), ConstantClassifier()):
        weighted = method.fit(IRIS, SPECIES, weights=w.astype(float)).probabilities(IRIS)
        repeated = method.fit(IRIS[again], SPECIES[again]).probabilities(IRIS)
        np.testing.assert_allclose(weighted, repeated, atol=1e-9)


def test_coefficients_are_the_rule():
    for rows in (np.ones(150, dtype=bool), TWO):
        X, y = IRIS[rows], SPECIES[rows]
        for method in (LDA(), LogisticRegression()):
            fit = method.fit(X, y)
            scores = X @ fit.coefficients.T + fit.intercept
            np.testing.assert_allclose(fit.decision(X), scores, atol=1e-8)


def test_the_boundary_of_two_classes_is_where_they_are_equally_probable():
    for rows in (np.ones(150, dtype=bool), TWO):
        fit = LDA().fit(IRIS[rows], SPECIES[rows])
        first, second = fit.classes[-2:]
        plane = discriminant_coefficients(fit, first, second)
        P = fit.probabilities(IRIS)
        np.testing.assert_allclose(
            plane.constant + IRIS @ plane.linear, np.log(P[:, -2] / P[:, -1]), atol=1e-8
        )
        assert plane.text(("a", "b", "c", "d")).startswith("0 = ")
        with pytest.raises(DataError, match="two different classes"):
            discriminant_coefficients(fit, first, first)


def test_the_logistic_function_and_its_derivatives():
    x, h = np.linspace(-40, 40, 81), 1e-6
    up, down, at = (logistic_function(x + d) for d in (h, -h, 0))
    np.testing.assert_allclose((up.value - down.value) / (2 * h), at.slope, atol=1e-9)
    np.testing.assert_allclose((up.integral - down.integral) / (2 * h), at.value, atol=1e-8)
    far = logistic_function([-1e5, 0.0, 1e5])
    assert far.value.tolist() == [0.0, 0.5, 1.0]


def test_the_second_of_two_classes_projects_higher():
    for y in (SPECIES[TWO], -SPECIES[TWO]):
        Z = LDA().fit(IRIS[TWO], y).transform(IRIS[TWO])[:, 0]
        assert Z[y == y.max()].mean() > Z[y == y.min()].mean()


WIDE = RNG.normal(size=(40, 70)) + 0.5 * (np.arange(40) % 3)[:, None]
THREE = np.arange(40) % 3


def test_a_singular_scatter_is_named_with_its_remedy():
    fit = LDA().fit(WIDE, THREE)
    assert fit.rank == 37
    assert "37 of 70 directions" in fit.notes[0]
    with pytest.raises(DataError, match="37 of 70 directions"):
        LDA(singular=Refuse()).fit(WIDE, THREE)
    assert LDA().fit(IRIS, SPECIES).notes == ()
    LDA(singular=Refuse()).fit(IRIS, SPECIES)


def test_remedies_agree_with_the_plain_inverse_in_the_limit():
    plain = LDA().fit(IRIS, SPECIES).probabilities(IRIS)
    for remedy in (Refuse(), PseudoInverse(rcond=1e-10)):
        np.testing.assert_allclose(
            LDA(singular=remedy).fit(IRIS, SPECIES).probabilities(IRIS), plain, atol=1e-12
        )
    gaps = [
        np.abs(LDA(singular=remedy).fit(IRIS, SPECIES).probabilities(IRIS) - plain).max()
        for remedy in (
            Perturb(epsilon=0.1), Perturb(epsilon=1e-3), Perturb(epsilon=1e-8),
            Shrinkage(amount=0.1), Shrinkage(amount=1e-3), Shrinkage(amount=1e-8),
        )
    ]  # fmt: skip
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[3] > gaps[4] > gaps[5]
    assert max(gaps[2], gaps[5]) < 1e-6


@pytest.mark.parametrize("remedy", [Perturb(epsilon=0.3), Shrinkage(amount=0.4)])
def test_a_regularised_wide_scatter_is_inverted_as_a_whole(remedy):
    fit = LDA(singular=remedy).fit(WIDE, THREE)
    S = scatter_matrices(WIDE, THREE)[0] / 40
    scale = np.sqrt(np.diagonal(S))
    R = S / np.outer(scale, scale)
    R = R + 0.3 * np.eye(70) if isinstance(remedy, Perturb) else 0.6 * R + 0.4 * np.eye(70)
    slope = (fit.means / scale) @ np.linalg.inv(R) / scale
    new = RNG.normal(size=(9, 70))
    scores = new @ slope.T - 0.5 * (fit.means * slope).sum(axis=1) + np.log(fit.prior)
    P = np.exp(scores - scores.max(axis=1, keepdims=True))
    np.testing.assert_allclose(fit.probabilities(new), P / P.sum(axis=1, keepdims=True), atol=1e-9)


def test_columns_that_are_constant_within_classes_are_named():
    X = np.column_stack([IRIS, SPECIES * 0.1, np.full(150, 7.7)])
    fit = LDA().fit(X, SPECIES)
    assert fit.notes[0] == "Constant within every class: x5, x6."
    np.testing.assert_allclose(
        fit.probabilities(X), LDA().fit(IRIS, SPECIES).probabilities(IRIS), atol=1e-10
    )


def test_what_cannot_be_discriminated_is_refused():
    with pytest.raises(DataError, match="more rows than classes"):
        LDA().fit(IRIS[:3], [0, 1, 2])
    with pytest.raises(DataError, match="No row differs"):
        LDA().fit([[0.0], [0], [1], [1]], [0, 0, 1, 1])
    with pytest.raises(DataError, match="at most 2 discriminant axes"):
        LDA(n_components=3).fit(IRIS, SPECIES)
    with pytest.raises(DataError, match="3 classes and 2 given shares"):
        LDA(prior="given").fit(IRIS, SPECIES)
    with pytest.raises(ParamError, match="sum to 1"):
        GivenShares(values=(0.5, 0.6))
    w = np.where(SPECIES == 1, 0.0, 1.0)
    with pytest.raises(DataError, match="weight 0"):
        LDA().fit(IRIS, SPECIES, weights=w)


def test_the_slope_of_least_squares_is_the_direction_of_the_discriminant():
    X, y = IRIS[TWO], SPECIES[TWO]
    w, v = LinearRegression().fit(X, y).coefficients, LDA().fit(X, y).coefficients
    assert abs(w @ v) / np.linalg.norm(w) / np.linalg.norm(v) == pytest.approx(1, abs=1e-12)


# The constant class


def test_the_constant_class_and_its_ties():
    x = np.zeros((6, 1))
    fit = ConstantClassifier().fit(x, ["b", "a", "b", "a", "c", "c"])
    assert fit.predict(x)[0] == "a"
    np.testing.assert_allclose(fit.probabilities(x)[0], [1 / 3] * 3)
    sure = ConstantClassifier(strategy="majority").fit(x, [0, 1, 1, 1, 0, 2])
    np.testing.assert_array_equal(sure.probabilities(x)[0], [0, 1, 0])
    alone = ConstantClassifier().fit(x, ["x"] * 6)
    assert alone.probabilities(x).tolist() == [[1.0]] * 6
    with pytest.raises(DataError, match="class number 4"):
        ConstantClassifier(strategy="given", number=4).fit(x, [0, 1, 2, 0, 1, 2])
