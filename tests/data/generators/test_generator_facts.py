"""What is known of the generators: moments, exact numbers, and rules that cannot be beaten."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mlcore.data.examples import examples
from mlcore.data.generators.classes.blobs import Blobs
from mlcore.data.generators.classes.clinic import Clinic
from mlcore.data.generators.classes.gaussians import Gaussians
from mlcore.data.generators.classes.partly_labelled import PartlyLabelled
from mlcore.data.generators.classes.regions import DEPTHS, Regions
from mlcore.data.generators.classes.shells import Shells
from mlcore.data.generators.classes.students import COVARIANCES, MEANS, Students
from mlcore.data.generators.classes.two_bars import TwoBars
from mlcore.data.generators.densities.ar_sources import ArSources
from mlcore.data.generators.densities.density import DENSITIES, SHARES
from mlcore.data.generators.densities.manifold import Manifold
from mlcore.data.generators.densities.mixed_sources import MixedSources
from mlcore.data.generators.densities.tent_samples import TentSamples
from mlcore.data.generators.densities.two_view_pairs import TwoViewPairs
from mlcore.data.generators.pictures.characters import Characters
from mlcore.data.generators.quantities.dependence_patterns import DependencePatterns
from mlcore.data.generators.quantities.errors_in_variables import ErrorsInVariables
from mlcore.data.generators.quantities.linear_features import LinearFeatures
from mlcore.data.generators.quantities.linear_subspace_noise import LinearSubspaceNoise
from mlcore.data.generators.sequences.drift_stream import DriftStream
from mlcore.spine.errors import DataError, ParamError


def drawn(name: str, **changed: object):
    """The table of an example as an array with its origin, some settings changed."""
    recipe = examples()[name].recipe()
    origin = replace(recipe, **changed).origin({})
    names = [each for each in origin.table.names if each != origin.target]
    return origin.table.matrix(*names), origin


def test_gaussians_have_the_moments_that_truth_says():
    X, origin = drawn("oriented_blobs", n_samples=30_000)
    labels = origin.truth.labels
    for k, S in enumerate(origin.truth.covariances):
        own = X[labels == k]
        error = np.sqrt(np.diag(S) / len(own))
        assert (np.abs(own.mean(axis=0) - origin.truth.centers[k]) < 4 * error).all()
        # var of a sample covariance of normals: (s_ii s_jj + s_ij^2) / n
        spread = np.sqrt((np.outer(np.diag(S), np.diag(S)) + S**2) / len(own))
        assert (np.abs(np.cov(own.T, bias=True) - S) < 4 * spread).all()


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("pima_plane", 0.2766),  # the printed figure
        ("two_classes_1d", 0.158655),  # Phi(-1)
        ("two_gaussians", 0.115070),  # Phi(-1.2)
    ],
)
def test_gaussians_know_the_error_of_the_best_rule(name, error):
    assert drawn(name)[1].truth.bayes_error == pytest.approx(error, abs=5e-5)


def test_the_summed_bayes_error_agrees_with_the_closed_form():
    # Two components of the second class at one place: same densities, but no closed form is taken.
    split = Gaussians(means=(-1.2, 0, 1.2, 0, 1.2, 0), weights=(2, 1, 1), classes=(0, 1, 1))
    assert split.origin({}).truth.bayes_error == pytest.approx(0.115070, abs=2e-4)
    round_3d = tuple(np.eye(3).ravel())
    wide = Gaussians(n_features=3, means=tuple(range(9)), covariances=round_3d)
    assert wide.origin({}).truth.bayes_error is None


def test_the_bayes_rule_of_gaussians_beats_random_linear_rules():
    X, origin = drawn("two_gaussians_full", n_samples=20_000)
    truth = origin.truth
    best = (truth.posterior.argmax(axis=1) != truth.labels).mean()
    spread = np.sqrt(truth.bayes_error / len(X))
    assert abs(best - truth.bayes_error) < 4 * spread
    rng = np.random.default_rng(0)
    for _ in range(200):
        side = X @ rng.normal(size=2) > rng.normal()
        error = min((side != truth.labels).mean(), (side == truth.labels).mean())
        assert error > best


def test_the_density_that_truth_holds_is_that_of_the_rows():
    X, origin = drawn("kde_bimodal", n_samples=500)
    means, deviations, shares = np.array([-2, 1.5]), np.sqrt([0.5, 1]), np.array([0.4, 0.6])
    parts = np.exp(-(((X - means) / deviations) ** 2) / 2) / (deviations * np.sqrt(2 * np.pi))
    np.testing.assert_allclose(origin.truth.log_density, np.log(parts @ shares), rtol=1e-9)


def test_factors_move_the_means_apart_and_widen_the_clouds():
    _, plain = drawn("fda_gaussians")
    _, moved = drawn("fda_gaussians", distance=2.0, spread=3.0)
    np.testing.assert_allclose(moved.truth.centers, [[-1, 0], [7, 4]])
    np.testing.assert_allclose(moved.truth.covariances, 9 * plain.truth.covariances)


@pytest.mark.parametrize("name", ["correlated_gaussian", "elongated_gaussian", "single_1d"])
def test_one_component_alone_makes_no_class_to_be_learned(name):
    _, origin = drawn(name)
    assert origin.target is None and "class" not in origin.table.names


@pytest.mark.parametrize(
    "source", [Blobs(cluster_std=4.0), Students(weight_unit="g"), TwoBars(gap=0.3)],
    ids=lambda source: source.card.name,
)  # fmt: skip
def test_the_best_rule_errs_on_fresh_rows_as_often_as_truth_says(source):
    # Other seeds draw other rows of the same law: the best rule of one is that of all.
    truth = source.origin({}).truth
    fresh = replace(source, n_samples=20_000, seed=7).origin({})
    assert fresh.truth.bayes_error == truth.bayes_error > 0
    y = fresh.table.column(fresh.target).values
    if fresh.truth.posterior is None:
        wrong = (fresh.table.column("x2").values > 0) != y
    else:
        wrong = fresh.truth.posterior.argmax(axis=1) != y
    error = np.sqrt(truth.bayes_error * (1 - truth.bayes_error) / len(y))
    assert abs(wrong.mean() - truth.bayes_error) < 4 * error


def test_where_centers_lie_is_apart_from_the_seed():
    a, b, c = (Blobs(**kw).origin({}).truth.centers for kw in ({}, {"seed": 1}, {"draw": 1}))
    np.testing.assert_array_equal(a, b)
    assert np.abs(a - c).max() > 1


def test_students_in_other_units_are_the_same_people():
    a, b = (Students(**kw).origin({}).table for kw in ({}, {"height_unit": "m"}))
    np.testing.assert_allclose(a.column("height_cm").values, 100 * b.column("height_m").values)


def test_gaussians_refuse_numbers_that_are_no_covariances():
    with pytest.raises(ParamError, match="covariances must hold 4 numbers, or 8"):
        Gaussians(covariances=(1.0, 0.0))
    with pytest.raises(ParamError, match="symmetric with positive variances"):
        Gaussians(covariances=(1.0, 2.0, 2.0, 1.0))
    with pytest.raises(ParamError, match="whole numbers from 0 on"):
        Gaussians(classes=(0, 2))


def test_students_have_the_groups_and_targets_that_they_promise():
    origin = Students(n_samples=20_000, target="bmi", noise=0.0).origin({})
    X, labels = origin.table.matrix("weight_kg", "height_cm"), origin.truth.labels
    assert np.bincount(labels)[2] == 1600
    for k in range(3):
        own = X[labels == k]
        error = np.sqrt(np.diag(COVARIANCES[k]) / len(own))
        assert (np.abs(own.mean(axis=0) - MEANS[k]) < 4.5 * error).all()  # cut to the box
    np.testing.assert_allclose(
        origin.table.column("bmi").values, X[:, 0] / (X[:, 1] / 100) ** 2, rtol=1e-12
    )


def test_a_sorted_file_of_students_betrays_the_wrestlers_by_their_row():
    table = Students(is_sorted=True).origin({}).table
    wrestles = table.column("wrestler").values
    assert (wrestles == (table.column("row").values <= wrestles.sum())).all()


def test_few_rows_keep_their_target_where_asked():
    source = PartlyLabelled(source=Students(), known=0.05)
    origin = source.origin({})
    known, whole = (
        t.column("wrestler").values for t in (origin.table, Students().origin({}).table)
    )
    stays = np.isfinite(known)
    assert stays.sum() == 15
    np.testing.assert_array_equal(known[stays], whole[stays])
    np.testing.assert_array_equal(origin.truth.labels == 2, whole == 1)
    with pytest.raises(DataError, match="has no target that could be hidden"):
        PartlyLabelled(source="density").origin({})


@pytest.mark.parametrize("shape", DENSITIES)
def test_rejection_keeps_the_share_that_the_density_says(shape):
    integral = SHARES[shape]
    X, origin = drawn("uniform_square", shape=shape, n_samples=20_000)
    share = len(X) / origin.truth.attempts
    assert abs(share - integral) <= 4 * np.sqrt(integral * (1 - integral) / origin.truth.attempts)
    assert (DENSITIES[shape](*X.T) > 0).all()


def test_running_text_looks_back_as_far_as_it_says():
    table = Characters(n_samples=2000, context=3).origin({}).table
    following = table.column("next").texts()
    for k in (1, 2, 3):
        assert table.column(f"back{k}").texts()[k:] == following[:-k]
    longer = Characters(n_samples=2000, context=5).origin({}).table.column("next").texts()
    assert longer[:-2] == following[2:]  # the same text, begun later


def test_half_of_the_windows_miss_the_letter():
    origin = examples()["glyph_windows"].recipe().origin({})
    hits, clean = origin.truth.labels == 1, origin.truth.clean.reshape(-1, 16, 16)
    assert hits.mean() == 0.5
    # A window that hits shows all of the pen; one that misses has cut some of it off.
    assert clean[hits].sum(axis=(1, 2)).mean() > 1.3 * clean[~hits].sum(axis=(1, 2)).mean()


def test_tent_samples_have_the_mean_and_share_of_the_tent():
    X, _ = drawn_tent(20_000, 0.7)
    # The mean is (1 + theta) / 3, the variance (1 - theta + theta^2) / 18, P(z < theta) = theta.
    assert abs(X.mean() - 1.7 / 3) < 4 * np.sqrt((1 - 0.7 + 0.49) / 18 / len(X))
    assert abs((X < 0.7).mean() - 0.7) < 4 * np.sqrt(0.21 / len(X))


def drawn_tent(n: int, theta: float):
    origin = TentSamples(n_samples=n, theta=theta).origin({})
    return origin.table.matrix("x1"), origin


def test_the_line_of_least_squares_is_flattened_by_errors_of_x():
    origin = ErrorsInVariables(n_samples=50_000, slope=2.0).origin({})
    x, y = origin.table.matrix("x1", "y").T
    assert (x @ y) / (x @ x) == pytest.approx(2.0 / 1.25, abs=0.03)
    axes = np.linalg.eigh(np.cov(x, y))[1]
    assert axes[1, 1] / axes[0, 1] == pytest.approx(2.0, abs=0.04)


@pytest.mark.parametrize("pattern", ["round", "parabola", "ring"])
def test_patterns_without_correlation_have_none(pattern):
    table = DependencePatterns(n_samples=40_000, pattern=pattern).origin({}).table
    x, y = table.matrix("x1", "x2").T
    assert abs(np.corrcoef(x, y)[0, 1]) < 4 / np.sqrt(len(x))
    if pattern != "round":
        assert abs(np.corrcoef(x**2, y**2)[0, 1]) > 0.2


def test_sources_are_independent_of_variance_one_and_mixed_as_said():
    X, origin = drawn("mixed_uniform", n_samples=20_000)
    np.testing.assert_allclose(X, origin.truth.coordinates @ np.array([[2, 3], [2, 1]]).T)
    C = np.cov(X.T, bias=True)
    assert np.abs(C - [[13, 7], [7, 5]]).max() < 0.3
    every = MixedSources(n_samples=20_000, sources=("laplace", "logistic", "gauss", "saw"))
    S = every.origin({}).truth.coordinates
    assert np.abs(np.cov(S.T) - np.eye(4)).max() < 0.06


def test_series_remember_as_their_coefficients_say():
    S = ArSources().origin({}).truth.coordinates
    for j, a in enumerate((0.95, 0.3, -0.6)):
        # Variance of a lag-1 correlation of a first-order series: (1 - a^2) / n.
        found = (S[1:, j] * S[:-1, j]).mean() / S[:, j].var()
        assert abs(found - a) < 4 * np.sqrt((1 - a * a) / len(S))


def test_days_are_told_in_degrees_and_in_their_order():
    table = examples()["temperature_days"].recipe().origin({}).table
    days = table.column("x1").values
    # The mean of a first-order series has about (1 + a) / (1 - a) times the variance of one of n.
    error = 6 * np.sqrt((1 + 0.85) / (1 - 0.85) / len(days))
    assert abs(days.mean() - 11) < 4 * error
    np.testing.assert_array_equal(table.column("time").values, np.arange(730))


def test_the_last_days_of_weather_are_asked_for():
    known = examples()["weather_sequence"].recipe().origin({}).table.column("weather").values
    assert np.isfinite(known).tolist() == [True] * 10 + [False] * 5


def test_the_spectrum_of_a_plane_in_noise_has_its_knee_and_floor():
    origin = LinearSubspaceNoise(n_samples=20_000, rank=3, n_features=8, noise=0.3).origin({})
    values = np.linalg.eigvalsh(np.cov(origin.table.matrix().T))[::-1]
    np.testing.assert_allclose(values[:3], [9.09, 2.34, 1.09], rtol=0.06)
    np.testing.assert_allclose(values[3:], 0.09, rtol=0.06)


def test_without_noise_surfaces_are_the_curves_of_their_definition():
    X, _ = drawn("swiss_roll")
    t = np.hypot(X[:, 0], X[:, 2])
    np.testing.assert_allclose(X[:, 0], t * np.cos(t), atol=1e-9)
    assert 1.5 * np.pi <= t.min() and t.max() <= 4.5 * np.pi and X[:, 1].min() >= 0
    X = Manifold(shape="torus").origin({}).table.matrix("x1", "x2", "x3")
    np.testing.assert_allclose(np.hypot(np.hypot(X[:, 0], X[:, 1]) - 2, X[:, 2]), 0.7)


def test_the_ripple_is_the_printed_function_with_noise_within_a_tenth():
    X, origin = drawn("ripple")
    r = np.hypot(*X.T)
    np.testing.assert_allclose(origin.truth.signal, np.exp(-2.5 * r**2) * np.cos(8 * r))
    assert np.abs(origin.table.column("y").values - origin.truth.signal).max() <= 0.1
    assert len(X) == 150


def test_informative_columns_carry_the_signal_and_others_nothing():
    origin = LinearFeatures(n_samples=5000, informative=3, redundant=2, n_features=8).origin({})
    X, y = origin.table.matrix()[:, :-1], origin.table.column("y").values
    found = np.linalg.lstsq(X[:, [0, 1, 2, 5, 6, 7]], y, rcond=None)[0]
    np.testing.assert_allclose(found, [1, -1, 1, 0, 0, 0], atol=4 / np.sqrt(5000))
    np.testing.assert_allclose(X[:, 3], X[:, :2].mean(axis=1), atol=0.5)


def test_size_is_the_first_component_of_shells_and_groups_part_along_the_next():
    origin = Shells(n_samples=2000).origin({})
    X = origin.table.matrix(*origin.table.names[:5])
    centred = X - X.mean(axis=0)
    scores = centred @ np.linalg.svd(centred, full_matrices=False)[2].T
    size = origin.truth.coordinates[:, 0]
    assert abs(np.corrcoef(scores[:, 0], size)[0, 1]) > 0.97

    def between(j: int) -> float:
        means = [scores[origin.truth.labels == k, j].mean() for k in range(4)]
        return np.var(means) / scores[:, j].var()

    assert between(0) < 0.05 and between(1) > 0.3 and between(2) > 0.3


def test_a_twentieth_of_the_measured_cells_of_the_clinic_is_written_minus_nine():
    table = Clinic(n_samples=5000).origin({}).table
    measured = table.matrix(*table.names[:8])
    assert abs((measured == -9).mean() - 0.05) < 4 * np.sqrt(0.05 * 0.95 / measured.size)
    assert len(table.names) == 13


@pytest.mark.parametrize("region", ["disc", "lift", "triangle", "three stumps", "pockets"])
def test_a_region_keeps_its_border_empty_and_its_flips_few(region):
    source = Regions(n_samples=2000, region=region, gap=0.04)
    origin = source.origin({})
    depth = DEPTHS[region](*origin.table.matrix("x1", "x2").T)
    assert np.abs(depth).min() >= 0.02
    np.testing.assert_array_equal(depth > 0, origin.truth.labels == 1)
    flips = replace(source, flip=0.1).origin({}).truth.labels != origin.truth.labels
    assert abs(flips.mean() - 0.1) < 4 * np.sqrt(0.09 / 2000)


def test_ten_points_to_lift_are_five_and_five():
    assert np.bincount(drawn("lift_ten")[1].truth.labels).tolist() == [5, 5]


def test_a_turning_cloud_has_its_long_axis_where_it_should():
    table = DriftStream(n_samples=20_000, revolutions=0.5).origin({}).table
    X = table.matrix("x1", "x2")
    first, middle = np.cov(X[:1000].T), np.cov(X[9500:10500].T)
    assert first[0, 0] > 3 * first[1, 1] and middle[1, 1] > 3 * middle[0, 0]


def test_views_share_what_is_hidden_and_have_their_own_strongest_direction():
    origin = TwoViewPairs(n_samples=5000, noise=0.0, latent=1, views=(5, 4)).origin({})
    Xa = origin.table.matrix(*(f"a{j}" for j in range(1, 6)))
    assert np.linalg.matrix_rank(Xa, tol=1e-8) == 2  # what is shared, and its own
    Q = [np.linalg.qr(block - block.mean(axis=0))[0][:, :2] for block in _views(origin, (5, 4))]
    common = np.linalg.svd(Q[0].T @ Q[1], compute_uv=False)
    assert common[0] > 0.999 and common[1] < 0.1


def _views(origin, widths):
    for letter, width in zip("ab", widths, strict=True):
        yield origin.table.matrix(*(f"{letter}{j + 1}" for j in range(width)))
