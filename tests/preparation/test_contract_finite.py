"""What every step promises that wants finite numbers, and so stands after imputing and encoding."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.fit import Column
from mlcore.spine.registry import entries
from tests.preparation.stands import takes_any_table
from tests.preparation.test_contract import tried

N = 40
COLUMNS = tuple(Column(f"pixel_{r}_{c}") for r in (0, 1) for c in (0, 1))


def rows(n: int = N, *, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows of four numbers of different scale, one of which tells two classes apart."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.normal(size=(n, 4)) * [1, 10, 1, 0.1] + np.outer(y, [0, 0, 3, 0]), y


def variants() -> list:
    """Every such step with its defaults, and with each other value of each choice and flag."""
    found: list = []
    for cls in entries("preparation").values():
        step: Any = cls()
        if not takes_any_table(step) and hasattr(step.fit_class(), "transform"):
            found += tried(cls)
    return found


EVERY = [pytest.param(step, id=repr(step)) for step in variants()]


@pytest.mark.parametrize("step", EVERY)
def test_a_row_is_transformed_as_if_it_were_alone(step):
    X, y = rows()
    fit = step.fit(X, y, columns=COLUMNS)
    new = rows(seed=1)[0] * 3
    one_by_one = np.vstack([fit.transform(row[None]) for row in new])
    # A product of matrices may add up in another order for one row than for many.
    np.testing.assert_allclose(fit.transform(new), one_by_one, rtol=1e-10, atol=1e-10)
    assert fit.transform(new).shape[1] == len({c.name for c in fit.out_columns})


@pytest.mark.parametrize("step", EVERY)
def test_what_is_given_stays_and_the_fit_is_read_only_also_after_a_worker(step):
    X, y = rows()
    before = X.copy(), y.copy()
    fit = step.fit(X, y, columns=COLUMNS)
    again = pickle.loads(pickle.dumps(fit))
    np.testing.assert_array_equal(again.transform(X), fit.transform(X))
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(y, before[1])
    held = [v for v in vars(again).values() if isinstance(v, np.ndarray)]
    assert not any(array.flags.writeable for array in held)


@pytest.mark.parametrize("step", EVERY)
def test_rows_of_another_width_are_refused_and_the_way_back_exists_where_offered(step):
    X, y = rows()
    fit = step.fit(X, y, columns=COLUMNS)
    with pytest.raises(DataError, match="fitted on 4 columns"):
        fit.transform(X[:, :3])
    if hasattr(fit, "inverse_transform") and len(fit.out_columns) == 4:
        np.testing.assert_allclose(fit.inverse_transform(fit.transform(X)), X, atol=1e-9)


@pytest.mark.parametrize("step", EVERY)
def test_the_summary_is_short_and_plain(step):
    summary = step.fit(*rows(), columns=COLUMNS).summary()
    assert summary.step == step.title()
    assert all(isinstance(value, float) for _, _, value in summary.values)
    assert summary.values or summary.note


CONSTANT = np.where(np.arange(4) == 1, 3.5, rows()[0])
ODD = {
    "one row": (rows(1)[0], np.zeros(1, dtype=int)),
    "equal rows": (np.repeat(rows(1)[0], 6, axis=0), np.arange(6) % 2),
    "a constant column": (CONSTANT, rows()[1]),
    "one class": (rows()[0], np.zeros(N, dtype=int)),
    "fewer rows than columns": rows(3),
}


@pytest.mark.parametrize(("X", "y"), ODD.values(), ids=ODD)
@pytest.mark.parametrize("step", EVERY)
def test_odd_rows_give_numbers_or_a_sentence(step, X, y):
    said, out = "", np.zeros(0)
    try:
        out = step.fit(X, y, columns=COLUMNS).transform(X)
    except (DataError, ParamError) as error:
        said = str(error)
    assert np.isfinite(out).all()
    assert len(out) == len(X) or (said.endswith(".") and len(said) < 400)
