"""Multi-layer perceptrons against scikit-learn: what they say, and every step of learning."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier as TheirClassifier
from sklearn.neural_network import MLPRegressor as TheirRegressor

from mlcore.neural.lbfgs import LBFGS
from mlcore.neural.mlp_classifier import MLPClassifier
from mlcore.neural.mlp_regressor import MLPRegressor
from mlcore.neural.optimizers import SGD, Adam, Momentum
from mlcore.neural.penalties import WeightDecay

RNG = np.random.default_rng(4)
N, EPOCHS = 96, 7
X = RNG.normal(size=(N, 3))
TARGETS = {
    "two classes": (X[:, 0] * X[:, 1] > 0).astype(int),
    "three classes": np.digitize(X[:, 0] + X[:, 1] ** 2, [0.2, 1.2]),
    "a quantity": np.sin(2 * X[:, 0]) + X[:, 1],
}
SMALL = {"hidden_layer_sizes": (5, 4), "batch_size": 32, "max_epochs": EPOCHS, "shuffle": False}


def pair(name, **settings):
    """Our method and theirs, made from its `peer_settings`."""
    if name == "a quantity":
        ours, theirs = MLPRegressor(scale_target=False, **settings), TheirRegressor
    else:
        ours, theirs = MLPClassifier(**settings), TheirClassifier
    return ours, theirs(**ours.peer_settings())


def taught(theirs, y, layers):
    """Theirs, fitted from first weights that are given."""
    start = iter([(layer.weights.T.copy(), layer.offsets.copy()) for layer in layers])
    theirs._init_coef = lambda *_: next(start)  # its draws are its own: give it ours
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # both run all epochs on purpose
        return theirs.fit(X, y)


def first_layers(ours, y):
    """The weights before the first epoch, by steps so short that nothing moves."""
    still = {f: getattr(ours, f) for f in ("hidden_layer_sizes", "activation", "init")}
    fit = type(ours)(**still, max_epochs=1, optimizer=SGD(learning_rate=1e-300)).fit(X, y, seed=2)
    return fit.layers


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("activation", ["tanh", "relu", "logistic", "linear"])
@pytest.mark.parametrize(
    "optimizer", [Adam(), SGD(), Momentum(nesterov=False), Momentum()], ids=lambda it: it.title()
)
def test_every_step_is_theirs(name, activation, optimizer):
    y = TARGETS[name]
    decay = WeightDecay(strength=0.01)
    ours, theirs = pair(name, activation=activation, optimizer=optimizer, penalty=decay, **SMALL)
    fit = ours.fit(X, y, seed=2)
    taught(theirs, y, first_layers(ours, y))
    for layer, weights, offsets in zip(fit.layers, theirs.coefs_, theirs.intercepts_, strict=True):
        # The same sums in another order; 21 steps let the last bits grow.
        np.testing.assert_allclose(layer.weights, weights.T, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(layer.offsets, offsets, rtol=1e-8, atol=1e-10)
    if name == "a quantity":
        np.testing.assert_allclose(fit.predict(X), theirs.predict(X), atol=1e-9)
    else:
        np.testing.assert_allclose(fit.probabilities(X), theirs.predict_proba(X), atol=1e-9)


@pytest.mark.parametrize("name", ["two classes", "three classes"])
def test_our_weights_in_their_network_say_the_same(name):
    y = TARGETS[name]
    ours, theirs = pair(name, hidden_layer_sizes=(6,), max_epochs=30)
    fit = ours.fit(X, y, seed=1)
    taught(theirs.set_params(max_iter=1), y, fit.layers)
    theirs.coefs_ = [layer.weights.T for layer in fit.layers]
    theirs.intercepts_ = [layer.offsets for layer in fit.layers]
    np.testing.assert_allclose(fit.probabilities(X), theirs.predict_proba(X), atol=1e-12)


@pytest.mark.parametrize("name", TARGETS)
def test_where_there_is_one_minimum_ours_is_not_above_theirs(name):
    y, strength = TARGETS[name], 0.01
    ours, theirs = pair(name, hidden_layer_sizes=(), optimizer=LBFGS(flat=1e-9), max_epochs=500)
    fit = replace(ours, penalty=WeightDecay(strength=strength)).fit(X, y)
    theirs.set_params(alpha=strength * N, tol=1e-9, random_state=0).fit(X, y)
    # Theirs adds the penalty to the loss as we do; both are at the minimum of a convex function.
    assert fit.losses[-1] <= theirs.loss_ + 1e-8
    np.testing.assert_allclose(fit.layers[0].weights, theirs.coefs_[0].T, atol=2e-4)
