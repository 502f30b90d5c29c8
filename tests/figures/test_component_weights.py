"""What components are made of, by hand."""

import numpy as np

from figures.views.regression import component_weights
from mlcore.regression.pls import PLSRegression

CROSS = np.array([[2.0, 0], [-2, 0], [0, 2], [0, -2]])


def test_the_columns_of_the_first_component_are_named_by_falling_weight():
    fit = PLSRegression(n_components=1).fit(CROSS, CROSS @ [3.0, -4.0])
    found = component_weights.numbers(fit)
    assert found.columns == ("x2", "x1")
    np.testing.assert_allclose(found.values, [[-0.8], [0.6]])
    said = "Component 1 is made most of x2 (−0.800) and x1 (0.600)."
    assert component_weights.reading(found) == said
    np.testing.assert_allclose(component_weights.draw(found).data[0].z, found.values)


def test_without_a_component_there_is_nothing_to_name():
    found = component_weights.numbers(PLSRegression().fit(CROSS, np.ones(4)))
    assert "no component" in component_weights.reading(found)
    component_weights.draw(found)
