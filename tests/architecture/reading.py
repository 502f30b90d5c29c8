"""The sources of the project, read and parsed once for all rules that ask for them."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path


@cache
def source(file: Path) -> str:
    """What stands in a file."""
    return file.read_text(encoding="utf-8")


@cache
def tree(code: str) -> ast.Module:
    """A program as Python parses it."""
    return ast.parse(code)


@cache
def nodes(code: str) -> tuple[ast.AST, ...]:
    """Every node of a program, from the outermost inwards."""
    return tuple(ast.walk(tree(code)))


@cache
def import_lines(file: Path) -> tuple[ast.Import | ast.ImportFrom, ...]:
    """Every import of a file, in functions and for types too."""
    return tuple(
        node for node in nodes(source(file)) if isinstance(node, ast.Import | ast.ImportFrom)
    )
