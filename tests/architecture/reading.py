"""The imports of a file, read once for all rules that ask for them."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path


@cache
def import_lines(file: Path) -> tuple[ast.Import | ast.ImportFrom, ...]:
    """Every import of a file, in functions and for types too."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return tuple(node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))
