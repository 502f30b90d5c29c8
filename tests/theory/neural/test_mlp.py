"""Facts about multi-layer perceptrons that need no other library."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mlcore.neural.activations import Tanh
from mlcore.neural.initializers import NormalWeights
from mlcore.neural.lbfgs import LBFGS
from mlcore.neural.mlp_classifier import MLPClassifier
from mlcore.neural.mlp_regressor import MLPRegressor
from mlcore.neural.noise import Dropout, InputNoise
from mlcore.neural.optimizers import SGD
from mlcore.neural.output_units import Bent, CodedSquares
from mlcore.neural.penalties import WeightDecay
from mlcore.neural.pretraining import Autoencoders
from mlcore.neural.rates import BoldDriver, ExponentialRate, InverseTimeRate, Plateau
from mlcore.neural.squared_shares import SquaredShares
from mlcore.optimisation import losses
from mlcore.optimisation.stopping import HeldOutRows
from mlcore.regression.ridge import Ridge
from mlcore.spine.asking import can
from mlcore.spine.capabilities import GivesProbabilities
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.iterate import record
from mlcore.spine.registry import entries

RNG = np.random.default_rng(5)
X = RNG.normal(size=(80, 3))
Y = X @ [1.0, -2.0, 0.5] + 0.3 * RNG.normal(size=80)
CODES = (X[:, 0] + X[:, 1] ** 2 > 0.5).astype(int)
FLAT = LBFGS(flat=1e-10)


def two_moons(seed, n):
    """Rows of two half circles, standardised, with their moon."""
    rng = np.random.default_rng(seed)
    moon, t = np.arange(n) % 2, rng.uniform(0, np.pi, n)
    upper, lower = (np.cos(t), np.sin(t)), (1 - np.cos(t), 0.5 - np.sin(t))
    at = np.where(moon == 0, upper, lower).T + 0.2 * rng.normal(size=(n, 2))
    return (at - [0.5, 0.25]) / [0.9, 0.53], moon


@pytest.mark.parametrize("seed", range(10))
def test_eight_units_part_the_moons(seed):
    fit = MLPClassifier().fit(*two_moons(seed, 300), seed=seed)
    fresh, truth = two_moons(100 + seed, 2000)
    assert (fit.predict(fresh) == truth).mean() >= 0.95


def test_four_units_solve_xor_within_twenty_starts():
    corners, odd = np.array([[0, 0], [0, 1], [1, 0], [1, 1.0]]), np.array([0, 1, 1, 0])
    it = MLPClassifier(hidden_layer_sizes=(4,), optimizer="lbfgs", init="uniform")
    assert any(
        (it.fit(corners, odd, seed=seed).predict(corners) == odd).all() for seed in range(20)
    )
    alone = MLPClassifier(hidden_layer_sizes=(), optimizer="lbfgs")
    assert not any(
        (alone.fit(corners, odd, seed=seed).predict(corners) == odd).all() for seed in range(3)
    )


def test_one_linear_layer_with_decay_is_ridge():
    strength = 0.05
    penalty = WeightDecay(strength=strength)
    it = MLPRegressor(hidden_layer_sizes=(), optimizer=FLAT, penalty=penalty, scale_target=False)
    ridge = Ridge(alpha=strength * len(X)).fit(X, Y)
    np.testing.assert_allclose(it.fit(X, Y).predict(X), ridge.predict(X), atol=1e-7)


def test_depth_without_bend_is_one_layer():
    deep = MLPRegressor(hidden_layer_sizes=(4, 4), activation="linear", optimizer=FLAT)
    flat = MLPRegressor(hidden_layer_sizes=(), optimizer=FLAT)
    np.testing.assert_allclose(deep.fit(X, Y).predict(X), flat.fit(X, Y).predict(X), atol=1e-5)


def test_what_leads_past_silent_units_is_a_linear_regression():
    """Units that say 0 leave the skip connections alone with the task, those of all columns."""
    it = {"hidden_layer_sizes": (3,), "activation": "relu", "optimizer": FLAT}
    fit = MLPRegressor(init=NormalWeights(std=1e-9, offset=-9.0), skip_connections=True, **it)
    fit, line = fit.fit(X, Y), MLPRegressor(hidden_layer_sizes=(), optimizer=FLAT).fit(X, Y)
    np.testing.assert_allclose(fit.skips, line.layers[0].weights, atol=1e-6)
    np.testing.assert_allclose(fit.predict(X), line.predict(X), atol=1e-6)
    assert line.skips.shape == (1, 0)


def test_without_hidden_layers_skip_connections_change_nothing():
    it = MLPRegressor(hidden_layer_sizes=(), max_epochs=5)
    again = MLPRegressor(hidden_layer_sizes=(), max_epochs=5, skip_connections=True)
    np.testing.assert_array_equal(it.fit(X, Y).theta, again.fit(X, Y).theta)


def test_the_units_of_the_target_do_not_matter():
    fit, other = MLPRegressor().fit(X, Y), MLPRegressor().fit(X, 1e6 * Y + 1e7)
    np.testing.assert_allclose(other.predict(X), 1e6 * fit.predict(X) + 1e7, rtol=1e-6)


@pytest.mark.parametrize("output", ["linear", "tanh", "logistic"])
@pytest.mark.parametrize("value", [0.0, 0.1, 1e9])
def test_a_constant_target_is_predicted_as_it_is(output, value):
    X = RNG.normal(size=(20, 2))
    fit = MLPRegressor(output=output, max_epochs=3).fit(X, np.full(20, value))
    assert (fit.predict(9.0 * X) == value).all() and not fit.losses.any()


def test_a_squared_error_hardly_moves_what_is_very_wrong():
    wrong, one = np.array([[-10.0]]), np.array([1.0])
    assert losses.Logistic().at(one, wrong).slope[0, 0] == pytest.approx(-1.0, abs=1e-4)
    assert SquaredShares(2).at(one, wrong).slope[0, 0] == pytest.approx(-4.54e-5, rel=1e-3)


@pytest.mark.parametrize("K", [2, 3])
def test_linear_outputs_alone_are_least_squares_on_codes(K):
    codes = np.digitize(X[:, 0], [0.0, 0.8][: K - 1])
    fit = MLPClassifier(hidden_layer_sizes=(), loss="linear", optimizer=FLAT).fit(X, codes)
    targets = np.where(codes[:, None] == (np.arange(K) if K > 2 else [1]), 1.0, -1.0)
    ones = np.column_stack([X, np.ones(len(X))])
    said = ones @ np.linalg.lstsq(ones, targets, rcond=None)[0]
    np.testing.assert_allclose(fit.decision(X).reshape(said.shape), said, atol=1e-6)
    assert not can(fit, GivesProbabilities)


def test_linear_outputs_mask_a_class_between_two_others():
    """Its output is the same everywhere (Hastie, Tibshirani and Friedman, section 4.2)."""
    x, codes = np.repeat([-1.0, 0.0, 1.0], 20)[:, None], np.repeat([0, 1, 2], 20)
    it = MLPClassifier(hidden_layer_sizes=(), loss="linear", optimizer=FLAT)
    masked, likely = it.fit(x, codes), replace(it, loss="cross_entropy").fit(x, codes)
    np.testing.assert_allclose(masked.decision(x)[:, 1], -1 / 3, atol=1e-6)
    assert not (masked.predict(x + 0.01) == 1).any()
    assert (likely.predict(x + 0.01) == codes).all()


def test_a_tanh_output_says_a_probability():
    """Of two classes its squared error is four times that of the probability at twice the sum."""
    z, y = RNG.normal(size=(1, 9)), np.arange(9) % 2.0
    tanh, shares = Bent(CodedSquares(), Tanh()).at(y, z), SquaredShares(2).at(y, 2 * z)
    np.testing.assert_allclose(tanh.value, 4 * shares.value, atol=1e-12)
    fit = MLPClassifier(loss="tanh", max_epochs=5).fit(X, CODES)
    told = (1 + np.tanh(fit.values(X)[-1][0])) / 2
    np.testing.assert_allclose(fit.probabilities(X)[:, 1], told, atol=1e-12)
    np.testing.assert_allclose(fit.between_ends(fit.values(X)[-1])[0], 2 * told - 1, atol=1e-12)
    codes = CODES + (X[:, 2] > 1)
    fit = MLPClassifier(loss="tanh", max_epochs=5).fit(X, codes)
    told = (1 + np.tanh(fit.values(X)[-1].T)) / 2
    np.testing.assert_allclose(
        fit.probabilities(X), told / told.sum(axis=1, keepdims=True), atol=1e-12
    )


def test_bent_outputs_answer_within_their_ends():
    """A tenth of the range beyond the targets; both curves draw the same answers."""
    it = {"hidden_layer_sizes": (), "optimizer": FLAT}
    tanh, logistic = (MLPRegressor(output=unit, **it).fit(X, Y) for unit in ("tanh", "logistic"))
    np.testing.assert_allclose(tanh.predict(X), logistic.predict(X), atol=1e-5)
    low, high = Y.min() - np.ptp(Y) / 8, Y.max() + np.ptp(Y) / 8  # eight tenths are targets
    far = tanh.predict(np.vstack([1e3 * X, -1e3 * X]))
    assert far.min() == pytest.approx(low) and far.max() == pytest.approx(high)
    other = MLPRegressor(output="logistic", **it).fit(X, 1e6 * Y + 1e7)
    np.testing.assert_allclose(other.predict(X), 1e6 * logistic.predict(X) + 1e7, rtol=1e-6)


def test_a_target_beyond_the_ends_of_the_output_is_refused():
    it = MLPRegressor(output="logistic", scale_target=False, max_epochs=2)
    shares = 1 / (1 + np.exp(-Y))
    said = it.fit(X, shares).predict(X)
    assert (said > 0).all() and (said < 1).all()
    with pytest.raises(DataError, match="between 0 and 1, and the target goes from"):
        it.fit(X, Y)


def test_two_classes_by_one_output_or_two_are_the_same():
    z = RNG.normal(size=(1, 9))
    y = np.arange(9) % 2
    both = np.vstack([-z / 2, z / 2])
    alone = losses.Logistic().at(y.astype(float), z)
    np.testing.assert_allclose(losses.Softmax().at(y, both).value, alone.value, atol=1e-12)


def test_units_that_start_alike_stay_alike():
    fit = MLPClassifier(init="zeros", max_epochs=20).fit(X, CODES)
    for layer in fit.layers[:-1]:
        assert np.ptp(layer.weights, axis=0).max() == 0
    assert np.abs(fit.layers[0].weights).max() == 0  # nothing comes back through weights of 0


def test_a_step_of_decay_shrinks_by_rate_times_strength():
    it = {"hidden_layer_sizes": (), "max_epochs": 1, "batch_size": None, "init": "uniform"}
    still = MLPRegressor(optimizer=SGD(learning_rate=1e-300), **it).fit(X, Y).layers[0]
    rate, strength = 0.1, 0.5
    fits = [
        MLPRegressor(optimizer=SGD(learning_rate=rate), penalty=penalty, **it).fit(X, Y).layers[0]
        for penalty in ("none", WeightDecay(strength=strength))
    ]
    gap = fits[1].weights - fits[0].weights
    np.testing.assert_allclose(gap, -rate * strength * still.weights, atol=1e-12)
    np.testing.assert_array_equal(fits[1].offsets, fits[0].offsets)  # never penalised


def test_dropout_keeps_the_mean():
    rng = np.random.default_rng(0)
    for it in (Dropout(columns=0.3, hidden=0.6), InputNoise(std=0.5)):
        seen = np.mean([it.inputs(np.ones((4, 50)), rng) for _ in range(400)])
        assert seen == pytest.approx(1.0, abs=0.02)  # eight standard errors of 80,000 draws
    # Five standard errors of 120,000 draws.
    assert Dropout(hidden=0.6).mask(30, 4000, rng).mean() == pytest.approx(1.0, abs=0.02)
    assert Dropout(hidden=0.0).mask(3, 4, rng) is None


def test_early_stopping_keeps_the_least_loss_on_held_out_rows():
    noisy = CODES ^ (np.random.default_rng(0).random(len(X)) < 0.3)
    it = MLPClassifier(
        hidden_layer_sizes=(30,), stopping=HeldOutRows(share=0.3, patience=25), max_epochs=400
    )
    steps = record(it.steps(X, noisy, seed=1), keep=500)
    fit, held = it.fit(X, noisy, seed=1), [step.held_out for step in steps]
    best = int(np.argmin(held))
    assert fit.held_out_losses.best == best + 1 < len(steps)
    np.testing.assert_array_equal(fit.theta, steps[best].state.theta)


def test_what_is_not_finite_is_undone():
    it = MLPRegressor(optimizer=SGD(learning_rate=50.0), activation="relu")
    fit = it.fit(X, Y)
    assert fit.stop.kind == "diverged" and "lower the learning rate" in fit.stop.why
    assert np.isfinite(fit.predict(X)).all() and np.isfinite(fit.losses).all()


def test_too_little_progress_ends_it():
    fit = MLPClassifier(tol=0.01, max_epochs=1000).fit(X, CODES)
    assert fit.stop.kind == "converged" and 10 < fit.n_iter < 1000
    assert len(fit.losses) == len(fit.gradient_sizes) == fit.n_iter


def test_a_line_search_takes_no_noise():
    with pytest.raises(ParamError, match="cannot learn with noise"):
        MLPClassifier(optimizer="lbfgs", noise="dropout")


def test_courses_of_the_rate():
    fell = [5.0, 4.0, 3.0]
    assert ExponentialRate(decay=0.1).factor(fell) == pytest.approx(np.exp(-0.3))
    assert InverseTimeRate(half=3.0).factor(fell) == pytest.approx(0.5)
    assert BoldDriver(up=1.1, down=0.5).factor([5.0, 4.0, 6.0]) == pytest.approx(0.55)
    flat = [3.0, 2.0, 2.0, 2.0, 1.0, 1.0, 1.0]
    assert Plateau(shrink=0.1, patience=2).factor(flat) == pytest.approx(0.01)
    assert all(it().factor([]) == 1.0 for it in entries("rate_schedule").values())


def test_what_layers_say_is_what_follows_from_their_weights():
    fit = MLPClassifier(hidden_layer_sizes=(5, 4)).fit(X, CODES)
    A = X.T
    for layer, values in zip(fit.layers, fit.values(X), strict=True):
        Z = layer.weights @ A + layer.offsets[:, None]
        A = np.tanh(Z) if len(Z) > 1 else Z
        np.testing.assert_allclose(values, A, atol=1e-12)
    np.testing.assert_allclose(A[0], fit.decision(X), atol=1e-12)


def test_pretraining_rebuilds_what_a_layer_hears_and_asks_no_target():
    """Three linear units rebuild three columns whole, two lose at least what PCA does (Eckart)."""
    given = {"activation": "linear", "optimizer": SGD(learning_rate=1e-300), "max_epochs": 1}
    it = Autoencoders(epochs=300)

    def told(units, y):
        method = MLPRegressor(hidden_layer_sizes=(units,), pretraining=it, **given)
        (step,) = method.steps(X, y)
        lost = float(step.note.split("loses ")[1].split(" %")[0]) / 100
        return lost, method.network(3, 1).matrices(step.state.theta)[0]

    least = np.linalg.eigvalsh(np.cov(X.T))
    assert told(3, Y)[0] < 1e-3
    lost, weights = told(2, Y)
    assert least[0] / least.sum() - 1e-4 <= lost < 1.01 * least[0] / least.sum()
    np.testing.assert_array_equal(weights, told(2, -(Y**2))[1])


def test_pretraining_sees_no_row_that_is_held_out():
    it = MLPRegressor(
        pretraining="autoencoders", stopping=HeldOutRows(share=0.5), max_epochs=1,
        optimizer=SGD(learning_rate=1e-300),
    )  # fmt: skip

    def first(rows):
        return it.fit(rows, Y, order=np.arange(80)).layers[0].weights  # the latest are held out

    late, early = X.copy(), X.copy()
    late[40:] *= -7.0
    early[0] *= -7.0
    np.testing.assert_array_equal(first(X), first(late))
    assert not np.array_equal(first(X), first(early))


@pytest.mark.parametrize("seed", [0, 1])
def test_deep_logistic_layers_learn_after_pretraining(seed):
    """Little comes back to the first of four such layers where all are drawn at random."""
    it = MLPClassifier(hidden_layer_sizes=(8,) * 4, activation="logistic", max_epochs=40)
    plain, taught = (
        method.fit(*two_moons(3, 300), seed=seed).losses[-1]
        for method in (it, replace(it, pretraining="autoencoders"))
    )
    assert taught < 0.7 * plain


def test_pretraining_without_hidden_layers_says_that_it_changes_nothing():
    plain = MLPRegressor(hidden_layer_sizes=(), max_epochs=2)
    for name in ("autoencoders", "boltzmann_machines"):
        fit = replace(plain, pretraining=name, activation="relu").fit(X, Y)
        assert "changed nothing" in fit.notes[0]
        np.testing.assert_array_equal(fit.theta, plain.fit(X, Y).theta)
    assert not plain.fit(X, Y).notes
    assert not MLPRegressor(pretraining="autoencoders", max_epochs=1).fit(X, Y).notes
