"""What a kind of run is stands in one record a layer, and nobody asks for its class."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import mlcore.runs.kinds
import service.kinds
import ui.runs.kinds
from mlcore.spine.registry import entries
from tests.architecture.reading import nodes, source

ROOT = Path(__file__).parents[2]
LAYERS = {"mlcore": mlcore.runs.kinds, "service": service.kinds, "ui": ui.runs.kinds}
RUNS = {cls.__name__ for cls in entries("run").values()}
OUTCOMES = {"Outcome", "ComparisonOutcome", "TrialOutcome", "LabOutcome", "Tuned"}
NAMED = re.compile("|".join(RUNS | OUTCOMES))
# Files that may ask, and why.
ALLOWED = {
    "mlcore/runs/tuning/judging.py": "a candidate is a run, or the error why it is none",
    "mlcore/runs/carry_tuning.py": "a candidate is a run, or the error why it is none",
}


def asked(code: str) -> Iterator[str]:
    """The classes of runs and outcomes for which a program asks, or by which it looks up."""
    if not NAMED.search(code):
        return
    for node in nodes(code):
        for name in _names(node):
            if name in RUNS | OUTCOMES:
                yield name


def _names(node: ast.AST) -> Iterator[str]:
    places: list[ast.AST | None] = []
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("isinstance", "issubclass"):
        places = [node.args[1]]
    elif isinstance(node, ast.Dict):
        places = [*node.keys]
    elif isinstance(node, ast.MatchClass):
        places = [node.cls]
    elif isinstance(node, ast.Compare):  # type(run) is Trial
        places = [each for each in node.comparators if isinstance(each, ast.Name | ast.Tuple)]
    elif isinstance(node, ast.FunctionDef) and _dispatches(node):
        places = [argument.annotation for argument in node.args.args[:1]]
    for place in places:
        inner = ast.walk(place) if place is not None else ()
        yield from (each.id for each in inner if isinstance(each, ast.Name))


def _dispatches(node: ast.FunctionDef) -> bool:
    return any(
        isinstance(by, ast.Attribute) and by.attr == "register" for by in node.decorator_list
    )


@pytest.mark.parametrize("layer", LAYERS)
def test_every_kind_of_run_has_a_record_in_every_layer(layer):
    held = LAYERS[layer].KINDS
    assert set(held) == set(entries("run"))
    assert {name: kind.name for name, kind in held.items()} == {name: name for name in held}


def test_no_place_asks_for_the_class_of_a_run():
    found = {}
    for package in ("mlcore", "figures", "service", "ui", "pages"):
        for file in (ROOT / package).rglob("*.py"):
            if names := set(asked(source(file))):
                found[file.relative_to(ROOT).as_posix()] = names
    assert found == {path: {"Run"} for path in ALLOWED}


@pytest.mark.parametrize(
    "code",
    [
        "isinstance(run, Trial)",
        "isinstance(run, (Run, int))",
        "isinstance(run, Run | int)",
        "DRAWN = {Tuning: draw}",
        "type(run) is LabRun",
        "match run:\n    case Comparison():\n        pass",
        "@what.register\ndef _(outcome: TrialOutcome): ...",
    ],
)
def test_a_question_for_a_class_is_found(code):
    assert len(set(asked(code))) == 1


def test_a_type_of_an_argument_is_no_question():
    assert not list(asked("def draw(run: Trial) -> TrialOutcome: return TrialOutcome(run)"))
    assert not list(asked("is_usual = run.preparation == Run().preparation"))
