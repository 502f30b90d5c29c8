"""Facts about the optimisers of networks that need no other library."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.neural.activations import Tanh
from mlcore.neural.curvature import Bend, damped, hessian
from mlcore.neural.line_searches import Armijo, Brent
from mlcore.neural.mlp_classifier import MLPClassifier
from mlcore.neural.mlp_regressor import MLPRegressor
from mlcore.neural.output_units import Bent, CodedSquares
from mlcore.neural.populations import CMAES
from mlcore.neural.second_order import LevenbergMarquardt
from mlcore.neural.squared_shares import SquaredShares
from mlcore.neural.training import Rows, Training
from mlcore.optimisation import losses
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.iterate import record
from mlcore.spine.random import generator
from mlcore.spine.registry import entries

RNG = np.random.default_rng(8)
N, P = 40, 3
X = RNG.normal(size=(N, P))
Y = X @ [1.0, -2.0, 0.5] + 0.3 * RNG.normal(size=N)
CODES = np.arange(N) % 3
W = RNG.uniform(0.5, 1.5, N)
W = W / W.mean()
WITHOUT_BATCHES = [name for name, it in entries("optimizer").items() if not it.takes_batches]
BENT = Bent(CodedSquares(), Tanh())
SOLVERS = [name for name in WITHOUT_BATCHES if entries("optimizer")[name].most_weights != 200]


def task(it, loss, y, outputs):
    network = it.network(P, outputs)
    made = Training(it, network, loss, Rows(X, y, W), lambda name: generator(3, name))
    made.theta[:] = 0.7 * RNG.normal(size=len(made.theta))
    return made


@pytest.mark.parametrize(
    "loss",
    [losses.Softmax(), losses.Sigmoids(), SquaredShares(3), BENT],
    ids=lambda it: type(it).__name__,
)
@pytest.mark.parametrize("skips", [False, True])
def test_products_with_the_bend_are_those_of_its_matrix(loss, skips):
    it = MLPClassifier(hidden_layer_sizes=(4, 3), penalty="weight_decay", skip_connections=skips)
    made = task(it, loss, CODES, 3)
    bend, v = Bend(made, made.theta), RNG.normal(size=len(made.theta))
    G = bend.matrix()
    np.testing.assert_allclose(bend.times(v), G @ v, rtol=1e-9, atol=1e-12)
    lowest = np.linalg.eigvalsh(G)[:2]  # one offset for all classes of a softmax changes nothing
    assert lowest[0] > -1e-12 and lowest[1] > 1e-6  # the penalty lifts what the rows leave open


@pytest.mark.parametrize("loss", [losses.Softmax(), losses.Sigmoids()])
def test_without_hidden_units_the_bend_is_the_hessian(loss):
    it = MLPClassifier(hidden_layer_sizes=(), penalty="weight_decay")
    made = task(it, loss, CODES, 3)
    G = Bend(made, made.theta).matrix()
    np.testing.assert_allclose(G, hessian(made, made.theta), atol=1e-8)


def test_the_information_of_shares_is_that_of_their_likelihood():
    it = MLPClassifier(hidden_layer_sizes=(4,))
    squared, likely = task(it, SquaredShares(3), CODES, 3), task(it, losses.Softmax(), CODES, 3)
    information = Bend(squared, likely.theta, fisher=True).matrix()
    np.testing.assert_allclose(information, Bend(likely, likely.theta).matrix(), atol=1e-12)
    wild = task(MLPRegressor(hidden_layer_sizes=(4,)), losses.Huber(0.1), Y, 1)
    plain = task(MLPRegressor(hidden_layer_sizes=(4,)), losses.Squared(), Y, 1)
    information = Bend(wild, plain.theta, fisher=True).matrix()
    np.testing.assert_allclose(information, Bend(plain, plain.theta).matrix(), atol=1e-12)
    codes = task(it, BENT, CODES, 3)  # the mean of a normal distribution in each output
    information = Bend(codes, codes.theta, fisher=True).matrix()
    np.testing.assert_allclose(information, Bend(codes, codes.theta).matrix(), atol=1e-12)


def test_the_bend_of_a_bent_output_is_the_hessian_where_the_rows_are_met():
    """What Gauss and Newton leave out is the second derivative of the outputs times the errors."""
    made = task(MLPClassifier(hidden_layer_sizes=()), BENT, CODES, 3)
    met = np.zeros(N)
    exact = task(MLPRegressor(hidden_layer_sizes=()), Bent(losses.Squared(), Tanh()), met, 1)
    exact.theta[:] = 0.0  # says 0 of every row, as it should
    np.testing.assert_allclose(
        Bend(exact, exact.theta).matrix(), hessian(exact, exact.theta), atol=1e-8
    )
    assert np.abs(Bend(made, made.theta).matrix() - hessian(made, made.theta)).max() > 1e-3


@pytest.mark.parametrize("name", SOLVERS)
def test_they_find_the_plane_of_least_squares(name):
    it = MLPRegressor(hidden_layer_sizes=(), optimizer=name, max_epochs=300)
    ones = np.column_stack([X, np.ones(N)])
    best = ones @ np.linalg.lstsq(ones, Y, rcond=None)[0]
    np.testing.assert_allclose(it.fit(X, Y).predict(X), best, atol=2e-5)


@pytest.mark.parametrize("name", WITHOUT_BATCHES)
def test_the_objective_never_rises(name):
    it = MLPClassifier(hidden_layer_sizes=(3,), optimizer=name, max_epochs=12)
    fit, again = it.fit(X, CODES, seed=4), it.fit(X, CODES, seed=4)
    assert np.diff(fit.losses).max() <= 0 and fit.losses[-1] < fit.losses[0]
    np.testing.assert_array_equal(fit.theta, again.theta)


def test_little_damping_solves_a_square_in_one_step():
    it = MLPRegressor(hidden_layer_sizes=(), optimizer=LevenbergMarquardt(damping=1e-10))
    assert it.fit(X, Y).n_iter <= 3
    made = task(MLPRegressor(hidden_layer_sizes=()), losses.Squared(), Y, 1)
    value, gradient = made.at(made.theta)
    G = Bend(made, made.theta).matrix()
    step = damped(G, gradient, 1e-10)
    found = Bend(made, made.theta).solved(gradient, 1e-10, 50)
    np.testing.assert_allclose(found.step, step, rtol=1e-6)
    assert found.promised == pytest.approx(made.at(made.theta + step)[0] - value)


def test_newton_lands_on_a_saddle_that_the_sizes_of_curvatures_leave():
    it = MLPRegressor(hidden_layer_sizes=(2,), activation="linear")
    made = task(it, losses.Squared(), Y, 1)
    made.theta[:] = 1e-2 * RNG.normal(size=len(made.theta))
    _, gradient = made.at(made.theta)
    values, axes = np.linalg.eigh(hessian(made, made.theta))
    assert values.min() < 0 < values.max()
    along = axes.T @ gradient
    lift = np.maximum(np.abs(values), 1e-2)
    plain = made.theta - axes @ (along / np.where(values < 0, -lift, lift))
    sized = made.theta - axes @ (along / lift)
    assert made.objective(sized) < made.objective(plain)
    deep = MLPRegressor(
        hidden_layer_sizes=(2,), activation="linear", optimizer="saddle_free", max_epochs=60
    )
    ones = np.column_stack([X, np.ones(N)])
    best = ones @ np.linalg.lstsq(ones, Y, rcond=None)[0]
    np.testing.assert_allclose(deep.fit(X, Y).predict(X), best, atol=1e-3)


def test_a_population_comes_near_the_plane():
    it = MLPRegressor(hidden_layer_sizes=(), optimizer=CMAES(spread=1.0), max_epochs=80)
    ones = np.column_stack([X, np.ones(N)])
    best = ones @ np.linalg.lstsq(ones, Y, rcond=None)[0]
    np.testing.assert_allclose(it.fit(X, Y).predict(X), best, atol=1e-2)


def test_many_networks_at_once_have_the_objectives_of_each():
    it = MLPClassifier(hidden_layer_sizes=(4, 3), penalty="weight_decay", activation="relu")
    made = task(it, losses.Softmax(), CODES, 3)
    many = RNG.normal(size=(5, len(made.theta)))
    each = [made.objective(theta) for theta in many]
    np.testing.assert_allclose(made.objectives(many), each, rtol=1e-12)


def test_searches_along_a_line():
    def value(t):
        return (t - 3.0) ** 2 + 1.0

    assert Brent().length(value, 10.0, -6.0, 0.1) == pytest.approx(3.0, abs=0.02)
    t = Armijo().length(value, 10.0, -6.0, 16.0)
    assert 0 < t < 6 and value(t) < 10.0
    assert Armijo().length(value, 10.0, -6.0, 0.1) > 1.0  # it goes on while that is lower
    for search in (Armijo(), Brent()):
        assert search.length(lambda t: 2.0 + t, 2.0, -1e-9, 1.0) == 0.0  # nothing is lower


def test_what_an_optimiser_cannot_do_is_told():
    wide = MLPClassifier(hidden_layer_sizes=(40,), optimizer="cma_es")
    with pytest.raises(DataError, match="at most 200 weights; this one has 283"):
        wide.fit(X, CODES)
    with pytest.raises(ParamError, match="bends nowhere"):
        MLPRegressor(optimizer="levenberg_marquardt", loss="absolute")
    with pytest.raises(ParamError, match="cannot learn with noise"):
        MLPClassifier(optimizer="particle_swarm", noise="dropout")


def test_every_step_says_what_it_did():
    for name in WITHOUT_BATCHES:
        steps = record(MLPClassifier(optimizer=name, max_epochs=3).steps(X, CODES), keep=5)
        assert all(len(step.note.split(". ")) > 1 for step in steps), name
