"""What is told of columns behind a link."""

from __future__ import annotations

import numpy as np

from mlcore.spine.registry import lookup
from tests.evaluation.test_findings_of_runs import found


def test_a_likelihood_knows_no_adjusted_r2_and_speaks_of_aic():
    rng = np.random.default_rng(0)
    a, b, nothing = rng.normal(size=(3, 200))
    counts = rng.poisson(np.exp(0.8 * a + 0.5 * b)).astype(float)
    rows = {"a": a, "b": b, "nothing": nothing, "y": counts}
    method = lookup("regression", "generalised_linear")(family="poisson")
    said = found(rows, method)["useless_columns"].sentence
    assert "'nothing'" in said and "lowers AIC" in said and "R²" not in said
