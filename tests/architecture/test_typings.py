"""What pyright is told of the peers: they are anything, so it reads none of their sources."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.architecture.reading import source, tree

ROOT = Path(__file__).parents[2]
TYPINGS = ROOT / "typings"
PEERS = {folder.name for folder in TYPINGS.iterdir()}


def stubs() -> set[str]:
    """The modules that `typings` tells of, by full name."""
    paths = [file.relative_to(TYPINGS).with_suffix("") for file in TYPINGS.rglob("*.pyi")]
    return {".".join(path.parts).removesuffix(".__init__") for path in paths}


def imports() -> tuple[set[str], set[str]]:
    """The modules of peers that benchmarks import, and these with all that may be modules."""
    modules: set[str] = set()
    names: set[str] = set()
    for file in (ROOT / "benchmarks").rglob("*.py"):
        for node in ast.walk(tree(source(file))):
            if isinstance(node, ast.Import):
                modules |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                modules.add(str(node.module))
                names |= {f"{node.module}.{alias.name}" for alias in node.names}
    modules = {name for name in modules if name.split(".")[0] in PEERS}
    parts = [name.split(".") for name in modules | names]
    return modules, {".".join(part[:k]) for part in parts for k in range(1, len(part) + 1)}


def test_pyright_is_told_of_every_peer_that_benchmarks_import_and_of_no_other():
    modules, possible = imports()
    # Methods of ours derive from what is in `sklearn.base`: of that the types are read.
    assert sorted(modules - stubs() - {"sklearn.base"}) == []
    assert sorted(stubs() - possible) == []
    assert "sklearn.svm" in stubs()
