"""A step for some columns: what it changes, what it lets pass, and where columns come out."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.preprocessing import QuantileTransformer as PeerQuantiles
from sklearn.preprocessing import StandardScaler

from mlcore.preparation.balancer import Balancer
from mlcore.preparation.chain import prepare
from mlcore.preparation.discretizer import Discretizer
from mlcore.preparation.one_hot import OneHot
from mlcore.preparation.quantile import QuantileTransformer
from mlcore.preparation.reduce import Reduce
from mlcore.preparation.some_columns import SomeColumns, leaving
from mlcore.preparation.standardise import Standardise
from mlcore.runs.carry import carried_out
from mlcore.runs.run import Run
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.fit import Column
from tests.preparation.test_contract import COLUMNS, mixed

NAMED = tuple(Column(name) for name in "abcd")
X = np.random.default_rng(0).lognormal(size=(50, 4))


def test_two_of_them_are_the_column_transformer_of_the_reference():
    chain = (
        SomeColumns(names=("a", "c")),
        SomeColumns(names=("d",), step=QuantileTransformer(n_quantiles=50)),
    )
    found = prepare(chain, X[:40], None, NAMED)
    peer = ColumnTransformer(
        [("s", StandardScaler(), [0, 2]), ("q", PeerQuantiles(n_quantiles=40), [3])],
        remainder="passthrough",
    ).fit(X[:40])
    theirs = peer.transform(X[40:])[:, [0, 3, 1, 2]]  # those that pass come last there
    np.testing.assert_allclose(found.transform(X[40:]), theirs, atol=1e-10)
    assert [column.name for column in found.columns] == list("abcd")


def test_columns_that_are_not_named_pass_with_their_missing_values_and_names():
    fit = SomeColumns(names=("mass",)).fit(mixed(), columns=COLUMNS)
    np.testing.assert_array_equal(fit.transform(mixed())[:, 1:], mixed()[:, 1:])
    assert fit.out_columns[1:] == COLUMNS[1:]
    assert {name for name, _, _ in fit.summary().values} == {"mass"}


def test_what_was_made_of_a_column_belongs_to_it():
    steps = (OneHot(), SomeColumns(names=("island",)))
    prepared = prepare(steps, mixed(missing=False), None, COLUMNS)
    at = [j for j, column in enumerate(prepared.columns) if column.variable == "island"]
    np.testing.assert_allclose(prepared.X[:, at].std(axis=0), 1.0)
    np.testing.assert_array_equal(prepared.X[:, 0], mixed(missing=False)[:, 0])


def test_new_columns_stand_behind_and_take_no_name_that_there_is():
    reduce = [SomeColumns(names=tuple(pair), step=Reduce()) for pair in ("ab", "cd")]
    prepared = prepare(tuple(reduce), X, None, NAMED)
    names = [column.name for column in prepared.columns]
    assert len(set(names)) == len(names) == prepared.X.shape[1]
    bins = SomeColumns(names=("b",), step=Discretizer(encode="onehot")).fit(X, columns=NAMED)
    assert [c.name for c in bins.out_columns[:3]] == ["a", "c", "d"]
    assert {c.variable for c in bins.out_columns[3:]} == {"b"}


def test_it_turns_back_where_its_step_does():
    fit = SomeColumns(names=("b", "d")).fit(X, columns=NAMED)
    np.testing.assert_allclose(fit.inverse_transform(fit.transform(X)), X)
    forgets = SomeColumns(names=("b",), step=Discretizer()).fit(X, columns=NAMED)
    assert not hasattr(forgets, "inverse_transform")


def test_a_column_that_is_not_there_and_a_step_that_changes_rows_are_refused():
    with pytest.raises(DataError, match="is for e, which is not among the columns"):
        SomeColumns(names=("a", "e")).fit(X, columns=NAMED)
    with pytest.raises(ParamError, match="changes rows, such as class balancing"):
        SomeColumns(step=Balancer())


def test_it_travels_in_a_link_and_learns_in_the_fold():
    step = SomeColumns(names=("body_mass_g",), step=Standardise(center="median"))
    run = Run(data="penguins", method="lda", preparation=(step, *Run().preparation))
    assert Run.from_link(run.to_link()) == (run, ())
    medians = {fold.summary[0].values[0][2] for fold in carried_out(run).done}
    assert len(medians) > 1


def test_all_but_some_columns():
    step = SomeColumns(names=("b", "elsewhere"), all_but=True)
    out = prepare((step,), X, None, NAMED).X
    np.testing.assert_array_equal(out[:, 1], X[:, 1])
    np.testing.assert_allclose(out[:, [0, 2, 3]].mean(axis=0), 0.0, atol=1e-12)


def test_steps_leave_columns_as_they_came():
    own = SomeColumns(names=("b",))
    steps = leaving((Standardise(), own, Balancer()), ("b",))
    assert steps == (SomeColumns(names=("b",), all_but=True), own, Balancer())
    assert leaving((Standardise(),), ()) == (Standardise(),)
