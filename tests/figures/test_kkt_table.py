"""The conditions of Karush, Kuhn and Tucker, of a machine that is solved and of one that is not."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from figures.numbers.optimality import conditions_of
from figures.views.kernels import alpha_bars, kkt_table, margin_lines
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


def broken_by(dataset: Any, whole: Any, **changed: Any) -> set[str]:
    """The conditions that a fit does not meet once some of it is changed."""
    c = conditions_of(dataset, replace(whole, fit=replace(whole.fit, **changed)))
    return {n for n, v in zip(c.names, c.residual, strict=True) if v > 0.01}


@pytest.mark.parametrize("name", ["svc", "nu_svc"])
@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_they_hold_at_the_solution(name, multiclass):
    settings = {"multiclass": multiclass} if name == "svc" else {}
    dataset, whole = outcome(name, **settings)
    c = conditions_of(dataset, whole)
    assert c.residual.max() < kkt_table.CLOSE
    n_machines = len(whole.fit.machines)
    per_machine = 2 * 50 if multiclass == "ovo" or name == "nu_svc" else 150
    assert c.without + c.on_edge + c.at_bound == c.rows[0] == n_machines * per_machine
    assert c.on_edge > 0
    assert f"In {n_machines} machines, a row in each that has it, are" in kkt_table.reading(c)
    assert f"All {'six' if name == 'svc' else 'seven'} hold" in kkt_table.reading(c)


def test_each_change_breaks_its_own_condition():
    dataset, whole = outcome("svc")
    fit = whole.fit
    broken = partial(broken_by, dataset, whole)
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
    assert not c.bound and "with one." in kkt_table.reading(c)
    cheap = replace(whole, fit=replace(whole.fit, ridges=2 * whole.fit.ridges))
    assert conditions_of(dataset, cheap).residual[3] > 0.1


@pytest.mark.parametrize(
    ("name", "data", "settings"),
    [("nu_svc", "iris", {"nu": 0.3}), ("nu_svr", "longley", {"nu": 0.4, "C": 1000.0})],
)
def test_the_multipliers_of_a_chosen_share_sum_to_it(name, data, settings):
    dataset, whole = outcome(name, data, **settings)
    c = conditions_of(dataset, whole)
    assert "Σ α = ν Σ C" in c.names and c.residual.max() < kkt_table.CLOSE
    assert broken_by(dataset, whole, nu=2 * whole.fit.nu) == {"Σ α = ν Σ C"}


def test_a_region_has_its_own():
    dataset, whole = outcome("one_class_svm", nu=0.2)
    c = conditions_of(dataset, whole)
    assert c.names[:2] == ("0 ≤ α ≤ 1", "Σ α = ν n") and c.residual.max() < kkt_table.CLOSE
    assert c.without + c.on_edge + c.at_bound == 150
    assert min(c.without, c.on_edge, c.at_bound) > 0
    assert "All six hold" in kkt_table.reading(c) and "at 1." in kkt_table.reading(c)
    fit = whole.fit
    assert broken_by(dataset, whole, nu=0.3) == {"Σ α = ν n"}
    assert broken_by(dataset, whole, dual=2 * fit.primal) == {"primal = dual"}
    assert "s = ρ where 0 < α < 1" in broken_by(dataset, whole, rho=0.9 * fit.rho)
    assert "s ≥ ρ where α = 0" in broken_by(dataset, whole, rho=1.1 * fit.rho)


def test_without_an_intercept_or_slack_some_conditions_are_not_asked():
    dataset, whole = outcome("svc", intercept=False)
    c = conditions_of(dataset, whole)
    assert "Σ α s = 0" not in c.names and c.residual.max() < kkt_table.CLOSE
    assert "All five hold" in kkt_table.reading(c)
    dataset, whole = outcome("svc", C=None)
    for view in (alpha_bars, margin_lines):
        assert "bound" not in view.reading(view.numbers(dataset, whole))
    c = conditions_of(dataset, whole)
    assert "s f = 1 where α > 0" in c.names and c.residual.max() < kkt_table.CLOSE
    assert "primal = dual" in broken_by(dataset, whole, primal=np.inf)
