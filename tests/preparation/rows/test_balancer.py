"""Balancing: exact counts, and who comes back how often."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlcore.classification.base_rates import prior_shift
from mlcore.classification.lda import LDA
from mlcore.preparation.balancer import Balancer
from mlcore.preparation.chain import named, prepare
from mlcore.runs.carry import carried_out
from mlcore.runs.run import Run
from mlcore.runs.saved import model_of
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column

COUNTS = np.array([40, 13, 90])


def rows_and_classes() -> tuple[np.ndarray, np.ndarray]:
    """Rows that are their own numbers, and classes of 40, 13 and 90 rows, mixed."""
    y = np.random.default_rng(0).permutation(np.repeat(np.arange(3), COUNTS))
    return np.arange(len(y), dtype=float)[:, None], y


def balanced(seed: int = 0, **settings) -> tuple[np.ndarray, np.ndarray]:
    """Where the rows came from, and how many of each class there are."""
    X, y = rows_and_classes()
    found = Balancer(**settings).fit(X, y, seed=seed).resample(X, y)
    np.testing.assert_array_equal(found.X[:, 0], found.rows)  # the rows are those they say
    return found.rows, np.bincount(y[found.rows])


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, [13, 13, 13]),
        ({"ratio": 0.5}, [26, 13, 26]),
        ({"ratio": 0.05}, [40, 13, 90]),
        ({"method": "oversample"}, [90, 90, 90]),
        ({"method": "oversample", "ratio": 0.3}, [40, 27, 90]),
        ({"method": "bootstrap"}, [48, 48, 47]),
    ],
    ids=str,
)
def test_counts_are_exact(settings, expected):
    X, y = rows_and_classes()
    assert balanced(**settings)[1].tolist() == expected
    fit = Balancer(**settings).fit(X, y)
    assert (fit.counts_before.tolist(), fit.counts_after.tolist()) == (COUNTS.tolist(), expected)


@given(
    st.lists(st.integers(1, 60), min_size=2, max_size=6),
    st.floats(0.05, 1.0),
    st.sampled_from(["undersample", "oversample", "bootstrap"]),
)
def test_no_class_is_rarer_than_asked(counts, ratio, method):
    y = np.repeat(np.arange(len(counts)), counts)
    fit = Balancer(method=method, ratio=ratio).fit(np.zeros((len(y), 1)), y)
    found = np.bincount(y[fit.resample(np.zeros((len(y), 1)), y).rows])
    np.testing.assert_array_equal(found, fit.counts_after)
    if method == "bootstrap":  # as many as there were, shared out to a row
        assert abs(found.sum() - len(y)) < len(counts)
        assert found.min() + 1 >= ratio * (found.max() - 1)
    else:
        assert found.min() >= ratio * found.max() - 1e-9
        assert (found <= counts).all() if method == "undersample" else (found >= counts).all()


def test_undersampling_repeats_no_row_and_oversampling_repeats_evenly():
    rows, _ = balanced()
    assert len(np.unique(rows)) == len(rows)
    _, y = rows_and_classes()
    times = np.bincount(balanced(method="oversample")[0], minlength=len(y))
    for k, least in enumerate(90 // COUNTS):
        assert set(times[y == k].tolist()) <= {least, least + 1}


def test_the_seed_decides():
    assert np.array_equal(balanced(seed=3)[0], balanced(seed=3)[0])
    assert not np.array_equal(balanced(seed=3)[0], balanced(seed=4)[0])


def test_only_classes_are_balanced():
    X, y = rows_and_classes()
    with pytest.raises(DataError, match="the target is a quantity"):
        Balancer().fit(X, y + 0.5)
    with pytest.raises(DataError, match="choose a target column"):
        Balancer().fit(X)


def test_what_is_said_of_the_rows():
    X, y = rows_and_classes()
    said = Balancer().fit(X, y).summary()
    assert said.values[2:4] == ((1, "rows", 13.0), (1, "rows to learn from", 13.0))
    assert named(1, ("Adelie", "Chinstrap", "Gentoo")) == "Chinstrap"
    assert said.note.startswith("Made 39 rows of 143, 13 of each class.")
    assert said.trained_on == "on balanced classes"
    assert Balancer(ratio=0.5).fit(X, y).summary().trained_on != said.trained_on


def test_probabilities_of_balanced_rows_are_turned_back_to_the_shares_of_the_data():
    rng = np.random.default_rng(0)
    y = (np.arange(1200) % 12 == 0).astype(np.int64)
    X = rng.normal(size=(1200, 2)) + 1.5 * y[:, None]
    prepared = prepare((Balancer(method="oversample"),), X, y, (Column("a"), Column("b")))
    balanced = LDA().fit(prepared.X, prepared.y).probabilities(X)
    step: Any = prepared.fits[0]
    corrected = step.corrected(balanced)
    np.testing.assert_allclose(corrected, prior_shift(balanced, [1, 1], [11, 1]), rtol=1e-9)
    assert balanced[:, 1].mean() > 0.2
    assert corrected[:, 1].mean() == pytest.approx(y.mean(), abs=0.01)


def test_a_model_of_balanced_rows_says_both_probabilities():
    run = Run(data="penguins", method="lda", preparation=(*Run().preparation, Balancer()))
    dataset = run.data.dataset()
    said = model_of(carried_out(run), dataset).outputs_of(dataset.table)
    P, Q = (
        np.column_stack([said[f"probability of {name}{end}"] for name in dataset.classes])
        for end in ("", ", unbalanced")
    )
    weighed = P * np.bincount(dataset.y)
    np.testing.assert_allclose(Q, weighed / weighed.sum(axis=1, keepdims=True), rtol=1e-9)
