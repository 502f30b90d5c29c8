"""Generators: equal settings draw equal rows, the rows are what the definition says."""

import numpy as np
import pytest

from mlcore.data.generators.classes.blobs import Blobs
from mlcore.data.generators.classes.gaussians import Gaussians
from mlcore.data.generators.classes.moons import Moons
from mlcore.data.generators.classes.rings import Rings
from mlcore.data.generators.classes.spirals import Spirals
from mlcore.data.generators.classes.xor import Xor
from mlcore.data.generators.quantities.curve import FUNCTIONS, Curve
from mlcore.data.generators.shared import MOST_ROWS, Generator, shares
from mlcore.spine.errors import ParamError
from mlcore.spine.params import params_of
from mlcore.spine.registry import entries

GENERATORS = [cls for cls in entries("source").values() if issubclass(cls, Generator)]
CLASSED = [Blobs, Moons, Rings, Spirals, Xor, Gaussians]
# Extremes that contradict the other defaults; each is refused in a sentence.
TOGETHER = {
    "n_features", "means", "covariances", "weights", "classes", "low", "high", "rank",
    "informative", "redundant", "mixing", "sources", "pattern",
}  # fmt: skip


def rows_of(source: Generator) -> tuple[np.ndarray, np.ndarray]:
    """X and the target of a generator, as in its table."""
    origin = source.origin({})
    names = [name for name in origin.table.names if name != origin.target]
    return origin.table.matrix(*names), origin.table.column(origin.target).values


@pytest.mark.parametrize("cls", GENERATORS)
def test_equal_settings_draw_equal_rows_and_other_seeds_others(cls):
    digests = [cls(seed=seed).origin({}).table.digest() for seed in (0, 0, 1)]
    assert digests[0] == digests[1] != digests[2]


@pytest.mark.parametrize("cls", GENERATORS)
def test_every_declared_extreme_draws_the_rows_it_promises(cls):
    for name, param in params_of(cls).items():
        for value in param.tries():
            if name in ("seed", "n_samples"):
                continue
            try:
                source = cls(n_samples=40, **{name: value})
            except ParamError:
                assert name in TOGETHER, (name, value)
                continue
            extra = getattr(source, "outliers", 0) if cls is not Curve else 0
            origin = source.origin({})
            assert origin.table.n_rows == 40 + extra, (name, value)
            features = [
                n for n in origin.table.names if n not in {origin.target, *dict(origin.roles)}
            ]
            assert np.isfinite(origin.table.matrix(*features)).all(), (name, value)


@pytest.mark.parametrize("cls", GENERATORS, ids=lambda cls: cls.card.name)
def test_a_link_cannot_ask_for_a_billion_rows(cls):
    with pytest.raises(ParamError, match="at most"):
        cls(n_samples=MOST_ROWS + 1)


@pytest.mark.parametrize("cls", CLASSED)
def test_row_order_says_nothing_about_the_class(cls):
    _, y = rows_of(cls(n_samples=2000))
    place = np.arange(len(y)) / len(y)
    for k in np.unique(y):
        own = place[y == k]  # uniform on [0, 1]: sd of a mean of m is 1 / sqrt(12 m)
        assert abs(own.mean() - 0.5) < 4 / np.sqrt(12 * len(own))


def test_the_noise_does_not_move_with_other_settings():
    near, far = (rows_of(Blobs(cluster_std=s))[0] for s in (1.0, 2.0))
    centers = Blobs().origin({}).truth.centers
    labels = Blobs().origin({}).truth.labels
    np.testing.assert_allclose(far - centers[labels], 2 * (near - centers[labels]), atol=1e-12)


def test_blobs_have_the_moments_that_truth_says():
    origin = Blobs(n_samples=30_000, centers=4, n_features=3, cluster_std=1.5, seed=3).origin({})
    X, truth = origin.table.matrix("x1", "x2", "x3"), origin.truth
    for k in range(4):
        own = X[truth.labels == k]
        error = 1.5 / np.sqrt(len(own))
        assert np.abs(own.mean(axis=0) - truth.centers[k]).max() < 4 * error
        assert np.abs(own.std(axis=0) - 1.5).max() < 4 * error  # sd of an sd is sd / sqrt(2 n)


def test_weights_are_the_sizes_of_the_groups():
    _, y = rows_of(Blobs(n_samples=330, centers=2, weights=(10, 1)))
    assert np.bincount(y.astype(int)).tolist() == [300, 30]
    assert shares(10, (), 3).tolist() == [3, 4, 3]
    with pytest.raises(ParamError, match="weights must hold 3 positive numbers"):
        Blobs(weights=(1.0, 2.0))
    with pytest.raises(ParamError, match="weights must hold 2 positive numbers"):
        Rings(weights=(1.0, -1.0))


def test_outliers_are_a_class_of_their_own_and_stay_in_the_box():
    origin = Moons(n_samples=100, outliers=20).origin({})
    levels = origin.table.column("class").levels
    y = origin.table.column("class").values
    assert levels == ("upper", "lower", "outlier")
    assert np.bincount(y.astype(int)).tolist() == [50, 50, 20]


def test_without_noise_moons_rings_and_spirals_lie_on_their_curves():
    X, y = rows_of(Moons(noise=0.0, gap=0.4))
    center = np.where(y[:, None] == 0, [0.0, 0.2], [1.0, 0.3])
    np.testing.assert_allclose(np.hypot(*(X - center).T), 1.0)
    X, y = rows_of(Rings(noise=0.0, radii=(0.0, 2.0, 5.0)))
    np.testing.assert_allclose(np.hypot(*X.T), np.array([0.0, 2.0, 5.0])[y.astype(int)])
    X, y = rows_of(Spirals(noise=0.0, arms=3, revolutions=2.0))
    turn = np.arctan2(X[:, 1], X[:, 0]) / (2 * np.pi) - 2.0 * np.hypot(*X.T) - y / 3
    np.testing.assert_allclose(turn, np.round(turn), atol=1e-9)


def test_xor_is_decided_by_the_signs_of_two_columns():
    X, y = rows_of(Xor(n_samples=4000, noise=1.0, weak=2, irrelevant=3))
    assert X.shape == (4000, 7)
    np.testing.assert_array_equal(y, X[:, 0] * X[:, 1] > 0)
    by_class = np.array([X[y == k].mean(axis=0) for k in (0, 1)])
    np.testing.assert_allclose(by_class[:, 2:4], [[-0.6] * 2, [0.6] * 2], atol=0.1)
    assert np.abs(by_class[:, [0, 1, 4, 5, 6]]).max() < 0.15  # sd of such a mean is 0.032


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_curve_without_noise_is_its_function(function):
    origin = Curve(function=function, noise=0.0, low=-1.0, high=2.0).origin({})
    X, y = rows_of(Curve(function=function, noise=0.0, low=-1.0, high=2.0))
    assert X.min() >= -1.0 and X.max() <= 2.0
    np.testing.assert_array_equal(y, origin.truth.signal)
    np.testing.assert_array_equal(y, FUNCTIONS[function](X[:, 0]))


def test_curve_keeps_its_gap_empty_and_its_outliers_off():
    X, _ = rows_of(Curve(n_samples=1000, gap=0.4))
    assert not ((X > 0.3) & (X < 0.7)).any()
    origin = Curve(n_samples=50, noise=0.1, outliers=5).origin({})
    off = np.abs(origin.table.column("y").values - origin.truth.signal)
    assert (off > 1.0).sum() == 5


def test_curve_refuses_a_range_that_is_none():
    with pytest.raises(ParamError, match="low must be below high; got 1 and 1"):
        Curve(low=1.0)
    with pytest.raises(ParamError, match="at most all 20 rows can be outliers; got 30"):
        Curve(n_samples=20, outliers=30)
