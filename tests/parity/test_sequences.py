"""Hidden Markov models against hmmlearn: likelihood, both decodings, and iterations of learning.

Its priors are switched off: its defaults add one to variances (`covars_weight`), and a floor.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
import pytest
from hmmlearn.hmm import CategoricalHMM, GaussianHMM

from mlcore.sequences.hmm import HMM
from mlcore.spine.fit import Column

LENGTHS = [70, 1, 2, 57]  # one row has no move, two have one
FLAT = {"startprob_prior": 1.0, "transmat_prior": 1.0, "init_params": "", "tol": -np.inf}
# What takes its prior away from each estimate of a covariance.
WEIGHTS = {"spherical": 1, "diag": 1, "full": 0, "tied": 0}
SAME = 1e-10  # both sum in their own order


def numbers():
    rng = np.random.default_rng(4)
    places = np.repeat(rng.normal(size=(26, 2)) * 2, 5, axis=0)
    return places + rng.normal(size=(130, 2))


def begun(theirs, state, k):
    """hmmlearn's model with the parameters of a step of ours, and k iterations to make."""
    theirs.n_iter = k
    theirs.startprob_, theirs.transmat_ = state.start, state.transitions
    return theirs


def gaussian(kind, state, k):
    theirs = begun(
        GaussianHMM(
            3, kind, covars_prior=0.0, covars_weight=WEIGHTS[kind], means_weight=0,
            min_covar=0.0, **FLAT,
        ), state, k,
    )  # fmt: skip
    theirs.means_ = state.means
    own = {"tied": state.covariances[0], "spherical": state.covariances[:, 0]}
    theirs.covars_ = own.get(kind, state.covariances)
    return theirs


def same_reading(fit, theirs, X):
    """Likelihood, likeliest path and posterior of several sequences."""
    assert fit.log_density(X, LENGTHS).sum() == pytest.approx(theirs.score(X, LENGTHS), rel=SAME)
    np.testing.assert_array_equal(fit.predict(X, LENGTHS), theirs.predict(X, LENGTHS))
    posterior = theirs.predict_proba(X, LENGTHS)
    np.testing.assert_allclose(fit.responsibilities(X, LENGTHS), posterior, atol=SAME)


@pytest.mark.parametrize("kind", WEIGHTS)
def test_normal_states(kind):
    X, method = numbers(), HMM(covariance=kind, n_init=1, reg_covar=0.0, max_iter=4, tol=0.0)
    steps = list(islice(method.steps(X, lengths=LENGTHS), 5))
    fit = method.fit(X, lengths=LENGTHS)
    theirs = gaussian(kind, steps[0].state, 4).fit(X, LENGTHS)
    ours = [step.objective for step in steps]
    np.testing.assert_allclose(ours[:4], theirs.monitor_.history, rtol=SAME)
    np.testing.assert_allclose(fit.transitions, theirs.transmat_, atol=SAME)
    np.testing.assert_allclose(fit.start, theirs.startprob_, atol=SAME)
    np.testing.assert_allclose(fit.means, theirs.means_, atol=SAME)
    own = fit.covariances
    own = own if own.ndim == 3 else np.array([np.diag(row) for row in own])
    covariances: Any = theirs.covars_
    each = covariances.reshape(3, -1, 2, 2)[:, 0]  # spherical: once a column
    np.testing.assert_allclose(own, each, atol=SAME)
    same_reading(fit, theirs, X)
    assert fit.bic == pytest.approx(theirs.bic(X, LENGTHS), rel=SAME)


def test_states_that_show_names():
    rng = np.random.default_rng(7)
    X = rng.choice(4, size=(130, 1), p=[0.5, 0.2, 0.2, 0.1]).astype(float)
    columns = (Column("seen", "nominal", tuple("abcd")),)
    method = HMM(n_init=1, max_iter=6, tol=0.0)
    first = next(iter(method.steps(X, columns=columns, lengths=LENGTHS))).state
    fit = method.fit(X, columns=columns, lengths=LENGTHS)
    theirs = begun(CategoricalHMM(3, emissionprob_prior=1.0, **FLAT), first, 6)
    theirs.emissionprob_ = first.frequencies[0]
    codes = X.astype(int)
    theirs.fit(codes, LENGTHS)
    np.testing.assert_allclose(fit.frequencies[0], theirs.emissionprob_, atol=SAME)
    np.testing.assert_allclose(fit.transitions, theirs.transmat_, atol=SAME)
    assert fit.log_density(X, LENGTHS).sum() == pytest.approx(
        theirs.score(codes, LENGTHS), rel=SAME
    )
    np.testing.assert_array_equal(fit.predict(X, LENGTHS), theirs.predict(codes, LENGTHS))
    np.testing.assert_allclose(
        fit.responsibilities(X, LENGTHS), theirs.predict_proba(codes, LENGTHS), atol=SAME
    )
