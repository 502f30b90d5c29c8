"""Hyper-parameters looked up and changed by their path, as a link writes it: method.alpha."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mlcore.spine.component import Component
from mlcore.spine.errors import ParamError
from mlcore.spine.param_kinds import Param
from mlcore.spine.params import counting, params_of


def usual_values(component: Component, path: str, n: int = 9) -> list[Any]:
    """At most `n` values over the range that people use of the hyper-parameter at `path`.

    Raises ParamError if there is no such range.
    """
    values = param_at(component, path).grid(n)
    if not values:
        raise ParamError(f"{path} has no usual range; say which values to try.")
    return values


def param_at(component: Component, path: str) -> Param:
    """The declaration of the hyper-parameter at `path`."""
    *way, name = path.split(".")
    return _param(_part(component, way, path), name, path)


def counts_at(component: Component, path: str) -> bool:
    """Whether there is a hyper-parameter at `path`, and it counts beside the others."""
    *way, name = path.split(".")
    try:
        holder = _part(component, way, path)
    except ParamError:
        return False
    return isinstance(holder, Component) and name in counting(holder)


def value_at(component: Component, path: str) -> Any:
    """The value of the hyper-parameter at `path`."""
    *way, name = path.split(".")
    holder = _part(component, way, path)
    _param(holder, name, path)
    return getattr(holder, name)


def with_value(component: Component, path: str, value: Any) -> Any:
    """A copy of a component in which the hyper-parameter at `path` has another value."""
    name, _, rest = path.partition(".")
    _param(component, name, path)
    if not rest:
        return replace(component, **{name: value})
    part = getattr(component, name)
    if not isinstance(part, tuple):
        return replace(component, **{name: with_value(part, rest, value)})
    text, _, rest = rest.partition(".")
    position = _position(part, text, path)
    changed = with_value(part[position], rest, value) if rest else value
    return replace(component, **{name: (*part[:position], changed, *part[position + 1 :])})


def _part(part: Any, way: Sequence[str], path: str) -> Any:
    for name in way:
        if isinstance(part, tuple):
            part = part[_position(part, name, path)]
        else:
            _param(part, name, path)
            part = getattr(part, name)
    return part


def _param(component: Any, name: str, path: str) -> Param:
    declared = params_of(type(component)) if isinstance(component, Component) else {}
    if name not in declared:
        raise ParamError(f"There is no hyper-parameter {path!r} here: {name!r} is unknown.")
    return declared[name]


def _position(parts: tuple, text: str, path: str) -> int:
    if not text.isdecimal() or int(text) >= len(parts):
        raise ParamError(
            f"There is no hyper-parameter {path!r} here: {text!r} should be a place from 0 "
            f"to {len(parts) - 1}."
        )
    return int(text)
