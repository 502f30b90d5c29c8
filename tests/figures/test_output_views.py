"""Pictures of several outputs, checked on values."""

from __future__ import annotations

import numpy as np
import pytest

from figures.views.regression import fit_plot, output_errors, residuals
from mlcore.regression.multi_output import MultiOutputRegressor
from mlcore.runs.carry import carried_out
from mlcore.runs.run import Run


@pytest.fixture(scope="module")
def linnerud():
    run = Run(data="linnerud", method="multi_output_regressor")
    return run.data.dataset(), carried_out(run)


def test_each_output_has_its_error_and_that_of_its_mean(linnerud):
    data, outcome = linnerud
    o = output_errors.numbers(data, outcome)
    errors, of_means, shares = [], [], []
    for fold in outcome.folds:
        true, mean = data.targets[fold.test], data.targets[fold.train].mean(axis=0)
        errors.append(np.sqrt(((fold.predictions - true) ** 2).mean(axis=0)))
        of_means.append(np.sqrt(((mean - true) ** 2).mean(axis=0)))
        shares.append(1 - errors[-1] ** 2 / true.var(axis=0))
    assert o.names == ("weight", "waist", "pulse")
    # Means over the folds, as every score of the page.
    np.testing.assert_allclose(o.rmse, np.mean(errors, axis=0))
    np.testing.assert_allclose(o.baseline, np.mean(of_means, axis=0))
    np.testing.assert_allclose(o.relative, o.rmse / data.targets.std(axis=0))
    np.testing.assert_allclose(o.r2, np.mean(shares, axis=0))
    assert o.r2.mean() == pytest.approx(outcome.mean("r2"))
    assert "No better than the mean of the training rows:" in output_errors.reading(o)
    assert output_errors.output_errors(data, outcome).note == "test rows, 5 folds"


def test_pictures_of_one_output_show_the_first_and_say_so(linnerud):
    data, outcome = linnerud
    shown = residuals.residuals(data, outcome)
    assert shown.note == "test rows, 5 folds; first of 3 outputs"
    assert shown.table[1].name == "true weight"
    curve = fit_plot.numbers(data, outcome.whole)
    member = outcome.whole.fit.members[0]
    np.testing.assert_array_equal(
        curve.curve, member.predict(outcome.whole.prepared.transform(curve.grid))
    )
    assert fit_plot.fit_plot(data, outcome.whole).note.endswith("; first of 3 outputs")


def test_a_single_target_has_a_bar_alone():
    run = Run(data="diabetes", method=MultiOutputRegressor())
    outcome = carried_out(run)
    o = output_errors.numbers(run.data.dataset(), outcome)
    assert (o.names, o.rmse.shape) == (("progression",), (1,))
    assert "better than by its mean" in output_errors.reading(o)
    assert "first of" not in residuals.residuals(run.data.dataset(), outcome).note
