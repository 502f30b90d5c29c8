"""What every preparation step promises, on a table with every kind of column, and incomplete."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from mlcore.preparation.chain import prepare
from mlcore.preparation.count_vectorizer import CountVectorizer
from mlcore.preparation.discretizer import Discretizer
from mlcore.preparation.gaussian_imputer import GaussianImputer
from mlcore.preparation.impute import Impute
from mlcore.preparation.min_max import MinMax
from mlcore.preparation.one_hot import OneHot
from mlcore.preparation.ordinal import Ordinal
from mlcore.preparation.outlier_clipper import OutlierClipper
from mlcore.preparation.standardise import Standardise
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column
from mlcore.spine.param_kinds import Choice, Flag
from mlcore.spine.params import params_of
from mlcore.spine.registry import entries
from tests.preparation.stands import takes_any_table

COLUMNS = (
    Column("mass", "number", (), "mass"),
    Column("age", "count", (), "age"),
    Column("island", "nominal", ("Biscoe", "Dream", "Torgersen"), "island"),
    Column("sex", "binary", ("female", "male"), "sex"),
    Column("grade", "ordinal", ("poor", "fair", "good", "excellent"), "grade"),
    Column("day", "datetime", (), "day"),
    Column("same", "number", (), "same"),
)
# What was missing, beyond a fence or within a bin is not known any more, nor the order of words.
FORGETFUL = (CountVectorizer, Discretizer, Impute, GaussianImputer, OutlierClipper)
DEFAULT = (Impute(), OneHot(), Standardise())


def mixed(n: int = 60, *, seed: int = 0, missing: bool = True) -> np.ndarray:
    """Rows of `COLUMNS`, shape (n, 7)."""
    rng = np.random.default_rng(seed)
    X = np.column_stack(
        [
            rng.normal(4000, 800, n),
            rng.poisson(5, n),
            rng.integers(0, 3, n),
            rng.integers(0, 2, n),
            rng.integers(0, 4, n),
            rng.uniform(19_000, 20_000, n),
            np.full(n, 3.5),
        ]
    )
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    return X


def variants() -> list:
    """Every step for any table as it stands, and with each other value of each choice and flag.

    Steps that want finite numbers are in test_contract_finite, those that resample in
    test_samplers.
    """
    found = [s for c in entries("preparation").values() if _is_for_any_table(c) for s in tried(c)]
    return [*found, OneHot(min_count=25), MinMax(low=-1.0, high=2.0)]


def tried(cls: type) -> list:
    """A step with its defaults, and with each other value of each choice and flag."""
    found = [cls()]
    for name, param in params_of(cls).items():
        if isinstance(param, Choice | Flag):
            found += [cls(**{name: v}) for v in param.tries() if v != getattr(cls(), name)]
    return found


def _is_for_any_table(cls: type) -> bool:
    """Whether it turns rows with missing values into others."""
    return takes_any_table(cls) and hasattr(cls().fit_class(), "transform")


EVERY = [pytest.param(step, id=repr(step)) for step in variants()]


@pytest.mark.parametrize("step", EVERY)
def test_row_by_row_equals_all_at_once(step):
    fit = step.fit(mixed(), columns=COLUMNS)
    new = mixed(seed=1) if getattr(step, "unknown", "") != "error" else mixed()
    at_once = fit.transform(new)
    one_by_one = np.vstack([fit.transform(row[None]) for row in new])
    np.testing.assert_array_equal(at_once, one_by_one)


@pytest.mark.parametrize("step", EVERY)
def test_out_columns_name_every_column_and_its_variable(step):
    fit = step.fit(mixed(), columns=COLUMNS)
    assert fit.transform(mixed()).shape[1] == len(fit.out_columns)
    assert len({c.name for c in fit.out_columns}) == len(fit.out_columns)
    assert {c.variable for c in fit.out_columns} == {c.name for c in COLUMNS}


@pytest.mark.parametrize("step", EVERY)
def test_what_is_given_stays_as_it_was(step):
    X = mixed()
    before = X.copy()
    fit = step.fit(X, columns=COLUMNS)
    fit.transform(X)
    np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize("step", EVERY)
def test_arrays_are_read_only_also_after_a_trip_through_a_worker(step):
    fit = step.fit(mixed(), columns=COLUMNS)
    again = pickle.loads(pickle.dumps(fit))
    np.testing.assert_array_equal(again.transform(mixed()), fit.transform(mixed()))
    held = [v for v in vars(again).values() if isinstance(v, np.ndarray)]
    held += [block.table for block in getattr(again, "blocks", ())]
    assert not any(array.flags.writeable for array in held)


@pytest.mark.parametrize("step", EVERY)
def test_transforming_back_gives_the_rows_again(step):
    X = mixed()
    fit = step.fit(X, columns=COLUMNS)
    if not hasattr(fit, "inverse_transform"):
        assert isinstance(step, FORGETFUL)
        return
    if isinstance(step, OneHot):
        X = X[~np.isnan(X).any(axis=1)]  # a missing name has no code to come back to
    back = fit.inverse_transform(fit.transform(X))
    rare = np.isnan(back) & ~np.isnan(X)
    assert rare.any() == (isinstance(step, OneHot) and step.min_count > 1)
    np.testing.assert_allclose(np.where(rare, X, back), X, rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("step", EVERY)
def test_a_wrong_number_of_columns_is_refused(step):
    fit = step.fit(mixed(), columns=COLUMNS)
    with pytest.raises(DataError, match="fitted on 7 columns"):
        fit.transform(mixed()[:, :6])
    if hasattr(fit, "inverse_transform"):
        with pytest.raises(DataError, match="columns"):
            fit.inverse_transform(np.zeros((2, len(fit.out_columns) + 1)))


@pytest.mark.parametrize("step", EVERY)
def test_the_summary_is_short_and_plain(step):
    summary = step.fit(mixed(), columns=COLUMNS).summary()
    assert summary.step == step.title()
    assert all(isinstance(value, float) for _, _, value in summary.values)
    assert {name for name, _, _ in summary.values} <= {c.name for c in COLUMNS}
    assert summary.values or summary.note


ODD = {
    "one row": mixed(1, missing=False),
    "two equal rows": np.repeat(mixed(1, missing=False), 2, axis=0),
    "a column without values": np.where(np.arange(7) < 1, np.nan, mixed(missing=False)),
    "a column of names without values": np.where(np.arange(7) == 2, np.nan, mixed(missing=False)),
    "nothing but missing values": np.full((4, 7), np.nan),
    "fewer rows than columns": mixed(3, missing=False),
}


@pytest.mark.parametrize("rows", ODD.values(), ids=ODD)
@pytest.mark.parametrize("step", EVERY)
def test_odd_rows_give_a_result(step, rows):
    fit = step.fit(rows, columns=COLUMNS)
    out = fit.transform(rows)
    assert not np.isinf(out).any()
    assert np.isnan(out).sum() <= np.isnan(rows).sum()
    assert isinstance(fit.summary().note, str)


@pytest.mark.parametrize("rows", [mixed(), *ODD.values()], ids=["mixed", *ODD])
def test_the_default_steps_make_any_table_finite_numbers(rows):
    prepared = prepare(DEFAULT, rows, None, COLUMNS)
    assert np.isfinite(prepared.X).all()
    assert np.isfinite(prepared.transform(mixed(seed=1))).all()
    assert {c.kind for c in prepared.columns} == {"number"}
    assert {c.variable for c in prepared.columns} == {c.name for c in COLUMNS}


@pytest.mark.parametrize("chain", [DEFAULT, (MinMax(), Ordinal(), Impute(), OneHot())])
def test_what_was_learned_does_not_change_with_rows_left_out(chain):
    X = mixed()
    train, test = np.arange(40), np.arange(40, 60)
    moved = X.copy()
    moved[test[:, None], [0, 1, 5, 6]] += 1e6
    moved[test, 2] = 2 - moved[test, 2]
    first, second = (prepare(chain, rows[train], None, COLUMNS) for rows in (X, moved))
    np.testing.assert_array_equal(first.X, second.X)
    assert first.summary() == second.summary()
    np.testing.assert_array_equal(first.transform(X[test]), second.transform(X[test]))


@pytest.mark.parametrize("step", EVERY)
def test_no_step_learns_from_rows_left_out(step):
    X = mixed()
    moved = X.copy()
    moved[40:, [0, 1, 5, 6]] += 1e6
    first, second = (prepare((step,), rows[:40], None, COLUMNS) for rows in (X, moved))
    np.testing.assert_array_equal(first.X, second.X)
    assert first.summary() == second.summary()


@pytest.mark.parametrize("step", EVERY)
def test_rows_that_are_seen_are_learned_from(step):
    X = mixed()
    X[40:, [0, 1, 5, 6]] += 1e6
    X[:40, 2] = np.fmin(X[:40, 2], 1)  # only later rows have the third level
    X[40:, 2] = 2
    first, second = (prepare((step,), rows, None, COLUMNS) for rows in (X[:40], X))
    differ = first.summary() != second.summary()
    # The numbers of one follow from the levels alone; the other finds no text here.
    assert differ or isinstance(step, Ordinal | CountVectorizer)


def test_that_check_fails_when_all_rows_are_seen():
    X = mixed()
    moved = X.copy()
    moved[40:, 0] += 1e6
    first, second = (prepare(DEFAULT, rows, None, COLUMNS) for rows in (X, moved))
    assert first.summary() != second.summary()
    assert not np.array_equal(first.X[:40], second.X[:40])


def test_steps_may_stand_in_another_order():
    usual = prepare(DEFAULT, mixed(), None, COLUMNS)
    scaled_first = prepare((Impute(), Standardise(), OneHot()), mixed(), None, COLUMNS)
    assert len(scaled_first.columns) == len(usual.columns)
    at = [j for j, c in enumerate(usual.columns) if "=" not in c.name]
    np.testing.assert_allclose(scaled_first.X[:, at], usual.X[:, at], atol=1e-12)
    assert scaled_first.columns[2].kind == "binary"  # left as 0 and 1: scaling came before


def test_nothing_to_do_costs_nothing():
    X = np.random.default_rng(0).normal(size=(50, 3))
    fit = OneHot().fit(X)
    assert np.shares_memory(fit.transform(X), X)
    np.testing.assert_array_equal(Impute().fit(X).transform(X), X)
