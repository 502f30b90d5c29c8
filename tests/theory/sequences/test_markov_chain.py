"""Facts about Markov chains that can be checked on paper."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eig
from scipy.stats import chi2

from mlcore.sequences.chains import communicating_classes, long_run_shares, steps_ahead
from mlcore.sequences.markov_chain import MarkovChain
from mlcore.sequences.orders import compare_orders
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column

AB = (Column("letter", "nominal", ("a", "b")),)


def rows(text):
    """Rows of the one column of letters."""
    return np.array([[float("ab".index(letter))] for letter in text])


def test_counts_of_two_sequences_never_cross_their_end():
    fit = MarkovChain(pseudo_count=0.0).fit(rows("aababbba"), lengths=(5, 3), columns=AB)
    np.testing.assert_array_equal(fit.moves, [(1, 2), (2, 1)])
    np.testing.assert_allclose(fit.transitions, [(1 / 3, 2 / 3), (2 / 3, 1 / 3)])
    np.testing.assert_allclose(fit.start, (0.5, 0.5))
    expected = np.log(0.5**2 * (1 / 3) ** 2 * (2 / 3) ** 4)
    assert fit.log_likelihood == pytest.approx(expected, abs=1e-12)
    told = fit.log_density(rows("aababbba"), lengths=(5, 3))
    assert told.sum() == pytest.approx(expected, abs=1e-12)


def test_pseudo_counts_are_added_to_each_count():
    fit = MarkovChain(pseudo_count=1.0).fit(rows("aaab"), columns=AB)
    np.testing.assert_allclose(fit.transitions, [(3 / 5, 2 / 5), (1 / 2, 1 / 2)])
    with pytest.raises(DataError, match=r"Row 2, a, never followed .* pseudo_count"):
        MarkovChain(pseudo_count=0.0).fit(rows("abab"), columns=AB).log_density(rows("aa"))


def test_a_chain_of_order_two_knows_what_one_of_order_one_cannot():
    text = "aabb" * 30  # after ab comes b, after bb comes a
    orders = [MarkovChain(order=r).fit(rows(text), columns=AB) for r in range(4)]
    values = [fit.log_likelihood for fit in orders]
    assert values[2] > values[1] + 50
    assert abs(values[3] - values[2]) < 5
    np.testing.assert_allclose(orders[2].ahead(rows("ab"), 3).argmax(axis=1), (1, 0, 0))
    states, _ = orders[2].sample([400])
    assert "".join("ab"[s] for s in states).count("aab") > 80


def test_steps_ahead_are_powers_of_the_matrix():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, 200)
    fit = MarkovChain().fit(codes[:, None].astype(float), columns=AB)
    last, A = codes[-1], fit.transitions
    expected = [np.linalg.matrix_power(A, h)[last] for h in (1, 2, 3)]
    np.testing.assert_allclose(fit.ahead(codes[:, None].astype(float), 3), expected, atol=1e-12)
    np.testing.assert_allclose(steps_ahead(np.eye(2)[last], A, 3)[1:], expected, atol=1e-12)


def test_the_long_run_is_the_left_eigenvector():
    rng = np.random.default_rng(1)
    A = rng.dirichlet(np.ones(5), 5)
    values, vectors = eig(A, left=True, right=False)
    law = np.real(vectors[:, np.argmax(np.real(values))])
    start = rng.dirichlet(np.ones(5))
    np.testing.assert_allclose(long_run_shares(start, A), law / law.sum(), atol=1e-12)


def test_the_long_run_of_several_closed_classes_hangs_on_the_start():
    A = np.array([[0, 0.5, 0.25, 0.25], [0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 1.0, 0]])
    kinds = [(list(it.states), it.is_closed, it.period) for it in communicating_classes(A)]
    assert kinds == [([0], False, 0), ([1], True, 1), ([2, 3], True, 2)]
    shares = long_run_shares(np.array([1.0, 0, 0, 0]), A)
    np.testing.assert_allclose(shares, (0, 0.5, 0.25, 0.25), atol=1e-15)


@pytest.mark.parametrize("leak", [1e-17, 1e-300, 5e-324])
def test_a_state_that_is_all_but_never_left_is_left_in_the_long_run(leak):
    """1 - (1 - leak) is 0 in doubles."""
    A = np.array([[1.0 - leak, leak / 2, leak / 2], [0, 1.0, 0], [0, 0, 1.0]])
    if leak / 2 == 0:
        A[0, 1:] = leak
    np.testing.assert_array_equal(long_run_shares(np.eye(3)[0], A), (0, 0.5, 0.5))
    two = np.array([[1.0, leak], [leak, 1.0]])
    np.testing.assert_array_equal(long_run_shares(np.eye(2)[0], two), (0.5, 0.5))


def test_where_a_chain_ends_is_what_absorption_says():
    """Against the fundamental matrix (I - Q)^-1 R of a chain with four states that are passed."""
    A = np.random.default_rng(3).dirichlet(np.ones(6), 6)
    A[4:] = np.eye(6)[4:]
    expected = np.linalg.solve(np.eye(4) - A[:4, :4], A[:4, 4:])[1]
    shares = long_run_shares(np.eye(6)[1], A)
    np.testing.assert_allclose(shares, [0, 0, 0, 0, *expected], atol=1e-14)


def test_a_chain_without_memory_says_the_same_of_every_row_ahead():
    fit = MarkovChain(order=0, pseudo_count=0.0).fit(rows("aab"), columns=AB)
    np.testing.assert_allclose(fit.ahead(rows("b"), 3), [(2 / 3, 1 / 3)] * 3)


@pytest.mark.parametrize("order", range(4))
@pytest.mark.parametrize("lengths", [(1, 1, 1), (3,), (1, 2)])
def test_sequences_shorter_than_the_order_count_from_their_start(order, lengths):
    fit = MarkovChain(order=order, pseudo_count=0.0).fit(rows("aba"), lengths=lengths, columns=AB)
    assert fit.log_density(rows("aba"), lengths).sum() == pytest.approx(fit.log_likelihood)
    np.testing.assert_allclose(fit.transitions.sum(axis=1), 1.0)
    assert fit.long_run.sum() == pytest.approx(1.0)


def test_the_period_is_that_of_a_ring():
    ring = np.roll(np.eye(6), 1, axis=1)
    assert communicating_classes(ring)[0].period == 6
    ring[0, 3] = 0.5
    assert communicating_classes(ring)[0].period == 2


def test_the_order_of_what_was_drawn_is_found():
    rng = np.random.default_rng(5)
    states = [0, 0]
    for u in rng.random(1500):
        states.append(int(u < (0.15 if states[-1] == states[-2] else 0.8)))
    found = compare_orders(np.array(states), np.array([len(states)]), 2)
    assert [it.order for it in found] == [0, 1, 2, 3]
    assert found[2].p_value < 1e-10
    assert found[3].p_value > 0.01
    assert int(np.argmin([it.bic for it in found])) == 2


def test_the_statistic_has_the_law_that_is_told():
    rng = np.random.default_rng(6)
    drawn = [compare_orders(rng.integers(0, 3, 400), np.array([400]), 3, 1)[1] for _ in range(300)]
    assert {it.freedom for it in drawn} == {4}
    assert np.mean([it.p_value for it in drawn]) == pytest.approx(0.5, abs=0.12)
    one = drawn[0]
    assert one.p_value == pytest.approx(chi2.sf(one.statistic, one.freedom), rel=1e-10)


def test_numbers_become_bins_and_columns_combine():
    X = np.column_stack([np.arange(9.0), np.tile([0.0, 1.0, 1.0], 3)])
    fit = MarkovChain(bins=3).fit(X)
    assert fit.n_states == 10 - 3  # of nine combinations six occur, and any other
    assert fit.state_names[0].startswith("x1 below 3") and fit.state_names[-1] == "any other"
    assert np.isfinite(fit.log_density(X + 100.0)).all()
