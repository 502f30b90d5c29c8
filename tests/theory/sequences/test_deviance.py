"""Facts about the deviance information criterion of hidden Markov models."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import digamma

from mlcore.sequences.deviance import deviance_information
from mlcore.sequences.hmm import HMM
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column

RNG = np.random.default_rng(0)
REGIMES = np.repeat([0, 1, 0, 1, 0, 1], 40)
APART = np.array([[0.0, 0.0], [9.0, 9.0]])[REGIMES] + RNG.normal(size=(240, 2))


def test_one_state_of_names_has_the_criterion_of_its_dirichlet_law():
    # Posterior Dirichlet(1 + c): E ln p_j and the mean of p_j are known in closed form.
    codes = RNG.choice(4, 60, p=[0.1, 0.2, 0.3, 0.4])
    X, c = codes[:, None].astype(float), np.bincount(codes, minlength=4)
    column = (Column("seen", "nominal", tuple("abcd")),)
    fit = HMM(n_states=1, n_init=1).fit(X, columns=column)
    of = deviance_information(fit, X, n_draws=1000, burn_in=0)
    mean = -2 * (c * (digamma(1 + c) - digamma(64))).sum()
    at_mean = -2 * (c * np.log((1 + c) / 64)).sum()
    error = np.sqrt(2 * 3 / 1000)  # of the mean of D, which is about chi^2 with 3 degrees
    assert of.mean == pytest.approx(mean, abs=4 * error)
    assert of.at_mean == pytest.approx(at_mean, abs=0.1)
    assert of.dic == pytest.approx(of.mean + of.p_d) == 2 * of.mean - of.at_mean


@pytest.mark.parametrize(
    ("covariance", "free"),
    [("full", 10), ("tied", 7), ("diag", 8), ("spherical", 6), ("fixed", 4)],
)
def test_states_far_apart_count_about_their_free_parameters(covariance, free):
    # Moves and first state, 3, are known less well than their number says: between 1 and 3.
    fit = HMM(n_states=2, covariance=covariance, n_init=2).fit(APART)
    of = deviance_information(fit, APART, n_draws=150, burn_in=10)
    assert free - 0.5 < of.p_d < free + 4
    assert of.is_usable
    assert of.dic == pytest.approx(fit.aic, abs=5)


def test_the_criterion_tells_two_regimes_from_one_and_repeats_itself():
    one, two = (HMM(n_states=N, n_init=2).fit(APART) for N in (1, 2))
    first = [deviance_information(fit, APART, n_draws=40) for fit in (one, two)]
    assert first[1].dic < first[0].dic - 100
    assert deviance_information(two, APART, n_draws=40) == first[1]


def test_draws_keep_to_the_topology_and_to_the_numbers_of_mixed_states():
    X = np.where(REGIMES[:, None] > 0, 9.0, 0.0) + RNG.choice([-2.0, 2.0], (240, 1))
    X += 0.3 * RNG.normal(size=X.shape)
    fit = HMM(n_states=2, n_components=2, topology="left_to_right").fit(X, lengths=[80] * 3)
    of = deviance_information(fit, X, [80] * 3, n_draws=60)
    assert 6 < of.p_d < fit.n_parameters + 3  # components that swapped places would spoil it
    assert of.dic == pytest.approx(fit.aic, abs=8)


def test_the_criterion_reads_rows_of_names_and_numbers_and_refuses_impossible_ones():
    X = np.column_stack([APART, REGIMES.astype(float)])
    columns = (Column("a", "numeric"), Column("b", "numeric"), Column("c", "nominal", ("u", "v")))
    fit = HMM(n_states=2, n_init=2).fit(X, columns=columns)
    assert 8 < deviance_information(fit, X, n_draws=40).p_d < fit.n_parameters + 3
    X[0, 2] = 5.0
    with pytest.raises(DataError, match="impossible"):
        deviance_information(fit, X, n_draws=2)
