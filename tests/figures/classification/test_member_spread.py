"""How far members lie apart, checked against the members themselves."""

from __future__ import annotations

import numpy as np
import pytest

from figures.views.trees import member_spread
from mlcore.data.dataset import TableData
from mlcore.data.generators.quantities.curve import Curve
from mlcore.ensembles.bagging import BaggingRegression
from mlcore.neural.mlp_regressor import MLPRegressor
from mlcore.preparation.chain import prepare
from mlcore.preparation.standardise import Standardise
from mlcore.runs.carry import Whole
from mlcore.trees.regression_tree import RegressionTree


def fitted(source, estimator, n_estimators, **settings):
    data = TableData(source=source).dataset({})
    prepared = prepare((Standardise(),), data.X, data.y, data.columns)
    it = BaggingRegression(estimator=estimator, n_estimators=n_estimators, **settings)
    return data, Whole(it.fit(prepared.X, data.y, seed=0), prepared, 0.0, 0)


def test_the_square_of_what_members_lie_apart_is_what_averaging_saves():
    """Krogh and Vedelsby (1995): the mean square of a member is that of the mean and the spread."""
    data, whole = fitted("diabetes", RegressionTree(), 5, max_features=0.5)
    s = member_spread.numbers(data, whole)
    said = np.column_stack([
        member.predict(whole.prepared.X[:, at])
        for member, at in zip(whole.fit.members, whole.fit.features, strict=True)
    ])  # fmt: skip
    np.testing.assert_allclose(s.mean, whole.fit.predict(whole.prepared.X), atol=1e-9)
    np.testing.assert_allclose(s.spread, said.std(axis=1), atol=1e-9)
    assert s.alone**2 == pytest.approx(s.together**2 + (s.spread**2).mean())
    assert s.alone**2 == pytest.approx(((said - data.y[:, None]) ** 2).mean())
    k = int(s.spread.argmax())
    assert f"differ most on row {k + 1}," in member_spread.reading(s)


def test_a_committee_of_networks_is_drawn_curve_by_curve():
    """Networks of all rows differ by their first weights alone."""
    network = MLPRegressor(hidden_layer_sizes=(3,), max_epochs=3)
    data, whole = fitted(Curve(n_samples=12), network, 4, bootstrap=False)
    drawn = member_spread.member_spread(data, whole)
    s = drawn.numbers
    for curve, member in zip(s.curves, whole.fit.members, strict=True):
        np.testing.assert_allclose(curve, member.predict(s.shown.cells), atol=1e-12)
    assert s.spread.min() > 0
    members, mean, _ = drawn.figure.data
    assert np.isnan(np.asarray(members.y, dtype=float)).sum() == 4
    np.testing.assert_allclose(mean.y, whole.fit.predict(s.shown.cells), atol=1e-12)
    low, high = drawn.figure.layout.yaxis.range
    assert low < min(s.curves.min(), s.truth.min()) and high > max(s.curves.max(), s.truth.max())
    data, whole = fitted(Curve(n_samples=12), network, 1, bootstrap=False)
    assert "nobody to differ from" in member_spread.member_spread(data, whole).reading
