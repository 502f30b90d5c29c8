"""The conditions of Karush, Kuhn and Tucker, of a machine that is solved and of one that is not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from figures.numbers.optimality import conditions_of
from figures.views.kernels import kkt_table
from mlcore.runs.carry import carried_out
from mlcore.runs.run import Run
from mlcore.spine.registry import lookup

EPSILON = 500.0  # half the tube, in units of the target of longley


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
    c = conditions_of(dataset, whole)
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
        c = conditions_of(dataset, replace(whole, fit=replace(fit, **changed)))
        return {n for n, v in zip(c.names, c.residual, strict=True) if v > 0.01}

    assert "0 ≤ α ≤ C" in broken(bounds=fit.bounds / 2)
    assert broken(primal=2 * fit.dual) == {"primal = dual"}
    moved = broken(intercepts=fit.intercepts + 0.5)
    assert "s f = 1 where 0 < α < C" in moved
    assert "Σ α s = 0" not in moved
    lopsided = np.where(fit.duals > 0, 0.5 * fit.duals, fit.duals)
    assert "Σ α s = 0" in broken(duals=lopsided)


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_a_tube_has_its_own(loss):
    dataset, whole = outcome("svr", "longley", loss=loss, C=1000.0, epsilon=EPSILON)
    c = conditions_of(dataset, whole)
    is_squared = loss.startswith("squared")
    wanted = "s r = ε + α / C where α > 0" if is_squared else "s r ≥ ε where α = C"
    assert wanted in c.names and c.residual.max() < kkt_table.CLOSE
    assert c.rows[2:-1].sum() == c.rows[0] == 16 and (c.rows[2:-1] > 0).all()
    assert f"All {'five' if is_squared else 'six'} hold" in kkt_table.reading(c)
    moved = replace(whole, fit=replace(whole.fit, intercept=whole.fit.intercept + EPSILON))
    assert conditions_of(dataset, moved).residual[3] > 0.1


@pytest.mark.parametrize("class_weight", ["none", "balanced"])
def test_squared_slacks_grow_with_their_multipliers(class_weight):
    settings = {"loss": "squared_hinge", "class_weight": class_weight, "multiclass": "ovr"}
    dataset, whole = outcome("svc", **settings)
    c = conditions_of(dataset, whole)
    assert c.names[3] == "s f = 1 − α / C where α > 0"
    assert c.residual.max() < kkt_table.CLOSE and c.rows[3] > 0
    assert not c.is_bounded and "with one." in kkt_table.reading(c)
    cheap = replace(whole, fit=replace(whole.fit, ridges=2 * whole.fit.ridges))
    assert conditions_of(dataset, cheap).residual[3] > 0.1
