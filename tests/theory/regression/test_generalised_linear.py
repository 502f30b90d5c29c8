"""What is known of generalised linear regression."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.data.generators.quantities.counts import Counts
from mlcore.evaluation.deviance_scores import DevianceScores, deviance_explained
from mlcore.evaluation.scoring import Case, Rows
from mlcore.optimisation.composed import Objective
from mlcore.optimisation.deviances import (
    TweedieLoss,
    half_binomial_deviance,
    half_deviance,
    saturated,
)
from mlcore.optimisation.newton import Guess, Newton
from mlcore.optimisation.penalties import NoPenalty
from mlcore.regression import generalised_linear
from mlcore.regression.family_mean import FamilyMean
from mlcore.regression.generalised_linear import GeneralisedLinear
from mlcore.regression.information import determined
from mlcore.regression.linear_regression import LinearRegression
from mlcore.runs.carry import carried_out
from mlcore.runs.run import Run
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.fit import Column

X = np.array([[0.0], [0.0], [0.0], [1.0], [1.0]])
Y = np.array([1.0, 2.0, 3.0, 5.0, 9.0])
POWERS = (0.0, 1.0, 1.3, 2.0, 2.5, 3.0)


@pytest.mark.parametrize("family", ["gaussian", "poisson", "gamma", "inverse_gaussian", "tweedie"])
def test_two_groups_have_their_means_under_every_family(family):
    fit = GeneralisedLinear(family=family, link="log").fit(X, Y)
    np.testing.assert_allclose(fit.predict([[0.0], [1.0]]), [2.0, 7.0], rtol=1e-9)
    assert fit.coefficients[0] == pytest.approx(np.log(3.5), rel=1e-8)


def test_the_error_of_a_log_ratio_of_counts_is_known():
    fit = GeneralisedLinear(family="poisson").fit(X, Y)
    # Var(log of a sum of counts) is 1 / sum.
    assert fit.standard_errors[0] == pytest.approx((1 / 6 + 1 / 14) ** 0.5, rel=1e-8)
    assert fit.intercept_error == pytest.approx((1 / 6) ** 0.5, rel=1e-8)
    assert fit.dispersion == 1.0
    assert fit.df_residual == np.inf


def test_the_normal_family_is_least_squares():
    rng = np.random.default_rng(0)
    Z, y = rng.normal(size=(30, 3)), rng.normal(size=30)
    ours, other = GeneralisedLinear().fit(Z, y), LinearRegression().fit(Z, y)
    np.testing.assert_allclose(ours.coefficients, other.coefficients, atol=1e-12)
    np.testing.assert_allclose(ours.standard_errors, other.standard_errors, rtol=1e-9)
    assert ours.df_residual == other.df_residual


@pytest.mark.parametrize("has_log", [True, False])
@pytest.mark.parametrize("power", POWERS)
def test_slopes_are_derivatives_of_half_the_deviance(power, has_log):
    loss, y, z, h = TweedieLoss(power, has_log), np.array([0.7, 2.0]), np.array([0.4, 1.1]), 1e-5
    at = [loss.at(y, (z + d)[None, :]) for d in (-h, 0.0, h)]
    np.testing.assert_allclose(at[1].slope[0], (at[2].value - at[0].value) / (2 * h), rtol=1e-7)
    np.testing.assert_allclose(
        at[1].value + saturated(y, power), half_deviance(y, loss.mean(z), power), rtol=1e-9
    )


@pytest.mark.parametrize("power", [1.0, 1.3, 2.0])
def test_the_curvature_is_exact_where_that_is_convex(power):
    loss, y, z, h = TweedieLoss(power), np.array([0.7, 2.0]), np.array([[0.4, 1.1]]), 1e-5
    rise = (loss.at(y, z + h).slope - loss.at(y, z - h).slope) / (2 * h)
    np.testing.assert_allclose(loss.at(y, z).shape, rise, rtol=1e-7)


def test_a_weight_counts_as_so_many_rows():
    w = np.array([1, 2, 3, 1, 2])
    weighted = GeneralisedLinear(family="poisson").fit(X, Y, weights=w)
    repeated = GeneralisedLinear(family="poisson").fit(X.repeat(w, axis=0), Y.repeat(w))
    np.testing.assert_allclose(weighted.coefficients, repeated.coefficients, atol=1e-10)
    assert weighted.deviance == pytest.approx(repeated.deviance)


def test_dependent_columns_share_the_shortest_solution():
    alone = GeneralisedLinear(family="poisson").fit(X, Y)
    twice = GeneralisedLinear(family="poisson").fit(np.hstack([X, X]), Y)
    np.testing.assert_allclose(twice.coefficients, [alone.coefficients[0] / 2] * 2, rtol=1e-8)
    assert np.isnan(twice.standard_errors).all()
    wide = np.hstack([X, np.random.default_rng(0).normal(size=(5, 9))])
    fit = GeneralisedLinear(family="poisson").fit(wide, Y)
    np.testing.assert_allclose(fit.predict(wide), Y, rtol=1e-6)


def test_the_lasso_meets_its_conditions_at_the_end():
    rng = np.random.default_rng(1)
    Z = rng.normal(size=(100, 6))
    y = rng.poisson(np.exp(Z[:, 0])).astype(float)
    fit = GeneralisedLinear(family="poisson", alpha=0.1, l1_ratio=1.0).fit(Z, y)
    slope = (y - fit.predict(Z)) @ (Z - Z.mean(axis=0)) / 100
    on = fit.coefficients != 0
    assert 0 < on.sum() < 6
    np.testing.assert_allclose(slope[on], 0.1 * np.sign(fit.coefficients[on]), atol=1e-6)
    assert np.abs(slope[~on]).max() <= 0.1


@pytest.mark.parametrize(
    ("family", "link", "y", "says"),
    [
        ("poisson", "auto", [1, -2, 3.0], "needs targets of at least 0; the least is −2"),
        ("poisson", "auto", [0, 0, 0.0], "all are 0"),
        ("gamma", "auto", [1, 0, 3.0], "needs targets above 0; the least is 0"),
        ("tweedie", "auto", [1, -1, 3.0], "of at least 0"),
        ("gaussian", "log", [-1, -2, 0.0], "whose mean is above 0"),
        ("binomial", "auto", [0, 1.5, 1.0], "needs targets from 0 to 1; theirs go from 0 to 1.5"),
        ("binomial", "auto", [1, 1, 1.0], "needs targets that differ; all are 1"),
    ],
)
def test_targets_outside_the_family_are_refused(family, link, y, says):
    with pytest.raises(DataError, match=says):
        GeneralisedLinear(family=family, link=link).fit(np.arange(3.0)[:, None], y)


def test_no_mean_falls_to_zero_under_the_identity():
    Z, y = np.linspace(0, 1, 40)[:, None], np.zeros(40)
    y[20:] = np.arange(20.0)
    fit = GeneralisedLinear(family="poisson", link="identity").fit(Z, y)
    assert fit.predict(Z).min() > 0


def test_steps_never_raise_the_objective_and_far_columns_do_not_overflow():
    data = Counts(n_samples=80).origin({}).table
    Z, y = data.columns[0].values[:, None] * 1e3, data.columns[1].values
    found = [s.objective for s in GeneralisedLinear(family="poisson").steps(Z, y)]
    assert np.diff(found).max() < 1e-12
    assert np.isfinite(found).all()


def test_scatter_beyond_the_family_is_said():
    data = Counts(kind="scattered_counts").origin({}).table
    fit = GeneralisedLinear(family="poisson").fit(data.columns[0].values[:, None],
                                                  data.columns[1].values)  # fmt: skip
    assert fit.pearson_dispersion > 2
    assert "scatter" in fit.notes[0]


def test_the_score_is_the_deviance_of_the_family_and_zero_for_the_mean():
    fit = GeneralisedLinear(family="poisson").fit(X, Y)
    case = Case(method=fit.made_by, fit=fit, train=Rows(X, Y), test=Rows(X, Y))
    scores = DevianceScores().scored(case).scores
    assert scores["mean_deviance"] == pytest.approx(fit.deviance / 5)
    assert scores["deviance_explained"] == pytest.approx(1 - fit.deviance / fit.null_deviance)
    base = FamilyMean(family=fit.made_by.family).fit(X, Y)
    assert deviance_explained(Y, base.predict(X), base) == 0.0
    assert DevianceScores().baseline_of(fit.made_by) == base.made_by
    other = LinearRegression().fit(X, Y)
    assert np.isnan(DevianceScores().scored(Case(method=other.made_by, fit=other,
                    train=Rows(X, Y), test=Rows(X, Y))).scores["mean_deviance"])  # fmt: skip


@pytest.mark.parametrize("kind", ["counts", "scattered_counts", "amounts", "claims"])
def test_the_generator_draws_about_its_mean_with_its_variance(kind):
    origin = Counts(kind=kind, n_samples=20_000, slope=0.0, base=3.0).origin({})
    y = origin.table.columns[-1].values
    # sd of the mean is 0.02 to 0.03, of the variance some 0.1
    assert y.mean() == pytest.approx(3.0, abs=0.1)
    expected = {"counts": 3.0, "scattered_counts": 7.5, "amounts": 4.5, "claims": 4.5}
    assert y.var() == pytest.approx(expected[kind], rel=0.1)
    assert (y >= 0).all()
    np.testing.assert_allclose(origin.truth.signal, 3.0)


@pytest.mark.parametrize(("family", "power"), [("inverse_gaussian", 3.0), ("gaussian", 0.0)])
def test_the_observed_curvature_is_the_derivative_of_the_slope(family, power):
    loss, z = TweedieLoss(power, has_log=True), np.linspace(-1.0, 1.5, 9)
    y, h = np.full(9, 1.3), 1e-5
    slopes = [loss.at(y, (z + step)[None]).slope[0] for step in (-h, h)]
    bend = loss.observed(y, z)
    assert bend is not None
    np.testing.assert_allclose(bend, (slopes[1] - slopes[0]) / (2 * h), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("alpha", [0.0, 0.1])
def test_wide_scatter_does_not_slow_the_inverse_gaussian(alpha):
    # By the expected curvature alone these take 31 and 49 steps.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 20))
    y = rng.wald(np.exp(X @ rng.normal(size=20) * 0.06 + 1.0), 0.3)
    fit = GeneralisedLinear(family="inverse_gaussian", alpha=alpha).fit(X, y)
    assert fit.stop.kind == "converged"
    assert fit.n_iter <= 10


def test_two_groups_of_shares_have_their_log_odds():
    y, trials = np.array([0.25, 0.25, 0.5, 0.8, 0.6]), np.array([4.0, 4, 4, 5, 5])
    fit = GeneralisedLinear(family="binomial").fit(X, y, weights=trials)
    np.testing.assert_allclose(fit.predict([[0.0], [1.0]]), [1 / 3, 0.7], rtol=1e-9)
    # 4 of 12 and 7 of 10: the variance of a log odds ratio is the sum of the inverse counts.
    assert fit.coefficients[0] == pytest.approx(np.log((7 / 3) / (4 / 8)), rel=1e-8)
    expected = (1 / 4 + 1 / 8 + 1 / 7 + 1 / 3) ** 0.5
    assert fit.standard_errors[0] == pytest.approx(expected, rel=1e-8)
    assert fit.link == "logit"
    assert fit.dispersion == 1.0


def test_single_trials_that_are_told_apart_are_said():
    Z = np.arange(8.0)[:, None]
    fit = GeneralisedLinear(family="binomial").fit(Z, (Z[:, 0] > 3).astype(float))
    assert "without bound" in fit.notes[0]
    charged = GeneralisedLinear(family="binomial", alpha=0.1).fit(Z, (Z[:, 0] > 3).astype(float))
    assert charged.notes == ()


@pytest.mark.parametrize("family", ["poisson", "binomial"])
def test_a_penalty_near_0_bounds_the_coefficients_of_rows_told_apart(family):
    """With any penalty there is a best fit, however far away."""
    Z = np.arange(8.0)[:, None]
    fit = GeneralisedLinear(family=family, alpha=1e-10).fit(Z > 3, (Z[:, 0] > 3).astype(float))
    (note,) = fit.notes
    assert "the penalty alone bounds" in note and "without bound" not in note
    assert fit.stop.kind == "converged" and np.isnan(fit.standard_errors).all()


@pytest.mark.parametrize("family", ["poisson", "tweedie"])
def test_rows_that_are_all_zero_and_told_apart_are_said(family):
    """Of a level without any events the logarithm of the mean falls without end."""
    Z, y = np.repeat([[0.0], [1.0]], 6, axis=0), np.r_[np.zeros(6), 1.0, 2, 3, 0, 2, 4]
    (note,) = GeneralisedLinear(family=family).fit(Z, y).notes
    assert "targets are all 0" in note and "without bound" in note
    assert GeneralisedLinear(family=family, alpha=0.1).fit(Z, y).notes == ()
    y[0] = 1.0
    assert GeneralisedLinear(family=family).fit(Z, y).notes == ()


def test_zeros_whose_means_fall_at_different_speeds_are_said():
    Z, y = np.repeat([[0.0], [1.0]], 6, axis=0), np.r_[np.zeros(6), 1.0, 2, 3, 0, 2, 4]
    Z = np.column_stack([Z, (1.0 - Z) * np.arange(12.0)[:, None]])
    (note,) = GeneralisedLinear(family="poisson").fit(Z, y).notes
    assert "targets are all 0" in note


WIDE = np.linspace(-9.0, 9.0, 40)
EVENTS = np.random.default_rng(0).poisson(np.exp(WIDE + 7.0)).astype(float)


@pytest.mark.parametrize(
    ("settings", "Z", "y"),
    [
        ({"family": "gamma"}, WIDE, np.exp(WIDE)),
        ({"family": "poisson"}, WIDE, np.round(np.exp(WIDE + 9.0) + 1.0)),
        ({"family": "poisson"}, WIDE, EVENTS),
        ({"family": "poisson", "link": "identity"}, np.exp(WIDE), np.exp(WIDE)),
    ],
    ids=["gamma", "no zeros", "zeros of small means", "identity"],
)
def test_means_of_all_sizes_are_not_taken_for_zeros_that_are_told_apart(settings, Z, y):
    fit = GeneralisedLinear(**settings).fit(Z[:, None], y)
    assert fit.predict(Z[:, None]).min() < 1e-6 * y.mean()
    assert not [note for note in fit.notes if "without bound" in note]


def test_exposures_of_all_sizes_are_not_taken_for_zeros_that_are_told_apart():
    years = 10.0 ** np.arange(-4.0, 5.0)
    Z = np.column_stack([np.tile(years, 2), np.repeat([0.0, 1.0], 9)])
    columns = (Column("years"), Column("group"))
    method = GeneralisedLinear(family="poisson", exposure="years")
    y = np.floor(Z[:, 0] * 3.0)
    assert method.fit(Z, y, columns=columns).notes == ()
    y[:9] = 0.0
    (note,) = method.fit(Z, y, columns=columns).notes
    assert "targets are all 0" in note


def test_a_note_is_told_once():
    fit = GeneralisedLinear().fit(np.column_stack([np.arange(8.0), np.ones(8)]), np.arange(8) ** 2)
    assert fit.notes == ("Constant column x2: coefficient 0.",)


TIMES = np.array([[0.0, 1.0], [0.0, 2.0], [0.0, 3.0], [1.0, 1.0], [1.0, 3.0]])
NAMES = (Column("x"), Column("time"))


def test_two_groups_have_their_counts_over_their_times():
    fit = GeneralisedLinear(family="poisson", exposure="time").fit(TIMES, Y, columns=NAMES)
    np.testing.assert_allclose(fit.predict([[0.0, 1.0], [1.0, 2.0]]), [6 / 6, 2 * 14 / 4])
    np.testing.assert_allclose(fit.coefficients, [np.log(3.5), 1.0], rtol=1e-8)
    np.testing.assert_array_equal(np.isnan(fit.standard_errors), [False, True])
    # Counts over exposure with the exposure as weight are the same for Poisson's family.
    rates = GeneralisedLinear(family="poisson").fit(
        TIMES[:, :1], Y / TIMES[:, 1], weights=TIMES[:, 1]
    )
    np.testing.assert_allclose(fit.coefficients[0], rates.coefficients[0], rtol=1e-8)
    np.testing.assert_allclose(fit.standard_errors[0], rates.standard_errors[0], rtol=1e-8)
    assert fit.predict([[1.0, 0.0]])[0] == 0.0  # no time, no counts


@pytest.mark.parametrize(
    ("values", "name", "says"),
    [
        ([1.0, 2, 0, 1, 1], "time", "an exposure above 0; time is 0 in row 3"),
        ([1.0, 2, 3, 1, 1], "years", "finds no column years"),
    ],
)
def test_an_exposure_that_cannot_be_one_is_refused(values, name, says):
    rows = np.column_stack([X, values])
    with pytest.raises(DataError, match=says):
        GeneralisedLinear(family="poisson", exposure=name).fit(rows, Y, columns=NAMES)


def test_links_belong_to_families():
    with pytest.raises(ParamError, match="has the link logit, not log"):
        GeneralisedLinear(family="binomial", link="log")
    with pytest.raises(ParamError, match="needs the logarithm as link, not identity"):
        GeneralisedLinear(exposure="time")


def test_the_exposure_passes_the_preparation_as_it_came():
    link = "method=generalised_linear&method.family=poisson&method.exposure=exposure"
    pairs = f"data=counts&data.source.exposure=yes&{link}".split("&")
    run, problems = Run.from_link(dict(pair.split("=") for pair in pairs))
    assert not problems
    outcome = carried_out(run)
    X = outcome.whole.prepared.X
    assert abs(X[:, 0].mean()) < 1e-12
    assert X[:, 1].min() > 0.2  # standardised by nobody
    assert np.mean([fold.scores["deviance_explained"] for fold in outcome.folds]) > 0.88


def test_shares_are_drawn_about_their_mean():
    origin = Counts(kind="shares", n_samples=20_000, slope=0.0, base=3.0, trials=4).origin({})
    y, trials = origin.table.columns[-1].values, origin.table.columns[-2].values
    assert origin.roles == (("trials", "weight"),)
    assert y @ trials / trials.sum() == pytest.approx(0.75, abs=0.005)
    assert (trials.min(), trials.max()) == (1, 8)


def test_a_certain_mean_that_is_right_deviates_by_nothing():
    y, mean = np.array([0.0, 1.0, 0.5, 0.0, 1.0, 0.5]), np.array([0.0, 1.0, 0.5, 1.0, 0.0, 1.0])
    np.testing.assert_array_equal(half_binomial_deviance(y, mean), [0, 0, 0, *[np.inf] * 3])
    for power in (1.0, 1.5):
        four = half_deviance(np.array([0.0, 2, 2, 0]), np.array([0.0, 2, 0, -1]), power)
        np.testing.assert_allclose(four, [0, 0, np.inf, np.nan], atol=1e-12)
    assert np.isnan(half_deviance(np.ones(1), np.zeros(1), 2.0)).all()
    Z = np.arange(8.0)[:, None]
    fit = GeneralisedLinear(family="binomial").fit(Z, (Z[:, 0] > 3).astype(float))
    assert fit.predict(Z).max() == 1.0
    assert fit.deviance < 1e-6


@pytest.mark.parametrize("family", ["poisson", "gamma", "inverse_gaussian"])
def test_many_rows_need_few_curvatures_for_the_same_plane(family, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 6)) * [1e-3, 0.1, 1.0, 1.0, 10.0, 1e3]
    mean = np.exp(X / X.std(axis=0) @ rng.normal(size=6) * 0.2 + 1.0)
    y = rng.poisson(mean) if family == "poisson" else rng.gamma(3.0, mean / 3.0)
    method, grams, whole = GeneralisedLinear(family=family, alpha=0.01), [], Objective.gram
    monkeypatch.setattr(Objective, "gram", lambda *given: grams.append(0) or whole(*given))
    kept, few = method.fit(X, y), len(grams)
    monkeypatch.setattr(generalised_linear, "BLOCK", len(X))  # a curvature a step
    fresh = method.fit(X, y)
    assert few < len(grams) - few - 1
    scale = X.std(axis=0)
    np.testing.assert_allclose(kept.coefficients * scale, fresh.coefficients * scale, atol=1e-8)
    assert kept.deviance == pytest.approx(fresh.deviance, rel=1e-9)


@pytest.mark.parametrize("far", [False, True])
def test_a_walk_begins_where_few_rows_lead_unless_that_is_higher(far):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 3))
    y = rng.gamma(2.0, np.exp(0.3 * X[:, 0]) / 2.0)
    problem = Objective(TweedieLoss(2.0), NoPenalty(), X, y, np.full(3000, 1 / 3000))
    start = problem.zero()
    there = np.array([[50.0 if far else 0.3, 0.0, 0.0, 0.0]])
    guess = Guess(there, problem.evaluated(start).value)
    step = next(Newton().kept_steps(problem, start, None, guess, tol=1e-9, max_iter=1))
    begun = next(Newton().kept_steps(problem, start if far else there, tol=1e-9, max_iter=1))
    np.testing.assert_array_equal(step.state.coefficients, begun.state.coefficients)
    assert step.objective < guess.value


@pytest.mark.parametrize(("family", "steps"), [("gamma", 5), ("inverse_gaussian", 6)])
def test_a_second_curvature_spares_steps(family, steps):
    # By the first curvature alone these take 7 and 10, by one of few rows 11 each.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 50))
    mean = np.exp(X @ rng.normal(size=50) * 0.04 + 1.0)
    y = rng.gamma(2.0, mean / 2.0) if family == "gamma" else rng.wald(mean, 3.0)
    fit = GeneralisedLinear(family=family, alpha=0.1).fit(X, y)
    assert fit.stop.kind == "converged"
    assert fit.n_iter <= steps


@pytest.mark.parametrize("weights", [None, "even", "odd"])
def test_what_few_rows_do_not_tell_apart_all_rows_do(weights):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4200, 3))  # of which every fourth is asked first
    X[:, 2] = np.arange(4200) % 4 == 1
    y = rng.poisson(np.exp(0.3 * X[:, 0] + 0.5 * X[:, 2])).astype(float)
    if weights is not None:
        weights = np.where(np.arange(4200) % 4 == 0, float(weights == "even"), 1.0)
    problem = Objective(TweedieLoss(), NoPenalty(), X, y, weights)
    slopes = 2.0 - y
    told = determined(problem, slopes)
    assert told.slope is None
    assert told.directions is None
    np.testing.assert_array_equal(told.mean, problem.mean)  # all rows were asked
    fit = GeneralisedLinear(family="poisson").fit(X, y, weights=weights)
    assert fit.coefficients[2] == pytest.approx(0.5, abs=0.1)
    one = determined(Objective(TweedieLoss(), NoPenalty(), X[:, :2], y), slopes)
    assert one.slope is not None
    about = slopes @ (X[:, :2] - one.mean)
    np.testing.assert_allclose(one.slope, about, atol=5.0 * len(X) ** 0.5)
    assert not np.array_equal(one.mean, X[:, :2].mean(axis=0))
    whole = (X[:, :2] - one.mean).T @ (X[:, :2] - one.mean)
    np.testing.assert_allclose(one.gram[:-1, :-1], whole, atol=0.1 * len(X))


@pytest.mark.parametrize("size", [1.0, 1e-21, 1e25])
@pytest.mark.parametrize("apart", [0.0, 1e-3, 1e-5])
def test_columns_that_six_digits_do_not_tell_apart_are_told_apart_by_more(size, apart):
    rng = np.random.default_rng(0)
    x, own, far = rng.normal(size=(3, 3000))
    y = rng.poisson(np.exp(0.3 * x + 1.0)).astype(float)
    columns = np.column_stack([x, x + apart * own, far])
    plane, fit = (
        GeneralisedLinear(family="poisson").fit(columns * scale, y) for scale in (1.0, size)
    )
    assert np.isnan(fit.standard_errors).all() == (apart == 0)
    np.testing.assert_allclose(fit.coefficients * size, plane.coefficients, rtol=1e-5, atol=1e-6)
    if apart == 0:
        assert fit.coefficients[0] == pytest.approx(fit.coefficients[1], rel=1e-6)


def test_a_gram_matrix_of_weights_of_both_signs_is_the_sum():
    rng = np.random.default_rng(0)
    Z, w = rng.normal(size=(5000, 3)) + 1e3, rng.normal(size=5000)
    problem = Objective(TweedieLoss(), NoPenalty(), Z, np.ones(5000))
    around = np.column_stack([Z - problem.mean, np.ones(5000)])
    H = (around * w[:, None]).T @ around
    np.testing.assert_allclose(problem.gram(w), H, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(problem.gram(w, np.float32), H, rtol=1e-3, atol=1e-2)


def test_amounts_near_nothing_deviate_from_large_means():
    assert half_deviance(np.array([1e-300]), np.array([1e300]), 1.0) == pytest.approx(1e300)
