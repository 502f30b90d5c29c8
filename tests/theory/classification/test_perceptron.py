"""The perceptron: its trace on gates, the bound of its mistakes, and what it keeps."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from mlcore.classification.perceptron import Perceptron
from mlcore.classification.perceptron_bounds import lifted, perceptron_bounds, widest_margin
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.iterate import record

CORNERS = np.array([[0, 0], [0, 1], [1, 0], [1, 1.0]])
GATES = {  # mistakes, passes, offset and weights
    "and": ([0, 0, 0, 1], 11, 6, (-3, 2, 1)),
    "or": ([0, 1, 1, 1], 5, 4, (-1, 1, 1)),
}


def clouds(n=200, p=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    side = X @ np.arange(1.0, p + 1) + 1.0
    here = np.abs(side) > 1.0
    return X[here], (side[here] > 0).astype(int)


@pytest.mark.parametrize("gate", GATES)
@pytest.mark.parametrize("eta0", [0.01, 1.0, 10.0])
def test_gates_have_the_trace_of_the_textbook(gate, eta0):
    y, mistakes, passes, weights = GATES[gate]
    fit = Perceptron(eta0=eta0).fit(CORNERS, np.array(y))
    assert (fit.mistakes.sum(), len(fit.mistakes)) == (mistakes, passes)
    np.testing.assert_allclose((fit.intercept, *fit.coefficients), eta0 * np.array(weights))
    np.testing.assert_array_equal(fit.predict(CORNERS), y)


def test_exclusive_or_never_ends_and_is_told():
    fit = Perceptron(max_iter=50).fit(CORNERS, np.array([0, 1, 1, 0]))
    assert fit.mistakes.sum() == 198
    assert fit.stop.kind == "limit"
    assert "No hyperplane" in fit.stop.why


def test_fourteen_of_sixteen_gates_can_be_parted():
    ended = 0
    for y in product((0, 1), repeat=4):
        if len(set(y)) == 1:
            ended += 1  # a gate of one class needs no line
            continue
        ended += Perceptron().fit(CORNERS, np.array(y)).stop.kind == "converged"
    assert ended == 14


@pytest.mark.parametrize("start", ["zero", "random"])
@pytest.mark.parametrize("eta0", [0.5, 1.0])
def test_weights_stay_within_their_bounds(start, eta0):
    X, y = clouds()
    fit = Perceptron(start=start, eta0=eta0).fit(X, y, seed=3)
    b = fit.bounds(X, y)
    assert (b.lower <= fit.lengths + 1e-9).all()
    assert (fit.lengths <= b.upper + 1e-9).all()
    assert fit.mistakes.sum() <= b.most
    assert len(fit.lengths) == fit.mistakes.sum() + 1


@pytest.mark.parametrize("rule", ["rosenblatt", "batch"])
def test_the_rate_falls_from_pass_to_pass(rule):
    X, y = clouds(40, 2)
    y[:4] = 1 - y[:4]  # no line parts them, so mistakes do not end
    w, b = np.zeros(2), 0.0
    for t in range(6):
        eta, by, shift = 0.5 / (1.0 + 0.4 * t), np.zeros(2), 0.0
        for x, sign in zip(X, 2.0 * y - 1.0, strict=True):
            if (x @ w + b >= 0) != (sign > 0):
                by, shift = by + eta * sign * x, shift + eta * sign
            if rule == "rosenblatt":
                w, b, by, shift = w + by, b + shift, np.zeros(2), 0.0
        w, b = w + by, b + shift
    fit = Perceptron(rule=rule, eta0=0.5, decay=0.4, max_iter=6).fit(X, y)
    np.testing.assert_allclose((fit.intercept, *fit.coefficients), (b, *w), atol=1e-12)
    assert fit.lengths is None  # the bounds are those of steps of one size
    *_, last = Perceptron(rule=rule, eta0=0.5, decay=0.4, max_iter=6).steps(X, y)
    np.testing.assert_array_equal(last.state.coefficients, fit.coefficients)


def test_the_bound_of_several_classes_holds():
    rng = np.random.default_rng(1)
    y = np.repeat(np.arange(3), 30)
    X = rng.normal(size=(90, 2)) + np.array([[0, 9], [8, -5], [-8, -5]])[y]
    fit = Perceptron().fit(X, y)
    b = fit.bounds(X, y)
    assert fit.stop.kind == "converged"
    assert (b.lower <= fit.lengths + 1e-9).all()
    assert (fit.lengths <= b.upper + 1e-9).all()
    assert fit.mistakes.sum() <= b.most < np.inf


def test_the_widest_margin_is_that_of_the_nearest_pair():
    # The hull of the signed rows is the segment from (1, 2) to (2, 1), 3 / sqrt 2 from the origin.
    assert widest_margin(np.array([[1.0, 2], [2, 1], [5, 5]])) == pytest.approx(3 / np.sqrt(2))
    assert widest_margin(np.array([[1.0, 0], [-1.0, 0]])) == 0.0


def test_rows_that_no_hyperplane_parts_have_no_bound():
    b = perceptron_bounds(CORNERS, [0, 1, 1, 0])
    assert b.lower is None
    assert b.most == np.inf
    assert b.radius == pytest.approx(np.sqrt(3))


def narrow(seed, gap=0.01):
    """Rows on both sides of a line, which leaves them a gap of about this."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (400, 2))
    side = X @ [0.6, 0.8]
    here = np.abs(side) > gap
    return X[here], (side[here] > 0).astype(int)


@pytest.mark.parametrize("seed", range(3))
def test_the_smooth_rule_ends_within_its_bound_and_before_that_of_rosenblatt(seed):
    """At most 2 sqrt(2 log n) / gamma steps (Soheili and Peña 2012), not 1 / gamma^2."""
    X, y = narrow(seed)
    smooth = Perceptron(rule="smooth", max_iter=10_000).fit(X, y)
    plain = Perceptron(max_iter=10_000).fit(X, y)
    b = plain.bounds(X, y)
    assert smooth.stop.kind == plain.stop.kind == "converged"
    assert (smooth.predict(X) == y).all()
    assert len(smooth.mistakes) <= 2 * np.sqrt(2 * np.log(len(X))) * b.radius / b.margin
    assert len(smooth.mistakes) < plain.mistakes.sum()


@pytest.mark.parametrize("K", [2, 3])
def test_the_smooth_rule_is_its_definition(K):
    """With the shares of all rows and the matrix of what each can add, as the paper has them."""
    rng = np.random.default_rng(K)
    X, codes = rng.normal(size=(30, 2)), rng.integers(K, size=30)
    A = lifted(X, codes, K)
    A = A / np.linalg.norm(A, axis=1).max()

    def shares(v, mu):
        pull = np.exp(-A @ v / mu)
        return pull / pull.sum()

    v, mu = A.mean(axis=0), 1.0
    x = shares(v, mu)
    for k in range(6):
        theta = 2 / (k + 3)
        v = (1 - theta) * (v + theta * A.T @ x) + theta**2 * A.T @ shares(v, mu)
        mu *= 1 - theta
        x = (1 - theta) * x + theta * shares(v, mu)
    fit = Perceptron(rule="smooth", max_iter=7).fit(X, codes)
    assert len(fit.mistakes) == 7
    W = np.column_stack([np.atleast_2d(fit.coefficients), np.atleast_1d(fit.intercept)])
    np.testing.assert_allclose(W.ravel(), v, atol=1e-12)


def test_a_smooth_row_of_weight_two_is_two_rows():
    X, y = narrow(3)
    w = np.random.default_rng(0).integers(1, 3, len(X))
    it = Perceptron(rule="smooth", max_iter=5)
    heavy = it.fit(X, y, weights=w)
    twice = it.fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    np.testing.assert_allclose(heavy.coefficients, twice.coefficients, rtol=1e-10)
    with pytest.raises(ParamError, match="its last weights are what it has to give"):
        Perceptron(rule="smooth", keep="pocket")


def test_errors_of_the_pocket_never_rise():
    X, y = clouds(150, 3, seed=4)
    y = np.where(np.random.default_rng(5).random(len(y)) < 0.15, 1 - y, y)
    wrong = [s.objective for s in record(Perceptron(keep="pocket").steps(X, y), keep=10**6)]
    assert (np.diff(wrong) <= 0).all()
    assert wrong[-1] < [s.objective for s in Perceptron().steps(X, y)][-1]


def test_the_average_is_the_mean_over_all_rows_met():
    X, y = clouds(40, 2)
    method = Perceptron(max_iter=2)
    W, total, met = np.zeros(3), np.zeros(3), 0
    rows = np.column_stack([X, np.ones(len(X))])
    for _ in range(2):
        before = W.copy()
        for z, side in zip(rows, 2 * y - 1, strict=True):
            if (1 if W @ z >= 0 else -1) != side:
                W = W + side * z
            total, met = total + W, met + 1
        if (before == W).all():
            break
    fit = Perceptron(keep="averaged", max_iter=2).fit(X, y)
    last = method.fit(X, y)
    np.testing.assert_allclose((*last.coefficients, last.intercept), W, atol=1e-12)
    np.testing.assert_allclose((*fit.coefficients, fit.intercept), total / met, atol=1e-12)


def test_the_batch_rule_parts_what_can_be_parted():
    X, y = clouds()
    fit = Perceptron(rule="batch").fit(X, y)
    assert fit.stop.kind == "converged"
    assert fit.lengths is None
    np.testing.assert_array_equal(fit.predict(X), y)
    with pytest.raises(ParamError, match="batch rule"):
        Perceptron(rule="batch", keep="pocket")


def test_all_weights_vote_as_often_as_they_stood():
    """Freund and Schapire (1999), figure 1, row by row."""
    X, y = clouds(40, 2, seed=6)
    y = np.where(np.random.default_rng(5).random(len(y)) < 0.1, 1 - y, y)
    rows, sides = np.column_stack([X, np.ones(len(X))]), 2 * y - 1
    voters, counts = [np.zeros(3)], [0]
    for _ in range(3):
        for z, side in zip(rows, sides, strict=True):
            if (1 if voters[-1] @ z >= 0 else -1) == side:
                counts[-1] += 1
            else:
                voters.append(voters[-1] + side * z)
                counts.append(1)
    fit = Perceptron(keep="voted", max_iter=3).fit(X, y)
    np.testing.assert_array_equal(fit.survivals, counts)
    np.testing.assert_allclose(fit.voters[:, 0], voters, atol=1e-12)
    said = np.where(rows @ np.array(voters).T >= 0, 1, -1) @ counts
    np.testing.assert_allclose(fit.decision(X) * sum(counts), said)
    np.testing.assert_array_equal(fit.predict(X), said >= 0)
    assert fit.mistakes.sum() <= perceptron_bounds(X, y).most


def test_votes_of_several_classes_are_shares():
    X, y = clouds(60, 2, seed=2)
    y = np.where(X[:, 0] > X[:, 0].mean() + 1, 2, y)
    fit = Perceptron(keep="voted", max_iter=5).fit(X, y)
    np.testing.assert_allclose(fit.decision(X).sum(axis=1), 1.0)
    assert fit.voters.shape[1:] == (3, 3)
    assert (fit.predict(X) == y).mean() > 0.8


def test_weights_that_are_too_many_to_vote_are_told(monkeypatch):
    X, y = clouds(100, 2, seed=4)
    y = np.random.default_rng(5).permutation(y)
    monkeypatch.setattr("mlcore.classification.perceptron.MOST_VOTES", 300)
    with pytest.raises(DataError, match="100 mistakes, and weights of as many cannot be held"):
        Perceptron(keep="voted").fit(X, y)


@pytest.mark.parametrize("rule", ["rosenblatt", "batch"])
def test_a_row_of_weight_two_moves_the_weights_twice_as_far(rule):
    X, y = clouds(60, 2, seed=4)
    w = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    fit = Perceptron(rule=rule, max_iter=1).fit(X, y, weights=w)
    W, rows = np.zeros(3), np.column_stack([X, np.ones(len(X))])
    moves = np.zeros(3)
    for z, side, weight in zip(rows, 2 * y - 1, w, strict=True):
        if weight and (1 if W @ z >= 0 else -1) != side:
            moves += weight * side * z
            if rule == "rosenblatt":
                W, moves = W + moves, np.zeros(3)
    np.testing.assert_allclose((*fit.coefficients, fit.intercept), W + moves, atol=1e-12)
    assert fit.lengths is None


def test_the_pocket_goes_by_what_wrong_rows_weigh():
    """Four rows of three columns disagree with one that weighs more than all of them."""
    X = np.array([[1.0], [1.0], [1.0], [1.0], [1.0]])
    y, w = np.array([0, 0, 0, 0, 1]), np.array([1.0, 1, 1, 1, 9])
    assert Perceptron(keep="pocket").fit(X, y).predict([[1.0]])[0] == 0
    assert Perceptron(keep="pocket").fit(X, y, weights=w).predict([[1.0]])[0] == 1
