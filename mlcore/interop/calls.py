"""Python text: calls of classes by their settings, broken into lines, and the imports they need."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

WIDTH = 88  # letters of a line, where it can be broken


class Call(NamedTuple):
    """`Class(*arguments, **settings)`; `path` is module.Class."""

    path: str
    arguments: tuple[Any, ...] = ()
    settings: dict[str, Any] | None = None

    @property
    def name(self) -> str:
        """The class alone."""
        return self.path.rpartition(".")[2]


def imports(*values: Any) -> list[str]:
    """One line a module for every class that is called anywhere in the values."""
    by_module: dict[str, set[str]] = {}
    for call in _calls(values):
        module, _, name = call.path.rpartition(".")
        by_module.setdefault(module, set()).add(name)
    return [
        f"from {module} import {', '.join(sorted(names))}"
        for module, names in sorted(by_module.items())
    ]


def _calls(value: Any) -> Iterator[Call]:
    if isinstance(value, Call):
        yield value
        yield from _calls((*value.arguments, *(value.settings or {}).values()))
    elif isinstance(value, dict):
        yield from _calls(tuple(value.values()))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _calls(item)


def text(value: Any, indent: int = 0) -> str:
    """The expression of a value; what is too long for a line stands below itself, indented."""
    head, items, tail = _parts(value)
    if not items:
        return head + tail
    flat = head + ", ".join(key + text(item, 0) for key, item in items) + tail
    if indent + len(flat) <= WIDTH and "\n" not in flat:
        return flat
    pad = " " * (indent + 4)
    lines = "".join(f"{pad}{key}{text(item, indent + 4)},\n" for key, item in items)
    return f"{head}\n{lines}{' ' * indent}{tail}"


def _parts(value: Any) -> tuple[str, list[tuple[str, Any]], str]:
    """What stands before, the items with their keys, and what stands behind."""
    if isinstance(value, Call):
        named = [(f"{key}=", item) for key, item in (value.settings or {}).items()]
        return f"{value.name}(", [("", item) for item in value.arguments] + named, ")"
    if isinstance(value, dict):
        return "{", [(f"{_quoted(key)}: ", item) for key, item in value.items()], "}"
    if isinstance(value, list):
        return "[", [("", item) for item in value], "]"
    if isinstance(value, tuple):
        return "(", [("", item) for item in value], ",)" if len(value) == 1 else ")"
    if isinstance(value, float) and not math.isfinite(value):
        return f"float({str(value)!r})", [], ""
    return _quoted(value) if isinstance(value, str) else repr(value), [], ""


def _quoted(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
