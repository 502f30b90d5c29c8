"""The equation of a border, checked against the scores and the answers that it stands for."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from figures.theme import CLASS_COLORS, faded
from figures.views.classification import boundary_equation as view
from mlcore.classification.lda import LDA
from mlcore.classification.perceptron import Perceptron
from mlcore.classification.qda import QDA
from mlcore.preparation.chain import prepare
from mlcore.preparation.one_hot import OneHot
from mlcore.preparation.quantile import QuantileTransformer
from mlcore.preparation.standardise import Standardise
from mlcore.runs.carry import Whole
from mlcore.spine.errors import DataError
from mlcore.spine.fit import Column
from tests.figures import made

rng = np.random.default_rng(0)
TALL = rng.normal(size=(60, 2)) * [2.0, 300.0] + [5.0, 1000.0]
TWO = (TALL @ [150.0, 1.0] > 1750.0).astype(int)
THREE = np.digitize(TALL @ [150.0, 1.0], [1600.0, 1900.0])


def whole(X, y, method, *steps):
    data = made.dataset(X, y, classes=("low", "mid", "high")[: max(y) + 1])
    prepared = prepare(steps, data.X, data.y, data.columns)
    fit = method.fit(prepared.X, prepared.y, columns=prepared.columns, seed=0)
    return data, Whole(fit, prepared, 0.0, 0)


def test_the_border_of_standardised_columns_is_told_in_units_of_the_table():
    """w.(x - m) / s + b = 0 is (w / s).x = w.m / s - b."""
    data, w = whole(TALL, TWO, Perceptron(max_iter=1000), Standardise())
    b = view.numbers(data, w)
    m, s = TALL.mean(axis=0), TALL.std(axis=0)
    np.testing.assert_allclose(b.normals[0], w.fit.coefficients / s, rtol=1e-9)
    np.testing.assert_allclose(
        b.offsets[0], w.fit.intercept - w.fit.coefficients @ (m / s), rtol=1e-9
    )
    np.testing.assert_array_equal(TALL @ b.normals[0] + b.offsets[0] > 0, TWO == 1)
    np.testing.assert_allclose(b.moves[0], w.fit.coefficients, rtol=1e-9)
    assert b.is_of_table and b.otherwise == 0


def test_a_sentence_has_the_equation_with_its_signs():
    b = view.Boundary(
        ("width", "length"), (("A", "B"),), np.array([[-2.0, 0.5]]), np.array([3.0]),
        np.array([1.0, 10.0]), True, 0, np.array([9]), (0,),
    )  # fmt: skip
    assert view.reading(b) == "B scores above A where 0.500 × length − 2.00 × width > −3.00."
    still = view.reading(b._replace(normals=np.zeros((1, 2))))
    assert still == "B and A have no border: no column tells them apart."


@pytest.mark.parametrize("method", [Perceptron(max_iter=5), LDA()])
def test_each_pair_of_three_classes_has_one(method):
    data, w = whole(TALL, THREE, method, Standardise())
    b = view.numbers(data, w)
    assert b.pairs == (("low", "mid"), ("low", "high"), ("mid", "high"))
    np.testing.assert_allclose(b.normals[1], b.normals[0] + b.normals[2], rtol=1e-7)
    assert b.otherwise == 0
    apart = TALL @ b.normals.T + b.offsets
    said = w.fit.predict(w.prepared.X)
    assert (apart[said == 2][:, 1:] >= 0).all() and (apart[said == 0][:, :2] <= 0).all()


def test_ranks_are_no_plane_in_the_table():
    data, w = whole(TALL, TWO, Perceptron(), QuantileTransformer())
    b = view.numbers(data, w)
    assert not b.is_of_table and "as prepared" in view.reading(b)
    np.testing.assert_array_equal(b.normals[0], w.fit.coefficients)


def test_a_rule_that_decides_otherwise_is_told_of():
    data, w = whole(TALL, TWO, Perceptron(max_iter=1000), Standardise())
    same = {name: getattr(w.fit, name) for name in ("coefficients", "intercept", "classes")}
    stubborn = SimpleNamespace(**same, predict=lambda X: np.zeros(len(X), dtype=int))
    b = view.numbers(data, replace(w, fit=stubborn))
    assert b.otherwise == TWO.sum() and f"On {TWO.sum()} rows" in view.reading(b)


def test_bars_of_several_borders_are_as_thick_as_those_of_few():
    def height(pairs: int) -> int:
        flat = np.ones((pairs, 4))
        names = tuple("abcd")
        b = view.Boundary(names, (("A", "B"),) * pairs, flat, flat[:, 0], flat, True, 0,
                          flat[:, 0], tuple(range(pairs)))  # fmt: skip
        return view.draw(b).layout.height

    assert height(3) == height(1) + 4 * 2 * view.FURTHER


def test_borders_of_several_classes_do_not_bear_the_colours_of_classes():
    data, w = whole(TALL, THREE, LDA(), Standardise())
    colors = [bar.marker.color for bar in view.draw(view.numbers(data, w)).data]
    of_classes = {*CLASS_COLORS, *(faded(color, 1.0) for color in CLASS_COLORS)}
    assert len(set(colors)) == 3 and not of_classes.intersection(colors)


def test_of_many_borders_those_are_shown_that_most_rows_lie_between():
    at = np.repeat(np.arange(5.0), [10, 10, 30, 30, 10])
    X = np.column_stack([at + 0.3 * rng.normal(size=90), rng.normal(size=90)])
    data = made.dataset(X, at.astype(int), classes=tuple("abcde"))
    fit = LDA().fit(data.X, data.y, columns=data.columns, seed=0)
    w = Whole(fit, prepare((), data.X, data.y, data.columns), 0.0, 0)
    b = view.numbers(data, w)
    top = np.sort(np.argsort(-fit.decision(X), axis=1)[:, :2], axis=1)
    counts = [int((top == ["abcde".index(c) for c in pair]).all(axis=1).sum()) for pair in b.pairs]
    assert b.decides.tolist() == counts and sum(counts) == 90
    assert ("c", "d") in [b.pairs[k] for k in b.shown] and len(b.shown) == view.MOST_PAIRS
    assert len(view.draw(b).data) == 3 and "has all 10" in view.reading(b)
    one = view.numbers(data, w, "e over a")
    (bar,) = view.draw(one).data
    assert bar.name == "e over a" and view.reading(one).startswith("e scores above a")


@pytest.mark.parametrize("covariance", ["full", "diagonal"])
def test_the_conic_of_standardised_columns_is_told_in_units_of_the_table(covariance):
    """u + l.d + d.Q.d of deviations d from the mean is the difference of the two scores."""
    data, w = whole(TALL, THREE, QDA(covariance=covariance), Standardise())
    b = view.numbers(data, w)
    d = TALL - TALL.mean(axis=0)
    terms = np.column_stack([d, d[:, 0] ** 2, d[:, 0] * d[:, 1], d[:, 1] ** 2])
    scores = w.fit.decision(w.prepared.X)
    for (i, j), normals, offset in zip([(0, 1), (0, 2), (1, 2)], b.normals, b.offsets, strict=True):
        np.testing.assert_allclose(terms @ normals + offset, scores[:, j] - scores[:, i], atol=1e-8)
    assert b.names == ("x1", "x2", "x1²", "x1 × x2", "x2²") and b.is_of_table
    np.testing.assert_allclose(b.spread, terms.std(axis=0))
    top = np.sort(np.argsort(-scores, axis=1)[:, :2], axis=1)
    assert b.decides.tolist() == [
        int((top == pair).all(axis=1).sum()) for pair in ([0, 1], [0, 2], [1, 2])
    ]


def test_the_conic_of_the_notes_is_written_with_the_means_it_counts_from():
    """Two normal classes of deviations 1 and 3 about 5: x² (1 - 1/9) = 2 log 3."""
    X = 5.0 + np.array([-1.0, 1.0, -3.0, 3.0])[:, None]
    b = view.numbers(*whole(X, np.array([0, 0, 1, 1]), QDA()))
    assert view.reading(b).startswith("mid scores above low where 0.444 × (x1 − 5.00)² > 1.10.")
    term, equation = view.table(b)
    assert term.values == ("(x1 − 5.00)", "(x1 − 5.00)²", "(is above)")
    np.testing.assert_allclose(equation.values, [0.0, 4 / 9, np.log(3.0)], atol=1e-12)


def test_a_conic_of_ranks_is_of_prepared_columns_and_one_of_many_columns_is_refused():
    data, w = whole(TALL, TWO, QDA(), QuantileTransformer())
    b = view.numbers(data, w)
    assert not b.is_of_table and "as prepared" in view.reading(b)
    many = rng.normal(size=(40, 65))
    with pytest.raises(DataError, match="at most 64 columns"):
        view.numbers(*whole(many, np.arange(40) % 2, QDA(covariance="diagonal")))


@pytest.mark.parametrize("method", [Perceptron(max_iter=1000), LDA(), QDA(shrinkage=0.1)])
def test_beside_a_column_of_names_the_border_is_that_of_the_prepared_columns(method):
    X = np.column_stack([TALL, np.arange(60) % 2])
    data = made.dataset(X, TWO, classes=("low", "mid"))
    columns = (*data.columns[:2], Column("colour", "nominal", ("blue", "red")))
    prepared = prepare((OneHot(), Standardise()), X, TWO, columns)
    fit = method.fit(prepared.X, prepared.y, columns=prepared.columns, seed=0)
    b = view.numbers(replace(data, columns=columns), Whole(fit, prepared, 0.0, 0))
    assert not b.is_of_table
    assert view.reading(b).endswith(".")
