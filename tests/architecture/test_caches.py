"""What is kept for everybody is asked by one door, which looks whether the asker has the tables."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.architecture.reading import nodes, source
from tests.architecture.test_layers import ROOT, sources

ABOVE = ("app.py", "pages", "ui", "service", "figures")
DOOR = ROOT / "ui" / "runs" / "session_tables.py"
DECORATORS = {"cache", "lru_cache", "cache_data", "cache_resource"}
# Functions with arguments that are remembered for all sessions, and why nothing private is in them.
ALLOWED = {
    "ui/data/findings.py:_audited": "is handed the table itself, so the asker has it",
    "ui/method/worth.py:_findings": "is handed the outcome itself, so the asker has it",
    "ui/data/gallery.py:_picture": "of a bundled data set",
    "ui/runs/leaving.py:_line": "of the session itself",
    "service/executors.py:_client": "of the address of a cluster",
    "ui/components/declared.py:_renderer": "of a name and a script of ours",
    "ui/search.py:_written": "of a text of the catalogue",
    "figures/numbers/planes.py:_weights": "of a number of cells",
    "figures/graph/node.py:path": "of a name of a property of pictures",
    "figures/graph/node.py:_known_scale": "of a name of a colour scale",
}


def remembered(file: Path) -> list[str]:
    """The functions of a file with arguments whose answers are kept."""
    found, text = [], source(file)
    for node in nodes(text) if any(name in text for name in DECORATORS) else ():
        if isinstance(node, ast.FunctionDef) and (node.args.args or node.args.kwonlyargs):
            calls = [d.func if isinstance(d, ast.Call) else d for d in node.decorator_list]
            names = {getattr(call, "attr", getattr(call, "id", "")) for call in calls}
            if names & DECORATORS:
                found.append(f"{file.relative_to(ROOT).as_posix()}:{node.name}")
    return found


def test_nothing_else_is_remembered_for_all_sessions():
    assert {name for file in sources(*ABOVE) for name in remembered(file)} == ALLOWED.keys()


def names_a_key(file: Path) -> bool:
    """Whether a file makes keys of the cache, or takes the function that makes them."""
    every = nodes(source(file))
    calls = {getattr(n.func, "id", "") for n in every if isinstance(n, ast.Call)}
    taken = [
        alias.name
        for node in every
        if isinstance(node, ast.ImportFrom) and node.module == "service.results"
        for alias in node.names
    ]
    return "Key" in calls or "key" in taken


def test_keys_are_made_at_one_door():
    makers = [file for file in sources(*ABOVE) if names_a_key(file)]
    assert makers == [ROOT / "service" / "results.py", DOOR]


@pytest.mark.parametrize("call", ["obtain", "put"])
def test_whoever_asks_the_cache_has_its_key_from_the_door(call):
    for file in sources("pages", "ui"):
        text = source(file)
        if f"results().{call}(" in text:
            assert "from ui.runs.session_tables import" in text and "key_of(" in text, file
