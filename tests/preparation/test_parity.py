"""The steps against scikit-learn, and against numbers worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import impute, preprocessing

from mlcore.preparation.impute import Impute
from mlcore.preparation.min_max import MinMax
from mlcore.preparation.one_hot import OneHot
from mlcore.preparation.ordinal import Ordinal
from mlcore.preparation.quantile import QuantileTransformer
from mlcore.preparation.standardise import MAD_TO_SD, Standardise
from mlcore.spine.errors import DataError, ParamError
from mlcore.spine.fit import Column


def numbers(*, missing: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Training and new rows of very different scales, shape (80, 4) and (30, 4)."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(110, 4)) * [1, 1000, 1e-3, 5] + [0, 1e5, 0, -2]
    X[:, 3] = np.round(X[:, 3])
    if missing:
        X[rng.random(X.shape) < 0.15] = np.nan
    return X[:80], X[80:]


PARITY = [
    (Impute(), impute.SimpleImputer(strategy="median")),
    (Impute(strategy="mean"), impute.SimpleImputer(strategy="mean")),
    (Impute(strategy="most_frequent"), impute.SimpleImputer(strategy="most_frequent")),
    (
        Impute(strategy="constant", fill_value=-7.0),
        impute.SimpleImputer(strategy="constant", fill_value=-7.0),
    ),
    (Impute(indicator=True), impute.SimpleImputer(strategy="median", add_indicator=True)),
    (Standardise(), preprocessing.StandardScaler()),
    (Standardise(scale="none"), preprocessing.StandardScaler(with_std=False)),
    (Standardise(center="none"), preprocessing.StandardScaler(with_mean=False)),
    (Standardise(center="median", scale="iqr"), preprocessing.RobustScaler()),
    (MinMax(), preprocessing.MinMaxScaler()),
    (MinMax(low=-1.0, high=2.0), preprocessing.MinMaxScaler((-1, 2))),
    (MinMax(clip=True), preprocessing.MinMaxScaler(clip=True)),
    (QuantileTransformer(n_quantiles=80), preprocessing.QuantileTransformer(n_quantiles=80)),
    (QuantileTransformer(n_quantiles=12), preprocessing.QuantileTransformer(n_quantiles=12)),
    (
        QuantileTransformer(output="normal", n_quantiles=30),
        preprocessing.QuantileTransformer(output_distribution="normal", n_quantiles=30),
    ),
]


@pytest.mark.parametrize(("ours", "theirs"), PARITY, ids=[repr(ours) for ours, _ in PARITY])
def test_numbers_are_treated_as_by_the_reference(ours, theirs):
    train, new = numbers()
    found, wanted = ours.fit(train).transform(new), theirs.fit(train).transform(new)
    np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-10)


def names(n: int = 90) -> tuple[np.ndarray, tuple[Column, ...]]:
    """Three columns of names, the second with two levels, the third with rare ones."""
    rng = np.random.default_rng(1)
    X = np.column_stack(
        [
            rng.integers(0, 4, n),
            rng.integers(0, 2, n),
            rng.choice(6, n, p=[0.4, 0.3, 0.2, 0.06, 0.02, 0.02]),
        ]
    ).astype(float)
    levels = [tuple("abcd"), tuple("uv"), tuple("pqrstw")]
    columns = [Column(f"x{j}", "nominal", v, f"x{j}") for j, v in enumerate(levels)]
    return X, tuple(columns)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (OneHot(), {}),
        (OneHot(drop="first"), {"drop": "first"}),
        (OneHot(drop="binary"), {"drop": "if_binary"}),
        (OneHot(min_count=8), {"min_frequency": 8, "handle_unknown": "infrequent_if_exist"}),
    ],
)
def test_names_are_encoded_as_by_the_reference(ours, theirs):
    X, columns = names()
    encoder = preprocessing.OneHotEncoder(sparse_output=False, **theirs).fit(X[:60])
    fit = ours.fit(X[:60], columns=columns)
    known = np.all([np.isin(X[60:, j], X[:60, j]) for j in range(3)], axis=0)
    new = X[60:][known]
    np.testing.assert_array_equal(fit.transform(new), encoder.transform(new))


def test_ordinal_from_zero_is_that_of_the_reference():
    X, columns = names()
    ours = Ordinal(coding="from_zero", kinds=("nominal",)).fit(X, columns=columns)
    categories = [np.arange(len(c.levels), dtype=float) for c in columns]
    theirs = preprocessing.OrdinalEncoder(categories=categories).fit(X)
    np.testing.assert_array_equal(ours.transform(X), theirs.transform(X))


def test_standardised_columns_have_mean_0_and_population_variance_1():
    Z = Standardise().fit(numbers(missing=False)[0]).transform(numbers(missing=False)[0])
    np.testing.assert_allclose(Z.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(Z.var(axis=0), 1, atol=1e-12)


def test_min_max_maps_the_training_range_to_exactly_the_interval():
    X = np.random.default_rng(2).integers(-5, 9, (40, 3)).astype(float)
    Z = MinMax().fit(X).transform(X)
    np.testing.assert_array_equal([Z.min(axis=0), Z.max(axis=0)], [[0] * 3, [1] * 3])


@pytest.mark.parametrize(
    ("coding", "wanted"),
    [("centred", [-1, 0, 1]), ("from_zero", [0, 1, 2]), ("unit_interval", [0, 0.5, 1])],
)
def test_poor_fair_excellent(coding, wanted):
    column = Column("care", "ordinal", ("poor", "fair", "excellent"), "care")
    fit = Ordinal(coding=coding).fit([[0.0], [1.0], [2.0]], columns=(column,))
    np.testing.assert_array_equal(fit.transform([[0.0], [1.0], [2.0]])[:, 0], wanted)
    assert fit.out_columns == (Column("care", "number", (), "care"),)


def test_an_order_that_is_given_is_that_of_the_columns_with_these_levels():
    medal = Column("medal", "nominal", ("bronze", "gold", "silver"), "medal")
    sex = Column("sex", "binary", ("female", "male"), "sex")
    step = Ordinal(order=("none", "bronze", "silver", "gold"), coding="from_zero")
    X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [np.nan, 0.0]])
    fit = step.fit(X, columns=(medal, sex))
    np.testing.assert_array_equal(fit.transform(X)[:, 0], [1, 3, 2, np.nan])
    np.testing.assert_array_equal(fit.transform(X)[:, 1], X[:, 1])
    np.testing.assert_array_equal(fit.inverse_transform(fit.transform(X)), X)
    assert fit.out_columns == (Column("medal", "number", (), "medal"), sex)


def test_four_nationalities_become_unit_vectors():
    column = Column("from", "nominal", ("CH", "DE", "FR", "IT"), "from")
    fit = OneHot().fit(np.arange(4.0)[:, None], columns=(column,))
    np.testing.assert_array_equal(fit.transform(np.arange(4.0)[:, None]), np.eye(4))
    assert [c.name for c in fit.out_columns] == ["from=CH", "from=DE", "from=FR", "from=IT"]
    assert {c.source for c in fit.out_columns} == {"from"}


def test_rows_of_one_hot_sum_to_one_also_with_rare_and_missing_levels():
    X, columns = names()
    X[::9, 0] = np.nan
    for min_count in (1, 5, 40):
        fit = OneHot(min_count=min_count).fit(X, columns=columns)
        Z = fit.transform(X)
        for name in ("x0", "x1", "x2"):
            block = [j for j, c in enumerate(fit.out_columns) if c.source == name]
            np.testing.assert_array_equal(Z[:, block].sum(axis=1), 1)


def binary(values: list[float]) -> tuple[np.ndarray, tuple[Column, ...]]:
    return np.array(values)[:, None], (Column("sex", "binary", ("female", "male"), "sex"),)


def test_a_binary_column_becomes_one_column_of_0_and_1():
    X, columns = binary([0, 1, 1, 0])
    fit = OneHot().fit(X, columns=columns)
    assert [c.name for c in fit.out_columns] == ["sex=male"]
    np.testing.assert_array_equal(fit.transform(X)[:, 0], [0, 1, 1, 0])


def test_a_missing_name_is_a_level_where_training_has_one_and_zeros_else():
    X, columns = binary([0, 1, np.nan, 0])
    fit = OneHot().fit(X, columns=columns)
    assert [c.name for c in fit.out_columns] == ["sex=female", "sex=male", "sex=missing"]
    np.testing.assert_array_equal(fit.transform(X)[2], [0, 0, 1])
    zeros = OneHot(missing="zeros", drop="none").fit(X, columns=columns)
    np.testing.assert_array_equal(zeros.transform(X)[:, 0], [0, 1, 0, 0])


def test_a_level_that_training_did_not_have_is_zeros_or_refused():
    X, columns = names()
    common = X[X[:, 0] < 3]
    new = X[X[:, 0] == 3][:2]
    Z = OneHot().fit(common, columns=columns).transform(new)
    np.testing.assert_array_equal(Z[:, :3], 0)
    with pytest.raises(DataError, match=r"'d' in column x0, row 1, which no training row has"):
        OneHot(unknown="error").fit(common, columns=columns).transform(new)


def test_values_that_are_no_codes_are_refused():
    X, columns = names()
    with pytest.raises(DataError, match="codes from 0 to 3 in column x0"):
        OneHot().fit(X + 0.5, columns=columns)
    fit = OneHot().fit(X, columns=columns)
    with pytest.raises(DataError, match="codes from 0 to 3"):
        fit.transform(X + 1)


def test_missing_names_get_a_level_of_their_own():
    X, columns = binary([0, 1, np.nan, 0])
    fit = Impute(names="constant").fit(X, columns=columns)
    assert fit.out_columns[0].kind == "nominal"
    assert fit.out_columns[0].levels == ("female", "male", "missing")
    np.testing.assert_array_equal(fit.transform(X)[:, 0], [0, 1, 2, 0])
    assert fit.summary().values == (("sex", "missing for missing values", 1.0),)


def test_the_first_of_equally_frequent_levels_fills_a_missing_value():
    X, columns = binary([1, 0, np.nan, 1, 0])
    assert Impute().fit(X, columns=columns).transform(X)[2, 0] == 0


def test_a_column_without_training_values_is_0_and_named():
    X = np.column_stack([np.arange(4.0), np.full(4, np.nan)])
    for strategy in ("median", "mean", "most_frequent"):
        fit = Impute(strategy=strategy).fit(X, columns=(Column("a"), Column("b")))
        np.testing.assert_array_equal(fit.transform(X)[:, 1], 0)
        assert fit.summary().note == "No training row has a value of b (filled with 0)."


def test_what_fills_a_column_without_values_is_said_as_it_is():
    X = np.full((3, 2), np.nan)
    columns = (Column("a"), Column("sex", "binary", ("female", "male"), "sex"))
    first = Impute(strategy="constant", fill_value=-7.0).fit(X, columns=columns)
    np.testing.assert_array_equal(first.transform(X)[0], [-7, 0])
    assert "a (filled with -7) and sex (filled with female)" in first.summary().note
    own = Impute(names="constant").fit(X, columns=columns)
    assert "sex (filled with missing)" in own.summary().note


def test_a_constant_column_is_centred_named_and_not_divided():
    X = np.column_stack([np.full(5, 0.1), np.arange(5.0)])
    fit = Standardise().fit(X, columns=(Column("a"), Column("b")))
    np.testing.assert_allclose(fit.transform(X)[:, 0], 0, atol=1e-16)
    assert fit.scale[0] == 1
    assert fit.summary().note == "Constant in the training rows, so not scaled: a."


def test_a_large_mean_does_not_spoil_the_variance():
    x = np.random.default_rng(0).normal(size=200)
    Z = Standardise().fit((x + 1e9)[:, None]).transform((x + 1e9)[:, None])
    np.testing.assert_allclose(Z[:, 0], (x - x.mean()) / x.std(), atol=1e-6)


def test_a_robust_spread_of_0_falls_back_on_the_standard_deviation_and_says_so():
    x = np.array([1.0] * 9 + [5.0])
    for scale in ("iqr", "mad"):
        fit = Standardise(scale=scale).fit(x[:, None], columns=(Column("a"),))
        assert fit.scale[0] == pytest.approx(x.std())
        assert "standard deviation is used: a" in fit.summary().note


def test_mad_estimates_the_standard_deviation_of_a_gaussian():
    x = np.array([1.0, 2.0, 4.0, 7.0, 100.0])
    fit = Standardise(center="median", scale="mad").fit(x[:, None])
    assert (fit.center[0], fit.scale[0]) == (4.0, MAD_TO_SD * 3.0)


def test_scalers_leave_names_alone():
    X, columns = names()
    for step in (Standardise(), MinMax(clip=True)):
        fit = step.fit(X, columns=columns)
        np.testing.assert_array_equal(fit.transform(X), X)
        assert fit.out_columns == columns


def test_a_range_too_small_to_divide_by_is_no_range():
    X = np.array([[0.0], [1e-310]])
    np.testing.assert_array_equal(MinMax().fit(X).transform(X), X)


def test_more_levels_than_a_table_can_hold_are_refused_in_a_sentence():
    levels = tuple(f"street {k}" for k in range(2001))
    X = np.arange(2001.0)[:, None]
    with pytest.raises(DataError, match=r"of street would make 2,001 columns.*Raise min_count"):
        OneHot().fit(X, columns=(Column("street", "nominal", levels),))


def test_an_interval_without_length_is_refused():
    with pytest.raises(ParamError, match="high must be greater than low"):
        MinMax(low=1.0, high=1.0)


def test_quantiles_spread_the_training_rows_evenly_whatever_their_scale():
    x = np.random.default_rng(4).lognormal(sigma=3, size=101)
    fit = QuantileTransformer().fit(x[:, None])
    Z = fit.transform(x[:, None])[:, 0]
    np.testing.assert_allclose(Z[np.argsort(x)], np.linspace(0, 1, 101), atol=1e-12)
    np.testing.assert_array_equal(fit.transform([[-1.0], [x.max() * 2]]), [[0], [1]])


def test_equal_values_get_the_middle_of_their_ranks():
    x = np.array([0.0, 1, 1, 1, 2, 5, 5, 9, 10, 12, 20])
    fit = QuantileTransformer().fit(x[:, None])
    np.testing.assert_allclose(fit.transform(x[:, None])[[1, 5], 0], [0.2, 0.55], atol=1e-12)


def test_a_constant_column_is_0_in_either_distribution():
    for output in ("uniform", "normal"):
        fit = QuantileTransformer(output=output).fit([[3.0], [3.0]], columns=(Column("a"),))
        np.testing.assert_array_equal(fit.transform([[3.0], [4.0]]), 0)
        assert fit.summary().note == "Constant in the training rows, so set to 0: a."
