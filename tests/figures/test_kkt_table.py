"""The conditions of Karush, Kuhn and Tucker, of a machine that is solved and of one that is not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from figures.views.kernels import kkt_table
from mlcore.runs.carry import carried_out
from mlcore.runs.run import Run
from mlcore.spine.errors import DataError
from mlcore.spine.registry import lookup


def outcome(name: str, data: str = "iris", **settings: Any) -> tuple[Any, Any]:
    method = lookup("svm", name)(**settings)
    run = Run(
        data=data, method=method, preparation=("impute", "standardise"), evaluation="hold_out"
    )
    return run.data.dataset({}), carried_out(run).whole


@pytest.mark.parametrize("name", ["svc", "nu_svc"])
@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_they_hold_at_the_solution(name, multiclass):
    settings = {"multiclass": multiclass} if name == "svc" else {}
    dataset, whole = outcome(name, **settings)
    c = kkt_table.numbers(dataset, whole)
    assert c.residual.max() < kkt_table.CLOSE
    n_machines = len(whole.fit.machines)
    per_machine = 2 * 50 if multiclass == "ovo" or name == "nu_svc" else 150
    assert c.rows[[2, 3, 4]].sum() == c.rows[0] == n_machines * per_machine
    assert c.rows[3] > 0
    assert "All six hold" in kkt_table.reading(c)


def test_each_change_breaks_its_own_condition():
    dataset, whole = outcome("svc")
    fit = whole.fit

    def broken(**changed: Any) -> set[str]:
        c = kkt_table.numbers(dataset, replace(whole, fit=replace(fit, **changed)))
        return {n for n, v in zip(kkt_table.CONDITIONS, c.residual, strict=True) if v > 0.01}

    assert "0 ≤ α ≤ C" in broken(bounds=fit.bounds / 2)
    assert broken(primal=2 * fit.dual) == {"primal = dual"}
    moved = broken(intercepts=fit.intercepts + 0.5)
    assert "s f = 1 where 0 < α < C" in moved
    assert "Σ α s = 0" not in moved
    lopsided = np.where(fit.duals > 0, 0.5 * fit.duals, fit.duals)
    assert "Σ α s = 0" in broken(duals=lopsided)


def test_squared_slacks_have_other_conditions():
    with pytest.raises(DataError, match="hinge loss"):
        kkt_table.numbers(*outcome("svc", loss="squared_hinge"))
