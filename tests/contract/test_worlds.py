"""What every world of a trial promises, and that nobody asks for one by its name."""

from __future__ import annotations

import ast
import inspect
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from figures.view import views, views_on
from mlcore.decisions.agent import Agent
from mlcore.decisions.bandit import Bandit
from mlcore.decisions.world import HasMap, World
from mlcore.runs.carry_trial import carried_out, recording
from mlcore.runs.run import Trial
from mlcore.spine.registry import entries, lookup

ROOT = Path(__file__).parents[2]
ASKING = ("mlcore/runs", "figures/numbers", "figures/drawing", "service", "ui")
PROBLEMS = entries("problem")
PLACES = {place for cls in PROBLEMS.values() for place in cls().world().places}


@pytest.fixture(params=PROBLEMS.values(), ids=list(PROBLEMS))
def problem(request):
    return request.param()


def test_a_world_says_all_that_is_asked_of_it(problem):
    world = problem.world()
    assert isinstance(world, World) and world.size > 0
    declared = [name for name, kind in inspect.get_annotations(World).items() if "ClassVar" in kind]
    assert [name for name in declared if not hasattr(world, name)] == []
    assert world.metric.better in ("higher", "lower")
    first, *more = world.facts()
    assert first.value and not first.label and more
    assert all(
        fact.sentence.endswith(".") and (fact.label or fact.value) for fact in (first, *more)
    )


def test_a_world_names_what_is_there(problem):
    world = problem.world()
    assert lookup("problem", world.example)().world().is_like(world)
    assert lookup("baseline", world.baseline)().applies(world) is None
    for name in world.first_agents:
        assert lookup("agent", name)().applies(world) is None
    assert views_on(*world.pictures)


def test_the_agents_that_come_first_act_in_it_and_are_drawn(problem):
    run = Trial(problem=problem, methods=problem.world().first_agents, budget=5, replicates=2)
    outcome = carried_out(run)
    assert all(np.isfinite(row.scores).all() for row in outcome.rows)
    for name in views_on(*outcome.world.pictures):
        entry = views()[name]
        if outcome.results[0].can(*entry.asks):
            drawn = entry.make(trial=outcome)
            assert drawn.reading
            steps = outcome.world.solver if not entry.takes("which") else run.methods[0]
            if drawn.step is not None:
                assert recording(Trial(problem=problem, methods=(steps,), budget=5), 0)[1]


def test_a_map_that_is_drawn_is_made_of_its_brushes():
    drawn = [cls() for cls in PROBLEMS.values() if isinstance(cls(), HasMap)]
    assert drawn
    for problem in drawn:
        assert set(problem.layout) <= {*problem.brushes(), "/"}
        for letter in problem.brushes():
            assert problem.with_cells((0,), letter)[0] == letter


def test_another_world_is_known_by_what_it_says():
    """No place has to learn of it: neither agents, nor trials."""

    @dataclass(frozen=True, eq=False, kw_only=True)
    class Slope(World):
        called = "a slope"

    @dataclass(frozen=True, kw_only=True)
    class Descent(Agent):
        acts_in = Slope

    world, arms = Slope(name="steep slope"), lookup("problem", "bandit_arms")().world()
    assert Descent().applies(world) is None
    assert "needs a slope; this problem is a bandit" in str(Descent().applies(arms))
    assert "this problem is an acrobot." in str(Descent().applies(replace(arms, name="acrobot")))
    assert not world.is_like(arms) and isinstance(arms, Bandit)


# Says which page a slot or a place of pictures belongs to; "bandit" is a slot of agents too.
PAGES_OF_PLACES = ROOT / "ui" / "method" / "cards.py"


def test_no_place_asks_for_the_name_of_a_world():
    found = {}
    for file in (f for package in ASKING for f in (ROOT / package).rglob("*.py")):
        if file == PAGES_OF_PLACES:
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and node.value in PLACES:
                found[f"{file.relative_to(ROOT)}:{node.lineno}"] = node.value
    assert {"bandit", "contexts", "continuous_states", "mdp", "solved_mdp"} == PLACES
    assert found == {}
