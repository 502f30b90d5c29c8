"""Codes of several classes, how they are decoded, and the coupling of probabilities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlcore.classification.multiclass import Multiclass
from mlcore.classification.multiclass_codes import ErrorCorrecting, code_matrix
from mlcore.classification.multiclass_coupling import coupled, pairwise_coupling
from mlcore.maths.votes import votes
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.iterate import record
from mlcore.spine.registry import names
from mlcore.svm.svc import SVC

SHARES = np.array([0.5, 0.3, 0.2])


@pytest.mark.parametrize("K", [3, 4, 5])
def test_exhaustive_words_have_the_distances_of_the_paper(K):
    found = code_matrix(K, ErrorCorrecting(kind="exhaustive"))
    assert found.matrix.shape == (K, 2 ** (K - 1) - 1)
    off = found.distances[~np.eye(K, dtype=bool)]
    assert set(off) == {2.0 ** (K - 2)} == {found.least_distance}


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("K", [2, 6, 12])
def test_drawn_rules_have_two_sides_and_differ(kind, K):
    found = code_matrix(K, ErrorCorrecting(kind=kind), seed=3)
    M = found.matrix
    assert set(np.unique(M)) <= {-1.0, 0.0, 1.0}
    assert (M.max(axis=0) == 1).all()
    assert (M.min(axis=0) == -1).all()
    both = np.hstack([M, -M])
    assert len(np.unique(both, axis=1).T) == 2 * M.shape[1]
    np.testing.assert_array_equal(M, code_matrix(K, ErrorCorrecting(kind=kind), seed=3).matrix)


@pytest.mark.parametrize("code", names("code"))
def test_wrong_rules_below_half_the_distance_are_put_right(code):
    found = code_matrix(5, code)
    k = 2
    word = np.where(found.matrix[k] == 0, 1.0, found.matrix[k])
    assert votes(word[None], found.matrix).argmax() == k
    can_be_wrong = int(np.ceil(found.least_distance / 2)) - 1
    if code == "error_correcting":
        assert can_be_wrong >= 2
        word[:can_be_wrong] *= -1
        assert (found.matrix @ word).argmax() == k


def test_coupling_gives_back_the_law_that_its_pairs_come_from():
    R = SHARES[:, None] / (SHARES[:, None] + SHARES)
    np.testing.assert_allclose(pairwise_coupling(R), SHARES, atol=1e-12)
    np.testing.assert_allclose(pairwise_coupling(np.array([R, R]))[1], SHARES, atol=1e-12)
    with pytest.raises(DataError, match="sum 1"):
        pairwise_coupling(np.full((3, 3), 0.6))


@pytest.mark.parametrize("code", names("code"))
def test_every_code_gives_back_the_law_that_its_rules_come_from(code):
    p = np.array([0.1, 0.4, 0.2, 0.3])
    M = code_matrix(4, code).matrix
    sides = p @ (M > 0)
    np.testing.assert_allclose(coupled((sides / (sides + p @ (M < 0)))[None], M)[0], p, atol=1e-8)


@given(st.lists(st.floats(0, 1), min_size=6, max_size=6))
def test_coupled_pairs_are_never_negative(r):
    # By theorem 2 of Wu, Lin and Weng; so nothing was cut off where the rules contradict.
    M = code_matrix(4, "one_vs_one").matrix
    P = coupled(np.array([r]), M)
    assert P.min() >= 0
    assert P.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("code", names("code"))
@pytest.mark.parametrize("decode", ["loss", "margins", "hamming", "votes", "coupling"])
def test_of_two_classes_every_code_is_the_rule_itself(code, decode):
    X = np.random.default_rng(0).normal(size=(40, 3))
    y = np.where(X[:, 0] + 0.5 * X[:, 1] > 0, "yes", "no")
    fit = Multiclass(code=code, decode=decode).fit(X, y)
    alone = fit.made_by.estimator.fit(X, y)
    np.testing.assert_array_equal(fit.decision(X), alone.decision(X))
    np.testing.assert_array_equal(fit.predict(X), alone.predict(X))
    np.testing.assert_allclose(fit.probabilities(X), alone.probabilities(X), atol=1e-7)


def test_ties_of_votes_go_to_the_larger_margins_then_to_the_first():
    M = code_matrix(3, "one_vs_one").matrix  # 0-1, 0-2, 1-2: each wins once
    assert votes(np.array([[1.0, -3.0, 1.0]]), M).argmax() == 0
    assert votes(np.array([[1.0, -1.0, 1.0]]), M).argmax() == 0
    assert votes(np.array([[5.0, -1.0, 1.0]]), M).argmax() == 1


def test_one_rule_is_learned_a_step():
    X = np.random.default_rng(1).normal(size=(60, 2))
    y = np.repeat(np.array(["ash", "birch", "oak"]), 20)
    steps = record(Multiclass(code="one_vs_one").steps(X + 4 * (y == "ash")[:, None], y))
    assert [len(step.state.members) for step in steps] == [1, 2, 3]
    assert steps[0].note.startswith("Rule 1, birch against ash: 0 % of its 40 rows")
    assert [step.stop is None for step in steps] == [True, True, False]


def test_what_the_rule_cannot_give_is_refused():
    with pytest.raises(ParamError, match="Coupling needs probabilities"):
        Multiclass(estimator=SVC(), decode="coupling")
    X, y = np.random.default_rng(2).normal(size=(30, 2)), np.arange(30) % 3
    assert not hasattr(Multiclass(estimator=SVC()).fit(X, y), "probabilities")
    with pytest.raises(DataError, match="at most 7 classes"):
        Multiclass(code=ErrorCorrecting(kind="exhaustive")).fit(X, np.arange(30) % 8)
