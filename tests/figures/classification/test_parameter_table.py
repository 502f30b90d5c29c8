"""The parameters of naive Bayes as a table, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from figures.views.classification import parameter_table as view
from mlcore.classification.naive_bayes import NaiveBayes
from mlcore.preparation.chain import prepare
from mlcore.preparation.standardise import Standardise
from mlcore.runs.carry import Whole
from tests.figures import made

# A number and a name with three levels, of which no row has the last.
X = np.array([[1.0, 0], [3, 1], [10, 1], [12, 1], [14, 1], [8, 0]])
Y = [0, 0, 1, 1, 1, 1]


def parameters(**settings):
    kinds = (("number", ()), ("category", ("red", "blue", "green")))
    data = made.dataset(X, Y, classes=("a", "b"), kinds=kinds)
    return view.numbers(data, made.whole(data, NaiveBayes(**settings)))


def test_shares_means_widths_and_frequencies_stand_by_class():
    p = parameters(smoothing=1.0)
    assert p.names == ("share of the class", "x1", "x2 red", "x2 blue", "x2 green")
    np.testing.assert_allclose(p.values[0], [1 / 3, 2 / 3])
    np.testing.assert_allclose(p.values[1], [2, 11])
    np.testing.assert_allclose(p.widths[1], [1, 5**0.5], rtol=1e-6)
    # (count + 1) / (rows + 3): red once of 2 and once of 4, blue once and three times.
    np.testing.assert_allclose(p.values[2], [2 / 5, 2 / 7])
    np.testing.assert_allclose(p.values[3], [2 / 5, 4 / 7])
    assert np.isnan(p.values[4]).all()  # its factor is left out
    assert np.isnan(p.widths[[0, 2, 3]]).all()


def test_colours_are_widths_from_the_mean_and_log_ratios():
    p = parameters(smoothing=1.0)
    width = (1 / 3 * 1 + 2 / 3 * 5) ** 0.5
    np.testing.assert_allclose(p.away[1], [(2 - 8) / width, (11 - 8) / width], rtol=1e-6)
    overall = (2 / 5 + 2 * 4 / 7) / 3
    np.testing.assert_allclose(p.away[3], np.log([2 / 5 / overall, 4 / 7 / overall]))
    assert p.order[:2].tolist() == [0, 1]
    assert view.reading(p).startswith("x1 parts the classes most: 11")
    assert p.text(4, 0) == ""


def test_a_level_that_a_class_never_had_is_as_far_as_can_be():
    never = np.array([[1.0, 0], [3, 0], [10, 1], [12, 1]])
    kinds = (("number", ()), ("category", ("red", "blue")))
    data = made.dataset(never, [0, 0, 1, 1], classes=("a", "b"), kinds=kinds)
    p = view.numbers(data, made.whole(data, NaiveBayes(smoothing=0.0)))
    assert p.values[3, 0] == pytest.approx(0.0)
    assert np.isfinite(p.away).all()
    assert view.draw(p).data[0].z.shape == (4, 2)


def test_standardised_columns_are_told_in_units_of_the_table():
    data = made.dataset(X[:, :1], Y, classes=("a", "b"))
    prepared = prepare((Standardise(),), data.X, data.y, data.columns)
    fit = NaiveBayes().fit(prepared.X, data.y, columns=prepared.columns)
    p = view.numbers(data, Whole(fit, prepared, 0.0, 0))
    np.testing.assert_allclose(p.values[1], [2, 11])
    np.testing.assert_allclose(p.widths[1], [1, 5**0.5], rtol=1e-6)


def test_a_cell_has_few_digits_and_no_width_where_nothing_varies():
    p = parameters()
    assert p.text(0, 0) == "33 %"
    assert p.text(1, 1) == "11.0 ± 2.2"
    still = p._replace(widths=np.full_like(p.widths, 1e-6))
    assert still.text(1, 1) == "11.0"


def test_a_column_that_is_still_in_one_class_alone_has_no_width_of_rounding_there():
    data = made.dataset([[0.0], [0.0], [1.0], [3.0]], [0, 0, 1, 1], classes=("a", "b"))
    p = view.numbers(data, made.whole(data, NaiveBayes()))
    assert 0 < p.widths[1, 0] < 1e-3  # the floor of the variances
    assert (p.text(1, 0), p.text(1, 1)) == ("0.00", "2.0 ± 1.0")
