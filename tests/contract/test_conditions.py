"""A setting that another one switches off has no effect then, no control and no place in a grid."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pytest

from mlcore.data.dataset import TableData
from mlcore.data.steps.step import Rows
from mlcore.decisions.bandit import BanditArms
from mlcore.decisions.continuous.pendulum import Pendulum
from mlcore.decisions.grid_world import GridWorld
from mlcore.reduction.mds import MDS
from mlcore.runs.labels import described
from mlcore.runs.run import Run
from mlcore.runs.tuning.search import tunable
from mlcore.spine.component import Component
from mlcore.spine.conditions import other_than
from mlcore.spine.errors import MlcoreError
from mlcore.spine.params import choice, counting, flag, params_of, real
from mlcore.spine.registry import lookup
from tests.contract.subjects import every, given, same
from ui.labels import help_of


class Conditional(NamedTuple):
    """A class and one of its parameters that does not always count."""

    cls: type[Component]
    name: str

    def __str__(self) -> str:
        return f"{self.cls.card.name}.{self.name}"


# Texts and lists have no values that could be tried without knowing what they are of.
TEXTS: dict[str, tuple[Any, ...]] = {
    "keep_rows.values": (("Adelie",), ("Gentoo",)),
    "keep_rows.value": ("Adelie", "Gentoo"),
    "keep_rows.part": ("a", "oo"),
    "kernel_kmeans.groups": (None, "islands"),
    "svc.by_class": ((1.0, 2.0), (3.0, 1.0)),
    "nu_svc.by_class": ((1.0, 2.0), (3.0, 1.0)),
}
CONDITIONALS = [
    Conditional(cls, name)
    for cls in dict.fromkeys(subject.cls for subject in every())
    for name, param in params_of(cls).items()
    if param.only_if
]


def switched_off(it: Conditional) -> list[dict[str, Any]]:
    """Settings beside which the parameter does not count, one condition broken at a time."""
    declared = params_of(it.cls)
    return [
        {c.setting: value}
        for c in declared[it.name].only_if
        for value in declared[c.setting].tries()
        if not c.holds(value)
    ]


def effect(component: Any) -> Any:
    """What comes of a component: a fit, a table, a matrix, the numbers of a lab."""
    family = component.card.family
    if family == "source":
        return component.origin({})
    if family == "kernel":
        X = np.abs(given("").X)
        return component.against(X)(X)
    if family == "table_step":
        step = replace(component, column="species")
        rows = Rows.of(TableData(source="penguins").source.origin({}).table)
        return step.applied(rows, {}).numbers
    if family == "lab":
        return component.compute(1)
    if family == "bandit":
        return component.fit(BanditArms().world(), 60)
    if family == "learning":
        worlds = (GridWorld(max_steps=12).world(), Pendulum(max_steps=12).world())
        return component.fit(next(w for w in worlds if isinstance(w, component.acts_in)), 8)
    return fitted(MDS(kind=component) if family == "mds_kind" else component)


def fitted(method: Any) -> Any:
    g = given(method.card.learns_from or ("classification" if method.card.stage else ""))
    X = g.X.copy()
    if "missing" in method.card.takes:
        X[::7, 0] = np.nan
    return method.fit(X, g.y, columns=g.columns, seed=1)


@pytest.mark.parametrize("it", CONDITIONALS, ids=str)
def test_what_is_switched_off_has_no_effect(it):
    cases = switched_off(it)
    assert cases
    compared = 0
    for off in cases:
        made = []
        for value in TEXTS.get(str(it)) or params_of(it.cls)[it.name].tries():
            try:
                made.append(it.cls(**off, **{it.name: value}))
            except MlcoreError:
                continue  # contradicts the default of another setting
        for one, other in combinations(made[:2], 2):
            try:
                first = effect(one)
            except MlcoreError:
                continue  # needs other rows, whatever the parameter
            same(first, effect(other))
            compared += 1
    assert compared


@pytest.mark.parametrize("it", CONDITIONALS, ids=str)
def test_its_conditions_are_settings_that_stand_before_it(it):
    declared = params_of(it.cls)
    for condition in declared[it.name].only_if:
        decides = declared[condition.setting]
        assert all(decides.problem(value) is None for value in condition.values)
        # The control of what decides must have been read when its own is made.
        assert not decides.advanced or declared[it.name].advanced


@dataclass(frozen=True, kw_only=True)
class Example(Component):
    """Settings that switch each other off."""

    strength: float = real(
        1.0, soft=(0.0, 1.0), doc="How strong.", only_if={"rule": "fixed", "on": True}
    )
    steps: float = real(1.0, soft=(0.0, 1.0), doc="How many.", only_if={"rule": other_than("cv")})
    on: bool = flag(True, label="Penalty", doc="Whether there is one.")
    rule: str = choice("cv", "cv", "fixed", "aic", label="Choice of alpha", doc="Who chooses.")


def test_what_counts_follows_the_other_settings():
    assert list(counting(Example())) == ["on", "rule"]
    assert list(counting(Example(rule="aic"))) == ["steps", "on", "rule"]
    assert list(counting(Example(rule="fixed"))) == ["strength", "steps", "on", "rule"]
    assert list(counting(Example(rule="fixed", on=False))) == ["steps", "on", "rule"]


def test_the_help_says_with_which_settings_it_counts():
    declared = params_of(Example)
    assert help_of(declared["strength"]).endswith(
        'Counts only with choice of alpha "fixed" and penalty.'
    )
    assert help_of(declared["steps"]).endswith(
        'Counts only with another choice of alpha than "cross-validation".'
    )
    assert "Counts only" not in help_of(declared["on"])


def test_what_is_switched_off_is_neither_tuned_nor_told():
    additive = lookup("regression", "generalised_additive")
    off, on = (additive(smoothing=s, strength=7.0) for s in ("reml", "given"))
    assert "strength" not in described(off) and "strength 7.0" in described(on)
    paths = [[path for path, _ in tunable(Run(method=m))] for m in (off, on)]
    assert ["method.strength" in each for each in paths] == [False, True]


def test_a_condition_knows_a_part_by_its_name():
    cls = lookup("clustering", "gaussian_mixture")
    assert "prior_rows" in counting(cls())
    assert "prior_rows" not in counting(cls(covariance_prior="inverse_wishart"))
