"""What the theory says of independent components, without a reference."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.evaluation.map_scores import Negentropy
from mlcore.maths.log_cosh import OF_NORMAL, log_cosh, negentropies
from mlcore.reduction.contrasts import Gauss, Kurtosis, LogCosh
from mlcore.reduction.fast_ica import FastICA, iterated_orthogonal, nearest_orthogonal
from mlcore.spine.errors import DataError

CONTRASTS = ("log_cosh", "gauss", "kurtosis")
ALGORITHMS = ("symmetric", "symmetric_iterative", "deflation")


def sources(seed: int = 0, n: int = 5000) -> np.ndarray:
    """A long-tailed, a bounded and a two-valued source, variance 1, shape (n, 3)."""
    rng = np.random.default_rng(seed)
    S = np.column_stack([
        rng.laplace(size=n), rng.uniform(-1, 1, n), np.sign(np.sin(np.arange(n) * 0.37)),
    ])  # fmt: skip
    return (S - S.mean(axis=0)) / S.std(axis=0)


def mixing(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(100 + seed).normal(size=(3, 3))


def amari(P: np.ndarray) -> float:
    """0 where P is a permutation with scales; about 1 at worst."""
    P, n = np.abs(P), len(P)
    rows, columns = (P / P.max(axis=axis, keepdims=True) for axis in (1, 0))
    return float((rows.sum() + columns.sum() - 2 * n) / (2 * n * (n - 1)))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("contrast", CONTRASTS)
def test_sources_are_found(contrast, algorithm):
    A = mixing()
    fit = FastICA(contrast=contrast, algorithm=algorithm).fit(sources() @ A.T + 5)
    assert amari(fit.unmixing @ A) < 0.04
    assert fit.stop.kind == "converged"
    if algorithm != "deflation":
        assert fit.n_iter <= 10


@pytest.mark.parametrize("seed", range(5))
def test_few_iterations_from_any_start_to_the_same_sources(seed):
    A = mixing(seed)
    X = sources(seed) @ A.T
    one, other = (FastICA().fit(X, seed=s) for s in (0, 1))
    assert one.n_iter <= 10
    np.testing.assert_allclose(one.axes, other.axes, atol=1e-5)


def test_sources_are_white_ordered_and_signed():
    X = sources() @ mixing().T
    fit = FastICA().fit(X)
    Z = fit.transform(X)
    np.testing.assert_allclose(Z.T @ Z / len(Z), np.eye(3), atol=1e-10)
    np.testing.assert_allclose(fit.inverse_transform(Z), X, atol=1e-10)
    assert (np.diff(fit.negentropies) <= 0).all()
    largest = np.abs(fit.axes).argmax(axis=1)
    assert (fit.axes[np.arange(3), largest] > 0).all()


def test_the_least_normal_source_comes_first():
    fit = FastICA().fit(sources() @ mixing().T)
    alike = np.abs(np.corrcoef(fit.transform(sources() @ mixing().T).T, sources().T)[:3, 3:])
    assert alike.argmax(axis=1).tolist()[0] == 2  # of two values


def test_constants_of_the_contrasts():
    assert LogCosh().of_normal() == pytest.approx(0.374567, abs=5e-7) == OF_NORMAL
    assert Gauss().of_normal() == pytest.approx(-(2**-0.5))
    assert Kurtosis().of_normal() == pytest.approx(0.75)
    # A uniform source of variance 1, on a grid so fine that sums are integrals.
    u = (np.arange(100_000) + 0.5) / 100_000 * 2 * np.sqrt(3) - np.sqrt(3)
    means = [float(c.value(u).mean()) for c in (LogCosh(), Gauss(), Kurtosis())]
    np.testing.assert_allclose(means, [0.401338, -0.663351, 0.45], atol=1e-6)


@pytest.mark.parametrize("contrast", [LogCosh(), LogCosh(a=1.7), Gauss(), Kurtosis()])
def test_slopes_are_those_of_the_value(contrast):
    u, h = np.linspace(-3, 3, 41)[:, None], 1e-4
    first = (contrast.value(u + h) - contrast.value(u - h)) / (2 * h)
    second = (contrast.value(u + h) - 2 * contrast.value(u) + contrast.value(u - h)) / h**2
    slopes = contrast.slopes(u)
    np.testing.assert_allclose(slopes.first, first, atol=1e-6)
    np.testing.assert_allclose(slopes.second, second.sum(axis=0), atol=1e-4)


@pytest.mark.parametrize("contrast", [LogCosh(), Gauss(), Kurtosis()])
def test_the_limit_of_normal_samples_is_their_95th_percentile(contrast):
    S = np.random.default_rng(0).normal(size=(2000, 1500))
    S = (S - S.mean(axis=0)) / S.std(axis=0)
    inside = contrast.negentropies(S) <= contrast.normal_limit(2000)
    # Three and a half standard errors of 1,500 samples.
    assert inside.mean() == pytest.approx(0.95, abs=0.02)


def test_normal_sources_are_said_to_be_arbitrary():
    """Although the least normal of all directions were looked for."""
    rng = np.random.default_rng(1)
    shares = [FastICA().fit(rng.normal(size=(500, 4)), seed=s).is_normal.mean() for s in range(25)]
    assert np.mean(shares) > 0.9
    fit = FastICA().fit(rng.normal(size=(3000, 3)) @ mixing().T)
    assert "look normal: any rotation among these" in fit.notes[0]
    one = np.column_stack([sources(n=3000)[:, :2], rng.normal(size=3000)])
    assert FastICA().fit(one @ mixing().T).notes == ()


def test_orthogonal_by_iteration_is_the_nearest():
    for seed in range(5):
        W = np.random.default_rng(seed).normal(size=(6, 6)) * 50
        U, _, V = np.linalg.svd(W)
        np.testing.assert_allclose(nearest_orthogonal(W), U @ V, atol=1e-12)
        np.testing.assert_allclose(iterated_orthogonal(W), U @ V, atol=1e-9)


def test_rows_of_less_than_full_rank_have_fewer_sources():
    S = sources()
    X = np.column_stack([S[:, 0], S[:, 1], S[:, 0] + S[:, 1], np.full(5000, 3.0)])
    fit = FastICA(n_components=4).fit(X)
    assert len(fit.axes) == 2
    assert "x4 never changes" in fit.notes[0]
    assert fit.notes[1] == "Only 2 directions have any variance; showing 2."
    np.testing.assert_allclose(fit.inverse_transform(fit.transform(X)), X, atol=1e-9)


def test_what_cannot_be_is_refused_and_a_limit_is_told():
    with pytest.raises(DataError, match="needs rows that differ"):
        FastICA().fit(np.ones((5, 3)))
    assert FastICA(max_iter=1).fit(sources() @ mixing().T).stop.kind == "limit"
    late = FastICA(max_iter=1, algorithm="deflation").fit(sources() @ mixing().T)
    assert late.stop.kind == "limit"


def test_steps_say_the_contrast_and_end_at_the_highest():
    steps = list(FastICA().steps(sources() @ mixing().T))
    highest = max(step.objective for step in steps)
    assert steps[-1].objective == pytest.approx(highest, rel=1e-5)


def test_negentropy_does_not_depend_on_scale_and_is_zero_for_what_never_changes():
    S = sources()
    np.testing.assert_allclose(negentropies(S * [1, 7, 1e-5] + 4), negentropies(S), atol=1e-9)
    assert negentropies(np.ones((5, 1)))[0] == 0.0
    assert np.isfinite(log_cosh(np.array([1e300, -1e300, 0.0]))).all()
    assert Negentropy().baseline_of(FastICA()).card.name == "same_rows"


def test_first_directions_that_cannot_be_are_refused():
    X = sources(n=200) @ mixing().T
    with pytest.raises(DataError, match="first directions are 9 numbers; 4 are given"):
        FastICA(w_init=(1.0, 0.0, 0.0, 1.0)).fit(X)
    with pytest.raises(DataError, match="none is a sum of others"):
        FastICA(w_init=(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0)).fit(X)
    # A seed draws nothing then.
    one, other = (FastICA(w_init=tuple(np.eye(3).ravel())).fit(X, seed=s) for s in (0, 1))
    assert np.array_equal(one.unmixing, other.unmixing)
