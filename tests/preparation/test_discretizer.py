"""Discretisation: the reference, cuts by hand, what is left alone."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.preprocessing import KBinsDiscretizer

from mlcore.preparation.discretizer import Discretizer, EqualFrequency, EqualWidth
from mlcore.preparation.entropy_mdl import EntropyMdl
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column

RULES = [
    (EqualWidth(), {"strategy": "uniform", "n_bins": 5}),
    (EqualWidth(bins=12), {"strategy": "uniform", "n_bins": 12}),
    (EqualFrequency(), {"strategy": "quantile", "n_bins": 5, "quantile_method": "linear"}),
    (EqualFrequency(bins=9), {"strategy": "quantile", "n_bins": 9, "quantile_method": "linear"}),
]


@pytest.mark.parametrize("encode", ["ordinal", "onehot"])
@pytest.mark.parametrize(("rule", "theirs"), RULES, ids=[repr(rule) for rule, _ in RULES])
def test_bins_are_those_of_the_reference(rule, theirs, encode):
    rng = np.random.default_rng(0)
    X = rng.lognormal(size=(200, 3)) * [1, 1e4, 1e-3]
    kind = {"ordinal": "ordinal", "onehot": "onehot-dense"}[encode]
    peer = KBinsDiscretizer(encode=kind, subsample=None, **theirs).fit(X[:150])
    fit = Discretizer(rule=rule, encode=encode).fit(X[:150])
    np.testing.assert_array_equal(fit.transform(X), peer.transform(X))


def test_cuts_by_hand():
    x = np.array([[0.0], [1], [2], [3], [10]])
    fit = Discretizer(rule=EqualWidth(bins=2)).fit(x)
    np.testing.assert_array_equal(fit.transform([[-9.0], [4.9], [5.0], [99.0]])[:, 0], [0, 0, 1, 1])
    fit = Discretizer(rule=EqualFrequency(bins=2)).fit(x)
    np.testing.assert_array_equal(fit.cuts[0], [2])


def test_bins_of_equal_frequency_hold_as_many_rows_each():
    x = np.random.default_rng(1).normal(size=1000)[:, None]
    Z = Discretizer(rule=EqualFrequency(bins=8)).fit(x).transform(x)
    assert set(np.bincount(Z[:, 0].astype(int))) == {125}


def test_a_bin_a_column_keeps_the_variable_and_missing_values():
    columns = (Column("age"), Column("sex", "binary", ("f", "m")))
    X = np.array([[1.0, 0], [2, 1], [3, np.nan], [np.nan, 1]])
    fit = Discretizer(rule=EqualWidth(bins=2), encode="onehot").fit(X, columns=columns)
    assert [c.name for c in fit.out_columns] == ["age bin 1", "age bin 2", "sex"]
    assert [c.variable for c in fit.out_columns] == ["age", "age", "sex"]
    wanted = [[1, 0, 0], [0, 1, 1], [0, 1, np.nan], [np.nan, np.nan, 1]]
    np.testing.assert_array_equal(fit.transform(X), wanted)
    assert fit.summary().values == (("age", "cut 1", 2.0),)


# The cuts that the method is known to make on these flowers, in centimetres.
IRIS = ([5.55, 6.15], [2.95, 3.35], [2.45, 4.75], [0.8, 1.75])


def test_cuts_by_entropy_are_those_known_of_iris():
    X, y = load_iris(return_X_y=True)
    fit = Discretizer(rule=EntropyMdl()).fit(X, y)
    for found, wanted in zip(fit.cuts, IRIS, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-9)


def test_a_cut_must_pay_for_itself():
    x, y = np.arange(8.0), np.repeat([0, 1], 4)
    np.testing.assert_array_equal(EntropyMdl().cuts(x, y), [3.5])
    assert len(EntropyMdl().cuts(x, np.array([0, 1, 0, 1, 0, 1, 0, 1]))) == 0
    # Of two rows a perfect cut saves 2 bits; telling it costs 0 + log2 7 - 2 = 0.81 bits.
    np.testing.assert_array_equal(EntropyMdl().cuts(np.array([1.0, 3.0]), np.array([1, 0])), [2])
    # Equal values stay together, and one class needs no cut.
    assert len(EntropyMdl().cuts(np.ones(6), y[1:7])) == 0
    assert len(EntropyMdl().cuts(x, np.zeros(8, dtype=int))) == 0


def test_a_cut_has_a_price_among_a_thousand_classes():
    codes = np.repeat(np.arange(1000), 2)  # rising with the values: a cut parts the classes
    x = np.arange(2000.0)
    assert 999.5 in EntropyMdl().cuts(x, codes)
    assert len(EntropyMdl().cuts(np.zeros(2000), codes)) == 0


def test_noise_is_hardly_ever_cut():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 40)
    cut = [len(EntropyMdl().cuts(rng.normal(size=120), y)) for _ in range(60)]
    assert np.count_nonzero(cut) <= 3


def test_classes_of_rows_with_missing_values_stay_beside_their_values():
    X, y = load_iris(return_X_y=True)
    X[::3, 2] = np.nan
    fit = Discretizer(rule=EntropyMdl()).fit(X, y)
    seen = ~np.isnan(X[:, 2])
    np.testing.assert_array_equal(fit.cuts[2], EntropyMdl().cuts(X[seen, 2], y[seen]))


@pytest.mark.parametrize("y", [None, np.linspace(0, 1, 9)])
def test_without_classes_entropy_is_refused_and_other_rules_are_not(y):
    X = np.arange(9.0)[:, None]
    with pytest.raises(DataError, match="cuts where classes part; this target has none"):
        Discretizer(rule=EntropyMdl()).fit(X, y)
    assert len(Discretizer().fit(X, y).cuts[0]) == 4
