"""Facts about hidden Markov models: golden numbers, enumeration of all paths, what never falls."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.sequences.baum_welch import Model, Problem
from mlcore.sequences.emissions import Shown
from mlcore.sequences.hmm import HMM
from mlcore.sequences.recursions import (
    enumerate_paths,
    filtered,
    forward_backward,
    log_probability_of_path,
    operation_count,
    viterbi,
)
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.fit import Column
from mlcore.spine.iterate import record

A = np.array([[0.7, 0.3], [0.4, 0.6]])
B = np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]])
PI = np.array([0.6, 0.4])
SEEN = np.array([0, 1, 2])
THREE = np.array([3])


def table(codes, levels):
    """Rows of one column of names."""
    names = tuple(str(k) for k in range(levels))
    return np.asarray(codes, dtype=float)[:, None], (Column("seen", "nominal", names),)


def random_law(rng, N):
    """A start and transitions, some of them 0."""
    A = rng.dirichlet(np.ones(N), N) * (rng.random((N, N)) > 0.2) + 0.01 * np.eye(N)
    return rng.dirichlet(np.ones(N)), A / A.sum(axis=1, keepdims=True)


def test_golden_numbers_of_the_notes():
    logs = np.log(B.T[SEEN])
    log_density, forward = filtered(logs, PI, A, THREE)
    assert np.exp(log_density.sum()) == pytest.approx(0.03628, abs=1e-15)
    likelihoods = np.exp(np.cumsum(log_density))
    alpha = [(0.3, 0.04), (0.0904, 0.0342), (0.007696, 0.028584)]
    np.testing.assert_allclose(forward * likelihoods[:, None], alpha, atol=1e-15)
    sums = forward_backward(logs, PI, A, THREE)
    gamma = [(0.876516, 0.123484), (0.622933, 0.377067), (0.212128, 0.787872)]
    np.testing.assert_allclose(sums.posterior, gamma, atol=5e-7)
    np.testing.assert_allclose(sums.moves.sum(axis=1), sums.posterior[:2].sum(axis=0), atol=1e-14)
    path = viterbi(logs, PI, A, THREE)
    np.testing.assert_array_equal(path.states, (0, 0, 1))
    assert np.exp(path.scores[0]) == pytest.approx(0.01512, abs=1e-15)
    assert operation_count(5, 100) == (200 * 5.0**100, 2500)


def test_one_iteration_by_hand():
    X, columns = table(SEEN, 3)
    it = HMM(n_states=2, n_init=1)
    problem = Problem(it, it._given(X, columns=columns))
    law = Model(PI, A, Shown(np.empty((2, 0)), np.empty((2, 0)), (B,), np.ones((2, 1))))
    new = problem.maximised(forward_backward(np.log(B.T[SEEN]), PI, A, THREE), law)
    np.testing.assert_allclose(
        new.transitions, [(0.502353, 0.497647), (0.163436, 0.836564)], atol=5e-7
    )
    shown = [(0.512110, 0.363953, 0.123937), (0.095841, 0.292658, 0.611501)]
    np.testing.assert_allclose(new.shown.frequencies[0], shown, atol=5e-7)
    np.testing.assert_allclose(new.start, (0.876516, 0.123484), atol=5e-7)
    after = filtered(np.log(new.shown.frequencies[0].T[SEEN]), new.start, new.transitions, THREE)
    assert np.exp(after[0].sum()) == pytest.approx(0.066650, abs=5e-7)


@pytest.mark.parametrize("seed", range(6))
def test_recursions_are_enumeration(seed):
    rng = np.random.default_rng(seed)
    N, lengths = int(rng.integers(2, 5)), rng.integers(1, 6, 3)
    start, moves = random_law(rng, N)
    logs = rng.normal(size=(lengths.sum(), N)) * 3
    sums = forward_backward(logs, start, moves, lengths)
    path, expected_moves = viterbi(logs, start, moves, lengths), np.zeros((N, N))
    for k, own in enumerate(np.split(np.arange(len(logs)), np.cumsum(lengths)[:-1])):
        paths, joint = enumerate_paths(logs[own], start, moves)
        total = np.logaddexp.reduce(joint)
        assert sums.log_density[own].sum() == pytest.approx(total, abs=1e-12)
        shares = np.exp(joint - total)
        by_state = (shares[:, None, None] * np.eye(N)[paths]).sum(axis=0)
        np.testing.assert_allclose(sums.posterior[own], by_state, atol=1e-12)
        for t in range(len(own) - 1):
            np.add.at(expected_moves, (paths[:, t], paths[:, t + 1]), shares)
        assert path.scores[k] == pytest.approx(joint.max(), abs=1e-12)
        alone = log_probability_of_path(path.states[own], logs[own], start, moves, lengths[k:][:1])
        assert alone[0] == pytest.approx(joint.max(), abs=1e-12)
    np.testing.assert_allclose(sums.moves, expected_moves, atol=1e-12)


def test_the_likeliest_states_may_be_an_impossible_path():
    start = np.array([0.4, 0.35, 0.25])
    moves = np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]])
    logs, two = np.zeros((2, 3)), np.array([2])
    path = viterbi(logs, start, moves, two)
    np.testing.assert_array_equal(path.states, (1, 2))
    assert np.exp(path.scores[0]) == pytest.approx(0.35)
    states = forward_backward(logs, start, moves, two).posterior.argmax(axis=1)
    np.testing.assert_array_equal(states, (0, 2))
    assert log_probability_of_path(states, logs, start, moves, two)[0] == -np.inf


def test_a_remote_row_does_not_underflow():
    rows, means = np.array([0.0, 1000.0, 0.0]), np.array([0.0, 1.0])
    logs = -0.5 * (rows[:, None] - means) ** 2 - 0.5 * np.log(2 * np.pi)
    half = np.full((2, 2), 0.5)
    log_density, _ = filtered(logs, half[0], half, THREE)
    assert log_density.sum() == pytest.approx(-499004.388103, abs=5e-7)


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_the_likelihood_never_falls(kind):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 2)) + np.repeat(rng.normal(size=(12, 2)) * 2, 10, axis=0)
    it = HMM(covariance=kind, n_init=2, reg_covar=0.0)
    values = [step.objective for step in record(it.steps(X, lengths=(70, 50)), keep=500)]
    assert np.diff(values).min() > -1e-9 and values[-1] > values[0]


def test_ways_to_the_right_stay_the_only_ones():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(np.repeat([0, 4, 8], 10), 1) for _ in range(5)])[:, None]
    it = HMM(topology="left_to_right", start="first", init="segments", n_init=1)
    fit = it.fit(X, lengths=[30] * 5)
    assert (fit.transitions[~it.allowed(3)[1]] == 0).all()
    np.testing.assert_array_equal(fit.start, (1, 0, 0))
    # Three and a half standard errors of a mean of 50 rows.
    np.testing.assert_allclose(fit.means[:, 0], (0, 4, 8), atol=0.5)
    assert (np.diff(fit.labels.reshape(5, 30)) >= 0).all()
    assert fit.n_parameters == 2 + 3 + 3  # moves out of two states, means, variances


def test_parameters_are_counted_as_in_the_notes():
    X, columns = table(np.arange(40) % 4, 4)
    fit = HMM(n_states=3, n_init=1, max_iter=2).fit(X, columns=columns)
    assert fit.n_parameters == 17
    assert fit.aic == 34 - 2 * fit.log_likelihood
    assert fit.bic == pytest.approx(17 * np.log(40) - 2 * fit.log_likelihood)


def test_what_was_drawn_is_found_again():
    law = HMM(n_states=2, n_init=1).fit(np.array([0.0, 0.1, 4.0, 4.1, 0.0])[:, None])
    rng = np.random.default_rng(1)
    states = np.zeros(20_000, dtype=int)
    for t, u in enumerate(rng.random(len(states) - 1)):
        states[t + 1] = states[t] if u < (0.9, 0.8)[states[t]] else 1 - states[t]
    X = rng.normal(size=(len(states), 1)) + 4.0 * states[:, None]
    fit = HMM(n_states=2, n_init=1).fit(X)
    # Ten standard errors of a share of 6,600 rows.
    np.testing.assert_allclose(fit.transitions, [(0.9, 0.1), (0.2, 0.8)], atol=0.05)
    assert (fit.labels == states).mean() > 0.97
    Y, own = fit.sample([5000, 5000], seed=1)
    again = HMM(n_states=2, n_init=1).fit(Y, lengths=[5000, 5000])
    np.testing.assert_allclose(again.transitions, fit.transitions, atol=0.05)
    assert (again.labels == own).mean() > 0.97
    assert law.means[0, 0] < law.means[1, 0]


def test_numbers_and_names_of_one_row_are_read_together():
    rng = np.random.default_rng(2)
    states = np.repeat(np.tile([0, 1], 20), 15)
    X = np.column_stack([rng.normal(size=600) + 3 * states, rng.random(600) < 0.1 + 0.8 * states])
    columns = (Column("height"), Column("door", "binary", ("shut", "open")))
    fit = HMM(n_states=2, n_init=1).fit(X, columns=columns)
    assert (fit.labels == states).mean() > 0.98
    # Three standard errors of a share of 300 rows.
    np.testing.assert_allclose(fit.frequencies[0][:, 1], (0.1, 0.9), atol=0.05)
    rows, _ = fit.sample([50])
    assert set(np.unique(rows[:, 1])) <= {0.0, 1.0}


def test_a_forecast_tends_to_the_long_run():
    X, columns = table([0, 0, 1, 0, 1, 1, 2, 2, 2, 1, 0, 0] * 5, 3)
    fit = HMM(n_states=2, n_init=2, pseudo_count=0.5).fit(X, columns=columns)
    laws = fit.forecast(X, 200)
    assert laws.shape == (1, 201, 2)
    np.testing.assert_allclose(laws[0, 0], fit.responsibilities(X)[-1], atol=1e-12)
    np.testing.assert_allclose(laws[0, -1], fit.long_run, atol=1e-9)


def test_a_name_that_was_never_seen_is_refused_and_a_pseudo_count_helps():
    X, columns = table([0, 1, 0, 1, 0, 1], 3)
    new, _ = table([0, 2, 1], 3)
    fit = HMM(n_states=2, n_init=1).fit(X, columns=columns)
    for verb in (fit.predict, fit.responsibilities, fit.log_density, fit.decoded):
        with pytest.raises(DataError, match=r"Row 2 is impossible .* seen = 2.* pseudo_count"):
            verb(new)
    helped = HMM(n_states=2, n_init=1, pseudo_count=0.1).fit(X, columns=columns)
    assert np.isfinite(helped.log_density(new)).all()


def test_one_state_is_a_normal_distribution():
    X = np.random.default_rng(0).normal(size=(50, 2))
    fit = HMM(covariance="full").without_memory().fit(X)
    np.testing.assert_allclose(fit.means[0], X.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(fit.covariances[0], np.cov(X.T, bias=True), atol=1e-5)


def test_a_column_of_two_values_is_read_as_two_names():
    rng = np.random.default_rng(2)
    states = np.repeat(np.tile([0, 1], 20), 15)
    door = np.where(rng.random(600) < 0.1 + 0.8 * states, 2.5, -1.0)
    X = np.column_stack([door, np.full(600, 7.0)])
    fit = HMM(n_states=2, n_init=3).fit(X)
    as_names = (Column("door", "binary", ("shut", "open")), Column("wall", "nominal", ("seven",)))
    codes = np.column_stack([door > 0, np.zeros(600)]).astype(float)
    other = HMM(n_states=2, n_init=3).fit(codes, columns=as_names)
    np.testing.assert_array_equal(fit.labels, other.labels)
    assert fit.log_likelihood == other.log_likelihood
    np.testing.assert_array_equal(fit.predict([[3.0, 0.0]] * 2), fit.predict([[2.5, 7.0]] * 2))
    rows, _ = fit.sample([40])
    assert set(np.unique(rows)) <= {-1.0, 2.5, 7.0}


def test_a_state_on_a_point_ends_the_run_in_a_sentence():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(30, 1)), np.full((12, 1), 3.0), rng.normal(size=(30, 1))])
    it = HMM(n_states=2, n_init=1, reg_covar=0.0)
    steps = record(it.steps(X), keep=500)
    fit = it.fit(X)
    assert fit.stop.kind == "collapsed" and "raise reg_covar" in fit.stop.why
    assert steps[-1].stop == fit.stop and np.isfinite(fit.log_density(X)).all()
    assert HMM(n_states=2, n_init=1).fit(X).stop.kind == "converged"
    with pytest.raises(DataError, match="first state has no inverse"):
        HMM(covariance="full", n_init=1, reg_covar=0.0).fit(np.hstack([X, X]))


def test_states_have_the_names_that_they_are_given():
    X = np.repeat([0.0, 5.0, 0.2, 5.1], 10)[:, None] + np.random.default_rng(0).normal(size=(40, 1))
    it = HMM(n_states=3, names="calm, , wild", n_init=1)
    assert it.fit(X).state_names == ("calm", "state 2", "wild")
    assert it.called(2) == ("calm", "state 2") and it.called(4)[3] == "state 4"
    assert HMM().fit(X).state_names == ("state 1", "state 2", "state 3")
    for names, says in (("a,a", "same name"), ("<b>", "without <"), ("x" * 31, "at most 30")):
        with pytest.raises(ParamError, match=says):
            HMM(names=names)


def test_moves_that_are_forbidden_are_never_made():
    rng = np.random.default_rng(0)
    way = np.repeat([0, 4, 8, 4, 0, 4, 8], 6)
    X = np.concatenate([rng.normal(way, 1) for _ in range(4)])[:, None]
    method = HMM(forbidden="1-3, 3 - 1, 7-1", n_init=1)
    fit = method.fit(X, lengths=[len(way)] * 4)
    assert fit.transitions[0, 2] == fit.transitions[2, 0] == 0 and (fit.transitions > 0).sum() == 7
    # Four standard errors of a mean of 48 rows.
    np.testing.assert_allclose(fit.means[:, 0], (0, 4, 8), atol=0.6)
    free = HMM(n_init=1).fit(X, lengths=[len(way)] * 4)
    assert fit.n_parameters == free.n_parameters - 2  # a zero is nothing that was estimated


@pytest.mark.parametrize(
    ("moves", "said"), [("1>3", "got 1>3"), ("2-1, 2-2,2-3", "No move out of state 2 is left")]
)
def test_forbidden_moves_leave_a_way_out_and_can_be_read(moves, said):
    with pytest.raises(ParamError, match=said):
        HMM(forbidden=moves)


def test_scaled_recursions_are_those_in_logarithms_over_many_rows():
    """Without scales a likelihood of 3,000 rows is 0 in doubles; sums of logarithms are not."""
    rng = np.random.default_rng(5)
    start, moves = random_law(rng, 3)
    logs = 4 * rng.normal(size=(3000, 3))
    total = in_logs(logs, start, moves)
    sums = forward_backward(logs, start, moves, np.array([3000]))
    assert sums.log_density.sum() == pytest.approx(total, rel=1e-12)
    assert np.isfinite(sums.posterior).all()
    np.testing.assert_allclose(sums.moves.sum(), 2999, rtol=1e-9)


def in_logs(logs, start, moves):
    """Log-likelihood of one sequence by sums of logarithms, which lose nothing."""
    with np.errstate(divide="ignore"):
        ahead, log_A = np.log(start) + logs[0], np.log(moves)
    for row in logs[1:]:
        ahead = np.logaddexp.reduce(ahead[:, None] + log_A, axis=0) + row
    return np.logaddexp.reduce(ahead)


def test_a_state_that_is_never_entered_again_is_not_lost():
    """A hundred rows speak for one state by 1,250 nats, then a thousand for the other."""
    rows = np.repeat([0.0, 5.0], [100, 1000])
    logs, two = -0.5 * (rows[:, None] - np.array([0.0, 5.0])) ** 2, np.array([1100])
    half, stay = np.full(2, 0.5), np.eye(2)
    sums = forward_backward(logs, half, stay, two)
    assert sums.log_density.sum() == pytest.approx(-1250 + np.log(0.5), rel=1e-14)
    np.testing.assert_array_equal(sums.posterior, [(0, 1)] * 1100)
    np.testing.assert_array_equal(sums.moves, [(0, 0), (0, 1099)])
    np.testing.assert_array_equal(viterbi(logs, half, stay, two).states, 1)
    logs[100:, 0] = -np.inf  # a name that the first never shows is not impossible
    assert filtered(logs, half, stay, two)[0].sum() == pytest.approx(-1250 + np.log(0.5), rel=1e-14)
    logs[500] = -np.inf
    with pytest.raises(DataError, match="Row 501 is impossible"):
        filtered(logs, half, stay, two)


@pytest.mark.parametrize("seed", range(12))
def test_chains_with_zeros_and_remote_rows_lose_nothing(seed):
    """One way, rings, dead ends: no path is forgotten, be it remote by thousands of nats."""
    rng = np.random.default_rng(seed)
    N, T = int(rng.integers(2, 6)), int(rng.integers(3, 200))
    moves = rng.dirichlet(np.full(N, 0.3), N) * (rng.random((N, N)) > 0.5) + 0.2 * np.eye(N)
    moves = np.triu(moves) if seed % 2 else moves
    moves /= moves.sum(axis=1, keepdims=True)
    start = rng.dirichlet(np.ones(N))
    logs = rng.normal(size=(T, N)) * 10.0 ** (seed % 4)
    sums = forward_backward(logs, start, moves, np.array([T]))
    total = in_logs(logs, start, moves)
    assert sums.log_density.sum() == pytest.approx(total, rel=1e-12)
    np.testing.assert_allclose(sums.posterior.sum(axis=1), 1.0)
    np.testing.assert_allclose(sums.moves.sum(), T - 1)
    assert viterbi(logs, start, moves, np.array([T])).scores[0] <= total + 1e-9 * abs(total)


@pytest.mark.parametrize("start", ["free", "first"])
def test_names_alone_may_have_an_order_of_states(start):
    X, columns = table([0, 0, 0, 1, 1, 2, 2, 2] * 3, 3)
    it = HMM(topology="left_to_right", start=start, n_init=1)
    fit = it.fit(X, columns=columns, lengths=[8] * 3)
    assert (np.diff(fit.labels.reshape(3, 8)) >= 0).all() and fit.long_run[2] == pytest.approx(1)
    assert fit.frequencies[0].shape == (3, 3)
    assert fit.n_parameters == (2 if start == "free" else 0) + 2 + 3 * 2
    for step in it.steps(X, columns=columns, lengths=[8] * 3):
        assert step.state.covariances.shape == (3, 0)


@pytest.mark.parametrize("topology", ["full", "left_to_right"])
@pytest.mark.parametrize("init", ["kmeans", "random", "segments"])
def test_sequences_of_very_unequal_length_with_more_states_than_they_fill(topology, init):
    X = np.random.default_rng(2).normal(size=(60, 1))
    lengths = [1, 1, 1, 40, 17]
    fit = HMM(n_states=5, topology=topology, init=init, n_init=2).fit(X, lengths=lengths)
    assert fit.log_density(X, lengths).sum() == pytest.approx(fit.log_likelihood, rel=1e-9)
    np.testing.assert_allclose(fit.long_run.sum(), 1.0)
    np.testing.assert_allclose(fit.transitions.sum(axis=1), 1.0)


def test_a_pseudo_count_raises_what_is_maximised_and_is_no_part_of_the_likelihood():
    X, columns = table([0, 1, 0, 0, 1, 2, 2, 1, 0, 2] * 3, 4)
    it = HMM(n_states=2, n_init=1, pseudo_count=0.5, max_iter=15, tol=0.0)
    problem, values = Problem(it, it._given(X, columns=columns)), []
    for step in it.steps(X, columns=columns):
        at = step.state
        shown = Shown(at.means, at.covariances, at.frequencies, at.weights)
        prior = problem.log_prior(Model(at.start, at.transitions, shown))
        values.append(step.objective + prior)
    assert np.diff(values).min() > -1e-9
    fit = it.fit(X, columns=columns)
    assert fit.log_likelihood == pytest.approx(fit.log_density(X).sum())
    assert (fit.frequencies[0] > 0).all()
