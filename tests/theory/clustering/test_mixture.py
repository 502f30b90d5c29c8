"""What the theory says of Gaussian mixtures, without a reference."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from mlcore.clustering.covariance_priors import InverseGamma, InverseWishart
from mlcore.clustering.gaussian_mixture import GaussianMixture
from mlcore.clustering.mixture_starts import GivenParameters
from mlcore.clustering.mixtures import CovariancePrior, Mixture
from mlcore.gaussians.covariances import Diagonal, Fixed, Full, Spherical
from mlcore.spine.errors import DataError, MlcoreError, ParamError
from mlcore.spine.iterate import last
from mlcore.spine.registry import entries

KINDS = tuple(entries("covariance"))
STARTS = tuple(name for name in entries("mixture_start") if name != "given")
FOUR = np.array([[-2.0], [-1], [1], [2]])


def clouds(n=300, p=3, seed=0):
    """Rows of three long clouds that overlap."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + 3.0 * rng.integers(0, 3, (n, 1))


def from_one(**settings):
    """Two balls of variance 1 at -1 and 1, as the golden numbers begin."""
    start = GivenParameters(means=(-1, 1), shares=(0.5, 0.5), spreads=(1, 1))
    settings = {"reg_covar": 0, "tol": 1e-13, "max_iter": 1000} | settings
    return GaussianMixture(n_components=2, covariance=Spherical(), init=start, **settings)


def test_four_points_of_a_line_by_hand():
    steps = [(s.objective, s.state) for s in from_one().steps(FOUR)]
    reached = [objective for objective, _ in steps[::2]]
    np.testing.assert_allclose(reached[:3], [-7.158187, -6.461856, -5.724278], atol=5e-7)
    first = next(from_one().steps(FOUR)).state.memberships[:, 0]
    np.testing.assert_allclose(first, [0.982014, 0.880797, 0.119203, 0.017986], atol=5e-7)
    once = from_one(max_iter=1).fit(FOUR)
    np.testing.assert_allclose(once.means[:, 0], [-1.344825, 1.344825], atol=5e-7)
    np.testing.assert_allclose(once.covariances, 0.691447, atol=5e-7)
    end = from_one().fit(FOUR)
    assert end.log_likelihood == pytest.approx(-5.675742, abs=5e-7)
    np.testing.assert_allclose(end.means[:, 0], [-1.499994, 1.499994], atol=1e-5)
    np.testing.assert_allclose(end.covariances, 0.250018, atol=1e-5)


def test_one_gaussian_is_the_mean_and_the_covariance():
    fit = GaussianMixture(n_components=1, reg_covar=0).fit(np.array([[1.0], [2], [3], [4]]))
    assert (fit.means[0, 0], fit.covariances[0, 0, 0]) == (2.5, 1.25)
    assert fit.log_likelihood == pytest.approx(-6.122041, abs=5e-7)
    X = clouds()
    fit = GaussianMixture(n_components=1, reg_covar=0).fit(X)
    np.testing.assert_allclose(fit.covariances[0], np.cov(X.T, bias=True), rtol=1e-11)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("about", ["new", "old"])
def test_no_half_turn_lowers_the_bound(kind, about):
    method = GaussianMixture(
        n_components=3, covariance=kind, reg_covar=0, variance_mean=about, collapse="keep", n_init=1
    )
    steps = list(method.steps(clouds(), seed=2))
    reached = np.array([step.objective for step in steps])
    # An E step makes the bound equal to the log-likelihood, an M step raises it: sums of 300 logs.
    assert np.diff(reached).min() > -1e-9 * np.abs(reached).max()
    assert np.ptp(reached) > 0
    assert {step.state.phase for step in steps} == {"E", "M"}


@pytest.mark.parametrize("start", STARTS)
def test_every_start_begins_with_as_many_components(start):
    fit = GaussianMixture(n_components=3, init=start, n_init=3).fit(clouds(), seed=1)
    assert fit.means.shape == (3, 3)
    assert fit.log_likelihood == fit.restarts.max()
    assert fit.weights.sum() == pytest.approx(1, abs=1e-12)


def test_the_fit_is_the_last_step():
    X, method = clouds(), GaussianMixture(n_components=2)
    fit, end = method.fit(X, seed=5), last(method.steps(X, seed=5))
    np.testing.assert_array_equal(fit.labels, end.state.labels)
    np.testing.assert_array_equal(fit.covariances, end.state.covariances)
    assert (fit.log_likelihood, fit.stop) == (end.objective, end.stop)


def test_units_and_turns_change_nothing_but_the_density():
    X, rng = clouds(), np.random.default_rng(4)
    turn = rng.normal(size=(3, 3)) + 3 * np.eye(3)
    start = X[[3, 90, 200]]
    settings = {"n_components": 3, "init_covariance": "data", "reg_covar": 0.0, "tol": 1e-10}
    settings |= {"init_weights": "equal", "max_iter": 500}

    def fitted(rows, means):
        init = GivenParameters(means=tuple(means.ravel()))
        return GaussianMixture(init=init, **settings).fit(rows)

    fit, moved = fitted(X, start), fitted(X @ turn + 7, start @ turn + 7)
    np.testing.assert_allclose(moved.memberships, fit.memberships, atol=1e-7)
    scale = len(X) * np.log(abs(np.linalg.det(turn)))
    assert moved.log_likelihood + scale == pytest.approx(fit.log_likelihood, rel=1e-9)


def test_weights_count_rows():
    X, w = clouds(n=80), np.random.default_rng(0).integers(0, 4, 80)
    start = GivenParameters(means=tuple(X[w > 0][[0, 20]].ravel()))
    method = GaussianMixture(n_components=2, init=start, init_covariance="data")
    weighted, repeated = method.fit(X, weights=w), method.fit(np.repeat(X, w, axis=0))
    np.testing.assert_allclose(weighted.means, repeated.means, atol=1e-10)
    assert weighted.log_likelihood == pytest.approx(repeated.log_likelihood, rel=1e-11)
    assert weighted.bic == pytest.approx(repeated.bic, rel=1e-11)


def test_numbers_of_parameters_in_two_columns():
    counts = {"full": 11, "tied": 8, "diag": 9, "spherical": 7, "fixed": 5}
    for kind, count in counts.items():
        method = GaussianMixture(n_components=2, covariance=kind)
        assert method.n_parameters(2, 2) == count
    assert GaussianMixture(n_components=3).n_parameters(3, 2) == 17
    assert GaussianMixture(n_components=2, mixing="equal").n_parameters(2, 2) == 10


def test_a_ball_of_three_columns_has_the_mean_of_their_variances():
    X = 2.0 * np.random.default_rng(0).normal(size=(20_000, 3))
    one = {"n_components": 1, "reg_covar": 0.0}
    for kind in ("spherical", "diag"):
        found = GaussianMixture(covariance=kind, **one).fit(X).covariances
        np.testing.assert_allclose(found, 4.0, rtol=0.05)  # five standard errors of a variance


def test_how_far_normal_densities_are_from_one_another():
    """KL in nats: of variance 1 from variance 4 .318147, the other way .806853, one mean off .5."""

    def log_density(*rows):
        fit = GaussianMixture(n_components=1, reg_covar=0.0).fit(np.array(rows)[:, None])
        return fit.log_density(np.linspace(-40, 40, 80_001)[:, None])

    def apart(own, other):
        return float((np.exp(own) * (own - other)).sum() * 1e-3)

    one, wide, off = log_density(-1.0, 1.0), log_density(-2.0, 2.0), log_density(0.0, 2.0)
    assert apart(one, wide) == pytest.approx(0.318147, abs=5e-7)
    assert apart(wide, one) == pytest.approx(0.806853, abs=5e-7)
    assert apart(one, off) == pytest.approx(0.5, abs=1e-9)
    assert apart(one, one) == 0.0


def test_the_density_is_one_in_all_and_samples_follow_it():
    fit = GaussianMixture(n_components=3).fit(clouds(p=2))
    low, high = fit.means.min() - 15, fit.means.max() + 15
    ticks = np.linspace(low, high, 401)
    x, y = np.meshgrid(ticks, ticks)
    at = np.exp(fit.log_density(np.column_stack([x.ravel(), y.ravel()])))
    assert at.sum() * (ticks[1] - ticks[0]) ** 2 == pytest.approx(1, abs=1e-6)
    rows, drawn = fit.sample(40_000, seed=3)
    shares = np.bincount(drawn, minlength=3) / len(drawn)
    np.testing.assert_allclose(shares, fit.weights, atol=0.015)  # six standard errors
    # Ten standard errors of a mean.
    np.testing.assert_allclose(rows.mean(axis=0), fit.weights @ fit.means, atol=0.15)


def test_small_fixed_balls_of_equal_weight_are_k_means():
    X = np.array([[0.0], [1], [2], [9], [10], [11]])
    start = GivenParameters(means=(0, 2))
    method = GaussianMixture(
        n_components=2, covariance=Fixed(variance=1e-3), mixing="equal", init=start
    )
    np.testing.assert_allclose(method.fit(X).means[:, 0], [1, 10], atol=1e-9)


def test_a_component_on_a_point_is_stopped_or_begins_anew():
    X = np.arange(-2.0, 3.0)[:, None]
    start = GivenParameters(means=(0, 0.2), shares=(0.5, 0.5), spreads=(2, 0.01))
    settings = {"n_components": 2, "covariance": Spherical(), "init": start, "reg_covar": 0.0}
    kept = GaussianMixture(collapse="keep", **settings).fit(X)
    assert kept.stop.kind == "collapsed"
    assert "Component 2 has collapsed" in kept.stop.why
    assert np.isfinite(kept.log_likelihood) and np.isfinite(kept.covariances).all()
    anew = list(GaussianMixture(**settings).steps(X))
    assert any("began anew" in step.note for step in anew)
    assert anew[-1].objective < kept.log_likelihood


@pytest.mark.parametrize(
    ("variance", "likelihood"),
    [(1, -9.088961), (1e-2, -9.575815), (1e-4, -7.334507), (1e-8, -2.736312), (1e-16, 6.473958)],
)
def test_the_likelihood_grows_without_bound_where_a_component_narrows_on_a_point(
    variance, likelihood
):
    balls = Mixture(np.full(2, 0.5), np.zeros((2, 1)), np.array([[2.0], [variance]]))
    reached = balls.shares(np.arange(-2.0, 3.0)[:, None])[1].sum()
    assert reached == pytest.approx(likelihood, abs=5e-7)


def test_with_a_prior_the_same_collapse_ends_at_a_finite_posterior():
    start = GivenParameters(means=(0, 0.2), shares=(0.5, 0.5), spreads=(2, 0.001))
    for kind in ("diag", "spherical"):
        method = GaussianMixture(
            n_components=2,
            covariance=kind,
            covariance_prior=InverseGamma(a=1, b=0.5),
            init=start,
            reg_covar=0.0,
            tol=0.0,
            max_iter=50,
        )
        reached = [step.objective for step in method.steps(np.arange(-2.0, 3.0)[:, None])][::2]
        assert np.diff(reached).min() > -1e-12
        assert reached[-1] == pytest.approx(-9.225122, abs=5e-7)


def test_priors_have_the_log_densities_of_scipy_up_to_a_constant():
    rng = np.random.default_rng(0)
    variances = rng.uniform(0.5, 3.0, (4, 3))
    gamma = stats.invgamma(2.5, scale=0.7)
    of_gamma = InverseGamma(a=2.5, b=0.7)
    balls = np.repeat(variances[:, :1], 3, axis=1)
    roots = rng.normal(size=(4, 3, 3))
    matrices, whole = roots @ roots.transpose(0, 2, 1) + np.eye(3), np.diag([1.0, 2.0, 3.0])
    of_rows = InverseWishart(dof=6.5, scale=2.0)
    for prior, kind, given, logs in (
        (of_gamma, Diagonal(), variances, gamma.logpdf(variances).sum(axis=1)),
        (of_gamma, Spherical(), balls, gamma.logpdf(balls[:, 0])),
        (
            InverseWishart(dof=6.5, scale=2.0, matrix="identity"),
            Full(),
            matrices,
            [stats.invwishart(6.5, 2.0 * np.eye(3)).logpdf(one) for one in matrices],
        ),
        (
            of_rows,
            Full(),
            matrices,
            [stats.invwishart(6.5, 2.0 * whole / 5 ** (2 / 3)).logpdf(one) for one in matrices],
        ),
    ):
        about = whole if given.ndim == 3 else np.ones(3)
        density = prior.density(kind, about, 5, 0.0)
        ours = [density.log_density(one[None]) for one in given]
        np.testing.assert_allclose(np.diff(ours), np.diff(logs), rtol=1e-10)


def test_rows_of_a_prior_are_an_inverse_wishart_of_so_many_degrees_of_freedom():
    settings = {"n_components": 3, "n_init": 1}
    by_rows = GaussianMixture(prior_rows=9.0, **settings).fit(clouds())
    prior = InverseWishart(dof=5.0, scale=9.0)  # of three columns: 5 + 3 + 1 rows
    fit = GaussianMixture(covariance_prior=prior, **settings).fit(clouds())
    np.testing.assert_allclose(fit.covariances, by_rows.covariances, rtol=1e-9)
    usual = GaussianMixture(covariance_prior="inverse_wishart", **settings).fit(clouds())
    told = GaussianMixture(covariance_prior=InverseWishart(dof=5.0), **settings).fit(clouds())
    np.testing.assert_array_equal(usual.covariances, told.covariances)


def test_a_prior_that_cannot_be_is_refused_in_words():
    for kind in ("full", "tied"):
        with pytest.raises(ParamError, match=f"{kind} covariances are not. Choose diagonal or"):
            GaussianMixture(covariance=kind, covariance_prior="inverse_gamma")
    few = GaussianMixture(covariance_prior=InverseWishart(dof=2.0))
    with pytest.raises(MlcoreError, match="3 columns needs more than 2 degrees of freedom, not 2"):
        few.fit(clouds())


def test_a_constant_column_without_a_ridge_is_refused_in_words():
    X = np.column_stack([clouds(), np.ones(300)])
    with pytest.raises(DataError, match="has no inverse"):
        GaussianMixture(reg_covar=0).fit(X)
    with pytest.raises(DataError, match="or a row lies so far out that all others look alike"):
        GaussianMixture().fit(np.vstack([clouds(), [[1e12, -1e12, 1e12]]]))


def test_where_the_ridge_stands_for_the_rows_this_is_said():
    X = clouds(p=2)
    constant = GaussianMixture().fit(np.column_stack([X, np.ones(300)]))
    assert constant.notes == (
        "Column x3 never changes: its variance is the ridge, 1e-06, alone. Leave it out.",
    )
    sums = GaussianMixture(n_components=2).fit(np.column_stack([X, X.sum(axis=1)]))
    assert sums.notes[0].startswith("2 of 2 components vary in fewer than 3 directions; the ridge")
    for kind in (*KINDS[:4], GaussianMixture().covariance):
        tiny = GaussianMixture(covariance=kind).fit(1e-8 * X)
        assert "The ridge, 1e-06, is more than the rows vary" in tiny.notes[0]
        assert GaussianMixture(covariance=kind).fit(X).notes == ()
        assert GaussianMixture(covariance=kind, reg_covar=0.0).fit(1e-8 * X).notes == ()


def test_balls_of_variance_one_are_told_to_depend_on_units():
    X = clouds(p=2)
    X /= X.std(axis=0)
    method = GaussianMixture(init_covariance="identity")
    assert method.fit(X).notes == GaussianMixture().fit(30.0 * X).notes == ()
    assert "balls of variance 1, beside columns of variance 900" in method.fit(30.0 * X).notes[0]


def test_rows_far_away_still_have_shares():
    fit = GaussianMixture(n_components=2).fit(clouds())
    far = np.full((1, 3), 1e149)
    assert fit.responsibilities(far).sum() == pytest.approx(1)
    assert np.isfinite(fit.log_density(far)).all()


PRIORS = [
    *((kind, {"prior_rows": 6.0}) for kind in KINDS),
    *((kind, {"covariance_prior": "inverse_wishart"}) for kind in KINDS),
    *((kind, {"covariance_prior": "inverse_gamma"}) for kind in ("diag", "spherical")),
]


@pytest.mark.parametrize(("kind", "prior"), PRIORS)
def test_a_prior_of_covariances_is_raised_too_and_none_collapses(kind, prior):
    X = np.concatenate([clouds(), np.full((1, 3), 40.0)])  # the last row has a component for itself
    settings = {"covariance": kind, "reg_covar": 0.0, "n_init": 1, **prior}
    method = GaussianMixture(n_components=4, **settings)
    reached = np.array([step.objective for step in method.steps(X, seed=2)])
    assert np.diff(reached).min() > -1e-9 * np.abs(reached).max()
    fit = method.fit(X, seed=2)
    assert fit.stop.kind == "converged"
    assert fit.log_likelihood == pytest.approx(fit.log_density(X).sum(), rel=1e-12)


def test_the_mode_of_the_prior_is_where_likelihood_and_prior_are_highest():
    X = clouds(n=40, p=2)
    fit = GaussianMixture(n_components=1, prior_rows=7.0, reg_covar=0.0).fit(X)
    scatter = np.cov(X.T, bias=True)
    # One component: shrunk to nothing but itself, so the prior changes nothing.
    np.testing.assert_allclose(fit.covariances[0], scatter, rtol=1e-10)
    prior = CovariancePrior(np.diag([1.0, 3.0]), 7.0, False)
    mode = prior.mode(scatter[None], np.array([40.0]))
    np.testing.assert_allclose(mode[0], (40 * scatter + 7 * np.diag([1.0, 3.0])) / 47)

    def posterior(covariance):
        alone = Mixture(np.ones(1), fit.means, covariance)
        return alone.shares(X)[1].sum() + prior.log_density(covariance)

    for turn in (np.array([[1.0, 0], [0, 0]]), np.array([[0, 1.0], [1, 0]]), np.eye(2)):
        moved = [posterior(mode + size * turn) for size in (-1e-3, 0.0, 1e-3)]
        assert moved[1] > max(moved[0], moved[2])


def test_annealing_forgets_a_bad_start():
    rng = np.random.default_rng(0)
    centres = np.array([[0.0, 0.0], [6.0, 0.0], [3.0, 5.0]])
    X = np.concatenate([c + rng.normal(size=(60, 2)) for c in centres])
    # Two means in one group and one between the others: plain EM stays there.
    start = GivenParameters(means=(-0.5, 0.0, 0.5, 0.1, 4.5, 2.5))
    settings = {"n_components": 3, "init": start, "covariance": "spherical", "max_iter": 400}
    plain = GaussianMixture(**settings).fit(X)
    annealed = GaussianMixture(beta=0.2, **settings).fit(X)
    best = GaussianMixture(n_components=3, covariance="spherical", n_init=20).fit(X)
    assert plain.log_likelihood < best.log_likelihood - 1
    # Each may stop 1e-4 a row short, of 180 rows.
    assert annealed.log_likelihood == pytest.approx(best.log_likelihood, abs=0.1)


@pytest.mark.parametrize("kind", ["full", "diag"])
def test_a_density_is_that_of_some_columns_times_that_of_the_others_given_them(kind):
    X = clouds()
    mixture = GaussianMixture(n_components=3, covariance=kind).fit(X).mixture
    row, seen, free = X[7], [2, 0], [1]
    joint = mixture.shares(row[None])[1][0]
    first = mixture.marginal(seen).shares(row[None, seen])[1][0]
    rest = mixture.conditional(seen, row[seen]).shares(row[None, free])[1][0]
    assert first + rest == pytest.approx(joint, abs=1e-10)
