"""Clipping: fences by hand and by the textbook, what is left alone, what is said."""

from __future__ import annotations

import numpy as np
import pytest

from mlcore.preparation.outlier_clipper import OutlierClipper
from mlcore.preparation.standardise import MAD_TO_SD
from mlcore.spine.fit import Column

X = np.array([[0.0], [1], [2], [3], [4], [100]])


@pytest.mark.parametrize(
    ("step", "low", "high"),
    [
        (OutlierClipper(), 1.25 - 3 * 2.5, 3.75 + 3 * 2.5),
        (OutlierClipper(threshold=1.0), 1.25 - 2.5, 3.75 + 2.5),
        (OutlierClipper(rule="mad", threshold=2.0), 2.5 - 3 * MAD_TO_SD, 2.5 + 3 * MAD_TO_SD),
        (OutlierClipper(rule="zscore"), X.mean() - 3 * X.std(), X.mean() + 3 * X.std()),
        (OutlierClipper(rule="quantile", share=0.2), 1.0, 4.0),
    ],
    ids=repr,
)
def test_the_fences_by_hand(step, low, high):
    fit = step.fit(X)
    np.testing.assert_allclose([fit.low[0], fit.high[0]], [low, high], rtol=1e-12)
    np.testing.assert_allclose(fit.transform([[-1e9], [1e9], [3.0]])[:, 0], [low, high, 3.0])


def test_six_rows_are_too_few_for_the_standard_deviation_to_find_any():
    # The largest z-score among n rows is the root of n - 1: 2.236 for six.
    assert OutlierClipper(rule="zscore", threshold=2.24).fit(X).moved[0] == 0
    assert OutlierClipper(rule="iqr").fit(X).moved[0] == 1


def test_indicators_names_and_constants_pass_and_missing_values_stay():
    rng = np.random.default_rng(0)
    rare = (np.arange(100) == 7) * 1.0
    rows = np.column_stack([rare, rng.integers(0, 4, 100), np.full(100, 2.0), rng.normal(size=100)])
    rows[3, 3] = np.nan
    columns = (Column("x=1"), Column("c", "ordinal", tuple("abcd")), Column("k"), Column("z"))
    fit = OutlierClipper(threshold=1.0).fit(rows, columns=columns)
    Z = fit.transform(rows)
    np.testing.assert_array_equal(Z[:, :3], rows[:, :3])
    assert np.isnan(Z[3, 3])
    assert {name for name, _, _ in fit.summary().values} == {"z"}


@pytest.mark.parametrize("rule", ["iqr", "mad"])
def test_a_spread_of_0_falls_back_on_the_standard_deviation_and_says_so(rule):
    x = np.array([1.0] * 9 + [2.0, 5.0])
    fit = OutlierClipper(rule=rule).fit(x[:, None], columns=(Column("a"),))
    assert fit.high[0] == pytest.approx(x.mean() + 3 * x.std())
    note = fit.summary().note
    assert note.endswith(f"{rule.upper()} is 0, so the standard deviation is used: a.")


def test_what_was_moved_is_counted_and_named():
    fit = OutlierClipper().fit(X, columns=(Column("a"),))
    assert fit.summary().note == "Moved 1 value of the training rows to a fence, in a."
