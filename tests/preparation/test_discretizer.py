"""Discretisation: the reference, cuts by hand, what is left alone."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.preprocessing import KBinsDiscretizer

from mlcore.fit import Column
from mlcore.preparation.discretizer import Discretizer, EqualFrequency, EqualWidth

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


def test_a_bin_a_column_keeps_the_variable_and_holes():
    columns = (Column("age"), Column("sex", "binary", ("f", "m")))
    X = np.array([[1.0, 0], [2, 1], [3, np.nan], [np.nan, 1]])
    fit = Discretizer(rule=EqualWidth(bins=2), encode="onehot").fit(X, columns=columns)
    assert [c.name for c in fit.out_columns] == ["age bin 1", "age bin 2", "sex"]
    assert [c.variable for c in fit.out_columns] == ["age", "age", "sex"]
    wanted = [[1, 0, 0], [0, 1, 1], [0, 1, np.nan], [np.nan, np.nan, 1]]
    np.testing.assert_array_equal(fit.transform(X), wanted)
    assert fit.summary().values == (("age", "cut 1", 2.0),)
