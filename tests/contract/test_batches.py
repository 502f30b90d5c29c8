"""What every method promises that learns by batches."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.runs.fingerprint import sha256
from mlcore.spine.batches import BatchMethod
from mlcore.spine.errors import DataError
from mlcore.spine.registry import entries
from tests.contract.subjects import given_to

METHODS = [cls for cls in entries("method").values() if issubclass(cls, BatchMethod)]


def batches(cls, order, sizes):
    """The rows of the contract in an order, cut into batches of these sizes."""
    given = given_to(cls)
    y = None if given.y is None else given.y[order]
    for rows in np.split(np.arange(len(order)), np.cumsum(sizes)[:-1]):
        yield given.X[order][rows], None if y is None else y[rows]


def learned(cls, order, sizes):
    """The fit of batches, and that of all rows at once."""
    given, method = given_to(cls), cls()
    learner = method.begin(given.columns, None if given.y is None else np.unique(given.y), seed=1)
    for X, y in batches(cls, order, sizes):
        learner = learner.learn(X, y)
    assert learner.n_rows == len(given.X)
    return learner.fit(), method.fit(given.X, given.y, columns=given.columns, seed=1)


def test_there_is_one():
    assert METHODS


@pytest.mark.parametrize("cls", METHODS, ids=lambda cls: cls.card.name)
def test_one_batch_of_all_rows_is_a_fit_to_the_last_bit(cls):
    n = len(given_to(cls).X)
    found, whole = learned(cls, np.arange(n), [n])
    assert sha256(found) == sha256(whole)


@pytest.mark.parametrize("cls", METHODS, ids=lambda cls: cls.card.name)
def test_batches_in_any_order_give_the_fit_of_all_rows(cls):
    """Within the rounding of sums in another order."""
    X = given_to(cls).X
    order = np.random.default_rng(0).permutation(len(X))
    found, whole = learned(cls, order, [1, 2, len(X) - 10, 7])
    for verb in ("probabilities", "predict", "transform"):
        if hasattr(whole, verb):
            np.testing.assert_allclose(
                getattr(found, verb)(X), getattr(whole, verb)(X), rtol=1e-8, atol=1e-12
            )


@pytest.mark.parametrize("cls", METHODS, ids=lambda cls: cls.card.name)
def test_a_batch_leaves_the_learner_before_it_as_it_was(cls):
    given, method = given_to(cls), cls()
    before = method.begin(given.columns, np.unique(given.y)).learn(given.X[:20], given.y[:20])
    bits = sha256(before.fit())
    before.learn(given.X[20:], given.y[20:])
    assert sha256(before.fit()) == bits


@pytest.mark.parametrize("cls", METHODS, ids=lambda cls: cls.card.name)
def test_what_cannot_be_learned_is_said(cls):
    given, method = given_to(cls), cls()
    classes = np.unique(given.y)
    learner = method.begin(given.columns, classes)
    with pytest.raises(DataError, match="has seen no rows yet"):
        learner.fit()
    with pytest.raises(DataError, match="Give the same columns"):
        learner.learn(given.X[:, :-1], given.y)
    with pytest.raises(DataError, match="was not told of class"):
        learner.learn(given.X, np.full(len(given.y), 99))
    with pytest.raises(DataError, match="at least two classes to begin"):
        method.begin(given.columns)


def test_a_large_mean_costs_batches_no_digits():
    """Sums of raw squares would lose all of them: 1e8 squared is 1e16."""
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = 1e8 + y[:, None] + rng.normal(size=(200, 2))
    method = entries("classification")["naive_bayes"](variance_floor=0.0)
    whole = method.fit(X, y)
    learner = method.begin(whole.columns, (0, 1))
    for rows in np.split(np.arange(200), 10):
        learner = learner.learn(X[rows], y[rows])
    ours, theirs = learner.fit().distributions, whole.distributions
    np.testing.assert_allclose(ours.variances, theirs.variances, rtol=1e-7)
