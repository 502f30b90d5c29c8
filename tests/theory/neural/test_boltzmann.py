"""Restricted Boltzmann machines against sums over all their states."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from mlcore.neural.activations import LogisticUnit
from mlcore.neural.boltzmann import BoltzmannMachines, Machine
from mlcore.neural.mlp_regressor import MLPRegressor
from mlcore.neural.optimizers import SGD
from mlcore.spine.errors import ParamError
from mlcore.spine.random import generator

# Golden: the machine of 4 x 3 units, by all 128 states.
W = np.array([[0.5, -0.2, 0.1], [0.3, 0.4, -0.5], [-0.1, 0.2, 0.3], [0.0, -0.3, 0.6]])
SMALL = Machine(W.T, np.array([-0.1, 0.2, 0.0]), np.array([0.1, -0.2, 0.3, 0.0]))
ROWS = np.array([[1.0, 0, 1, 0], [1, 1, 0, 0], [0, 0, 1, 1]])
STILL = SGD(learning_rate=1e-300)


def visible(machine: Machine) -> tuple[np.ndarray, np.ndarray]:
    """All states of the visible units, (2^m, m), and their chances, by summing over the hidden."""
    h, m = machine.W.shape
    V = np.array(list(product([0.0, 1.0], repeat=m)))
    H = np.array(list(product([0.0, 1.0], repeat=h)))
    joint = np.exp(H @ machine.W @ V.T + (H @ machine.b)[:, None] + V @ machine.c)
    return V, joint.sum(axis=0) / joint.sum()


def nll(machine: Machine, rows: np.ndarray) -> float:
    """Mean of minus the log chance of rows, (n, m), in nats."""
    V, chances = visible(machine)
    at = (rows[:, None] == V).all(axis=2).argmax(axis=1)
    return float(-np.log(chances[at]).mean())


def test_chances_are_those_of_the_joint_distribution():
    h = len(SMALL.W)
    V, chances = visible(SMALL)
    H = np.array(list(product([0.0, 1.0], repeat=h)))
    joint = np.exp(H @ SMALL.W @ V.T + (H @ SMALL.b)[:, None] + V @ SMALL.c)
    np.testing.assert_allclose(SMALL.up(V).T, H.T @ joint / joint.sum(axis=0), atol=1e-12)
    np.testing.assert_allclose(SMALL.down(H), joint @ V / joint.sum(axis=1)[:, None], atol=1e-12)
    assert nll(SMALL, ROWS) == pytest.approx(2.685401, abs=1e-6)
    assert chances[10] == pytest.approx(0.083797, abs=1e-6)  # of 1010


def test_a_long_chain_steps_along_the_gradient_of_the_likelihood():
    """Averaged over many lots; the gradient by differences of the sums over all states."""
    it = BoltzmannMachines(gibbs_steps=20, learning_rate=1.0)
    many, moved = 4000, Machine(*(part.copy() for part in SMALL))
    it._step(moved, np.repeat(ROWS, many, axis=0), np.ones((3 * many, 1)), np.random.default_rng(0))
    step = moved.W - SMALL.W
    wanted = np.empty_like(step)
    for at in np.ndindex(*step.shape):
        near = [SMALL.W.copy() for _ in range(2)]
        near[0][at] += 1e-5
        near[1][at] -= 1e-5
        up, down = (nll(SMALL._replace(W=w), ROWS) for w in near)
        wanted[at] = -(up - down) / 2e-5
    assert wanted[0, 0] == pytest.approx(0.056121, abs=1e-6)  # golden
    assert wanted[1, 3] == pytest.approx(-0.109758, abs=1e-6)
    # 12,000 chains: the standard error of a mean of products within 0 and 1 is below 0.005.
    np.testing.assert_allclose(step, wanted, atol=0.015)


def test_a_machine_learns_two_patterns():
    """The least mean is ln 2; without weights between the units it is 4 ln 2."""
    rows = np.repeat([[1.0, 1, 0, 0], [0, 0, 1, 1]], 8, axis=0)
    it = BoltzmannMachines(epochs=1000)
    machine = it.machine(rows, np.ones(16), 2, 16, np.random.default_rng(0))
    assert np.log(2) < nll(machine, rows) < 0.85


def test_a_row_without_weight_teaches_nothing():
    steps = []
    for second in (ROWS[1], 1 - ROWS[1]):
        moved = Machine(*(part.copy() for part in SMALL))
        weights = np.array([[2.0], [0.0]])
        BoltzmannMachines()._step(moved, np.array([ROWS[0], second]), weights, generator(0, "lots"))
        steps.append(moved)
    for one, other, before in zip(*steps, SMALL, strict=True):
        np.testing.assert_array_equal(one, other)
        assert not np.array_equal(one, before)
    X = np.random.default_rng(3).normal(size=(40, 3))
    it = MLPRegressor(
        optimizer=STILL, max_epochs=1, activation="tanh", pretraining="boltzmann_machines"
    )
    far = X.copy()
    far[0] *= 1e3  # beyond all others: it must not stretch the columns either
    fits = [it.fit(rows, X[:, 0], weights=np.arange(40) > 0) for rows in (X, far)]
    np.testing.assert_allclose(*(fit.layers[0].weights for fit in fits), rtol=1e-12)


def test_columns_that_hardly_vary_give_finite_weights():
    X = np.random.default_rng(3).normal(size=(40, 2)) * [1.0, 1e-320]
    it = MLPRegressor(max_epochs=2, activation="tanh", pretraining="boltzmann_machines")
    assert np.isfinite(it.fit(X, X[:, 0]).theta).all()


@pytest.mark.parametrize(
    ("activation", "top"),
    [("logistic", 1), (LogisticUnit(steepness=3.0), 1), ("tanh", 1), ("scaled_tanh", 1.7159)],
    ids=str,
)
def test_layers_say_what_their_machines_say_whatever_the_units(activation, top, monkeypatch):
    made, learned = [], BoltzmannMachines.machine

    def spied(*given):
        made.append((given[1], learned(*given)))
        return made[-1][1]

    monkeypatch.setattr(BoltzmannMachines, "machine", spied)
    X = np.random.default_rng(3).normal(size=(40, 3))
    it = MLPRegressor(
        hidden_layer_sizes=(4, 3), activation=activation, optimizer=STILL, max_epochs=1,
        pretraining="boltzmann_machines",
    )  # fmt: skip
    said = it.fit(X, X[:, 0]).values(X)
    low = -top if "tanh" in str(activation) else 0.0
    for (V, machine), values in zip(made, said, strict=False):
        assert V.min() == 0.0 and V.max() == pytest.approx(1.0)
        np.testing.assert_allclose(values, low + (top - low) * machine.up(V).T, atol=1e-12)
    units = np.array([7.0, 0.1, 1.0])
    other = it.fit(X * units - 5.0, X[:, 1] ** 2).values(X * units - 5.0)  # and another target
    for a, b in zip(said[:2], other[:2], strict=True):
        np.testing.assert_allclose(a, b, atol=1e-9)


def test_units_that_have_no_two_levels_are_refused():
    with pytest.raises(ParamError, match="logistic or tanh"):
        MLPRegressor(pretraining="boltzmann_machines", activation="relu")
