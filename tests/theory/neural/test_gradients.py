"""Every derivative of a network against central differences."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.neural.activations import LogisticUnit, Tanh
from mlcore.neural.mlp_classifier import MLPClassifier
from mlcore.neural.mlp_regressor import MLPRegressor
from mlcore.neural.network import Network, Pass
from mlcore.neural.noise import Dropout
from mlcore.neural.output_units import Bent, CodedSquares
from mlcore.neural.squared_shares import SquaredShares
from mlcore.neural.training import Rows, Training
from mlcore.optimisation import losses
from mlcore.spine.random import generator
from mlcore.spine.registry import entries

RNG = np.random.default_rng(11)
N, P, K = 12, 3, 4
X, CODES, Y = RNG.normal(size=(N, P)), np.arange(N) % K, RNG.normal(size=N)
W = RNG.uniform(0.5, 1.5, N)
W = W / W.mean()
STEP, CLOSE = 1e-6, 1e-6  # of central differences, and how far they may be off
BENT = Bent(CodedSquares(), Tanh())
OF_CLASSES = [losses.Softmax(), losses.Sigmoids(), SquaredShares(K), CodedSquares(), BENT]
OF_NUMBERS = [
    losses.Squared(), losses.Huber(0.7), losses.Pinball(0.8),
    Bent(losses.Squared(), LogisticUnit()), Bent(losses.Huber(0.7), Tanh()),
]  # fmt: skip


def differences(value, theta):
    """The gradient of a function of many weights, by central differences."""
    moves = STEP * np.eye(len(theta))
    return np.array([(value(theta + move) - value(theta - move)) / (2 * STEP) for move in moves])


def close(mine, true):
    assert np.abs(mine - true).max() <= CLOSE * max(1.0, np.abs(true).max())


def training(it, loss, y, outputs):
    network = it.network(P, outputs)
    task = Training(it, network, loss, Rows(X, y, W), lambda name: generator(3, name))
    task.theta[:] = RNG.normal(size=len(task.theta))  # away from the corners of relu, and from 0
    return task


@pytest.mark.parametrize("name", entries("activation"))
def test_the_slope_of_every_activation(name):
    it, z = entries("activation")[name](), np.linspace(-3, 3, 40)
    up, down, at = np.empty(40), np.empty(40), np.empty(40)
    it.value(z + STEP, up)
    it.value(z - STEP, down)
    it.value(z, at)
    slope = it.slope(z, at)
    close(np.ones(40) if slope is None else slope, (up - down) / (2 * STEP))
    assert (at >= it.ends[0]).all() and (at <= it.ends[1]).all()


@pytest.mark.parametrize("name", entries("weight_penalty"))
def test_the_gradient_of_every_penalty(name):
    it, w = entries("weight_penalty")[name](), RNG.normal(size=8)
    close(it.gradient(w), differences(it.value, w))


@pytest.mark.parametrize("sizes", [(), (5,), (5, 4, 3)])
@pytest.mark.parametrize("loss", OF_CLASSES, ids=lambda it: type(it).__name__)
@pytest.mark.parametrize("activation", entries("activation"))
def test_the_gradient_of_classes_for_every_part(sizes, loss, activation):
    it = MLPClassifier(hidden_layer_sizes=sizes, activation=activation, penalty="weight_decay")
    task = training(it, loss, CODES, K)
    close(task.at(task.theta)[1], differences(lambda theta: task.at(theta)[0], task.theta))


@pytest.mark.parametrize("loss", OF_NUMBERS, ids=lambda it: type(it).__name__)
@pytest.mark.parametrize("penalty", entries("weight_penalty"))
def test_the_gradient_of_a_quantity_for_every_part(loss, penalty):
    it = MLPRegressor(hidden_layer_sizes=(5, 3), penalty=penalty)
    task = training(it, loss, Y, 1)
    close(task.at(task.theta)[1], differences(lambda theta: task.at(theta)[0], task.theta))


@pytest.mark.parametrize("sizes", [(5,), (5, 4)])
def test_the_gradient_past_the_hidden_layers(sizes):
    it = MLPClassifier(hidden_layer_sizes=sizes, skip_connections=True, penalty="weight_decay")
    task = training(it, losses.Softmax(), CODES, K)
    value, gradient = task.at(task.theta)
    assert len(gradient) == MLPClassifier(hidden_layer_sizes=sizes).network(P, K).n_weights + P * K
    close(gradient, differences(lambda theta: task.at(theta)[0], task.theta))
    several = np.stack([task.theta, 2.0 * task.theta])  # both other ways forward agree
    np.testing.assert_allclose(task.objectives(several)[0], value, rtol=1e-12)
    np.testing.assert_allclose(task.objective(), value, rtol=1e-12)


def test_batches_of_an_epoch_have_the_gradient_of_all_rows_as_their_mean():
    it = MLPClassifier(hidden_layer_sizes=(5,), batch_size=4)
    task = training(it, losses.Softmax(), CODES, K)
    mean = np.mean([gradient.copy() for gradient in task.gradients()], axis=0)
    np.testing.assert_allclose(mean, task.at(task.theta)[1], atol=1e-12)


@pytest.mark.parametrize("skips", [False, True])
def test_the_gradient_through_silenced_units(skips):
    network = Network((P, 6, 5, K), entries("activation")["tanh"](), skips=skips)
    theta, inputs = RNG.normal(size=network.n_weights), np.vstack([X.T, np.ones(N)])
    way = Pass(network, N)
    dropout, rng = Dropout(hidden=0.4), np.random.default_rng(0)
    way.masks = [dropout.mask(h, N, rng) for h in (6, 5)]

    def value(at):
        return float(
            losses.Softmax().at(CODES, way.forward(network.matrices(at), inputs)).value.sum()
        )

    gradient = np.zeros_like(theta)
    slope = losses.Softmax().at(CODES, way.forward(network.matrices(theta), inputs)).slope
    way.backward(network.matrices(theta), inputs.T.copy(), slope, network.matrices(gradient))
    close(gradient, differences(value, theta))
