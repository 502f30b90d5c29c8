"""Mixtures of normal distributions in a state: against hmmlearn, and by what they must do."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from mlcore.clustering.gaussian_mixture import GaussianMixture
from mlcore.sequences.baum_welch import Model, Problem
from mlcore.sequences.emissions import Shown, Sides, component_shares, log_emissions
from mlcore.sequences.hmm import HMM
from mlcore.sequences.recursions import filtered, forward_backward, viterbi
from mlcore.spine.errors import DataError
from mlcore.spine.iterate import record

LENGTHS = np.array([25, 15])
START, MOVES = np.array([0.6, 0.4]), np.array([[0.8, 0.2], [0.3, 0.7]])
SHOWN = Shown(
    np.array([[0, 0], [2.5, 1], [-1.5, 3], [1, -2]], dtype=float),
    np.array([[1, 1.5], [0.8, 1], [2, 1], [1, 1]], dtype=float),
    (),
    np.array([[0.5, 0.5], [0.3, 0.7]]),
)


def rows():
    rng = np.random.default_rng(5)
    noise = rng.normal(size=(40, 2))
    return np.round(noise + np.repeat([[0, 0], [3, 1], [-2, 4], [1, -3]], 10, axis=0), 2)


def test_one_iteration_is_that_of_hmmlearn():
    """GMMHMM of hmmlearn 0.3.3 with flat priors, from the model above.

    Its covariances are not compared: it re-estimates them about the old means.
    """
    it = HMM(n_states=2, n_components=2, n_init=1, reg_covar=0.0)
    problem = Problem(it, it._given(rows(), lengths=LENGTHS))
    logs = log_emissions(SHOWN, problem.rows)
    log_density, _ = filtered(logs, START, MOVES, LENGTHS)
    assert log_density.sum() == pytest.approx(-153.90999218461403, rel=1e-12)
    path = viterbi(logs, START, MOVES, LENGTHS)
    assert path.scores.sum() == pytest.approx(-155.55939459229694, rel=1e-12)
    np.testing.assert_array_equal(path.states, np.repeat([0, 1], 20))
    sums = forward_backward(logs, START, MOVES, LENGTHS)
    new = problem.maximised(sums, Model(START, MOVES, SHOWN))
    near = {"atol": 1e-9}
    np.testing.assert_allclose(new.start, [0.4440073949, 0.5559926051], **near)
    moves = [[0.8911548054, 0.1088451946], [0.0543607084, 0.9456392916]]
    np.testing.assert_allclose(new.transitions, moves, **near)
    weights = [[0.470577795, 0.529422205], [0.4719876188, 0.5280123812]]
    np.testing.assert_allclose(new.shown.weights, weights, **near)
    means = [
        [0.0528723934, -0.1889168909], [2.3349509882, 0.7600662909],
        [-1.651649578, 3.6066958196], [1.1479381548, -3.0612894177],
    ]  # fmt: skip
    np.testing.assert_allclose(new.shown.means, means, **near)
    # About the new means, which is the likeliest: by hand for one component.
    own = component_shares(SHOWN, problem.rows, sums.posterior)[:, 2]
    variance = np.average((rows() - new.shown.means[2]) ** 2, axis=0, weights=own)
    np.testing.assert_allclose(new.shown.covariances[2], variance, rtol=1e-10)


def test_a_row_is_as_dense_as_the_sum_over_the_components():
    Z = rows()
    logs = log_emissions(SHOWN, Sides(Z, np.empty((40, 0), dtype=np.int64)))
    for k in range(2):
        parts = [
            SHOWN.weights[k, m]
            * norm.pdf(Z, SHOWN.means[2 * k + m], np.sqrt(SHOWN.covariances[2 * k + m])).prod(
                axis=1
            )
            for m in range(2)
        ]
        np.testing.assert_allclose(logs[:, k], np.log(sum(parts)), rtol=1e-10)
    far = np.full((1, 2), 1e4)
    assert np.isfinite(log_emissions(SHOWN, Sides(far, np.empty((1, 0), dtype=np.int64)))).all()


def test_one_state_is_a_mixture_of_single_rows():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(-3, 1, (150, 1)), rng.normal(2, 0.5, (100, 1))])
    fit = HMM(n_states=1, n_components=2, n_init=3, tol=1e-12).fit(X)
    mixture = GaussianMixture(n_components=2, covariance="diag", tol=1e-12).fit(X)
    assert fit.log_likelihood == pytest.approx(mixture.log_density(X).sum(), rel=1e-6)
    # Two and a half standard errors of a mean of 150 rows.
    np.testing.assert_allclose(np.sort(fit.means[:, 0]), [-3, 2], atol=0.2)
    np.testing.assert_allclose(np.sort(fit.mixture_weights[0]), [0.4, 0.6], atol=0.03)


@pytest.mark.parametrize("kind", ["full", "diag", "spherical", "tied"])
@pytest.mark.parametrize("init", ["kmeans", "random", "segments"])
def test_likelihood_never_falls(kind, init):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 2)) + np.repeat(rng.normal(size=(12, 2)) * 2, 10, axis=0)
    it = HMM(covariance=kind, n_components=2, init=init, n_init=2, reg_covar=0.0, max_iter=60)
    values = [step.objective for step in record(it.steps(X, lengths=(70, 50)), keep=500)]
    assert np.diff(values).min() > -1e-8 and values[-1] > values[0]


def test_states_of_two_heaps_are_found_where_one_normal_misleads():
    """Each state jumps between two places that the other one lies between."""
    rng = np.random.default_rng(1)
    states = np.repeat(np.tile([0, 1], 30), 20)
    heap = rng.integers(2, size=len(states))
    X = (np.where(states == 0, -6.0 + 6 * heap, -3.0 + 6 * heap) + rng.normal(size=1200) * 0.5)[
        :, None
    ]
    mixed = HMM(n_states=2, n_components=2).fit(X)
    right = (mixed.labels == states).mean()
    assert max(right, 1 - right) > 0.98
    plain = HMM(n_states=2).fit(X)
    wrong = (plain.labels == states).mean()
    assert max(wrong, 1 - wrong) < 0.9 and mixed.bic < plain.bic - 500
    assert mixed.n_parameters == 1 + 2 + 4 + 4 + 2
    Y, own = mixed.sample([3000], seed=2)
    assert (mixed.predict(Y) == own).mean() > 0.98
    np.testing.assert_allclose(
        mixed.shown.state_variances[:, 0], [Y[own == k].var() for k in range(2)], rtol=0.1
    )


def test_too_few_rows_for_the_components_are_refused():
    with pytest.raises(
        DataError, match="2 states of 3 components need 6 different rows; there are"
    ):
        HMM(n_states=2, n_components=3).fit(np.array([0.0, 1, 2, 3, 1, 0])[:, None])
