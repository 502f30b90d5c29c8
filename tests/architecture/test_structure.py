"""Where things stand: few modules in the root of mlcore, and no circle between files."""

from __future__ import annotations

import ast
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.architecture.reading import import_lines

ROOT = Path(__file__).parents[2]
PACKAGES = ("mlcore", "figures", "service", "ui")
MOST_MODULES, MOST_FOLDERS = 4, 28  # in the root of mlcore
MOST_FILES = 45  # of one kind side by side: more is found by reading, not by one look


@cache
def modules() -> dict[str, Path]:
    """Every module of the project that others import, by its dotted name."""
    files = [f for package in PACKAGES for f in (ROOT / package).rglob("*.py")]
    return {_name(f.relative_to(ROOT)): f for f in files}


def _name(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(file: Path, known: frozenset[str]) -> set[str]:
    """The modules among `known` that a file imports, in functions and for types too."""
    found = set()
    for node in import_lines(file):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif node.module:
            inner = {alias.name: f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in known else node.module for name in inner.values()}
    return found & known


def circle(graph: dict[str, set[str]]) -> list[str]:
    """The modules of one circle, or none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_no_files_import_each_other_in_a_circle():
    known = frozenset(modules())
    assert circle({name: imports(file, known) - {name} for name, file in modules().items()}) == []


def test_a_circle_is_found():
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}})
    assert not circle({"a": {"b", "c"}, "b": {"c"}, "c": set()})


def test_an_import_in_a_function_or_for_types_counts(tmp_path):
    code = "if TYPE_CHECKING:\n    from a import b\ndef f():\n    from a.c import d\n"
    (file := tmp_path / "m.py").write_text(code)
    assert imports(file, frozenset({"a", "a.b", "a.c"})) == {"a.b", "a.c"}


def test_the_root_of_mlcore_is_read_at_one_look():
    inside = [f for f in (ROOT / "mlcore").iterdir() if f.name != "__pycache__"]
    assert len([f for f in inside if f.suffix == ".py"]) <= MOST_MODULES
    assert len([f for f in inside if f.is_dir()]) <= MOST_FOLDERS


@pytest.mark.parametrize("package", PACKAGES)
def test_no_folder_is_crowded(package):
    folders = [f for f in (ROOT / package).rglob("*") if f.is_dir()]
    crowded = {str(f.relative_to(ROOT)): len(list(f.glob("*.py"))) for f in folders}
    assert {name: n for name, n in crowded.items() if n > MOST_FILES} == {}
