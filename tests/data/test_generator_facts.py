"""What is known of the generators: moments, exact numbers, and rules that cannot be beaten."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mlcore.data.examples import examples
from mlcore.data.generators.gaussians import Gaussians
from mlcore.errors import ParamError


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


def test_gaussians_refuse_numbers_that_are_no_covariances():
    with pytest.raises(ParamError, match="covariances must hold 4 numbers, or 8"):
        Gaussians(covariances=(1.0, 0.0))
    with pytest.raises(ParamError, match="symmetric with positive variances"):
        Gaussians(covariances=(1.0, 2.0, 2.0, 1.0))
    with pytest.raises(ParamError, match="whole numbers from 0 on"):
        Gaussians(classes=(0, 2))
