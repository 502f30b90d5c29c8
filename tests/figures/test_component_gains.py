"""What each component explains, by hand."""

import numpy as np

from figures.views.regression import component_gains
from mlcore.regression.pcr import PrincipalComponentRegression
from mlcore.regression.pls import PLSRegression

CROSS = np.array([[2.0, 0], [-2, 0], [0, 1], [0, -1]])


def test_a_target_in_the_direction_that_is_left_out_is_named():
    fit = PrincipalComponentRegression(n_components=1).fit(CROSS, CROSS[:, 1] + 0.5 * CROSS[:, 0])
    found = component_gains.numbers(fit)
    np.testing.assert_allclose(found.columns, [0.8, 0.2])
    np.testing.assert_allclose(found.target, [0.5, 0.5])
    said = component_gains.reading(found)
    assert said.startswith("1 component of 2 used: 80 % of the variance of the columns, 50 %")
    assert said.endswith("Of the others number 2 explains most, 50 % of it.")
    assert len(component_gains.draw(found).layout.shapes) == 1


def test_nothing_is_left_to_name_where_all_are_used():
    fit = PrincipalComponentRegression(n_components=2).fit(CROSS, CROSS[:, 1])
    assert "No other explains" in component_gains.reading(component_gains.numbers(fit))


def test_components_that_were_not_looked_at_are_not_spoken_of():
    rows = np.random.default_rng(0).normal(size=(40, 12))
    fit = PLSRegression(n_components=1).fit(rows, rows.sum(axis=1))
    said = component_gains.reading(component_gains.numbers(fit))
    assert said.startswith("1 component used of 6 looked at: ")
